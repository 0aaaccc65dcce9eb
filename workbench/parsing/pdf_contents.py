"""Tables of contents: titles with page numbers, which are no table to be looked up in and no headings either."""

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.parsing.pdf_furniture import folded
from workbench.parsing.pdf_words import Line, Word

_PAGE = re.compile(r"^(?:\d{1,4}|[ivxl]{1,6})$", re.I)
_LEADER = re.compile(r"^[.·…‥]+$")
_TRAILING_LEADER = re.compile(r"[.·…‥]{3,}\s*(?:\d{1,4}|[ivxl]{1,6})?$", re.I)
_DOTS = re.compile(r"^(.*?)[.·…‥]{3,}(.*)$|^[.·…‥]$")
_LAST = frozenset("0123456789ivxlIVXL")
_FEWEST = 4
_FRONT_MATTER = 20
"""Pages: a list that reaches beyond the last page and this many is one of prices, or rows of a table."""

_MOST_WITHOUT_PAGE = 2
"""Lines without a page number between two entries: a title that runs over the line, the name of a part."""

_SHARE_FOUND = 0.5
"""Of the titles: the others run over two lines in one place and not in the other, or are shortened."""


def mark_contents(pages: Sequence[Sequence[Sequence[Line]]]) -> list[str]:
    """Mark the entries of tables of contents, take the dots out that lead to the page numbers, and return the titles.

    Args:
        pages: The regions of each page, each its lines from top to bottom.
    """
    listed: list[str] = []
    titles: list[set[str]] = []
    for number, regions in enumerate(pages):
        for region in regions:
            for run in _runs(region):
                entries = [line for line in run if _page_of(line) is not None]
                if (_page_of(entries[-1]) or 0) > len(pages) + _FRONT_MATTER:
                    continue
                if sum(1 for line in entries if _has_leader(line)) < 0.5 * len(entries):
                    titles = titles or [{folded(line.text) for line in _lines(page)} - {""} for page in pages]
                    others = set().union(*titles[:number], *titles[number + 1 :])
                    if sum(1 for line in entries if _title_of(line) in others) < _SHARE_FOUND * len(entries):
                        continue
                for line in run:
                    line.entry = True
                    line.words = [part for word in line.words for part in _without_dots(word)] or line.words
                listed.extend(" ".join(word[4] for word in line.words[:-1]) for line in entries)
    return listed


def _lines(page: Iterable[Sequence[Line]]) -> Iterator[Line]:
    for region in page:
        yield from region


def _runs(region: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Yield runs of lines that end in page numbers which grow, one below another."""
    start = last = count = page = 0
    right = 0.0
    for position, line in enumerate(region):
        found = _page_of(line)
        if found is None:
            continue
        if count and (
            position - last > _MOST_WITHOUT_PAGE + 1 or found < page or abs(line.x1 - right) > 0.5 * line.size
        ):
            if count >= _FEWEST:
                yield region[start : last + 1]
            count = 0
        if not count:
            start = position
        last, page, right, count = position, found, line.x1, count + 1
    if count >= _FEWEST:
        yield region[start : last + 1]


def _page_of(line: Line) -> int | None:
    """Return the page number at a line's end, with white space or dots in front of it; Roman ones count as 0."""
    if len(line.words) < 2 or line.words[-1][4][-1] not in _LAST or line.cells or not line.upright:
        return None
    before, word = line.words[-2], line.words[-1]
    if not _PAGE.match(word[4]):
        match = _TRAILING_LEADER.search(word[4])
        digits = word[4].rpartition(".")[2]
        return int(digits) if match and digits.isdecimal() else None
    if word[0] - before[2] < 0.9 * line.size and not _LEADER.match(before[4]) and not before[4].endswith("..."):
        return None
    return int(word[4]) if word[4].isdecimal() else 0


def _without_dots(word: Word) -> Iterator[Word]:
    """Yield what stands on both sides of a leader; “history......2” may be one word to the PDF."""
    x0, y0, x1, y1, text = word
    match = _DOTS.match(text)
    if match is None:
        yield word
        return
    unit = (x1 - x0) / len(text)
    before, after = match[1] or "", match[2] or ""
    if before:
        yield x0, y0, x0 + unit * len(before), y1, before
    if after:
        yield x1 - unit * len(after), y0, x1, y1, after


def _has_leader(line: Line) -> bool:
    return "..." in line.text or ". . ." in line.text or "……" in line.text or "···" in line.text


def _title_of(line: Line) -> str:
    return folded(" ".join(word[4] for word in line.words[:-1] if not _LEADER.match(word[4])))
