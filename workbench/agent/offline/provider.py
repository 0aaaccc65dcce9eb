"""The offline provider: answers with sentences quoted word for word, or from the structure of whole documents.

If the tool finds nothing that fits, the sentence search takes over, with the subject of the request as the query:
"summarise the oxygen problem" asks about oxygen.
"""

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.agent.built_in_agent import is_refusal
from workbench.agent.offline import structure_answers, wording
from workbench.agent.offline.conversation import ConversationState, FoundPassage, read_conversation
from workbench.agent.offline.instructions import asks_how, quote_instructions
from workbench.agent.offline.quotes import choose_sentences, lay_out_quotes
from workbench.agent.offline.structure_wording import words_for
from workbench.agent.offline.wording import escape_line
from workbench.agent.prompt import LAST_ROUND
from workbench.agent.references import parse_references, parse_search_remarks
from workbench.agent.tools.document_overview import DOCUMENT_OVERVIEW
from workbench.agent.tools.find_table import FIND_TABLE
from workbench.agent.tools.find_words import FIND_IN_DOCUMENTS
from workbench.agent.tools.reasoning import ANALYZE, THINK
from workbench.agent.tools.search import SEARCH_KNOWLEDGE_BASE
from workbench.agent.tools.tool_results import DATA
from workbench.model.message import Message, ModelEvent, ModelRequest, Role, TextDelta, ToolCall, TurnEnd
from workbench.retrieval.answer_sentences import AnswerLevel, Ranking, SentenceRanker
from workbench.retrieval.question_words import parts_beside
from workbench.retrieval.request_recognition import Request, RequestKind, request_of
from workbench.retrieval.unknown_abbreviations import with_long_forms

STRUCTURE_TOOLS = (DOCUMENT_OVERVIEW, FIND_IN_DOCUMENTS, FIND_TABLE)
"""Tools for requests about whole documents; declared only in a run that makes such a request."""

_TOOLS = {RequestKind.MENTIONS: FIND_IN_DOCUMENTS, RequestKind.LISTING: FIND_TABLE}
_TWO = 2
_FILE_NAME = re.compile(r"\w\.[A-Za-z][A-Za-z0-9]{1,5}$")


@dataclass(frozen=True, slots=True)
class StructureStep:
    """Next step for a request about whole documents.

    Attributes:
        tool: Tool to call first; empty if the structure is known already.
        arguments: Arguments of that call.
        thought: Arguments of the think call in the same turn.
        judgement: Arguments of the analyze call before the answer.
        pieces: The answer, to be streamed.
        query: Query of the search to make instead if the structure does not answer; empty if it does.
    """

    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    thought: Mapping[str, Any] | None = None
    judgement: Mapping[str, Any] | None = None
    pieces: tuple[str, ...] = ()
    query: str = ""


def structure_call(question: str) -> tuple[str, dict[str, Any]] | None:
    """Return the tool, with arguments, for the structure that a question requests; None if it requests none."""
    request = request_of(question)
    return (_TOOLS.get(request.kind, DOCUMENT_OVERVIEW), _arguments(request)) if request is not None else None


def structure_turn(question: str, messages: Sequence[Message], tools: set[str]) -> StructureStep | None:
    """Return the next step for a question that requests structure; None for any other question.

    Args:
        question: The last message of the user.
        messages: The conversation, with the results of tools.
        tools: Names of the declared tools.
    """
    request = request_of(question)
    if request is None:
        return None
    tool = _TOOLS.get(request.kind, DOCUMENT_OVERVIEW)
    result = _result(messages, tool)
    if result is None:
        if tool not in tools:
            return None
        words = words_for(question)
        thought = {
            "title": words.thought_title,
            "thought": words.thoughts[request.kind],
            "action": words.next_step,
            "confidence": 0.8,
        }
        return StructureStep(tool, _arguments(request), thought)
    pieces = tuple(_pieces(request, question, result))
    if not result and _FILE_NAME.search(request.subject):
        pieces = (_no_such_document(question, request.subject, messages),)
    if not pieces:
        return StructureStep(query=request.subject or question)
    return StructureStep(judgement=_judgement(question, result), pieces=pieces)


def _no_such_document(question: str, name: str, messages: Sequence[Message]) -> str:
    """Return that no document has a name; only of those that were read if the tool's result says that some were not."""
    words = words_for(question)
    results = (message.text for message in messages if message.role is Role.TOOL)
    if any(parse_search_remarks(line)[0].unsearched for text in results for line in text.splitlines()):
        return structure_answers.unknown_so_far(question, words.no_such_so_far.format(name=escape_line(name)))
    return words.no_such.format(name=escape_line(name))


def _arguments(request: Request) -> dict[str, Any]:
    match request.kind:
        case RequestKind.MENTIONS:
            return {"text": request.subject, **({"documents": request.within} if request.within else {})}
        case RequestKind.LISTING:
            return {"text": request.subject}
        case RequestKind.DOCUMENTS:
            return {}
        case _:
            arguments = {"documents": request.subject, "other": request.other}
            return {key: value for key, value in arguments.items() if value}


def _result(messages: Sequence[Message], tool: str) -> Mapping[str, Any] | None:
    """Return the tool's result for the last question; empty if it is no structure, None if the tool was not called."""
    last_question = max((place for place, message in enumerate(messages) if message.role is Role.USER), default=0)
    called: dict[str, str] = {}
    found: Mapping[str, Any] | None = None
    for message in messages[last_question:]:
        called.update((call.id, call.name) for call in message.tool_calls)
        if message.role is Role.TOOL and called.get(message.tool_call_id) == tool:
            _, _, text = message.text.partition(f"\n{DATA}\n")
            try:
                given = parse_references(text) if text else []
            except ValueError:
                given = []
            is_structure = isinstance(given, list) and len(given) == 1 and isinstance(given[0], dict)
            found = given[0] if is_structure else {}
    return found


def _pieces(request: Request, question: str, result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answer in pieces; nothing if the structure does not answer the request."""
    if not result:
        return iter(())
    match request.kind:
        case RequestKind.MENTIONS:
            return structure_answers.mentions_answer(question, result)
        case RequestKind.LISTING:
            return structure_answers.table_answer(question, result)
        case RequestKind.DOCUMENTS:
            return structure_answers.library_answer(question, result)
    documents = result["documents"]
    if request.kind is RequestKind.COMPARISON:
        if len(documents) == result["total"] == _TWO:
            return structure_answers.comparison_answer(question, *documents)
        return structure_answers.which_two(question, result)
    if request.kind is RequestKind.DETAILS:
        return (
            structure_answers.details_answer(question, documents[0]) if result["total"] == 1 and documents else iter(())
        )
    if result["part"] and len(documents) != 1:
        those_with_it = {**result, "named": True, "total": len(documents), "others": []}
        return structure_answers.library_answer(question, those_with_it) if documents else iter(())
    if len(documents) == 1 and (result["total"] == 1 or result["part"]):
        return structure_answers.document_answer(question, documents[0])
    return structure_answers.library_answer(question, result)


def _judgement(question: str, result: Mapping[str, Any]) -> dict[str, Any]:
    words = words_for(question)
    return {
        "title": words.judged_title,
        "result": words.judged.format(len(set(_citations(result)))),
        "analysis": words.judgement,
        "next_action": "final_answer",
        "confidence": 0.9,
    }


def _citations(told: Any) -> Iterator[int]:
    """Yield every citation number in a result."""
    if isinstance(told, Mapping):
        if "citation" in told:
            yield told["citation"]
        for value in told.values():
            yield from _citations(value)
    elif isinstance(told, list):
        for value in told:
            yield from _citations(value)


__all__ = ["MODE", "OfflineProvider", "is_refusal"]

MODE = wording.MODE


@dataclass(frozen=True, slots=True)
class _RankedAnswer:
    """The ranked sentences of a conversation, and the pieces of the answer."""

    ranking: Ranking
    pieces: Sequence[str]


class OfflineProvider:
    """ModelProvider without a model: it thinks, searches, judges and quotes; one instance answers one run at a time."""

    def __init__(self, ranker: SentenceRanker) -> None:
        self._ranker = ranker
        self._numbers = itertools.count(1)
        self._ranked: tuple[ConversationState, _RankedAnswer] | None = None

    @property
    def mode(self) -> str:
        return MODE

    @property
    def counts(self) -> None:
        """None: there is no context window, every passage that is found is read."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield one turn: a thought and the search, then a judgement, then the answer."""
        conversation = read_conversation(request.messages)
        # Call ids are unique within a run, even if the run continues a step of another one.
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
        ranked = await self._rank(conversation)
        if ANALYZE in tools - conversation.called and conversation.passages:
            yield TurnEnd(tool_calls=(self._judgement(conversation, ranked.ranking),), finish="tool_calls")
            return
        for piece in ranked.pieces:
            yield TextDelta(piece)
            # A Stop pressed between two quotes takes effect here.
            await asyncio.sleep(0)
        yield TurnEnd()

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    async def _structure(self, turn: StructureStep, tools: set[str]) -> AsyncIterator[ModelEvent]:
        """Yield one turn of a request about whole documents."""
        calls = [(THINK, turn.thought), (turn.tool, turn.arguments), (ANALYZE, turn.judgement)]
        made = [self._call(name, dict(given)) for name, given in calls if given is not None and name in tools]
        if made:
            yield TurnEnd(tool_calls=tuple(made), finish="tool_calls")
            return
        for piece in turn.pieces:
            yield TextDelta(piece)
            await asyncio.sleep(0)  # as in stream
        yield TurnEnd()

    def _first_calls(self, conversation: ConversationState, tools: set[str]) -> tuple[ToolCall, ...]:
        search = self._call(SEARCH_KNOWLEDGE_BASE, {"query": conversation.query})
        if THINK not in tools:
            return (search,)
        return self._call(THINK, wording.thought(conversation.question, conversation.query)), search

    def _judgement(self, conversation: ConversationState, ranking: Ranking) -> ToolCall:
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

    async def _rank(self, conversation: ConversationState) -> _RankedAnswer:
        """Rank the sentences and quote them in a worker thread; the judgement and the answer share one ranking."""
        if self._ranked is not None:
            known, ranked = self._ranked
            if replace(known, called=conversation.called) == conversation:
                return ranked
        ranked = await asyncio.to_thread(self._ranked_answer, conversation)
        self._ranked = conversation, ranked
        return ranked

    def _ranked_answer(self, conversation: ConversationState) -> _RankedAnswer:
        conversation = replace(
            conversation,
            question=with_long_forms(conversation.question, conversation.readings),
            query=with_long_forms(conversation.query, conversation.readings),
        )
        ranking = self._ranking(conversation.query, conversation.passages)
        return _RankedAnswer(ranking, self._answer(conversation, ranking))

    def _ranking(self, query: str, passages: Sequence[FoundPassage]) -> Ranking:
        texts = [(passage.number, passage.text) for passage in passages]
        above = {passage.number: f"{passage.document} {passage.heading}" for passage in passages}
        files = {passage.number: passage.file for passage in passages}
        paths = {passage.number: passage.heading for passage in passages}
        return self._ranker.rank(query, texts, headings=above, documents=files, paths=paths)

    def _answer(self, conversation: ConversationState, ranking: Ranking) -> list[str]:
        question = conversation.question
        if conversation.failed and ranking.level is not AnswerLevel.FOUND:
            return [wording.failed(question)]
        if ranking.level in (AnswerLevel.FOUND, AnswerLevel.CLOSEST):
            return self._quote(conversation, ranking)
        if conversation.has_unsearched:
            return [wording.unknown_yet(question)]
        return [wording.refusal(question, near_misses=bool(conversation.passages))]

    def _quote(self, conversation: ConversationState, ranking: Ranking) -> list[str]:
        question = conversation.question
        if asks_how(question) and ranking.level is AnswerLevel.FOUND:
            steps = quote_instructions(question, conversation.passages, self._ranker.share_in(conversation.query))
            if steps:
                return wording.quoted_answer(question, steps, is_section=True)
        wanted = parts_beside(conversation.query, ranking.sentences[0].text)
        parts = [self._ranking(part, conversation.passages) for part in wanted]
        quotes = lay_out_quotes(question, choose_sentences(question, ranking, parts), conversation.passages)
        if ranking.level is AnswerLevel.FOUND:
            return wording.quoted_answer(question, quotes)
        return wording.closest_answer(question, quotes, has_unsearched=conversation.has_unsearched)
