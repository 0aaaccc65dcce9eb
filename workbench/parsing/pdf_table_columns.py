"""Columns of a table as people see them: a currency sign belongs to its number, and so do the marks behind it."""

import re
from collections.abc import Sequence

from workbench.parsing.pdf_words import Line, Word

Row = list[list[Word]]

_IN_FRONT = re.compile(r"(?:[A-Z]{0,3}[$€£¥₩₹]|[(\[]){1,2}")
_BEHIND = re.compile(r"(?:[%)\]*†‡]|\([a-z0-9]{1,2}\)){1,3}")
_SHARED = 0.5
"""Of the width of the narrower of two columns: what they share where they are one, whose rows have rules of their
own."""


def table_line(rows: Sequence[Row], box: tuple[float, float, float, float], *, is_upright: bool = True) -> Line:
    """Return a line that stands for a table; empty rows are left out, and columns are those that people see."""
    cells = tuple(tuple(map(tuple, row)) for row in with_seen_columns(rows, is_upright=is_upright))
    words = [word for row in cells for cell in row for word in cell]
    return Line(words, *box, size=0.0, cells=cells)


def with_seen_columns(rows: Sequence[Row], *, is_upright: bool = True) -> list[Row]:
    """Return the rows that hold something, all of one length, without the columns that nobody sees.

    Those are empty ones, those of nothing but marks of the numbers beside them, and those that stand where the column
    beside them does and hold something only where that has nothing.

    Args:
        rows: Cell by cell.
        is_upright: The text runs across the page, so that columns can be told by where their words stand.
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
    """Return the pieces of a line with currency signs and the like put to the numbers that they belong to."""
    whole: Row = []
    for piece in row:
        text = _text(piece)
        if whole and (_BEHIND.fullmatch(text) or _IN_FRONT.fullmatch(_text(whole[-1]))):
            whole[-1] = [*whole[-1], *piece]
        else:
            whole.append(piece)
    return whole


def _is_one(left: Row, right: Row, *, is_upright: bool) -> bool:
    """Tell whether two neighbouring columns are one to the eye."""
    has_marks = False
    for one, other in zip(left, right, strict=True):
        if one and other:
            if not (_IN_FRONT.fullmatch(_text(one)) or _BEHIND.fullmatch(_text(other))):
                return False
            has_marks = True
    return has_marks or (is_upright and _overlap(left, right))


def _text(cell: Sequence[Word]) -> str:
    return "".join(word[4] for word in cell) if len(cell) < 4 else ""


def _overlap(left: Row, right: Row) -> bool:
    (a, b), (c, d) = _extent(left), _extent(right)
    return min(b, d) - max(a, c) > _SHARED * min(b - a, d - c)


def _extent(column: Row) -> tuple[float, float]:
    return min(word[0] for cell in column for word in cell), max(word[2] for cell in column for word in cell)
