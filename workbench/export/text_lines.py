"""Lines of text: their widths, the columns of tables that they need, and quotes without the line ends of their page.

The text of a PDF has a line end wherever its column ends. A quote is shown in another width, in which these line ends
would leave ragged lines; the line ends of a table, a list or code must stay.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_EAST_ASIAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_FENCE = re.compile(r"\s*(?:```|~~~)\w*\s*")
_KEEPS_LINES = re.compile(r"^(?: {2,}|\t)| \| |[;{}]$|^[ \t]*(?:```|~~~)", re.MULTILINE)
"""Lines of code or of a table."""
_BEGINS_ITEM = re.compile(r"\s*(?:[-*+•◦▪–]|\(?\w{1,2}[.)])\s")
_GOES_ON = re.compile(r"[a-zß-öø-ÿ]{2}|[a-z] |[(,;:)\]’”，。、；：）】》」』]")
"""Beginnings of a line that continue the sentence of the line before."""
_ENDS_SENTENCE = tuple("。！？：；.!?:;")
_FULL_LINE = 45
"""Least width of a line that is taken for a full line of prose."""
_NARROW_LINE = 20
"""Least width of a full line in a narrow column; shorter lines may be the items of a list."""

UNBROKEN = re.compile(r"[^\s/\-\u2e80-\u9fff\uac00-\ud7ff\uff00-\uffef]+[/-]?")
"""Text in which a line cannot end; it can at blanks, slashes and hyphens, and between East Asian letters."""
LONGEST_WORD = 24
"""Greatest width of a word that is not divided in a table, in letters."""
_LONGEST_CELL = 80
"""Greatest width of a cell that counts for its column."""
_PADDING = 3
"""Width of the margins of a cell."""
_BOLD = 1.2
"""Width of a letter of the head, which is bold, compared with that of other rows."""


def column_widths(rows: Sequence[Sequence[str]], room: int) -> list[float]:
    """Return the widths of the columns of a table in letters: enough for their longest cells, if there is room.

    Otherwise the widest columns are narrowed, but not below their longest word.

    Args:
        rows: Texts of the cells; the first row is the head.
        room: Width of the table.
    """
    columns = max(map(len, rows), default=0)
    least, whole = [_PADDING + 1.0] * columns, [_PADDING + 1.0] * columns
    for row_number, row in enumerate(rows):
        bold = _BOLD if row_number == 0 else 1.0
        for number, text in enumerate(row):
            word = max(map(len, UNBROKEN.findall(text)), default=2) * bold
            least[number] = max(least[number], _PADDING + min(LONGEST_WORD, word))
            line = min(_LONGEST_CELL, display_width(text) * bold)
            whole[number] = max(whole[number], least[number], _PADDING + line)
    widths = least
    for widest in range(1, room):
        narrowed = [max(narrow, min(wide, widest)) for narrow, wide in zip(least, whole, strict=True)]
        if sum(narrowed) > room:
            break
        widths = narrowed
    return widths


def display_width(text: str) -> int:
    """Return the width of a text in Latin letters; an East Asian letter is as wide as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def flowing_quote(quote: str) -> str:
    """Return a quote in which only the line ends of tables, lists and code are left, without the fences of code."""
    lines = [line.rstrip() for line in quote.strip().splitlines()]
    if _KEEPS_LINES.search(quote.strip()):
        return "\n".join(line for line in lines if not _FENCE.fullmatch(line))
    return "\n".join(_join(lines))


def _join(lines: list[str]) -> Iterator[str]:
    """Yield lines, each joined with those that continue it."""
    whole, last = "", ""
    for number, line in enumerate(lines):
        if number and _is_continued(last, line, is_first=number == 1):
            whole += _space_between(last, line) + line.lstrip()
        else:
            if number:
                yield whole
            whole = line
        last = line
    yield whole


def _is_continued(line: str, following: str, *, is_first: bool) -> bool:
    """Return whether a line ended only because its column did; the first line may be the end of a printed line."""
    if not line.strip() or not following.strip() or _BEGINS_ITEM.match(following):
        return False
    width = display_width(line)
    if width >= _FULL_LINE:
        return True
    if width < _NARROW_LINE and not (is_first and display_width(following) >= _NARROW_LINE):
        return False
    if _GOES_ON.match(following):
        return True
    return _EAST_ASIAN.match(line[-1]) is not None and not line.endswith(_ENDS_SENTENCE)


def _space_between(line: str, following: str) -> str:
    """Return "" between East Asian letters and after a hyphen within a word, else a space."""
    if _EAST_ASIAN.match(line[-1]) and _EAST_ASIAN.match(following.lstrip()[0]):
        return ""
    return "" if re.search(r"\w-$", line) and following.lstrip()[0].islower() else " "
