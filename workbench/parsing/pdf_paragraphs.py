"""Lines -> paragraphs, list items, code; headings come out later, when the whole document's sizes are known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from workbench.model.document import BlockKind
from workbench.parsing.pdf_words import Line

BULLET = re.compile(
    r"^(?:[•▪◦‣●○■□–—*·\uf0b7\uf0a7-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[（(][一二三四五六七八九十\d]+[)）])(?:\s|$)"
)
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’»）)\]]*$")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together on one page.

    Attributes:
        right: Right edge of its column.
        opens_region: Whether it is the first of a column or page.
    """

    lines: list[Line]
    page: int
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    right: float = 0.0
    opens_region: bool = False
    _text: str = field(default="")

    @property
    def size(self) -> float:
        """Font size of its first line."""
        return self.lines[0].size

    @property
    def bold(self) -> bool:
        """Whether every line is bold."""
        return all(line.bold for line in self.lines)

    @property
    def text(self) -> str:
        """The lines with single spaces, for recognising it; not what goes into the document."""
        if not self._text:
            self._text = " ".join(line.text for line in self.lines)
        return self._text


def paragraphs_of(region: Sequence[Line], page: int) -> list[Paragraph]:
    """Return a region's lines as paragraphs."""
    if not region:
        return []
    leading = _leading(region)
    left = min(line.x0 for line in region)
    right = max(line.x1 for line in region)
    found: list[Paragraph] = []
    before: Line | None = None
    for line in region:
        if line.cells:
            found.append(Paragraph([line], page, BlockKind.TABLE, right=right))
            before = None
            continue
        if before is None or _starts_anew(found[-1], before, line, leading, left, right):
            kind = BlockKind.LIST if BULLET.match(line.text) else BlockKind.PARAGRAPH
            if line.mono:
                kind = BlockKind.CODE
            if line.entry:
                kind = BlockKind.LIST
            found.append(Paragraph([line], page, kind, right=right))
        else:
            found[-1].lines.append(line)
        before = line
    found[0].opens_region = True
    return found


def _leading(region: Sequence[Line]) -> float:
    """Return the usual distance from one line to the next, as a multiple of the font size."""
    distances = [
        (after.y1 - before.y1) / after.size
        for before, after in pairwise(region)
        if after.size
        and abs(after.size - before.size) < 0.1 * after.size
        and 0 < after.y1 - before.y1 < 2.5 * after.size
    ]
    return median(distances) if distances else 1.3


def _starts_anew(paragraph: Paragraph, before: Line, line: Line, leading: float, left: float, right: float) -> bool:
    size = line.size or 1.0
    gap = (line.y1 - before.y1) / size
    if line.entry or before.entry:
        return not (line.entry and before.entry)
    if line.mono != before.mono:
        return True
    if line.mono:
        return gap > 2.5 * leading
    if abs(size - before.size) > 0.1 * size or line.bold != before.bold:
        return True
    if gap > 1.3 * leading or gap < -0.5:
        return True
    if BULLET.match(line.text) and (paragraph.kind is BlockKind.LIST or _SENTENCE_END.search(before.text)):
        return True
    ended = bool(_SENTENCE_END.search(before.text))
    if paragraph.kind is BlockKind.LIST:
        return ended and line.x0 < paragraph.lines[0].x0 - size
    indented = line.x0 > left + 0.8 * size and abs(before.x0 - left) < 0.5 * size and line.x0 < left + 5 * size
    short = before.x1 < right - 0.2 * (right - left)
    return (ended and (indented or short)) or (line.block != before.block and ended and gap > 1.1 * leading)
