"""A page's lines of words with their boxes, in the page's own order, as displayed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Word = tuple[float, float, float, float, str]
"""x0, y0, x1, y1 and the text."""

FLAGS = 2 | 64 | 128
"""PyMuPDF's TEXT_PRESERVE_WHITESPACE, TEXT_MEDIABOX_CLIP and TEXT_CID_FOR_UNKNOWN_UNICODE.

Ligatures are not preserved: “ﬁ” is read as “fi”, which is what people search for.
"""

_BOLD = 16
_MONO = 8


@dataclass(slots=True)
class Line:
    """Words on one base line; cells holds the rows of a table that stands in place of a line.

    Attributes:
        size: Font size of most of its characters.
        bold: Whether nearly all of it is bold.
        mono: Whether all of it is in a typewriter face.
        block: The page's own block number: lines of one block belong together.
        upright: False for text that runs up or down the page.
        entry: Whether it stands in a table of contents.
    """

    words: list[Word]
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    mono: bool = False
    block: int = 0
    upright: bool = True
    cells: tuple[tuple[tuple[Word, ...], ...], ...] = ()
    entry: bool = False

    @property
    def text(self) -> str:
        """The words with single spaces."""
        return " ".join([word[4] for word in self.words])

    @property
    def height(self) -> float:
        """From the top to the bottom of its tallest word."""
        return self.y1 - self.y0


def read_lines(page: Any) -> list[Line]:
    """Return the lines of a page."""
    textpage = page.get_textpage(flags=FLAGS)
    words = textpage.extractWORDS()
    if not words:
        return []
    styles = _line_styles(textpage.extractDICT()["blocks"])
    # Asked once: PyMuPDF looks it up in the file each time, which for every line was a tenth of the reading.
    rotation = page.rotation
    rotated = page.rotation_matrix if rotation else None
    lines: list[Line] = []
    last = (-1, -1)
    for x0, y0, x1, y1, text, block, number, _ in words:
        if text.isspace():  # U+2029, U+3000: spaces to everybody but MuPDF
            continue
        if rotated is not None:
            x0, y0, x1, y1 = turned((x0, y0, x1, y1), rotated)
        if (block, number) != last:
            last = (block, number)
            size, bold, mono, direction = styles.get(last, (y1 - y0, False, False, (1.0, 0.0)))
            lines.append(Line([], x0, y0, x1, y1, size, bold, mono, block, _is_upright(direction, rotation)))
        line = lines[-1]
        line.words.append((x0, y0, x1, y1, text))
        # Comparing is ten times as fast as calling min and max, and this runs for every word.
        if x0 < line.x0:
            line.x0 = x0
        if y0 < line.y0:
            line.y0 = y0
        if x1 > line.x1:
            line.x1 = x1
        if y1 > line.y1:
            line.y1 = y1
    return lines


def turned(box: tuple[float, float, float, float], matrix: Any) -> tuple[float, float, float, float]:
    """Return a box of the page as it is stored as a box of the page as it is displayed, or the other way round."""
    x0, y0, x1, y1 = box
    a, b, c, d, e, f = matrix
    xs, ys = (a * x0 + c * y0 + e, a * x1 + c * y1 + e), (b * x0 + d * y0 + f, b * x1 + d * y1 + f)
    return min(xs), min(ys), max(xs), max(ys)


def _line_styles(blocks: Sequence[Any]) -> dict[tuple[int, int], tuple[float, bool, bool, tuple[float, float]]]:
    """Return size, bold, mono and direction by block and line number."""
    styles = {}
    for block in blocks:
        for number, line in enumerate(block.get("lines", ())):
            total = bold = mono = most = 0
            size = 0.0
            for span in line["spans"]:
                count = len(span["text"].strip())
                if not count:
                    continue
                total += count
                flags = span["flags"]
                bold += count if flags & _BOLD else 0
                mono += count if flags & _MONO else 0
                if count > most:
                    most, size = count, span["size"]
            if total:
                styles[block["number"], number] = (size, bold > 0.9 * total, mono == total, line["dir"])
    return styles


def _is_upright(direction: tuple[float, float], rotation: int) -> bool:
    x, y = direction
    if rotation == 90:
        x, y = -y, x
    elif rotation == 180:
        x, y = -x, -y
    elif rotation == 270:
        x, y = y, -x
    return x > 0.9


def join_lines(lines: Sequence[Line]) -> Line:
    """Return one line of several pieces that stand side by side."""
    if len(lines) == 1:
        return lines[0]
    # The order within a piece is the page's own: words of Hebrew and Arabic run from right to left.
    leftwards = sum(1 if _runs_left(line) else -1 for line in lines) > 0
    words = [word for line in sorted(lines, key=lambda line: line.x0, reverse=leftwards) for word in line.words]
    longest = max(lines, key=lambda line: sum(len(word[4]) for word in line.words))
    return Line(
        words,
        min(line.x0 for line in lines),
        min(line.y0 for line in lines),
        max(line.x1 for line in lines),
        max(line.y1 for line in lines),
        longest.size,
        all(line.bold for line in lines),
        all(line.mono for line in lines),
        lines[0].block,
        longest.upright,
    )


def _runs_left(line: Line) -> bool:
    return any("\u0590" <= character <= "\u08ff" for word in line.words for character in word[4])
