"""Tables in which ruling lines draw a grid."""

from collections.abc import Sequence
from typing import Any

from workbench.parsing.pdf_words import Line, Word

_MOST_DRAWINGS = 3000
"""A page with more is a map or a chart: find_tables would take seconds and find nothing."""

_FEWEST_ROWS, _FEWEST_COLUMNS = 3, 2
"""Of a table that is missed."""

Box = tuple[float, float, float, float]
Row = list[list[Word]]


def lift_ruled_tables(page: Any, lines: list[Line]) -> tuple[list[Line], bool]:
    """Return the lines with those inside ruled tables taken out, and one line that holds the rows put in for each.

    The second value tells whether rules draw a table of which no words could be made one.

    The layout model that find_tables would ask first takes 0.5 to 1.2 s a page; the ruling lines alone take 0.02 s.
    """
    if page.rotation or not lines or not _may_hold_grid(page):
        return lines, False
    taken: list[Box] = []
    lost = False
    # The inner one of two first: find_tables draws a table's last row out to the end of the next table.
    for found in sorted(
        page.find_tables(strategy="lines", use_layout=False).tables, key=lambda found: _area(found.bbox)
    ):
        rows = [row for row in found.rows if not any(_overlap(row.bbox, box) for box in taken)]
        if (lifted := _lifted(rows, lines)) is not None:
            lines = lifted
            taken.append(_hull([row.bbox for row in rows]))
        elif len(rows) == len(found.rows):
            lost = lost or _looks_like_table(rows)
    return lines, lost and not taken


def _looks_like_table(rows: Sequence[Any]) -> bool:
    """Tell a grid from a frame or two around text."""
    columns = max(sum(1 for cell in row.cells if cell) for row in rows) if rows else 0
    return len(rows) >= _FEWEST_ROWS and columns >= _FEWEST_COLUMNS


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _overlap(box: Box, other: Box) -> bool:
    width, height = min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1])
    return width > 1 and height > 1


def _hull(boxes: Sequence[Box]) -> Box:
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _may_hold_grid(page: Any) -> bool:
    """Tell whether the page has enough rules: 5,000 pages a second, against 10 that find_tables reads."""
    across = down = 0
    for number, drawing in enumerate(page.get_cdrawings()):
        if number > _MOST_DRAWINGS:
            return False
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
    return across >= 3 and down >= 2


def _lifted(found: Sequence[Any], lines: list[Line]) -> list[Line] | None:
    """Return the lines with the words inside these rows lifted into one, or None where they make no table."""
    boxes = [list(row.cells) for row in found]
    if len(boxes) < 2 or max(len(row) for row in boxes) < 2:
        return None
    x0, y0, x1, y1 = _hull([row.bbox for row in found])
    inside = [word for line in lines if not line.cells for word in line.words if _within(word, (x0, y0, x1, y1))]
    rows = _filled(boxes, inside)
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


def _filled(boxes: Sequence[Sequence[Box | None]], words: Sequence[Word]) -> list[Row]:
    """Return the words cell by cell; one that stands in no cell goes to the nearest."""
    rows: list[Row] = [[[] for _ in row] for row in boxes]
    places = [
        (box, cell) for row, cells in zip(boxes, rows, strict=True) for box, cell in zip(row, cells, strict=True) if box
    ]
    for word in words:
        cell = next((cell for box, cell in places if _within(word, box)), None)
        if cell is None and places:
            x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
            cell = min(places, key=lambda place: _distance(place[0], x, y))[1]
        if cell is not None:
            cell.append(word)
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
