"""The answerer that needs no model: it runs the same loop as one, and answers with sentences quoted word for word."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Sequence

from workbench.agent.prompt import LAST_ROUND
from workbench.agent.providers import offline_wording as wording
from workbench.agent.providers.offline_results import Conversation, read_conversation
from workbench.agent.refusal import is_refusal
from workbench.agent.tools.reasoning import ANALYZE, THINK
from workbench.agent.tools.search import SEARCH_KNOWLEDGE_BASE
from workbench.model.message import ModelEvent, ModelRequest, Role, TextDelta, ToolCall, TurnEnd
from workbench.retrieval.sentences import RankedSentence, Ranking, SentenceRanker

__all__ = ["MODE", "OfflineProvider", "is_refusal"]

MODE = wording.MODE

MOST_QUOTES = 4

# A sentence is quoted beside the best one when its score is at most this far below. On xquad en the answer stands in
# the best sentence for 0.80 of the questions and in the best four for 0.96; with 0.4 / 0.5 / 0.7 here, 1.9 / 2.3 / 2.9
# sentences are quoted, and the answer stands in them for 0.90 / 0.91 / 0.92, questions refused included.
WORTH_QUOTING = 0.5


class OfflineProvider:
    """ModelProvider that thinks, searches, judges and quotes; one instance answers one run after another."""

    def __init__(self, ranker: SentenceRanker) -> None:
        self._ranker = ranker
        self._numbers = itertools.count(1)
        self._ranked: tuple[Conversation, Ranking] | None = None

    @property
    def mode(self) -> str:
        return MODE

    @property
    def counts(self) -> None:
        """None: it reads all that is found."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield one turn: a thought and the search, then a judgement, then the answer."""
        conversation = read_conversation(request.messages)
        tools = {tool.name for tool in request.tools}
        if any(message.role is Role.SYSTEM and LAST_ROUND in message.text for message in request.messages):
            tools = set()
        if wording.is_no_question(conversation.question):
            yield TextDelta(wording.only_quotes(conversation.question))
            yield TurnEnd()
            return
        if SEARCH_KNOWLEDGE_BASE in tools - conversation.called:
            yield TurnEnd(tool_calls=self._first_calls(conversation, tools), finish="tool_calls")
            return
        ranking = await self._rank(conversation)
        if ANALYZE in tools - conversation.called and conversation.passages:
            yield TurnEnd(tool_calls=(self._judgement(conversation, ranking),), finish="tool_calls")
            return
        for piece in _answer(conversation, ranking):
            yield TextDelta(piece)
            # A Stop pressed between two quotes takes effect here.
            await asyncio.sleep(0)
        yield TurnEnd()

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    def _first_calls(self, conversation: Conversation, tools: set[str]) -> tuple[ToolCall, ...]:
        search = self._call(SEARCH_KNOWLEDGE_BASE, {"query": conversation.query})
        if THINK not in tools:
            return (search,)
        return self._call(THINK, wording.thought(conversation.question, conversation.query)), search

    def _judgement(self, conversation: Conversation, ranking: Ranking) -> ToolCall:
        arguments = wording.analysis(
            conversation.question,
            passages=len(conversation.passages),
            sentences=len(ranking.sentences),
            certainty=ranking.certainty,
            enough=ranking.answerable,
        )
        return self._call(ANALYZE, arguments)

    def _call(self, name: str, arguments: dict[str, object]) -> ToolCall:
        return ToolCall(f"offline-{next(self._numbers)}", name, json.dumps(arguments, ensure_ascii=False))

    async def _rank(self, conversation: Conversation) -> Ranking:
        """Rank the sentences found, off the event loop; the judgement and the answer share one ranking."""
        if self._ranked is not None:
            known, ranking = self._ranked
            if known.query == conversation.query and known.passages == conversation.passages:
                return ranking
        ranking = await asyncio.to_thread(
            self._ranker.rank,
            conversation.query,
            [(passage.number, passage.text) for passage in conversation.passages],
            headings={passage.number: f"{passage.document} {passage.heading}" for passage in conversation.passages},
        )
        self._ranked = conversation, ranking
        return ranking


def _answer(conversation: Conversation, ranking: Ranking) -> list[str]:
    question = conversation.question
    if ranking.answerable:
        return wording.quoted_answer(question, worth_quoting(ranking.sentences))
    if conversation.failed:
        return [wording.failed(question)]
    return [wording.refusal(question, near_misses=bool(conversation.passages))]


def worth_quoting(sentences: Sequence[RankedSentence]) -> list[RankedSentence]:
    """Return the sentences to quote, best first: 1 to 4, none twice, none far below the best."""
    chosen: dict[str, RankedSentence] = {}
    for sentence in sentences:
        if sentence.score < sentences[0].score - WORTH_QUOTING or len(chosen) == MOST_QUOTES:
            break
        chosen.setdefault(" ".join(sentence.text.split()), sentence)
    return list(chosen.values())
