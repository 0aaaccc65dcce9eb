"""The answerer that needs no model: it runs the same loop as one, and answers with sentences quoted word for word."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Sequence

from workbench.agent.offline.requests import StructureTurn, structure_turn
from workbench.agent.prompt import LAST_ROUND
from workbench.agent.providers import offline_wording as wording
from workbench.agent.providers.offline_choice import chosen
from workbench.agent.providers.offline_layout import laid_out
from workbench.agent.providers.offline_results import Conversation, FoundPassage, read_conversation
from workbench.agent.refusal import is_refusal
from workbench.agent.tools.reasoning import ANALYZE, THINK
from workbench.agent.tools.search import SEARCH_KNOWLEDGE_BASE
from workbench.model.message import ModelEvent, ModelRequest, Role, TextDelta, ToolCall, TurnEnd
from workbench.retrieval.answer_sentences import AnswerLevel, Ranking, SentenceRanker
from workbench.retrieval.question_words import parts_of

__all__ = ["MODE", "OfflineProvider", "is_refusal"]

MODE = wording.MODE


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
        # No id twice in a run, also where that went on from a step of another one.
        self._numbers = itertools.count(1 + sum(len(message.tool_calls) for message in request.messages))
        tools = {tool.name for tool in request.tools}
        if any(message.role is Role.SYSTEM and LAST_ROUND in message.text for message in request.messages):
            tools = set()
        structure = structure_turn(conversation.question, request.messages, tools)
        if structure is not None and not structure.query:
            async for event in self._structure(structure, tools - conversation.called):
                yield event
            return
        if structure is not None:
            conversation.query = structure.query
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
        for piece in await self._answer(conversation, ranking):
            yield TextDelta(piece)
            # A Stop pressed between two quotes takes effect here.
            await asyncio.sleep(0)
        yield TurnEnd()

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    async def _structure(self, turn: StructureTurn, tools: set[str]) -> AsyncIterator[ModelEvent]:
        """Yield one turn of a request about whole documents."""
        calls = [(THINK, turn.thought), (turn.tool, turn.arguments), (ANALYZE, turn.judgement)]
        made = [self._call(name, dict(given)) for name, given in calls if given is not None and name in tools]
        if made:
            yield TurnEnd(tool_calls=tuple(made), finish="tool_calls")
            return
        for piece in turn.pieces:
            yield TextDelta(piece)
            await asyncio.sleep(0)  # as below
        yield TurnEnd()

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
            level=ranking.level,
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
        ranking = await asyncio.to_thread(self._ranking, conversation.query, conversation.passages)
        self._ranked = conversation, ranking
        return ranking

    def _ranking(self, query: str, passages: Sequence[FoundPassage]) -> Ranking:
        texts = [(passage.number, passage.text) for passage in passages]
        above = {passage.number: f"{passage.document} {passage.heading}" for passage in passages}
        files = {passage.number: passage.file for passage in passages}
        return self._ranker.rank(query, texts, headings=above, documents=files)

    async def _answer(self, conversation: Conversation, ranking: Ranking) -> list[str]:
        if ranking.level is AnswerLevel.FOUND:
            return await asyncio.to_thread(self._quoted, conversation, ranking)
        question = conversation.question
        if conversation.failed:
            return [wording.failed(question)]
        if ranking.level is AnswerLevel.CLOSEST:
            return await asyncio.to_thread(self._quoted, conversation, ranking)
        if conversation.has_pending:
            return [wording.unknown_yet(question)]
        return [wording.refusal(question, near_misses=bool(conversation.passages))]

    def _quoted(self, conversation: Conversation, ranking: Ranking) -> list[str]:
        question = conversation.question
        parts = [self._ranking(part, conversation.passages) for part in parts_of(conversation.query)]
        quotes = laid_out(question, chosen(question, ranking, parts), conversation.passages)
        if ranking.level is AnswerLevel.FOUND:
            return wording.quoted_answer(question, quotes)
        return wording.closest_answer(question, quotes, has_pending=conversation.has_pending)
