"""Scanner for the beginning of a call in a line, and for the end of its parentheses.

Parentheses may be half-width or full-width, nested, and contain quoted text.
"""

import re

# Text allowed before the word: indentation, a list marker, emphasis, a separator after another call. All repetitions
# are bounded, so that a line of a thousand asterisks does not cause a thousand match attempts.
_BEFORE = r"[ \t>*`\-+,;，；、]{0,12}(?:\d{1,2}[.)][ \t]{0,3})?[*`]{0,3}"
_NAME = r"[^\W\d][\w.\-]{0,63}"
_SPACE = r"[ \t]{0,8}"
_OPENING, _CLOSING = "(（", ")）"
_WORD = "TOOL"

_HEAD = re.compile(
    rf"{_BEFORE}(?P<word>{_WORD}){_SPACE}[:：]{_SPACE}[*`]{{0,3}}(?P<name>{_NAME})[*`]{{0,3}}{_SPACE}[{_OPENING}]",
    re.IGNORECASE,
)
_BEFORE_ONLY = re.compile(r"[ \t>*`\-+,;，；、]{0,12}(?:\d{1,2}(?:[.)][ \t]{0,3})?)?[*`]{0,3}")
_AFTER_WORD = re.compile(rf"{_SPACE}(?:[:：]{_SPACE}[*`]{{0,3}}(?:{_NAME}[*`]{{0,3}}{_SPACE})?)?")

_CLOSES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_ONE_LINE = ("'", "‘")
# Characters that the scanner must handle, outside quotation marks and inside each kind of them; others are skipped.
_SIGNIFICANT = {
    "": re.compile(r"[()（）\"'“‘]"),
    **{mark: re.compile(rf"[{closing}\\\n]") for mark, closing in _CLOSES.items()},
}


def head(text: str) -> re.Match[str] | None:
    """Match the beginning of a call at the beginning of a text; the groups are "word" and "name"."""
    return _HEAD.match(text)


def may_become_head(text: str) -> bool:
    """Return whether the text so far may still become the beginning of a call."""
    before = _BEFORE_ONLY.match(text)
    rest = text[before.end() :] if before else text
    if len(rest) < len(_WORD):
        return _WORD.startswith(rest.upper())
    return rest[: len(_WORD)].upper() == _WORD and _AFTER_WORD.fullmatch(rest, len(_WORD)) is not None


class ParenthesisScanner:
    """Finds the closing parenthesis of a call in text that arrives in pieces.

    Args:
        start: Offset after the opening parenthesis.
        quotes: Whether parentheses inside quotation marks are ignored.
    """

    def __init__(self, start: int, *, quotes: bool = True) -> None:
        self._place = start
        self._depth = 1
        self._quotes = quotes
        self._open: tuple[str, int, int] | None = None
        self._no_quote: dict[str, int] = {}

    def end(self, text: str) -> int | None:
        """Return the offset of the closing parenthesis, or None; text must start with the text of earlier calls."""
        while self._skip(text):
            if self._open is not None:
                self._in_quotes(text)
            elif self._opens_quote(text):
                self._open = text[self._place], self._place, self._depth
            elif text[self._place] in _OPENING:
                self._depth += 1
            elif text[self._place] in _CLOSING:
                self._depth -= 1
                if self._depth == 0:
                    return self._place
            self._place += 1
        return None

    def _skip(self, text: str) -> bool:
        """Advance to the next character to handle; return whether there is one."""
        found = _SIGNIFICANT[self._open[0] if self._open else ""].search(text, self._place)
        self._place = found.start() if found else max(self._place, len(text))
        return found is not None

    def _opens_quote(self, text: str) -> bool:
        """Return whether a quotation begins; apostrophes and inch signs follow a letter or digit and do not count."""
        here = self._place
        if not self._quotes or text[here] not in _CLOSES or text[here - 1].isalnum():
            return False
        return here >= self._no_quote.get(text[here], 0)

    def _in_quotes(self, text: str) -> None:
        assert self._open is not None
        mark, began, depth = self._open
        character = text[self._place]
        if character == "\\":
            self._place += 1
        elif character == _CLOSES[mark]:
            self._open = None
        elif character == "\n" and mark in _ONE_LINE:
            # It was no quotation: the scan resumes after the mark, and ignores such marks in the rest of the line.
            self._no_quote[mark] = self._place
            self._open, self._place, self._depth = None, began, depth
