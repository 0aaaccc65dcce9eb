"""Tables whose cells are known: ruling lines draw a grid, or the layout model says where it is."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from workbench.parsing.pdf_upright import Back, Box, is_sideways, upright
from workbench.parsing.pdf_words import Line, Word

_MOST_DRAWINGS = 3000
"""A page with more is a map or a chart: find_tables would take seconds and find nothing."""

_FEWEST_ROWS, _FEWEST_COLUMNS = 3, 2
"""Of a table that is missed."""

_LONG = 100
"""Points: rules of a table without a grid are at least as long."""

_HEAD = (9, 45)
"""Points: how high the head of a table is."""

_SPACE = 0.3
"""Of a word's height: white space up to this width stands between words of a phrase, wider between columns."""

_LEADERS = 4
"""One row in so many with dots that lead to a number makes a list of contents."""

Row = list[list[Word]]
Grid = tuple[tuple[Box, ...], ...]
"""The cells of a table, row by row, in points on the page as displayed."""

Cells = Sequence[Sequence[Box | None]]
"""Row by row; None where a cell of another row or column reaches."""


def lift_ruled_tables(page: Any, lines: list[Line]) -> tuple[list[Line], bool]:
    """Return the lines with those inside ruled tables taken out, and one line that holds the rows put in for each.

    The second value tells whether rules seem to belong to a table of which no words could be made one.

    The layout model that find_tables would ask first takes 0.5 to 1.2 s a page; the ruling lines alone take 0.02 s.
    """
    if not lines:
        return lines, False
    if page.rotation or is_sideways(lines):
        with upright(page) as (turned_page, back):
            grids, lost = _ruled_grids(turned_page, back)
    else:
        grids, lost = _ruled_grids(page)
    taken: list[Box] = []
    # The inner one of two first: find_tables draws a table's last row out to the end of the next table.
    for found in sorted(grids, key=lambda rows: _area(_hull_of(rows))):
        rows = [row for row in found if not any(_overlap(_hull_of([row]), box) for box in taken)]
        if (lifted := _lifted(rows, lines)) is not None:
            lines = lifted
            taken.append(_hull_of(rows))
        elif len(rows) == len(found):
            lost = lost or _looks_like_table(rows)
    return lines, lost and not taken


def _ruled_grids(page: Any, back: Back | None = None) -> tuple[Sequence[Cells], bool]:
    """Return the cells of the tables that rules draw, on the page as displayed.

    The second value tells whether there are rules as over and under the head of a table and at its end.
    """
    has_grid, has_bare_rules = _rules_of(page)
    if not has_grid:
        return [], has_bare_rules
    found = page.find_tables(strategy="lines", use_layout=False)
    rows = [[row.cells for row in table.rows] for table in found.tables]
    if back is not None:
        rows = [[[cell and back(cell) for cell in cells] for cells in table] for table in rows]
    return rows, has_bare_rules


def lift_grids(lines: list[Line], grids: Sequence[Grid]) -> tuple[list[Line], int]:
    """Return the lines with those inside the grids taken out and tables put in, and how many those are.

    A grid where a table stands already is left alone: rules know better than the model where a cell ends. So is one
    of two columns with dots between them: the model takes tables of contents for such.
    """
    tables = 0
    for grid in grids:
        box = _hull_of(grid)
        inside = [word for line in lines for word in line.words if not line.cells and _within(word, box)]
        is_contents = len(grid[0]) < 3 and _LEADERS * sum("...." in word[4] for word in inside) > len(grid)
        if is_contents or any(line.cells and _overlap((line.x0, line.y0, line.x1, line.y1), box) for line in lines):
            continue
        if (lifted := _lifted(grid, lines, is_plain=True)) is not None:
            lines = lifted
            tables += 1
    return lines, tables


def _looks_like_table(rows: Cells) -> bool:
    """Tell a grid from a frame or two around text."""
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


def _rules_of(page: Any) -> tuple[bool, bool]:
    """Tell whether the page has enough rules for a grid, and whether some stand below one another as in a table.

    5,000 pages a second, against 10 that find_tables reads.
    """
    across = down = 0
    long: dict[tuple[int, int], set[int]] = {}
    for number, drawing in enumerate(page.get_cdrawings()):
        if number > _MOST_DRAWINGS:
            return False, False
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1][:4]
            else:
                continue
            width, height = abs(x1 - x0), abs(y1 - y0)
            across += width > 15
            down += height > 6
            if width > _LONG and height <= 2:
                long.setdefault((round(min(x0, x1) / 3), round(max(x0, x1) / 3)), set()).add(round(min(y0, y1)))
    return across >= 3 and down >= 2, any(_frame_a_head(heights) for heights in long.values())


def _frame_a_head(heights: Iterable[int]) -> bool:
    """Tell rules over and under a head of one to three lines, and a further one, from such as part sections."""
    ordered = sorted(heights)
    gaps = [below - above for above, below in pairwise(ordered)]
    return len([gap for gap in gaps if gap >= _HEAD[0]]) >= 2 and any(_HEAD[0] <= gap <= _HEAD[1] for gap in gaps)


def _lifted(boxes: Cells, lines: list[Line], *, is_plain: bool = False) -> list[Line] | None:
    """Return the lines with the words inside these cells lifted into one, or None where they make no table.

    In a plain grid, of which no cell reaches over others, a phrase that does goes whole to the first it touches; dots
    that lead from cell to cell are left out.
    """
    if len(boxes) < 2 or max(len(row) for row in boxes) < 2:
        return None
    x0, y0, x1, y1 = _hull_of(boxes)
    inside = [word for line in lines if not line.cells for word in line.words if _within(word, (x0, y0, x1, y1))]
    if is_plain:
        rows = _filled(boxes, _phrases([word for word in inside if word[4].strip(".") or len(word[4]) < 4]))
    else:
        rows = _filled(boxes, [[word] for word in inside])
    if not _is_plausible(rows) or any(_is_collapsed(cell) for row in rows for cell in row):
        return None
    rest: list[Line] = []
    for line in lines:
        outside = [word for word in line.words if not _within(word, (x0, y0, x1, y1))]
        if line.cells or len(outside) == len(line.words):
            rest.append(line)
        elif outside:
            rest.append(_narrowed(line, outside))
    rest.append(table_line(rows, (x0, y0, x1, y1)))
    return rest


def _within(word: Word, box: Box) -> bool:
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _phrases(words: Sequence[Word]) -> list[list[Word]]:
    """Return words that stand a space apart together; figures alone, because their columns can be that close."""
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
    """Return the words cell by cell; what stands in no cell goes to the nearest."""
    rows: list[Row] = [[[] for _ in row] for row in boxes]
    places = [
        (box, cell) for row, cells in zip(boxes, rows, strict=True) for box, cell in zip(row, cells, strict=True) if box
    ]
    for phrase in phrases:
        word = phrase[0]
        cell = next((cell for box, cell in places if _within(word, box)), None)
        if cell is None and places:
            x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
            cell = min(places, key=lambda place: _distance(place[0], x, y))[1]
        if cell is not None:
            cell.extend(phrase)
    return rows


def _distance(box: Box, x: float, y: float) -> float:
    return max(box[0] - x, 0.0, x - box[2]) + max(box[1] - y, 0.0, y - box[3])


def _is_plausible(rows: Sequence[Row]) -> bool:
    """Tell a table from a frame around text: words in two rows and two columns, and not nearly all in one cell."""
    counts = [len(cell) for row in rows for cell in row]
    total = sum(counts)
    full_rows = sum(1 for row in rows if any(row))
    full_columns = sum(1 for column in zip(*rows, strict=False) if any(column))
    return total >= 4 and full_rows >= 2 and full_columns >= 2 and max(counts) < (0.5 if total > 30 else 0.8) * total


def _is_collapsed(cell: Sequence[Word]) -> bool:
    """Tell whether a whole column of figures fell into one cell, because only part of the rules are drawn."""
    figures = [word for word in cell if any(character.isdigit() for character in word[4])]
    return len(figures) > 0.6 * len(cell) and len({round(word[3] / 4) for word in figures}) >= 4


def _narrowed(line: Line, words: list[Word]) -> Line:
    return Line(
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


def table_line(rows: Sequence[Row], box: Box) -> Line:
    """Return a line that stands for a table; empty rows and columns are left out."""
    width = max(len(row) for row in rows)
    padded = [[*row, *([] for _ in range(width - len(row)))] for row in rows if any(row)]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    cells = tuple(tuple(tuple(row[column]) for column in kept) for row in padded)
    words = [word for row in cells for cell in row for word in cell]
    return Line(words, *box, size=0.0, cells=cells)
