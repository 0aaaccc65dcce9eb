"""Tables: where ruling lines draw a grid, and where rows of short pieces stand below one another."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from workbench.parsing.pdf_paragraphs import BULLET
from workbench.parsing.pdf_words import Line, Word

_MOST_DRAWINGS = 3000
"""A page with more is a map or a chart: find_tables would take seconds and find nothing."""

Box = tuple[float, float, float, float]
Row = list[list[Word]]


def lift_ruled_tables(page: Any, lines: list[Line]) -> list[Line]:
    """Return the lines with those inside ruled tables taken out, and one line that holds the rows put in for each.

    The layout model that find_tables would ask first takes 0.5 to 1.2 s a page; the ruling lines alone take 0.02 s.
    """
    if page.rotation or not lines or not _may_hold_grid(page):
        return lines
    for found in page.find_tables(strategy="lines", use_layout=False).tables:
        lines = _lifted(found, lines)
    return lines


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


def _lifted(found: Any, lines: list[Line]) -> list[Line]:
    boxes = [[cell for cell in row.cells] for row in found.rows]
    if len(boxes) < 2 or max(len(row) for row in boxes) < 2:
        return lines
    x0, y0, x1, y1 = found.bbox
    inside = [word for line in lines for word in line.words if _within(word, (x0, y0, x1, y1))]
    rows = _filled(boxes, inside)
    if not _is_plausible(rows) or any(_is_collapsed(cell) for row in rows for cell in row):
        return lines
    rest: list[Line] = []
    for line in lines:
        outside = [word for word in line.words if not _within(word, (x0, y0, x1, y1))]
        if len(outside) == len(line.words):
            rest.append(line)
        elif outside:
            rest.append(_narrowed(line, outside))
    rest.append(_table_line(rows, (x0, y0, x1, y1)))
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


def _table_line(rows: Sequence[Row], box: Box) -> Line:
    """Return a line that stands for a table; empty rows and columns are left out."""
    width = max(len(row) for row in rows)
    padded = [[*row, *([] for _ in range(width - len(row)))] for row in rows if any(row)]
    kept = [column for column in range(width) if any(row[column] for row in padded)]
    cells = tuple(tuple(tuple(row[column]) for column in kept) for row in padded)
    words = [word for row in cells for cell in row for word in cell]
    return Line(words, *box, size=0.0, cells=cells)


def lift_aligned_tables(region: Sequence[Line]) -> list[Line]:
    """Return a region's lines with runs of aligned rows replaced by one line that holds them."""
    rows = [_pieces(line) for line in region]
    lines: list[Line] = []
    position = 0
    while position < len(region):
        end = _run_end(region, rows, position)
        table = _aligned(region[position:end], rows[position:end]) if end - position >= 3 else None
        if table is None:
            lines.append(region[position])
            position += 1
        else:
            lines.append(table)
            position = end
    return lines


def _pieces(line: Line) -> Row:
    """Return a line's words, divided at wide gaps."""
    if line.cells or not line.upright or line.mono:
        return [line.words]
    wide = max(0.95 * line.size, 4.0)
    pieces: Row = [[line.words[0]]]
    for before, word in zip(line.words, line.words[1:], strict=False):
        if max(word[0] - before[2], before[0] - word[2]) > wide:
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return pieces


def _run_end(region: Sequence[Line], rows: Sequence[Row], start: int) -> int:
    """Return the end of the run of rows in pieces that begins at start; a whole line may stand between two of them."""
    if len(rows[start]) < 2:
        return start
    end = start + 1
    usual = float("inf")
    for position in range(start + 1, len(region)):
        before, line = region[position - 1], region[position]
        pitch = line.y1 - before.y1
        if line.cells or pitch > 3.5 * line.size or pitch > max(1.7 * usual, 2 * line.size):
            break
        if len(rows[position]) == 1 and (line.bold or line.size > 1.1 * before.size):
            # A heading: the next table begins below it.
            break
        usual = min(usual, pitch)
        if len(rows[position]) >= 2:
            end = position + 1
        elif position > end:
            break
    return end


def _aligned(lines: Sequence[Line], rows: Sequence[Row]) -> Line | None:
    """Return the table that the rows make up, or None where their pieces do not stand in columns."""
    several = [row for row in rows if len(row) >= 2]
    if len(several) < 3 or _is_prose(lines, rows):
        return None
    # Notes and headings over several columns would run the columns together: the fullest rows know best.
    fullest = max(len(row) for row in several)
    columns = _columns([row for row in several if len(row) >= 0.6 * fullest])
    pieces = sum(len(row) for row in several)
    words = sum(len(piece) for row in several for piece in row)
    if len(columns) < 2 or pieces < 0.5 * len(columns) * len(several) or words > 7 * pieces:
        return None
    if len(columns) == 2 and not _is_listing(several):
        return None
    if any("...." in word[4] for row in several for piece in row for word in piece):
        return None
    table: list[Row] = []
    for row in rows:
        cells: Row = [[] for _ in columns]
        for piece in row:
            middle = sum(_span(piece)) / 2
            nearest = min(range(len(columns)), key=lambda index: _off(columns[index], middle))
            cells[nearest].extend(piece)
        table.append(cells)
    if sum(1 for cells in table if sum(map(bool, cells)) >= 2) < 0.6 * len(table):
        return None
    box = (min(line.x0 for line in lines), lines[0].y0, max(line.x1 for line in lines), lines[-1].y1)
    return _table_line(table, box)


def _is_prose(lines: Sequence[Line], rows: Sequence[Row]) -> bool:
    """Tell lines of running text with stretched spaces, which are full, from rows of a table."""
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    return median(sum(right - left for left, right in map(_span, row)) for row in rows) > 0.8 * width


def _span(piece: Sequence[Word]) -> tuple[float, float]:
    return min(word[0] for word in piece), max(word[2] for word in piece)


def _off(column: tuple[float, float], x: float) -> float:
    return max(column[0] - x, 0.0, x - column[1])


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the strips of the page that the pieces cover, from left to right."""
    spans = sorted(_span(piece) for row in rows for piece in row)
    columns = [spans[0]]
    for x0, x1 in spans[1:]:
        if x0 < columns[-1][1] + 1.0:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
        else:
            columns.append((x0, x1))
    return columns


def _is_listing(rows: Sequence[Row]) -> bool:
    """Tell names with figures from a numbered list or from two columns of prose."""
    if all(len(row[0]) == 1 and BULLET.match(row[0][0][4]) for row in rows):
        return False
    figures = sum(1 for row in rows if any(character.isdigit() for word in row[-1] for character in word[4]))
    return figures >= 0.5 * len(rows)
