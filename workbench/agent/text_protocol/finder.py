"""The text of a turn, piece by piece -> what is shown at once, and the calls in it, which never are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.agent.text_protocol.arguments import as_json
from workbench.agent.text_protocol.scanning import Parentheses, head, may_become_head
from workbench.model.message import ToolSpec

_WORD = "TOOL"
_MOST_UNCLOSED = 8
"""Calls of one turn that may be left open: each is looked through to its end. What follows is no call any more."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call as it was found: its arguments as JSON text, and the very text that it was."""

    name: str
    arguments: str
    raw: str


class CallFinder:
    """Tells calls from text; a line that may become a call is held back until that is certain.

    Every character fed comes out again: as text, or in the raw text of a call. Unknown tools are found too, where the
    word TOOL is written in capitals, so that the model can be told that there is no such tool.
    """

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._tools |= {alias: tool for tool in tools for alias in tool.aliases if alias not in self._tools}
        self._buffer = ""
        self._at_line_start = True
        self._inside: tuple[int, str, Parentheses] | None = None

    def feed(self, piece: str) -> Iterator[str | TextCall]:
        """Yield what is certain by now, in its order."""
        self._buffer += piece
        while self._buffer:
            found = self._next()
            if found is None:
                return
            yield found

    def finish(self) -> Iterator[str | TextCall]:
        """Yield what is left at the end of the turn."""
        unclosed = 0
        while self._buffer:
            unclosed += 1
            if self._inside is None or unclosed > _MOST_UNCLOSED:
                text, self._buffer = self._buffer, ""
                yield text
            else:
                yield self._unclosed(*self._inside)
                yield from self.feed("")

    def _next(self) -> str | TextCall | None:
        if self._inside is not None:
            return self._closed(*self._inside)
        if not self._at_line_start:
            return self._rest_of_line()
        begun = head(self._buffer)
        if begun is not None and (begun["word"] == _WORD or begun["name"] in self._tools):
            self._inside = begun.end(), begun["name"], Parentheses(begun.end())
            return self._closed(*self._inside)
        if begun is None and may_become_head(self._buffer):
            return None
        self._at_line_start = False
        return self._rest_of_line()

    def _rest_of_line(self) -> str:
        end = self._buffer.find("\n") + 1
        self._at_line_start = end > 0
        return self._take(end or len(self._buffer))

    def _closed(self, start: int, name: str, parentheses: Parentheses) -> TextCall | None:
        end = parentheses.end(self._buffer)
        return self._call(name, start, end, end + 1) if end is not None else None

    def _unclosed(self, start: int, name: str, _parentheses: Parentheses) -> str | TextCall:
        """Return what a call is whose end never came: quotation marks may have been only half there."""
        end = Parentheses(start, quotes=False).end(self._buffer)
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
    """Return a whole turn's text without its calls, and the calls."""
    finder = CallFinder(tools)
    parts = [*finder.feed(text), *finder.finish()]
    said = "".join(part for part in parts if isinstance(part, str))
    return said, tuple(part for part in parts if isinstance(part, TextCall))
