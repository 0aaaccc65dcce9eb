"""PDF tables with cells from ruling lines or the layout model, and the rotation of pages stored sideways."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_rules import SNAP, Box, Matrix, PageRules, read_rules, ruled_grids
from workbench.parsing.pdf_table_parts import Row, table_line
from workbench.parsing.pdf_words import FLAGS, TextLine, Word, turn_box

Back = Callable[[Box], Box]
"""Function that transforms a box to the page as displayed."""

_QUARTERS = {(1, 0): 0, (0, -1): 1, (-1, 0): 2, (0, 1): 3}
"""Number of clockwise quarter turns that make text of this direction upright."""


_FORWARD = ((1, 0, 0, 1, 0, 0), (0, 1, -1, 0, 0, 0), (-1, 0, 0, -1, 0, 0), (0, -1, 1, 0, 0, 0))
"""Matrices of clockwise rotation by so many quarter turns."""


def is_sideways(lines: Sequence[TextLine]) -> bool:
    """Return True if most words do not run from left to right on the page as displayed."""
    return sum(len(line.words) for line in lines if not line.upright) > 0.5 * sum(len(line.words) for line in lines)


@contextmanager
def upright(page: Any) -> Iterator[tuple[Any, Back]]:
    """Yield a copy of the page with most text upright, and the transformation of its boxes to the displayed page.

    The layout model only reads upright text. Rotating the page itself loses words if it is cropped.
    """
    quarters = _quarters(page)
    if not page.rotation and not quarters:
        yield page, _same
        return
    rotation, shown = page.rotation, tuple(page.rotation_matrix)
    # The copy of a page with rotation would be scaled.
    page.set_rotation(0)
    try:
        width, height = page.rect.width, page.rect.height
        with mupdf().open() as copies:
            across, down = (height, width) if quarters % 2 else (width, height)
            copy = copies.new_page(width=across, height=down)
            copy.show_pdf_page(copy.rect, page.parent, page.number, rotate=-90 * quarters % 360)
            back = (
                (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
                (0.0, -1.0, 1.0, 0.0, 0.0, height),
                (-1.0, 0.0, 0.0, -1.0, width, height),
                (0.0, 1.0, -1.0, 0.0, width, 0.0),
            )[quarters]
            yield copy, lambda box: turn_box(turn_box(box, back), shown)
    finally:
        page.set_rotation(rotation)


@dataclass(frozen=True, slots=True)
class RotatedFrame:
    """Coordinates in which most of a page's text runs from left to right; in points, with any origin.

    Attributes:
        stored: Matrix from the page as stored.
        shown: Matrix from the page as displayed.
        back: Matrix to the page as displayed.
    """

    stored: Matrix
    shown: Matrix
    back: Matrix


def rotated_frame(page: Any) -> RotatedFrame:
    """Return the frame in which a page's text is upright, without making a copy of the page."""
    stored = mupdf().Matrix(*_FORWARD[_quarters(page)])
    shown = page.derotation_matrix * stored
    return RotatedFrame(tuple(stored), tuple(shown), tuple(~shown))


def _same(box: Box) -> Box:
    return box


def _quarters(page: Any) -> int:
    directions: Counter[tuple[int, int]] = Counter()
    for block in page.get_textpage(flags=FLAGS).extractDICT()["blocks"]:
        for line in block.get("lines", ()):
            x, y = line["dir"]
            directions[round(x), round(y)] += sum(len(span["text"].strip()) for span in line["spans"])
    return _QUARTERS.get(directions.most_common(1)[0][0], 0) if directions else 0


_FEWEST_ROWS, _FEWEST_COLUMNS = 3, 2
"""Minimum size of a table that is reported as lost."""

_LONG = 100
"""Minimum length in points of the rules of a table without a grid."""

_HEAD = (9, 45)
"""Minimum and maximum height of a table's header, in points."""

_SPACE = 0.3
"""Share of a word's height: narrower white space separates words of a phrase, wider space columns."""

_LEVEL = 8.0
"""Points: height of the buckets for the lookup of cells; a row is 10 to 20 high."""

_ALL_FIGURES = 0.85
_COLLAPSED = 0.25
"""Share of a column's words; a list of sizes in one of many cells has less."""
_MOST_RAISED = 0.3
"""Share of a cell's words; footnote marks are higher than their line."""

_LEADERS = 4
"""A table with one row of this many containing a dot leader is a table of contents."""

Grid = tuple[tuple[Box, ...], ...]
"""Cells of a table, row by row, in points on the page as displayed."""

Cells = Sequence[Sequence[Box | None]]
"""Cells row by row; None for a position covered by a cell of another row or column."""


def extract_ruled_tables(page: Any, lines: list[TextLine]) -> tuple[list[TextLine], bool]:
    """Replace the words inside each ruled table by one line that contains the table's rows.

    The second return value is True if rules seem to belong to a table that could not be extracted.
    """
    if not lines:
        return lines, False
    frame = rotated_frame(page) if page.rotation or is_sideways(lines) else None
    grids, lost = _ruled_grids(page, lines, frame)
    taken: list[Box] = []
    # Smaller tables first: the last row of a table may be drawn down to the end of the next table.
    for found in sorted(grids, key=lambda rows: _area(_hull_of(rows))):
        rows = [row for row in found if not any(_overlap(_hull_of([row]), box) for box in taken)]
        if (lifted := _lift_table(rows, lines)) is not None:
            lines = lifted
            taken.append(_hull_of(rows))
        elif len(rows) == len(found):
            lost = lost or _looks_like_table(rows)
    return lines, lost and not taken


def _ruled_grids(page: Any, lines: Sequence[TextLine], frame: RotatedFrame | None) -> tuple[Sequence[Cells], bool]:
    """Return the cells of ruled tables on the page as displayed.

    The second return value is True if rules look like those around a table's header and at its end, or are too many.
    """
    words: Iterable[Box] = (word[:4] for line in lines for word in line.words)
    if frame is None:
        rules = read_rules(page.get_cdrawings(), tuple(page.rect))
        return ruled_grids(rules, words), _has_bare_rules(rules)
    rules = read_rules(page.get_cdrawings(), turn_box(page.rect, page.derotation_matrix), frame.stored)
    grids = ruled_grids(rules, (turn_box(word, frame.shown) for word in words))
    shown = [[[cell and turn_box(cell, frame.back) for cell in row] for row in grid] for grid in grids]
    return shown, _has_bare_rules(rules)


def extract_model_tables(lines: list[TextLine], grids: Sequence[Grid]) -> tuple[list[TextLine], int]:
    """Replace the words inside the grids by tables, and return the lines and the number of these tables.

    A grid that overlaps an existing table is ignored, because rules give more exact cell borders than the model. Grids
    of two columns with dot leaders are ignored, too: they are tables of contents.
    """
    tables = 0
    for grid in grids:
        box = _hull_of(grid)
        inside = [word for line in lines for word in line.words if not line.cells and _within(word, box)]
        is_contents = len(grid[0]) < 3 and _LEADERS * sum("...." in word[4] for word in inside) > len(grid)
        if is_contents or any(line.cells and _overlap((line.x0, line.y0, line.x1, line.y1), box) for line in lines):
            continue
        if (lifted := _lift_table(grid, lines, is_plain=True)) is not None:
            lines = lifted
            tables += 1
    return lines, tables


def _looks_like_table(rows: Cells) -> bool:
    """Return True for a grid, False for a frame or two around text."""
    columns = max(sum(1 for cell in row if cell) for row in rows) if rows else 0
    return len(rows) >= _FEWEST_ROWS and columns >= _FEWEST_COLUMNS


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _overlap(box: Box, other: Box) -> bool:
    width, height = min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1])
    return width > 1 and height > 1


def _hull_of(rows: Cells) -> Box:
    boxes = [box for row in rows for box in row if box]
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _has_bare_rules(rules: PageRules) -> bool:
    """Return True if long rules are arranged like those of a table, or if there are too many rules."""
    long: dict[tuple[int, int], set[int]] = defaultdict(set)
    for y, x0, x1 in rules.lines:
        if x1 - x0 > _LONG:
            long[round(x0 / 3), round(x1 / 3)].add(round(y))
    return rules.is_crowded or any(_frame_a_head(heights) for heights in long.values())


def _frame_a_head(heights: Iterable[int]) -> bool:
    """Return True for rules above and below a header of one to three lines plus another one, unlike section rules."""
    ordered = sorted(heights)
    gaps = [below - above for above, below in pairwise(ordered)]
    return len([gap for gap in gaps if gap >= _HEAD[0]]) >= 2 and any(_HEAD[0] <= gap <= _HEAD[1] for gap in gaps)


def _lift_table(boxes: Cells, lines: list[TextLine], *, is_plain: bool = False) -> list[TextLine] | None:
    """Return the lines with the words in these cells moved into one table line, or None if they are not a table.

    In a plain grid without merged cells, a phrase across several cells goes to the first one as a whole, and dot
    leaders between cells are left out.
    """
    if len(boxes) < 2 or max(len(row) for row in boxes) < 2:
        return None
    x0, y0, x1, y1 = _hull_of(boxes)
    touched = {id(line) for line in lines if not line.cells and _touches(line, (x0, y0, x1, y1))}
    is_upright = any(line.upright for line in lines if id(line) in touched)
    inside = [word for line in lines if id(line) in touched for word in line.words if _within(word, (x0, y0, x1, y1))]
    if is_plain:
        rows = _filled(boxes, _phrases([word for word in inside if word[4].strip(".") or len(word[4]) < 4]))
    else:
        rows = _filled(boxes, [[word] for word in inside])
        if is_upright:
            _spread(rows)
    if not _is_plausible(rows) or any(map(_is_collapsed, zip_longest(*rows, fillvalue=()))):
        return None
    if is_upright and _is_part_of_wider(rows, lines, x0):
        return None
    rest: list[TextLine] = []
    for line in lines:
        if id(line) not in touched:
            rest.append(line)
        elif outside := [word for word in line.words if not _within(word, (x0, y0, x1, y1))]:
            rest.append(line if len(outside) == len(line.words) else _narrowed(line, outside))
    rest.append(table_line(rows, (x0, y0, x1, y1), is_upright=is_upright))
    return rest


def _touches(line: TextLine, box: Box) -> bool:
    return line.x0 <= box[2] and line.x1 >= box[0] and line.y0 <= box[3] and line.y1 >= box[1]


def _within(word: Word, box: Box) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _phrases(words: Sequence[Word]) -> list[list[Word]]:
    """Group words that are one space apart; numbers stay alone, because their columns can be that close."""
    phrases: list[list[Word]] = []
    for word in words:
        before = phrases[-1][-1] if phrases else None
        if (
            before is not None
            and abs(before[3] - word[3]) < 2
            and 0 <= word[0] - before[2] < _SPACE * (word[3] - word[1])
            and not any(map(str.isdigit, before[4] + word[4]))
        ):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return phrases


def _filled(boxes: Cells, phrases: Iterable[Sequence[Word]]) -> list[Row]:
    """Return the words by cell; a phrase outside all cells goes to the nearest."""
    rows: list[Row] = [[[] for _ in row] for row in boxes]
    places = [
        (*box, cell)
        for row, cells in zip(boxes, rows, strict=True)
        for box, cell in zip(row, cells, strict=True)
        if box
    ]
    # Lookup by height: a table may have 500 cells.
    level: dict[int, list[tuple[float, float, float, float, list[Word]]]] = defaultdict(list)
    for place in places:
        for step in range(int(place[1] // _LEVEL), int(place[3] // _LEVEL) + 1):
            level[step].append(place)
    for phrase in phrases:
        x, y = (phrase[0][0] + phrase[0][2]) / 2, (phrase[0][1] + phrase[0][3]) / 2
        for x0, y0, x1, y1, cell in level.get(int(y // _LEVEL), ()):
            if x0 <= x <= x1 and y0 <= y <= y1:
                cell.extend(phrase)
                break
        else:
            if places:
                _nearest(places, x, y).extend(phrase)
    return rows


def _spread(rows: Sequence[Row]) -> None:
    """Distribute the lines of a cell that covers several rows to the rows next to them.

    If only the columns of numbers are ruled, all labels are in one high cell.
    """
    heights = [[word[3] for cell in row for word in cell[:1]] for row in rows]
    for first, row in enumerate(rows):
        for column, cell in enumerate(row):
            below = first + 1
            while below < len(rows) and column < len(rows[below]) and not rows[below][column]:
                below += 1
            if below - first < 2 or len({round(word[3]) for word in cell}) < 2:
                continue
            beside = [[y for y in heights[at] if y != cell[0][3] or at > first] for at in range(first, below)]
            places = [_row_at(word[3], beside) for word in cell]
            found = set(places) - {None}
            if len(found) < 2 or places.count(None) > _MOST_RAISED * len(places):
                continue
            words = list(cell)
            cell.clear()
            at = first
            for word, place in zip(words, places, strict=True):
                at = at if place is None else first + place
                rows[at][column].append(word)


def _row_at(height: float, rows: Sequence[Sequence[float]]) -> int | None:
    return next((number for number, row in enumerate(rows) if any(abs(height - y) < SNAP for y in row)), None)


def _nearest(places: Iterable[tuple[float, float, float, float, list[Word]]], x: float, y: float) -> list[Word]:
    nearest: list[Word] = []
    least = float("inf")
    for x0, y0, x1, y1, cell in places:
        # Comparisons are five times as fast as calls of max.
        away = (x0 - x if x < x0 else x - x1 if x > x1 else 0.0) + (y0 - y if y < y0 else y - y1 if y > y1 else 0.0)
        if away < least:
            least, nearest = away, cell
    return nearest


def _is_plausible(rows: Sequence[Row]) -> bool:
    """Return True for a table, with words in two rows and two columns and not nearly all in one cell."""
    counts = [len(cell) for row in rows for cell in row]
    total = sum(counts)
    full_rows = sum(1 for row in rows if any(row))
    full_columns = sum(1 for column in zip(*rows, strict=False) if any(column))
    most = 0.95 if _is_full(rows) else 0.5 if total > 30 else 0.8
    return total >= 4 and full_rows >= 2 and full_columns >= 2 and max(counts) < most * total


def _is_full(rows: Sequence[Row]) -> bool:
    """Return True if rows have a whole head and few empty cells: then one of them may be a page of text."""
    cells = [cell for row in rows for cell in row]
    return min(len(rows), len(rows[0])) >= 3 and all(rows[0]) and sum(map(bool, cells)) >= 0.8 * len(cells)


def _is_collapsed(column: Sequence[Sequence[Word]]) -> bool:
    """Return True if much of a column is numbers below each other in one cell: only some of the rules are drawn."""
    collapsed = 0
    for cell in column:
        figures = [word for word in cell if _is_figure(word)]
        if len(figures) > 0.6 * len(cell) and len({round(word[3] / 4) for word in figures}) >= 4:
            collapsed += len(cell)
    return _COLLAPSED * sum(map(len, column)) < collapsed


def _is_figure(word: Word) -> bool:
    return any(map(str.isdigit, word[4])) or not any(map(str.isalpha, word[4]))


def _is_part_of_wider(rows: Sequence[Row], lines: Sequence[TextLine], left: float) -> bool:
    """Return True if a grid contains only numbers, and most of its rows begin further left.

    Shading of the current year's column, as in cash flow statements, does not make that column a table.
    """
    cells = [cell for row in rows for cell in row if cell]
    if sum(1 for cell in cells if all(map(_is_figure, cell))) < _ALL_FIGURES * len(cells):
        return False
    heights = {round(cell[0][3] / 3) for cell in cells}
    labelled = {
        round(word[3] / 3) + step
        for line in lines
        if not line.cells and line.x0 < left
        for word in line.words[:1]
        for step in (-1, 0, 1)
    }
    return len(heights & labelled) > 0.5 * len(heights)


def _narrowed(line: TextLine, words: list[Word]) -> TextLine:
    return TextLine(
        words,
        min(word[0] for word in words),
        line.y0,
        max(word[2] for word in words),
        line.y1,
        line.size,
        line.bold,
        line.mono,
        line.block,
        line.upright,
    )
