"""Visible columns of PDF tables, and the joining of headers, sections and rows into one table.

A statement in an annual report is often printed in pieces: years above the columns, “Operating revenues” in bold, three
shaded rows, white, the next section. People recognize one table by its columns, and so does this module.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from workbench.parsing.pdf_words import TextLine, Word

Row = list[list[Word]]

_IN_FRONT = re.compile(r"(?:[A-Z]{0,3}[$€£¥₩₹]|[(\[]){1,2}")
_BEHIND = re.compile(r"(?:[%)\]*†‡]|\([a-z0-9]{1,2}\)){1,3}")
_SHARED = 0.5
"""Share of the narrower of two columns that overlaps the other if they are one column whose rows have different rules.
"""


def table_line(rows: Sequence[Row], box: tuple[float, float, float, float], *, is_upright: bool = True) -> TextLine:
    """Return a line that represents a table; empty rows are left out, and columns are the visible ones."""
    cells = tuple(tuple(map(tuple, row)) for row in with_seen_columns(rows, is_upright=is_upright))
    words = [word for row in cells for cell in row for word in cell]
    return TextLine(words, *box, size=0.0, cells=cells)


def with_seen_columns(rows: Sequence[Row], *, is_upright: bool = True) -> list[Row]:
    """Return the rows that are not empty, all of one length, with only the visible columns.

    Empty columns are removed. Adjacent columns are joined if one only contains marks of the other's numbers, or if they
    overlap and never both have content in a row.

    Args:
        rows: Rows by cell.
        is_upright: True if the text is horizontal, so that columns can be detected by the positions of their words.
    """
    width = max(len(row) for row in rows)
    padded = [[*row, *([] for _ in range(width - len(row)))] for row in rows if any(row)]
    columns = [list(column) for column in zip(*padded, strict=True) if any(column)]
    merged = columns[:1]
    for column in columns[1:]:
        if _is_one(merged[-1], column, is_upright=is_upright):
            merged[-1] = [[*left, *right] for left, right in zip(merged[-1], column, strict=True)]
        else:
            merged.append(column)
    return [list(row) for row in zip(*merged, strict=True)]


def with_marks(row: Row) -> Row:
    """Join currency signs and similar marks with the numbers that they belong to."""
    whole: Row = []
    for piece in row:
        text = _pdf_table_columns_text(piece)
        if whole and (_BEHIND.fullmatch(text) or _IN_FRONT.fullmatch(_pdf_table_columns_text(whole[-1]))):
            whole[-1] = [*whole[-1], *piece]
        else:
            whole.append(piece)
    return whole


def _is_one(left: Row, right: Row, *, is_upright: bool) -> bool:
    """Return True if two adjacent columns are visibly one."""
    has_marks = False
    for one, other in zip(left, right, strict=True):
        if one and other:
            if not (
                _IN_FRONT.fullmatch(_pdf_table_columns_text(one)) or _BEHIND.fullmatch(_pdf_table_columns_text(other))
            ):
                return False
            has_marks = True
    return has_marks or (is_upright and _overlap(left, right))


def _pdf_table_columns_text(cell: Sequence[Word]) -> str:
    return "".join(word[4] for word in cell) if len(cell) < 4 else ""


def _overlap(left: Row, right: Row) -> bool:
    (a, b), (c, d) = _extent(left), _extent(right)
    return min(b, d) - max(a, c) > _SHARED * min(b - a, d - c)


def _extent(column: Row) -> tuple[float, float]:
    return min(word[0] for cell in column for word in cell), max(word[2] for cell in column for word in cell)


Strip = tuple[float, float]
"""Left and right edge of a column's words."""

_FIGURE = re.compile(r"[(\[]?[$€£¥₩₹]?\s?[(\[+−–—-]?(?:\d[\d,.]*|[—–-])(?:[%)\]*xX]|bps)*")
_YEAR = re.compile(r"(?:FY|Q\d)?\s?(?:19|20)\d\d[A-Z]?")
_FEWEST_FIGURES = 2
_FARTHEST = 4.5
"""Multiple of the font size: maximum distance of base lines within a table; sections are 2 to 4 apart."""

_MOST_LABELS = 2
"""Maximum lines without numbers between two rows of a table: a section within a section."""

_MOST_HEAD_ROWS = 3
_HEAD_PITCH = 2.2
"""Multiple of the font size: maximum distance from the base line of a header to that of the line below."""

_LONGEST_LABEL = 160
"""Maximum characters of a label."""


def join_tables(lines: Sequence[TextLine], rows: Sequence[Row]) -> tuple[list[TextLine], list[Row]]:
    """Join tables with the rows around them, and with tables that continue them.

    Args:
        lines: Lines from top to bottom, including those that represent tables.
        rows: The pieces of each line.
    """
    joined: list[TextLine] = []
    pieces: list[Row] = []
    done = position = 0
    while position < len(lines):
        if not lines[position].cells or _is_head_alone(lines[position]):
            position += 1
            continue
        table = _GrowingTable(lines, rows, position)
        table.grow(done)
        joined += [*lines[done : table.first], table.line()]
        pieces += [*rows[done : table.first], [joined[-1].words]]
        done = position = table.last + 1
    return [*joined, *lines[done:]], [*pieces, *rows[done:]]


class _GrowingTable:
    """Table that is extended by lines above and below it."""

    def __init__(self, lines: Sequence[TextLine], rows: Sequence[Row], at: int) -> None:
        self._lines = lines
        self._rows = [with_marks(row) for row in rows]
        self._at = at
        self.first = self.last = at
        self._strips = _strips(lines[at])
        sizes = sorted(word[3] - word[1] for word in lines[at].words)
        self._size = sizes[len(sizes) // 2] if sizes else 10.0

    def grow(self, floor: int) -> None:
        """Extend the table by adjacent lines that belong to it, downwards and up to the line `floor`."""
        if len(self._strips) < 2 or self._strips[1:] != sorted(self._strips[1:]):
            return
        self.last = self._reach(range(self._at + 1, len(self._lines)), down=True)
        self.first = self._reach(range(self._at - 1, floor - 1, -1), down=False)

    def _reach(self, positions: range, *, down: bool) -> int:
        reached = near = self._at
        labels = heads = 0
        for position in positions:
            line = self._lines[position]
            if not self._is_near(self._lines[min(near, position)], self._lines[max(near, position)]):
                break
            if line.cells:
                if not (self._continues(line) if down else self._is_headed_by(line)):
                    break
                labels, reached = 0, position
            elif self._is_row(position, needs_figures=down) and not (down and self._is_head(position)):
                labels, reached = 0, position
            elif not down and heads < _MOST_HEAD_ROWS and not labels and self._is_over(position, near):
                heads, reached = heads + 1, position
            elif labels < _MOST_LABELS and (self._is_label(position) or (down and self._is_title(position))):
                labels += 1
            else:
                break
            near = position
        return reached

    def _is_near(self, upper: TextLine, lower: TextLine) -> bool:
        top = lower.y0 + self._size if lower.cells else lower.y1
        return top - upper.y1 < _FARTHEST * self._size

    def _is_row(self, position: int, *, needs_figures: bool) -> bool:
        """Return True if each piece of a line is in a different column of the table."""
        line, row = self._lines[position], self._rows[position]
        if not line.upright or line.entry or line.mono or len(row) < 2 or line.size > 1.3 * self._size:
            return False
        places = [self._columns_at(piece) for piece in row]
        own = [place[0] for place in places if len(place) == 1]
        if len(own) != len(row) or len(set(own)) != len(own):
            return False
        needed = min(_FEWEST_FIGURES, len(self._strips) - 1)
        # Headers above the columns may be dates: “At December 31, 2022”.
        filled = sum(1 for piece in row if _is_figure(piece)) if needs_figures else len(set(own) - {0})
        return filled >= needed

    def _is_head(self, position: int) -> bool:
        figures = [piece for piece in self._rows[position] if _is_figure(piece)]
        return all(map(_is_year, figures))

    def _is_over(self, position: int, below: int) -> bool:
        """Return True if a line closely above names columns of numbers, with a piece above one or several columns."""
        line, row = self._lines[position], self._rows[position]
        if not line.upright or line.entry or line.mono or line.size > 1.1 * self._size:
            return False
        lower = self._lines[below]
        pitch = (lower.y0 + self._size if lower.cells else lower.y1) - line.y1
        if pitch > _HEAD_PITCH * self._size or line.x1 > self._strips[-1][1] + 2 * self._size:
            return False
        places = [self._heads_at(piece) for piece in row]
        over = [column for place in places for column in place]
        return len(set(over)) == len(over) > 0 and all(places) and 0 not in over

    def _heads_at(self, piece: Sequence[Word]) -> list[int]:
        """Return the columns below a header; if it is between two, the one on its right."""
        x0 = min(word[0] for word in piece)
        beside = [number for number, (_, right) in enumerate(self._strips) if self._strips[0][1] < x0 < right]
        return self._columns_at(piece) or beside[:1]

    def _is_title(self, position: int) -> bool:
        """Return True for a bold line wider than names of rows; the next lines decide if it separates tables."""
        line = self._lines[position]
        return line.bold and len(self._rows[position]) == 1 and len(line.text) <= _LONGEST_LABEL

    def _is_label(self, position: int) -> bool:
        """Return True for the name of a section, which does not reach the columns of numbers, unlike text."""
        line, row = self._lines[position], self._rows[position]
        if len(row) != 1 or not line.upright or line.entry or line.mono or line.size > 1.3 * self._size:
            return False
        text = line.text
        return line.x1 < self._strips[1][0] and len(text) <= _LONGEST_LABEL and text[-1] not in ".;。；"

    def _continues(self, other: TextLine) -> bool:
        """Return True if a further table has no header and has the same columns, or some of them."""
        return not has_head(other) and self._shared(other) is not None

    def _shared(self, other: TextLine) -> list[int] | None:
        """Return this table's column for each of the other's, or None if those are not columns of this table."""
        strips = _strips(other)
        places = [0]
        for left, right in strips[1:]:
            found = [
                number for number, one in enumerate(self._strips) if number and left < one[1] + 1 and right > one[0] - 1
            ]
            places += found if len(found) == 1 else [0]
        return places if len(places) == len(strips) == len(set(places)) and places == sorted(places) else None

    def _is_headed_by(self, other: TextLine) -> bool:
        """Return True if a short table above only contains the names of the columns."""
        strips = _strips(other)
        return (
            _is_head_alone(other)
            and len(strips) == len(self._strips)
            and all(one[0] < two[1] and two[0] < one[1] for one, two in zip(strips[1:], self._strips[1:], strict=True))
        )

    def _columns_at(self, piece: Sequence[Word]) -> list[int]:
        x0, x1 = min(word[0] for word in piece), max(word[2] for word in piece)
        return [number for number, (left, right) in enumerate(self._strips) if x0 < right + 1 and x1 > left - 1]

    def _placed(self, part: TextLine) -> list[Row]:
        """Return the rows of one of the tables, in the columns of the whole table."""
        columns = self._shared(part)
        if len(part.cells[0]) == len(self._strips) or columns is None:
            return [[list(cell) for cell in row] for row in part.cells]
        rows: list[Row] = []
        for cells in part.cells:
            rows.append([[] for _ in self._strips])
            for column, cell in zip(columns, cells, strict=True):
                rows[-1][column] += cell
        return rows

    def line(self) -> TextLine:
        """Return the line that represents the whole table."""
        if self.first == self.last:
            return self._lines[self._at]
        parts = self._lines[self.first : self.last + 1]
        cells: list[Row] = []
        for position in range(self.first, self.last + 1):
            if self._lines[position].cells:
                cells += self._placed(self._lines[position])
                continue
            row: Row = [[] for _ in self._strips]
            for piece in self._rows[position]:
                row[(self._heads_at(piece) or [0])[0]] += piece
            cells.append(row)
        box = (
            min(line.x0 for line in parts),
            min(line.y0 for line in parts),
            max(line.x1 for line in parts),
            max(line.y1 for line in parts),
        )
        return table_line(cells, box)


def has_head(table: TextLine) -> bool:
    """Return True if a table begins with the names of its columns, False for rows that continue a table above."""
    figures = [cell for cell in table.cells[0] if _is_figure(cell)]
    return not figures or all(map(_is_year, figures))


def _is_head_alone(table: TextLine) -> bool:
    """Return True if a table has no rows below its header, which contains years."""
    figures = [cell for row in table.cells for cell in row if _is_figure(cell)]
    return 0 < len(table.cells) <= _MOST_HEAD_ROWS and bool(figures) and all(map(_is_year, figures))


_ALIGNED = 8.0
"""Points: maximum distance of the edges, or of the middles, of a column on one page and on the next."""

_MOST_SECTIONS = 3
"""Maximum number of rows that only name sections, above the first row with figures."""


def continues_columns(above: TextLine, table: TextLine) -> bool:
    """Return True if a table on the next page goes on in the columns of another one, without naming them.

    Its rows begin with figures, perhaps below the names of sections, no later row of it names columns, and each of its
    columns is where the other table has one, of figures or of words alike.
    """
    if len(above.cells[0]) != len(table.cells[0]) or len(table.cells[0]) < 2:
        return False
    first = next((at for at, row in enumerate(table.cells) if any(row[1:])), _MOST_SECTIONS + 1)
    if first > _MOST_SECTIONS or not _has_values(table.cells[first]) or any(map(_names_only, table.cells)):
        return False
    if _columns_of_figures(above) != _columns_of_figures(table) or not any(_columns_of_figures(table)):
        return False
    strips, others = _strips(above), _strips(table)
    if any(left[1] > right[0] for one in (strips, others) for left, right in pairwise(one)):
        return False
    return all(map(_is_same_column, strips[1:], others[1:])) and _share(strips[0], others[0]) > 0


def _has_values(row: Sequence[Sequence[Word]]) -> bool:
    """Return True if the cells behind the first one are mostly figures, and not only years."""
    filled = [cell for cell in row[1:] if cell]
    figures = [cell for cell in filled if _is_figure(cell)]
    return 2 * len(figures) >= len(filled) and not all(map(_is_year, figures))


def _names_only(row: Sequence[Sequence[Word]]) -> bool:
    """Return True if a row names columns: behind its first cell are several words or years, and no figures."""
    filled = [cell for cell in row[1:] if cell]
    return len(filled) > 1 and all(_is_year(cell) or not _is_figure(cell) for cell in filled)


def _columns_of_figures(table: TextLine) -> list[bool]:
    """Return for each column but the first whether most of its cells are figures."""
    columns = [[cell for cell in column if cell] for column in zip(*(row[1:] for row in table.cells), strict=True)]
    return [2 * sum(map(_is_figure, column)) > len(column) for column in columns]


def _is_same_column(one: Strip, other: Strip) -> bool:
    """Return True if the words of two columns overlap by half, and are aligned left, right or centred."""
    (left, right), (x0, x1) = one, other
    is_aligned = min(abs(left - x0), abs(right - x1), abs(left + right - x0 - x1) / 2) <= _ALIGNED
    return is_aligned and _share(one, other) > _SHARED * min(right - left, x1 - x0)


def _share(one: Strip, other: Strip) -> float:
    """Return the width that two columns have in common, in points; negative if they are apart."""
    return min(one[1], other[1]) - max(one[0], other[0])


def _strips(table: TextLine) -> list[Strip]:
    """Return the extent of each column: that of its numbers if it has enough, because headers are wider."""
    strips = []
    for column in zip(*table.cells, strict=True):
        cells = [cell for cell in column if cell]
        figures = [cell for cell in cells if _is_figure(cell) and not _is_year(cell)]
        words = [word for cell in (figures if len(figures) * 2 >= len(cells) else cells) for word in cell]
        strips.append((min(word[0] for word in words), max(word[2] for word in words)))
    return strips


def _is_figure(piece: Sequence[Word]) -> bool:
    return bool(_FIGURE.fullmatch(_text(piece)))


def _is_year(piece: Sequence[Word]) -> bool:
    return bool(_YEAR.fullmatch(_text(piece)))


def _text(piece: Sequence[Word]) -> str:
    return "".join(word[4] for word in piece) if len(piece) < 5 else ""
