"""Removal of Markdown marks from a text, with the source offset of each remaining character.

Quotes for readers show "the pump" and not "the **pump**", but highlighting the source needs the original offsets. Only
unambiguous marks are removed: 2 * 3, **kwargs, __init__ and `a*b*c` stay unchanged.

The snippets of list rows need no offsets: they are one line of plain text.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.chunking.sentences import BULLETS
from workbench.chunking.table_heads import PIPE

_ANY = re.compile(r"[*_>#\[<]")
_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)")
# Each group named "mark" or "mark2" is removed. Only bold text may span lines. Before each pattern, a character without
# which it finds nothing: to look for all of them in every passage took 2 % of an offline answer.
_MARKS = (
    # Marks of a quotation ("> > words", not "> 5 mm"), of a heading, and of a list within a quotation.
    (">", re.compile(r"^[ \t]*(?P<mark>(?:>[ \t]?)+(?:[-*+•][ \t]+)?(?:#{1,6}[ \t]+)?)(?=[^\s\d=>])", re.MULTILINE)),
    ("#", re.compile(r"^[ \t]*(?P<mark>#{1,6}[ \t]+)(?=\S)", re.MULTILINE)),
    (
        "*",
        re.compile(
            r"(?<![A-Za-z0-9_*\\])(?P<mark>\*\*\*|\*\*)(?=[^\s*])(?:[^*\n]|\n(?!\s*\n)|(?<!\*)\*(?!\*)){1,2000}?"
            r"(?<=[^\s*\\])(?P<mark2>(?P=mark))(?![A-Za-z0-9_*])"
        ),
    ),
    ("*", re.compile(r"(?<![\w*\\])(?P<mark>\*)(?=[^\s*])[^*\n]{1,500}?(?<=[^\s*\\])(?P<mark2>\*)(?![\w*])")),
    ("_", re.compile(r"(?<![\w\\])(?P<mark>_)(?=[^\s_])[^\n]{1,500}?(?<=[^\s_\\])(?P<mark2>_)(?!\w)")),
    (
        "_",
        re.compile(r"(?<![\w\\])(?P<mark>__)(?=[^\s_])[^_\n]{1,500}? [^_\n]{1,500}?(?<=[^\s_\\])(?P<mark2>__)(?!\w)"),
    ),
    # A pair of tags with attributes, as Markdown allows; "use <b> for bold" and "Vec<T>" stay.
    (
        "<",
        re.compile(r"(?P<mark><(span|font|a|div|p)\s[^<>\n]{1,300}>)[^<>\n]{1,500}(?P<mark2></\2>)", re.IGNORECASE),
    ),
    (
        "[",
        re.compile(
            r"(?P<mark>!?\[)[^\[\]\n]{1,500}"
            r"(?P<mark2>\]\((?=[^\s()]*[/.#:])[^\s()]{1,1000}(?:\([^\s()]*\))?(?: +\"[^\"\n]*\")?\))"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class StrippedMarkdown:
    """Text without its Markdown marks.

    Attributes:
        text: Remaining text.
        origins: Source offset of each of its characters.
    """

    text: str
    origins: Sequence[int]

    def part(self, start: int, end: int) -> str:
        """Return the remaining text of source[start:end]."""
        return self.text[bisect_left(self.origins, start) : bisect_left(self.origins, end)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the source offsets of text[start:end], which must not be empty."""
        return self.origins[start], self.origins[end - 1] + 1


@lru_cache(maxsize=64)
def strip_markdown(source: str) -> StrippedMarkdown:
    """Return a text without its Markdown marks."""
    if not _ANY.search(source):
        return StrippedMarkdown(source, range(len(source)))
    code = [match.span() for match in _CODE.finditer(source)] if "`" in source else []
    taken = bytearray(len(source))
    for pattern in [pattern for character, pattern in _MARKS if character in source]:
        for match in pattern.finditer(source):
            marks = [match.span(name) for name in pattern.groupindex]
            if not any(start <= first < end for first, _ in marks for start, end in code):
                for first, last in marks:
                    taken[first:last] = b"\1" * (last - first)
    if not any(taken):
        return StrippedMarkdown(source, range(len(source)))
    # Four bytes per offset: as tuples of integers, the 64 cached texts could take 30 MB.
    origins, pieces = array("I"), []
    start = taken.find(0)
    while start >= 0:
        end = taken.find(1, start)
        end = len(source) if end < 0 else end
        pieces.append(source[start:end])
        origins.extend(range(start, end))
        start = taken.find(0, end)
    return StrippedMarkdown("".join(pieces), origins)


def plain_cells(row: str) -> list[str]:
    """Return the cells of a table row without Markdown marks and without the pipes between them."""
    cells = PIPE.split(row.strip())
    first = 1 if len(cells) > 1 and not cells[0] else 0
    last = len(cells) - 1 if len(cells) > first + 1 and not cells[-1] else len(cells)
    return [_cell(cell) for cell in cells[first:last]]


def _cell(text: str) -> str:
    return " ".join(strip_markdown(text.replace("\\|", "|").replace("<br>", " ")).text.split())


SNIPPET = 400
"""Number of characters of a passage, or of a quote, that the snippet of a list row is made of."""

# Markdown syntax without meaning in a list row: heading marks, code fences, rules below the head of a table.
_LINE_MARKS = re.compile(rf"^\s*(?:#{{1,6}}\s+|(?:`{{3,}}|~{{3,}})\w*\s*|[-*+{BULLETS}]\s+(?=\S))")
_LONE_BOLD = re.compile(r"(?<=\w)\*\*(?=[^\w\s*])")
_RULER = re.compile(r"\s*[-=|:+\s]*-{2}[-=|:+\s]*")


def plain_snippet(text: str, headings: Sequence[str]) -> str:
    """Return the beginning of a passage without the headings at its beginning, as plain text on one line."""
    begun = text[:SNIPPET].lstrip("# \n")
    for heading in headings:
        if heading and begun.startswith(heading):
            begun = begun[len(heading) :].lstrip("# \n")
    return plain_line(begun or text[:SNIPPET])


def plain_line(text: str) -> str:
    """Return Markdown as plain text on one line.

    Table cells are separated by middle dots; empty cells are left out.
    """
    lines = (_LINE_MARKS.sub("", line) for line in text.splitlines() if not _RULER.fullmatch(line))
    plain = (
        " · ".join(filter(None, plain_cells(line))) if "|" in line else strip_markdown(line).text for line in lines
    )
    # A quote may begin inside of bold text.
    return " ".join(_LONE_BOLD.sub("", " ".join(plain)).split())
