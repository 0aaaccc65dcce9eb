"""Parts that both wire formats share.

Sendable text and arguments, call identifiers, and the assembly of streamed text.
"""

import json
import uuid

from workbench.model.message import ReasoningDelta, TextDelta, ToolCall, Usage


def sendable(text: str) -> str:
    """Return text that can be encoded as UTF-8: a lone surrogate would make the whole request fail."""
    return join_surrogates(text)


def sendable_arguments(arguments: str) -> str:
    """Return a call's arguments in a form that can be sent back: "{}" if the model did not write a JSON object.

    llama.cpp's server parses them again for its chat template and answers 500 to anything else.
    """
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except (ValueError, RecursionError):  # a number with thousands of digits raises ValueError, not JSONDecodeError
        return "{}"


def generated_call_id() -> str:
    """Generate an id for a call that the server sent without one."""
    return f"call_{uuid.uuid4().hex[:12]}"


def tool_call(call_id: object, name: object, arguments: object) -> ToolCall:
    """Return a call; a missing id is generated, and arguments that are not a string are serialized as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(_text(call_id) or generated_call_id(), _text(name), join_surrogates(text) or "{}")


def _text(value: object) -> str:
    return join_surrogates(value) if isinstance(value, str) else ""


def usage_of(input_tokens: object, output_tokens: object) -> Usage:
    """Return the server's token counts; a value that is not an integer becomes None."""
    return Usage(
        input_tokens if isinstance(input_tokens, int) else None,
        output_tokens if isinstance(output_tokens, int) else None,
    )


_OPEN, _CLOSE = "<think>", "</think>"
_REPLACEMENT = "\ufffd"


def join_surrogates(text: str) -> str:
    """Join surrogate pairs to characters, and replace lone surrogates with U+FFFD.

    Some servers split text by UTF-16 code units, so an emoji may arrive as two halves that cannot be stored or shown.
    """
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateJoiner:
    """Joins surrogate pairs that were split between two pieces of a stream."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """Add a piece and return the complete text; a high surrogate at the end is kept for the next piece."""
        text = self._half + piece
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return join_surrogates(text)

    def finish(self) -> str:
        """Return the rest: U+FFFD for a high surrogate without its other half, else empty text."""
        half, self._half = self._half, ""
        return _REPLACEMENT if half else ""


class ThinkSplitter:
    """Separates a leading <think>...</think> from the answer, even if the tags are split across pieces.

    Only at the beginning of a turn, since an answer may mention the tag.
    """

    def __init__(self) -> None:
        self._buffer = ""
        self._state = "before"

    def feed(self, piece: str) -> list[TextDelta | ReasoningDelta]:
        """Add a piece and return the deltas that are certain; a possible part of a tag is kept."""
        if self._state == "answer":
            return [TextDelta(piece)] if piece else []
        if self._state == "thought":
            # The empty lines after the tag may arrive as separate pieces.
            return self._answer_begins(piece.lstrip("\n"))
        self._buffer += piece
        deltas: list[TextDelta | ReasoningDelta] = []
        if self._state == "before":
            start = self._buffer.lstrip()
            if len(start) < len(_OPEN) and _OPEN.startswith(start):
                return []
            if not start.startswith(_OPEN):
                return self._answer_begins(self._buffer)
            self._state, self._buffer = "thinking", start[len(_OPEN) :]
        end = self._buffer.find(_CLOSE)
        if end >= 0:
            thought, rest = self._buffer[:end], self._buffer[end + len(_CLOSE) :]
            self._state, self._buffer = "thought", ""
            return [*_reasoning(thought), *self._answer_begins(rest.lstrip("\n"))]
        certain = len(self._buffer) - _possible_tag(self._buffer)
        deltas.extend(_reasoning(self._buffer[:certain]))
        self._buffer = self._buffer[certain:]
        return deltas

    def finish(self) -> list[TextDelta | ReasoningDelta]:
        """Return the rest at the end of the turn."""
        left, self._buffer = self._buffer, ""
        if self._state == "thinking":
            return list(_reasoning(left))
        return [TextDelta(left)] if left else []

    def _answer_begins(self, text: str) -> list[TextDelta | ReasoningDelta]:
        if not text:
            return []
        self._state, self._buffer = "answer", ""
        return [TextDelta(text)]


def _possible_tag(text: str) -> int:
    """Return the number of characters at the end that may begin a closing tag."""
    return next((size for size in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:size])), 0)


def _reasoning(text: str) -> tuple[ReasoningDelta, ...]:
    return (ReasoningDelta(text),) if text else ()


class TurnText:
    """Text of one turn: joins surrogates in the answer and the reasoning, and separates thinking from the answer."""

    def __init__(self) -> None:
        self._answer_joiner = SurrogateJoiner()
        self._reasoning_joiner = SurrogateJoiner()
        self._splitter = ThinkSplitter()

    def answer(self, piece: str) -> list[TextDelta | ReasoningDelta]:
        """Return the deltas for a piece of the answer."""
        return self._splitter.feed(self._answer_joiner.feed(piece))

    def reasoning(self, piece: str) -> list[TextDelta | ReasoningDelta]:
        """Return the deltas for a piece of the model's own reasoning."""
        return list(_reasoning(self._reasoning_joiner.feed(piece)))

    def finish(self) -> list[TextDelta | ReasoningDelta]:
        """Return the rest at the end of the turn."""
        return [
            *_reasoning(self._reasoning_joiner.finish()),
            *self._splitter.feed(self._answer_joiner.finish()),
            *self._splitter.finish(),
        ]
