"""A request about whole documents -> the tool that gives their structure, then the answer made of what it gave.

Where the tool finds nothing that fits, the request is left to the search for sentences, with its subject as the
question: "summarise the oxygen problem" asks about oxygen.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.agent.offline import listings, overview
from workbench.agent.offline.wording import words_for
from workbench.agent.providers.offline_wording import escaped
from workbench.agent.references_format import parsed
from workbench.agent.tools.document_overview import DOCUMENT_OVERVIEW
from workbench.agent.tools.find_in_documents import FIND_IN_DOCUMENTS
from workbench.agent.tools.find_table import FIND_TABLE
from workbench.agent.tools.passages import DATA
from workbench.model.message import Message, Role
from workbench.retrieval.request_recognition import Request, RequestKind, request_of

STRUCTURE_TOOLS = (DOCUMENT_OVERVIEW, FIND_IN_DOCUMENTS, FIND_TABLE)
"""Tools that answer requests about whole documents; declared only in a run that makes such a request."""

_TOOLS = {RequestKind.MENTIONS: FIND_IN_DOCUMENTS, RequestKind.LISTING: FIND_TABLE}
_TWO = 2
_FILE_NAME = re.compile(r"\w\.[A-Za-z][A-Za-z0-9]{1,5}$")


@dataclass(frozen=True, slots=True)
class StructureTurn:
    """What comes next for a request.

    Attributes:
        tool: Called first, with the arguments; empty where the structure is known.
        thought: Arguments of the think call beside it.
        judgement: Arguments of the analyze call before the answer.
        pieces: The answer, to be streamed.
        query: What to search for instead, where the structure does not answer; empty where it does.
    """

    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    thought: Mapping[str, Any] | None = None
    judgement: Mapping[str, Any] | None = None
    pieces: tuple[str, ...] = ()
    query: str = ""


def structure_call(question: str) -> tuple[str, dict[str, Any]] | None:
    """Return the tool that gives the structure which a question requests, and its arguments; None for any other."""
    request = request_of(question)
    return (_TOOLS.get(request.kind, DOCUMENT_OVERVIEW), _arguments(request)) if request is not None else None


def structure_turn(question: str, messages: Sequence[Message], tools: set[str]) -> StructureTurn | None:
    """Return what comes next for a question that requests structure; None for any other.

    Args:
        question: The last thing the user said.
        messages: The conversation, with the results of tools.
        tools: Names of those declared.
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
        return StructureTurn(tool, _arguments(request), thought)
    pieces = tuple(_pieces(request, question, result))
    if not result and _FILE_NAME.search(request.subject):
        pieces = (words_for(question).no_such.format(name=escaped(request.subject)),)
    if not pieces:
        return StructureTurn(query=request.subject or question)
    return StructureTurn(judgement=_judgement(question, result), pieces=pieces)


def _arguments(request: Request) -> dict[str, Any]:
    match request.kind:
        case RequestKind.MENTIONS:
            return {"text": request.subject, **({"documents": request.within} if request.within else {})}
        case RequestKind.LISTING:
            return {"text": request.subject}
        case RequestKind.DOCUMENTS:
            return {}
        case _:
            said = {"documents": request.subject, "other": request.other}
            return {key: value for key, value in said.items() if value}


def _result(messages: Sequence[Message], tool: str) -> Mapping[str, Any] | None:
    """Return what the tool gave for the last question; empty for no structure, None where it was not called."""
    asked = max((place for place, message in enumerate(messages) if message.role is Role.USER), default=0)
    called: dict[str, str] = {}
    found: Mapping[str, Any] | None = None
    for message in messages[asked:]:
        called.update((call.id, call.name) for call in message.tool_calls)
        if message.role is Role.TOOL and called.get(message.tool_call_id) == tool:
            _, _, text = message.text.partition(f"\n{DATA}\n")
            try:
                given = parsed(text) if text else []
            except ValueError:
                given = []
            is_structure = isinstance(given, list) and len(given) == 1 and isinstance(given[0], dict)
            found = given[0] if is_structure else {}
    return found


def _pieces(request: Request, question: str, result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answer; nothing where the structure does not answer the request."""
    if not result:
        return iter(())
    match request.kind:
        case RequestKind.MENTIONS:
            return listings.mentions_answer(question, result)
        case RequestKind.LISTING:
            return listings.table_answer(question, result)
        case RequestKind.DOCUMENTS:
            return overview.library_answer(question, result)
    documents = result["documents"]
    if request.kind is RequestKind.COMPARISON:
        if len(documents) == result["total"] == _TWO:
            return overview.comparison_answer(question, *documents)
        return overview.which_two(question, result)
    if request.kind is RequestKind.DETAILS:
        return overview.details_answer(question, documents[0]) if result["total"] == 1 and documents else iter(())
    if result["part"] and len(documents) != 1:
        those_with_it = {**result, "named": True, "total": len(documents), "others": []}
        return overview.library_answer(question, those_with_it) if documents else iter(())
    if len(documents) == 1 and (result["total"] == 1 or result["part"]):
        return overview.document_answer(question, documents[0])
    return overview.library_answer(question, result)


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
    """Yield every number to cite in a result."""
    if isinstance(told, Mapping):
        if "citation" in told:
            yield told["citation"]
        for value in told.values():
            yield from _citations(value)
    elif isinstance(told, list):
        for value in told:
            yield from _citations(value)
