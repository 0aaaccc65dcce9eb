"""Pieces of streamed text: characters that were cut in two are joined, and inline thinking is told apart."""

from workbench.model.message import ReasoningDelta, TextDelta

_OPEN, _CLOSE = "<think>", "</think>"
_REPLACEMENT = "\ufffd"


def joined_surrogates(text: str) -> str:
    """Return the text with surrogate pairs as the characters they mean, and lone halves as U+FFFD.

    Some servers cut text by UTF-16 units, so an emoji may arrive as two halves; neither can be stored or shown.
    """
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class SurrogateJoiner:
    """Joins characters that were cut in two between pieces."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """Return what is whole by now; the first half of a pair is held back."""
        text = self._half + piece
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return joined_surrogates(text)

    def finish(self) -> str:
        """Return what is left: U+FFFD for a half whose other half never came."""
        half, self._half = self._half, ""
        return _REPLACEMENT if half else ""


class ThinkSplitter:
    """Tells a leading <think>...</think> from the answer, however the tags are split over pieces.

    Only at the beginning of a turn: an answer may well speak of the tag.
    """

    def __init__(self) -> None:
        self._buffer = ""
        self._state = "before"

    def feed(self, piece: str) -> list[TextDelta | ReasoningDelta]:
        """Return the deltas that are certain by now."""
        if self._state == "answer":
            return [TextDelta(piece)] if piece else []
        if self._state == "thought":
            # The empty lines behind the tag may come in pieces of their own.
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
        """Return what is left at the end of the turn."""
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
    """Return how many characters at the end may be the beginning of a closing tag."""
    return next((size for size in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:size])), 0)


def _reasoning(text: str) -> tuple[ReasoningDelta, ...]:
    return (ReasoningDelta(text),) if text else ()


class TurnText:
    """The text of one turn: surrogates joined in answer and reasoning alike, thinking told apart."""

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
        """Return what is left at the end of the turn."""
        return [
            *_reasoning(self._reasoning_joiner.finish()),
            *self._splitter.feed(self._answer_joiner.finish()),
            *self._splitter.finish(),
        ]
