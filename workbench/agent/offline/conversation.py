"""Conversation state of the offline answerer: the question, its query, and the passages found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.agent.references import parse_references, parse_search_remarks
from workbench.agent.searched_ahead import parts_of
from workbench.agent.tools.search import NOTHING_FOUND, SEARCH_KNOWLEDGE_BASE
from workbench.model.hit import AbbreviationReading
from workbench.model.message import Message, Role, ToolCall
from workbench.store.keywords import terms

_FOLLOWS = re.compile(
    r"^(?:and|but|so|or|what about|how about|why|how so|since when)\b"
    r"|\b(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|one)\b"
    r"|^(?:那|那么|那麼|还有|還有)|[它他她其]|这个|這個|那个|那個"
)
# A question with more terms than this is understood without the question before it.
_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """Result of the search tool.

    Attributes:
        heading: Headings above the passage; those of a part of a long table contain the names of its columns.
    """

    number: int
    document: str
    heading: str
    text: str
    file: str = ""


@dataclass(slots=True)
class ConversationState:
    """The last question, and the tool calls and results since.

    Attributes:
        question: The last message of the user.
        query: The question; a follow-up question with the question before it.
        called: Names of the tools called since the question.
        passages: Passages found so far, best first, each number once.
        failed: True if a search failed.
        has_unsearched: True if some documents or pages could not be searched, or not by meaning.
        readings: Abbreviations that stand in no document, with the long forms that were searched in their place.
    """

    question: str
    query: str
    called: set[str] = field(default_factory=set)
    passages: list[FoundPassage] = field(default_factory=list)
    failed: bool = False
    has_unsearched: bool = False
    readings: list[AbbreviationReading] = field(default_factory=list)


def read_conversation(messages: Sequence[Message]) -> ConversationState:
    """Return the state of the last question in a conversation."""
    user_indices = [index for index, message in enumerate(messages) if message.role is Role.USER]
    if not user_indices:
        return ConversationState("", "")
    sent = parts_of(messages[user_indices[-1]].text)
    question = sent.question
    earlier = messages[user_indices[-2]].text if len(user_indices) > 1 else ""
    conversation = ConversationState(question, f"{earlier} {question}" if earlier and _follows(question) else question)
    if sent.references:
        _read_results(sent.references, conversation)
    calls: dict[str, ToolCall] = {}
    for message in messages[user_indices[-1] + 1 :]:
        calls.update((call.id, call) for call in message.tool_calls)
        call = calls.get(message.tool_call_id)
        if message.role is Role.TOOL and call is not None:
            conversation.called.add(call.name)
            if call.name == SEARCH_KNOWLEDGE_BASE:
                _read_results(message.text, conversation)
    return conversation


def _follows(question: str) -> bool:
    plain = question.strip().lower()
    return len(terms(question)) <= _FEW_WORDS and _FOLLOWS.search(plain) is not None


def _read_results(text: str, conversation: ConversationState) -> None:
    is_nothing = text.startswith(NOTHING_FOUND)
    remarks, text = parse_search_remarks(text.removeprefix(f"{NOTHING_FOUND}\n") if is_nothing else text)
    conversation.has_unsearched |= bool(remarks.unsearched)
    conversation.readings += remarks.readings
    if is_nothing:
        return
    try:
        found = _passages(text)
    except (ValueError, TypeError, KeyError):
        # "Error searching knowledge base: ...", or a limit of the run; must not be treated as "nothing found".
        conversation.failed = True
        return
    known = {passage.number for passage in conversation.passages}
    conversation.passages.extend(passage for passage in found if passage.number not in known)


@lru_cache(maxsize=32)
def _passages(text: str) -> tuple[FoundPassage, ...]:
    """Return the passages of a result; cached, since each turn of a run reads the results of the turns before it."""
    return tuple(_passage(result) for result in parse_references(text))


def _passage(result: dict[str, object]) -> FoundPassage:
    about = result["meta_data"]
    if not isinstance(about, dict):
        raise TypeError("meta_data is no object")
    return FoundPassage(
        number=int(about["citation"]),
        document=str(result.get("name") or ""),
        heading=str(about.get("heading") or ""),
        text=str(result["content"]),
        file=str(about.get("document") or ""),
    )
