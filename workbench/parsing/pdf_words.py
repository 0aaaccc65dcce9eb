"""Lines of words with their boxes on a PDF page, and their reading order in one or more columns."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Word = tuple[float, float, float, float, str]
"""Box x0, y0, x1, y1 and the text."""

FLAGS = 2 | 64 | 128
"""PyMuPDF's TEXT_PRESERVE_WHITESPACE, TEXT_MEDIABOX_CLIP and TEXT_CID_FOR_UNKNOWN_UNICODE.

Ligatures are not preserved: “ﬁ” is read as “fi”, as people type it in a search.
"""

_BOLD = 16
_MONO = 8


@dataclass(slots=True)
class TextLine:
    """Words on one base line; cells contains the rows of a table that replaces a line.

    Attributes:
        size: Font size of the longest span.
        bold: True if nearly all of it is bold.
        mono: True if all of it is monospaced.
        block: The page's own block number: lines of one block belong together.
        upright: False for text that runs up or down the page.
        entry: True if it is an entry of a table of contents.
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
        """The words joined with single spaces."""
        return " ".join([word[4] for word in self.words])

    @property
    def height(self) -> float:
        """Distance from the top to the bottom of all its words."""
        return self.y1 - self.y0


def read_lines(page: Any) -> list[TextLine]:
    """Return the lines of a page."""
    textpage = page.get_textpage(flags=FLAGS)
    words = textpage.extractWORDS()
    if not words:
        return []
    styles = _line_styles(textpage.extractDICT()["blocks"])
    # Read once: PyMuPDF looks it up in the file each time, which took a tenth of the reading time if done per line.
    rotation = page.rotation
    rotated = page.rotation_matrix if rotation else None
    lines: list[TextLine] = []
    last = (-1, -1)
    for x0, y0, x1, y1, text, block, number, _ in words:
        if text.isspace():  # U+2029, U+3000: MuPDF does not treat these as spaces
            continue
        if rotated is not None:
            x0, y0, x1, y1 = turn_box((x0, y0, x1, y1), rotated)
        if (block, number) != last:
            last = (block, number)
            size, bold, mono, direction = styles.get(last, (y1 - y0, False, False, (1.0, 0.0)))
            lines.append(TextLine([], x0, y0, x1, y1, size, bold, mono, block, _is_upright(direction, rotation)))
        line = lines[-1]
        line.words.append((x0, y0, x1, y1, text))
        # Comparisons are ten times as fast as calls of min and max, and this runs for every word.
        if x0 < line.x0:
            line.x0 = x0
        if y0 < line.y0:
            line.y0 = y0
        if x1 > line.x1:
            line.x1 = x1
        if y1 > line.y1:
            line.y1 = y1
    return lines


def turn_box(box: tuple[float, float, float, float], matrix: Any) -> tuple[float, float, float, float]:
    """Transform a box between the page as stored and the page as displayed, in the direction of the matrix."""
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


def join_lines(lines: Sequence[TextLine]) -> TextLine:
    """Join pieces that are next to each other into one line."""
    if len(lines) == 1:
        return lines[0]
    # The order within a piece is the page's own: words of Hebrew and Arabic run from right to left.
    leftwards = sum(1 if _runs_left(line) else -1 for line in lines) > 0
    words = [word for line in sorted(lines, key=lambda line: line.x0, reverse=leftwards) for word in line.words]
    longest = max(lines, key=lambda line: sum(len(word[4]) for word in line.words))
    return TextLine(
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


def _runs_left(line: TextLine) -> bool:
    return any("\u0590" <= character <= "\u08ff" for word in line.words for character in word[4])


_BIN = 2.0
"""Bin width in points for the search of white space between columns."""

_FEWEST_LINES = 5
_MOST_CROSSING = 0.4


def reading_order(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Return the page's regions in reading order, each a list of whole lines from top to bottom."""
    upright = [line for line in lines if line.upright]
    regions = _divide(upright, depth=0)
    # Vertical text in the margin, and pages that are entirely sideways, keep the page's own order.
    sideways = [line for line in lines if not line.upright]
    return [*regions, sideways] if sideways else regions


def _divide(lines: list[TextLine], depth: int) -> list[list[TextLine]]:
    gutter = _gutter(lines) if depth < 3 else None
    if gutter is None:
        return _rows_beside_text(lines)
    crossing = sorted((line for line in lines if line.x0 < gutter - 1 and line.x1 > gutter + 1), key=_middle)
    others = [line for line in lines if not (line.x0 < gutter - 1 and line.x1 > gutter + 1)]
    regions: list[list[TextLine]] = []
    across: list[TextLine] = []
    previous = float("-inf")
    for line in [*crossing, None]:
        bottom = _middle(line) if line is not None else float("inf")
        band = [other for other in others if previous <= _middle(other) < bottom]
        left = [other for other in band if other.x1 <= gutter + 1]
        right = [other for other in band if other.x1 > gutter + 1]
        if min(len(left), len(right)) < 2:
            # Only one or two lines next to each other between full lines: a row, not columns.
            across.extend(band)
        else:
            regions.extend(_across(across))
            across = []
            regions.extend(_divide(left, depth + 1))
            regions.extend(_divide(right, depth + 1))
        if line is not None:
            across.append(line)
            previous = bottom
    regions.extend(_across(across))
    return regions


def _across(lines: list[TextLine]) -> list[list[TextLine]]:
    return [_rows(lines)] if lines else []


def _middle(line: TextLine) -> float:
    return (line.y0 + line.y1) / 2


def _gutter(lines: Sequence[TextLine]) -> float | None:
    """Return the x of the white gap between two columns of running text, or None."""
    if len(lines) < 2 * _FEWEST_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    bins = int((right - left) / _BIN) + 1
    if bins < 20 or bins > 5000:
        return None
    change = [0] * (bins + 1)
    for line in lines:
        change[int((line.x0 - left) / _BIN)] += 1
        change[min(int((line.x1 - left) / _BIN) + 1, bins)] -= 1
    covered, counts = 0, []
    for step in change[:bins]:
        covered += step
        counts.append(covered)
    inner = range(bins // 5, bins - bins // 5)
    fewest = min(counts[index] for index in inner)
    if fewest > _MOST_CROSSING * len(lines):
        return None
    gutter = left + _BIN * (_widest_run([index for index in inner if counts[index] == fewest]) + 0.5)
    return gutter if _are_columns(lines, gutter, left, right) else None


def _widest_run(indices: Sequence[int]) -> float:
    """Return the middle of the longest run of consecutive indices."""
    best_start = best_length = 0
    start = indices[0]
    for before, after in zip(indices, [*indices[1:], -2], strict=True):
        if after != before + 1:
            if before - start + 1 > best_length:
                best_start, best_length = start, before - start + 1
            start = after
    return best_start + (best_length - 1) / 2


def _are_columns(lines: Sequence[TextLine], gutter: float, left: float, right: float) -> bool:
    """Return True for columns of running text, whose lines are long and fill the width, unlike those of a table."""
    sides = (
        [line for line in lines if line.x1 <= gutter + 1],
        [line for line in lines if line.x0 >= gutter - 1],
    )
    for side in sides:
        if len(side) < _FEWEST_LINES:
            return False
        start, end = _quantile([line.x0 for line in side], 0.1), _quantile([line.x1 for line in side], 0.9)
        if end - start < 0.2 * (right - left):
            return False
        inked, weights = _ink(side)
        if len(inked) < _FEWEST_LINES or median(inked) < 0.6 * (end - start) or median(weights) < 15:
            return False
    top = max(min(line.y0 for line in side) for side in sides)
    bottom = min(max(line.y1 for line in side) for side in sides)
    shorter = min(max(line.y1 for line in side) - min(line.y0 for line in side) for side in sides)
    return bottom - top > 0.3 * shorter


def _ink(lines: Sequence[TextLine]) -> tuple[list[float], list[int]]:
    """Return the covered width and the number of characters of each base line.

    Justified lines consist of several pieces, as do the rows of a table, but the latter are mostly white.
    """
    inked: dict[int, float] = {}
    weights: dict[int, int] = {}
    for line in lines:
        key = round(line.y1 / 4)
        inked[key] = inked.get(key, 0.0) + line.x1 - line.x0
        weights[key] = weights.get(key, 0) + _weight(line)
    return list(inked.values()), list(weights.values())


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def _weight(line: TextLine) -> int:
    """Return the number of a line's characters, with wide ones counted twice."""
    return sum(
        len(word[4]) if word[4].isascii() else sum(2 if c > "\u2e80" else 1 for c in word[4]) for word in line.words
    )


# Lines of a block of running text, most of which begin with a small letter, and its median characters in a line.
_FEWEST_RUNNING = 3
_FEWEST_CHARACTERS = 25
# Points between a line of text and what stands beside it.
_DISTANCE = 6.0
# Points between two lines that stand beside the same text.
_NEAR = 40.0
# The rows of a table share their base lines; those of a chart or a box beside a text share few by chance.
_ONE_BASE_LINE = 1.0
_MOST_SHARED = 0.3


def _rows_beside_text(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Return the regions of lines without columns: what stands to the right of running text follows it.

    For instance the title and the labels of a chart around which a text flows; joined with the text's lines, they would
    stand in the middle of its sentences.
    """
    running = [block for block in _blocks(lines) if _is_running(block)]
    texts = {id(line) for block in running for line in block}
    regions: list[list[TextLine]] = []
    rest = list(lines)
    groups = deque(_groups(_lines_beside_text(lines, [line for block in running for line in block])))
    while groups:
        group = groups.popleft()
        end = _end_beside(group, running)
        while groups and groups[0][0].y0 < end:
            group += groups.popleft()
            end = _end_beside(group, running)
        top = min(line.y0 for line in group)
        left, chosen = min(line.x0 for line in group), {id(line) for line in group}
        # Also what stands there between two lines of the text.
        chosen |= {id(one) for one in rest if one.x0 >= left and top < _middle(one) < end} - texts
        above = [line for line in rest if _middle(line) < end and id(line) not in chosen]
        regions += [_rows(above), _rows([line for line in rest if id(line) in chosen])]
        rest = [line for line in rest if _middle(line) >= end and id(line) not in chosen]
    return [region for region in (*regions, _rows(rest)) if region]


def _lines_beside_text(lines: Sequence[TextLine], running: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines to the right of running text that are not rows of the same table, from top to bottom."""
    if not running:
        return []
    texts, running = {id(line) for line in running}, sorted(running, key=lambda line: line.y0)
    tops, highest = [line.y0 for line in running], max(line.height for line in running)
    beside, shared = [], 0
    for line in sorted(lines, key=lambda line: (line.y0, line.x0)):
        if id(line) in texts or line.cells:
            continue
        near = running[bisect_left(tops, line.y0 - highest) : bisect_left(tops, line.y1)]
        level = [other for other in near if min(line.y1, other.y1) - max(line.y0, other.y0) > 1]
        if level and all(line.x0 >= other.x1 + _DISTANCE for other in level):
            beside.append(line)
            shared += any(abs(line.y1 - other.y1) <= _ONE_BASE_LINE for other in level)
    return beside if len(beside) >= _FEWEST_RUNNING and shared <= _MOST_SHARED * len(beside) else []


def _end_beside(group: Sequence[TextLine], running: Sequence[Sequence[TextLine]]) -> float:
    """Return the y at which a group and the paragraphs that stand beside it have ended."""
    top, bottom = min(line.y0 for line in group), max(line.y1 for line in group)
    ends = (max(line.y1 for line in block) for block in running if any(top < line.y1 < bottom for line in block))
    return max([bottom, *ends])


def _groups(beside: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Yield the lines of each chart or box: those with little space between them."""
    group: list[TextLine] = []
    bottom = 0.0
    for line in beside:
        if group and line.y0 - bottom > _NEAR:
            yield group
            group, bottom = [], 0.0
        group.append(line)
        bottom = max(bottom, line.y1) if len(group) > 1 else line.y1
    if group:
        yield group


def _blocks(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    blocks: dict[int, list[TextLine]] = {}
    for line in lines:
        blocks.setdefault(line.block, []).append(line)
    return list(blocks.values())


def _is_running(block: Sequence[TextLine]) -> bool:
    """Return True for lines of running text: most go on in the middle of a sentence."""
    if len(block) < _FEWEST_RUNNING or any(line.cells for line in block):
        return False
    small = sum(line.words[0][4][:1].islower() for line in block[1:] if line.words)
    return 2 * small >= len(block) - 1 and median(_weight(line) for line in block) >= _FEWEST_CHARACTERS


def _rows(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return lines from top to bottom, with the pieces on one base line joined from left to right."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.y1, line.x0)):
        if rows and _on_one_line(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [join_lines(row) for row in rows]


def _on_one_line(row: Sequence[TextLine], line: TextLine) -> bool:
    last = row[-1]
    if last.cells or line.cells:
        return False
    overlap = min(last.y1, line.y1) - max(last.y0, line.y0)
    if overlap < 0.6 * min(last.height, line.height):
        return False
    return all(line.x0 >= other.x1 - 1 or line.x1 <= other.x0 + 1 for other in row)
