"""Names of the columns of a table, and the unit of its values, as read from its Markdown rows and the text above it."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

PIPE = re.compile(r"(?<!\\)\|")
"""Border of two cells of a Markdown row."""

_RULER = re.compile(r"[-=|:+\s]+")
_UNIT = re.compile(
    r"\((?:[^()\n]{0,60}\b)?(?:millions?|thousands?|billions?|lakhs?|crores?)\b[^()\n]{0,60}\)"
    r"|[（(]?\s?(?:单位|單位)\s?[:：]\s?[^\s，。、)）|]{1,12}[）)]?|^in (?:millions|thousands|billions)\b",
    re.IGNORECASE | re.MULTILINE,
)
UNIT_CELL = re.compile(
    r"\(?\s*(?:US)?\$?\s*(?:dollars |amounts )?in (?:millions|thousands|billions)\b.*", re.IGNORECASE | re.DOTALL
)
# A year or a date, which names a column; any other number is a value.
_DATE = re.compile(
    r"(?:[^\W\d_]{3,9}\.? \d{1,2}, ?|\d{1,2}(?:st|nd|rd|th)? [^\W\d_]{3,9},? |FY ?|Q[1-4] ?)?(?:19|20)\d\d"
    r"(?:[-–/]\d{2,4})?年?度?(?:\s*\(\w\))?(?: vs\.? (?:19|20)\d\d)?"
    r"|[’']\d\d(?: vs\.? [’']\d\d)?"
)
_PERIOD = re.compile(r"\b(?:years?|quarters?|months|weeks|periods?|ended|ending|as of)\b|^at\b", re.IGNORECASE)
# A name above one column or some of them only.
_CHANGE = re.compile(r"increase|decrease|change|variance|growth|%|变动|变化|增减", re.IGNORECASE)
# An amount that is no name of a column: "5,651", "$ 79", "(1,204)". "10", "1.5" and years may be names.
_AMOUNT = re.compile(r"\(?[$€£¥￥]?\s?\(?\d{1,3}(?:,\d{3})+(?:\.\d+)?\)?|\(?[$€£¥￥]\s?\d[\d.,]*\)?")
_FIGURE = re.compile(r"[(+−–—-]{0,2}\s?\d+(?:\.\d+)?\s?\)?\s?%?\)?(?:\s?\(\w{1,2}\))?|[—–-]\s?%?")
_LONGEST_HEAD = 200
"""Maximum number of characters of the name of a column; longer text is a cell of a row."""

_FEWEST_LINES = 2
_MOST_HEADS = 3
"""Maximum number of rows below the ruler that name columns, too."""


@dataclass(frozen=True, slots=True)
class TableHeads:
    """Names of the columns of a table.

    Attributes:
        header: The row above the ruler, as in the text.
        names: Name of each column; the first one is the unit if the column has no name.
        length: Number of rows below the ruler that name columns, too.
        unit: Unit of the values, such as "(in millions)"; empty if it is not stated.
        is_prefix: True if further columns may follow whose names are not known.
        is_inherited: True if they are those of the part of the table before, whose rows go on here.
    """

    header: str
    names: Sequence[str]
    length: int
    unit: str
    is_prefix: bool = False
    is_inherited: bool = False

    def cells(self, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return (column name, value) pairs; the names are empty if it is not certain which column has which name."""
        names, missing = list(self.names), len(values) - len(self.names)
        if missing > 0 and (self.is_prefix or not any(values[-missing:])):
            names += [""] * missing
        elif missing == 1 and names and all(map(_DATE.fullmatch, names)):
            names = ["", *names]  # the column of the row names has no name
        elif missing > 0:
            names = [""] * len(values)
        # As in Markdown, a row that is too short lacks its last cells.
        return tuple(zip(names, values, strict=False))


def is_table_header(lines: Sequence[str], cells: Sequence[Sequence[str]], index: int, *, has_names: bool) -> bool:
    """Return whether a row names the columns of those below it.

    It is above a ruler, unless it holds values, or nothing but the name of the rows below: a table that a page break
    divides begins with any row. Without a ruler it is the first one if it holds dates and words, and no first cell.
    """
    values = cells[index]
    if any(len(value) > _LONGEST_HEAD for value in values):
        return False
    if index + 1 < len(lines) and _RULER.fullmatch(lines[index + 1]):
        others = [value for value in values[1:] if re.search(r"\w", value)]
        if others and len(values) > 1 and (_holds_values(values[1:]) or _ends_in_figure(others)):
            return False
        if not values[0] or len(values) == 1:
            return True
        if not others:
            return bool(UNIT_CELL.fullmatch(values[0])) or any(map(names_columns, cells[index + 2 : index + 3]))
        return True
    if index or has_names or len(lines) < _FEWEST_LINES or any(map(_RULER.fullmatch, lines)):
        return False
    return names_columns(values) and any(map(_DATE.fullmatch, values[1:]))


def _ends_in_figure(cells: Sequence[str]) -> bool:
    """Return whether the last filled cell behind a row's name is its only figure: "Supplies | 60" names no column."""
    figures = [_FIGURE.fullmatch(cell) is not None and not _DATE.fullmatch(cell) for cell in cells]
    return figures[-1] and sum(figures) == 1


def _holds_values(cells: Sequence[str]) -> bool:
    """Return whether the cells behind a row's first one are values and no names: amounts, or figures in no order.

    "1 | 2 | 3" and "(1) | (2)" may be names of columns, "67 | 67 | —" and "3.1 | (0.4)" are values.
    """
    filled = [cell for cell in cells if cell]
    if any(map(_AMOUNT.fullmatch, filled)) and all(re.search(r"\d", cell) for cell in filled if re.search(r"\w", cell)):
        return True
    figures = [cell for cell in filled if not _DATE.fullmatch(cell)]
    if not figures or not all(map(_FIGURE.fullmatch, figures)):
        return False
    numbers = [float(match[0]) for cell in figures if (match := re.search(r"\d+(?:\.\d+)?", cell))]
    return len(numbers) < len(figures) or any(before >= after for before, after in itertools.pairwise(numbers))


def read_table_heads(header: str, values: Sequence[str], below: Sequence[Sequence[str]], unit: str) -> TableHeads:
    """Return the names of the columns from the row above the ruler and the rows below it that name columns, too.

    Tables of reports have "December 31," above and "2016 | 2017" below: the columns are "December 31, 2016" and
    "December 31, 2017".
    """
    rows = [list(values)]
    for row in below[:_MOST_HEADS]:
        if len(row) != len(values) or not names_columns(row):
            break
        rows.append(list(row))
    for row in rows:
        for place, value in enumerate(row):
            if UNIT_CELL.fullmatch(value):
                unit, row[place] = value, ""
    if len(rows) > 1:
        for row, lower in itertools.pairwise(rows):
            _spread(row, lower)
    names = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows, strict=True)]
    if names and not names[0]:
        names[0] = unit
    return TableHeads(header, names, len(rows) - 1, unit)


def names_columns(row: Sequence[str]) -> bool:
    """Return whether a row below a ruler names columns: no first cell but a unit, and no values in the others.

    "Years Ended December 31," is a first cell, too, if the others are years.
    """
    others = [value for value in row[1:] if value]
    if len(others) < 2:
        return False
    if row[0] and not UNIT_CELL.fullmatch(row[0]):
        return _PERIOD.search(row[0]) is not None and all(map(_DATE.fullmatch, others))
    return all(_DATE.fullmatch(value) or not re.search(r"\d", value) for value in others) and any(
        re.search(r"\w", value) for value in others
    )


def _spread(row: list[str], lower: Sequence[str]) -> None:
    """Give the only name of a row to all columns that the row below it names."""
    named, below = ([value for value in one[1:] if value] for one in (row, lower))
    if len(named) == 1 and not _CHANGE.search(named[0]) and len(below) > 1:
        # Years that occur twice belong to two names, one of which is missing.
        is_of_all = len(set(below)) == len(below)
        row[1:] = [named[0] if value and is_of_all else "" for value in lower[1:]]


def unit_above(text: str) -> str:
    """Return the unit that is stated last in the text above a table; empty if there is none."""
    found = _UNIT.findall(text)
    unit = " ".join(found[-1].split()) if found else ""
    return f"({unit})" if unit.lower().startswith("in ") else unit
