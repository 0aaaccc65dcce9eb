"""Finds tool calls in streamed text: where they begin and end, their arguments, and calls that are only quoted.

Arguments may be a JSON object, name=value pairs, or values alone. A single value becomes the tool's first argument,
including its commas. Text that cannot be parsed becomes the first argument as well, and the tool reports the error.

A document may contain a line “TOOL: …”, which a model writes too if it is asked to quote the document.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.agent.searched_ahead import parts_of
from workbench.agent.text_protocol.scanning import ParenthesisScanner, head, may_become_head
from workbench.language import mark
from workbench.model.message import ModelRequest, Role, ToolSpec

_WORD = "TOOL"
_MOST_UNCLOSED = 8
"""Maximum number of unclosed calls in one turn, since each is scanned to the end of the text; the rest is text."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """Tool call in a text: its arguments as JSON, and its original text."""

    name: str
    arguments: str
    raw: str


class CallFinder:
    """Separates calls from text; a line that may become a call is buffered until this is certain.

    Every character is returned, as text or in the raw text of a call. Calls of unknown tools are found, too, if the
    word TOOL is in capitals, so that the model receives an error.
    """

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._tools |= {alias: tool for tool in tools for alias in tool.aliases if alias not in self._tools}
        self._buffer = ""
        self._at_line_start = True
        self._inside: tuple[int, str, ParenthesisScanner] | None = None

    def feed(self, piece: str) -> Iterator[str | TextCall]:
        """Add a piece of text, and yield the text and calls that are certain, in order."""
        self._buffer += piece
        while self._buffer:
            found = self._next()
            if found is None:
                return
            yield found

    def finish(self) -> Iterator[str | TextCall]:
        """Yield the remaining text and calls at the end of the turn."""
        unclosed = 0
        while self._buffer:
            unclosed += 1
            if self._inside is None or unclosed > _MOST_UNCLOSED:
                text, self._buffer = self._buffer, ""
                yield text
            else:
                yield self._finish_call(*self._inside)
                yield from self.feed("")

    def _next(self) -> str | TextCall | None:
        if self._inside is not None:
            return self._close_call(*self._inside)
        if not self._at_line_start:
            return self._rest_of_line()
        match = head(self._buffer)
        if match is not None and (match["word"] == _WORD or match["name"] in self._tools):
            self._inside = match.end(), match["name"], ParenthesisScanner(match.end())
            return self._close_call(*self._inside)
        if match is None and may_become_head(self._buffer):
            return None
        self._at_line_start = False
        return self._rest_of_line()

    def _rest_of_line(self) -> str:
        end = self._buffer.find("\n") + 1
        self._at_line_start = end > 0
        return self._take(end or len(self._buffer))

    def _close_call(self, start: int, name: str, parentheses: ParenthesisScanner) -> TextCall | None:
        end = parentheses.end(self._buffer)
        return self._call(name, start, end, end + 1) if end is not None else None

    def _finish_call(self, start: int, name: str, _parentheses: ParenthesisScanner) -> str | TextCall:
        """Return a call without an end, or its text: the cause may be a missing closing quotation mark."""
        end = ParenthesisScanner(start, quotes=False).end(self._buffer)
        if end is not None:
            return self._call(name, start, end, end + 1)
        line = self._buffer.find("\n", start)
        line = line if line >= 0 else len(self._buffer)
        if name in self._tools:
            return self._call(name, start, line, line)
        self._inside, self._at_line_start = None, False
        return self._take(line)

    def _call(self, name: str, start: int, end: int, after: int) -> TextCall:
        tool = self._tools.get(name)
        arguments = as_json(self._buffer[start:end], tool)
        self._inside = None
        # Another call may follow on the same line.
        self._at_line_start = True
        return TextCall(tool.name if tool else name, arguments, self._take(after))

    def _take(self, end: int) -> str:
        text, self._buffer = self._buffer[:end], self._buffer[end:]
        return text


def found_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[str, tuple[TextCall, ...]]:
    """Return the text of a whole turn without its calls, and the calls."""
    finder = CallFinder(tools)
    parts = [*finder.feed(text), *finder.finish()]
    remaining = "".join(part for part in parts if isinstance(part, str))
    return remaining, tuple(part for part in parts if isinstance(part, TextCall))


_PAIR = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*[=:：]\s*(?P<value>.*?)\s*", re.DOTALL)
_QUOTED = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_UNKNOWN_ARGUMENT = "input"
_NOTHING = object()


def as_json(text: str, tool: ToolSpec | None) -> str:
    """Return the arguments as the text of a JSON object; tool is None for an unknown tool."""
    return json.dumps(_arguments(text.strip(), tool), ensure_ascii=False)


def _arguments(text: str, tool: ToolSpec | None) -> dict[str, Any]:
    if not text:
        return {}
    whole = _json(text)
    if isinstance(whole, dict):
        return whole
    properties: dict[str, Any] = tool.parameters.get("properties", {}) if tool else {}
    if not properties:
        return {_UNKNOWN_ARGUMENT: text}
    parts = _split(text)
    named = _pairs(parts, properties)
    if named is not None:
        return named
    assert tool is not None
    names = _in_order(properties, tool.parameters.get("required", ()))
    values = [_literal(part) for part in parts]
    if 1 < len(parts) <= len(names) and _NOTHING not in values:
        return {name: _convert(part, properties[name]) for name, part in zip(names, parts, strict=False)}
    return {names[0]: _convert(text, properties[names[0]])}


def _in_order(properties: dict[str, Any], required: Sequence[str]) -> list[str]:
    first = [name for name in required if name in properties]
    return [*first, *(name for name in properties if name not in first)]


def _pairs(parts: list[str], properties: dict[str, Any]) -> dict[str, Any] | None:
    """Return name=value pairs; None if a part is not a pair, or does not name an argument of the tool."""
    found: dict[str, Any] = {}
    for part in parts:
        pair = _PAIR.fullmatch(part)
        if pair is None or pair["name"] not in properties:
            return None
        found[pair["name"]] = _convert(pair["value"], properties[pair["name"]])
    return found


def _convert(text: str, schema: Any) -> Any:
    """Return a value; if the schema requires a string, text that looks like another type stays a string."""
    text = text.strip()
    value = _literal(text)
    kind = schema.get("type") if isinstance(schema, dict) else None
    if value is _NOTHING or (kind == "string" and not isinstance(value, str)):
        return text
    return value


def _literal(text: str) -> Any:
    """Return the value of quoted text or JSON; _NOTHING for bare words."""
    text = text.strip()
    value = _json(text)
    if value is not _NOTHING:
        return value
    if len(text) > 1 and _QUOTED.get(text[0]) == text[-1] and text[-1] not in text[1:-1].replace(f"\\{text[-1]}", ""):
        return text[1:-1].replace(f"\\{text[-1]}", text[-1])
    return _NOTHING


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _NOTHING


def _split(text: str) -> list[str]:
    """Split a text at commas outside quotation marks and brackets."""
    parts, began, depth, quote = [], 0, 0, ""
    place = 0
    while place < len(text):
        character = text[place]
        if quote:
            if character == "\\":
                place += 1
            elif character == quote:
                quote = ""
        elif character in _QUOTED and not text[place - 1 : place].isalnum():
            quote = _QUOTED[character]
        elif character in "([{（":
            depth += 1
        elif character in ")]}）":
            depth -= 1
        elif character in ",，" and depth <= 0:
            parts.append(text[began:place])
            began = place + 1
        place += 1
    return [*parts, text[began:]]


QUOTED_CALL = mark("A line of a document that looks like a tool call was quoted; no tool was called by it.")

_AROUND = re.compile(r"[\s\\\u200b]+")
"""Characters that may differ in a quotation: white space, and the backslashes of JSON before quotation marks."""


class QuotedData:
    """Texts of a request that come neither from the model nor from the user: tool results and references."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._texts: list[str] | None = None

    def holds(self, raw: str) -> bool:
        """Return whether these texts contain the text of a call."""
        call = _strip_varying(raw[max(0, raw.upper().find("TOOL")) :])
        if self._texts is None:
            self._texts = [_strip_varying(text) for text in self._foreign_texts()]
        return any(call in text for text in self._texts)

    def _foreign_texts(self) -> list[str]:
        messages = self._request.messages
        of_tools = [message.text for message in messages if message.role is Role.TOOL]
        return of_tools + [parts_of(message.text).references for message in messages if message.role is Role.USER]


def _strip_varying(text: str) -> str:
    return _AROUND.sub("", text)
