"""The tables of a sheet: its cells, divided at empty rows and columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.model.document import BlockKind
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.long_tables import add_table

_FIGURE = re.compile(r"[-+(]?[$€£¥]?\s?[-+]?\d[\d.,:/ -]*\s?(?:%|[$€£¥])?\)?(?:[eE][-+]?\d+)?(?: \d\d:\d\d(?::\d\d)?)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_TITLE = 150
_MOST_EMPTY = 4
"""Rows from the last of one table to the first of its continuation."""

_MOST_COPIES = 200
"""A merged cell over more rows or columns is a background."""


@dataclass(slots=True)
class Sheet:
    """A sheet as read.

    Attributes:
        name: Its name.
        rows: What is shown in its cells, by row and column, from 0.
        merged: First row, first column, last row, last column of each merged cell.
        hidden: It is not shown to people.
        notes: Its comments, boxes and titles of charts, each a line.
        curves: How many charts have more points than are read, and stand on a sheet without cells to hold them.
    """

    name: str
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden: bool = False
    notes: list[str] = field(default_factory=list)
    curves: int = 0


@dataclass(slots=True)
class _Region:
    """A table of a sheet: its rows, empty ones left out, and the number of its last row."""

    rows: list[dict[int, str]]
    first: int
    last: int

    @property
    def columns(self) -> list[int]:
        return sorted({column for row in self.rows for column in row})


def add_sheet(builder: TextBuilder, sheet: Sheet) -> int:
    """Append a sheet's name, its tables and its notes; return how many tables there are."""
    titles = _spread(sheet)
    regions = _joined(_regions(sheet.rows))
    if regions or sheet.notes:
        builder.add(BlockKind.HEADING, sheet.name, level=1)
    tables = 0
    for number, region in enumerate(regions):
        rows = _without_titles(builder, region, titles, followed=number + 1 < len(regions))
        columns = region.columns
        tables += add_table(builder, [[row.get(column, "") for column in columns] for row in rows])
    builder.add(BlockKind.LIST, "\n".join(sheet.notes))
    return tables


def _spread(sheet: Sheet) -> set[int]:
    """Repeat the content of merged cells in each; return the rows in which one of them is all there is."""
    last_row = max(sheet.rows, default=0)
    last_column = max((max(cells, default=0) for cells in sheet.rows.values()), default=0)
    titles: set[int] = set()
    for top, left, bottom, right in sheet.merged:
        text = sheet.rows.get(top, {}).get(left, "")
        if not text:
            continue
        if top == bottom and len(sheet.rows[top]) == 1:
            # Written across a table as its title: one cell is enough.
            titles.add(top)
            continue
        for row in range(top, min(bottom, last_row, top + _MOST_COPIES) + 1):
            for column in range(left, min(right, last_column, left + _MOST_COPIES) + 1):
                sheet.rows.setdefault(row, {}).setdefault(column, text)
    return titles


def _regions(rows: dict[int, dict[int, str]]) -> list[_Region]:
    """Return the tables of a sheet, divided at empty rows, and at empty columns where both sides are tables."""
    found: list[_Region] = []
    for band in _bands(rows):
        sides = _runs(sorted({column for row in band for column in rows[row]}))
        if len(sides) > 1 and all(_is_table(rows, band, side) for side in sides):
            for side in sides:
                found.extend(_regions({row: _part(rows[row], side) for row in band}))
        else:
            found.append(_Region([rows[row] for row in band], band[0], band[-1]))
    return found


def _bands(rows: dict[int, dict[int, str]]) -> Iterator[list[int]]:
    """Yield the rows in runs without an empty one; a table beside the end of another is a run of its own."""
    for run in _runs(sorted(row for row, cells in rows.items() if cells)):
        start = 0
        for at in range(1, len(run)):
            above, below = rows[run[at - 1]], rows[run[at]]
            if len(above) > 1 < len(below) and (min(below) > max(above) or max(below) < min(above)):
                yield run[start:at]
                start = at
        yield run[start:]


def _part(row: dict[int, str], columns: Sequence[int]) -> dict[int, str]:
    return {column: text for column, text in row.items() if columns[0] <= column <= columns[-1]}


def _joined(regions: Sequence[_Region]) -> list[_Region]:
    """Return the regions with those joined that go on under the same head after some empty rows."""
    joined: list[_Region] = []
    for region in regions:
        before = joined[-1] if joined else None
        if before is not None and _goes_on(before, region):
            before.rows.extend(region.rows)
            before.last = region.last
        else:
            joined.append(region)
    return joined


def _goes_on(before: _Region, region: _Region) -> bool:
    """Tell whether a region has no head of its own: figures are in its first row, in the columns of the one before."""
    above, columns = before.columns, region.columns
    if not 0 < region.first - before.last <= _MOST_EMPTY or len(above) < 2 or len(before.rows) < 2:
        return False
    if columns[0] < above[0] or columns[-1] > above[-1] or len(region.rows[0]) < 2:
        return False
    return any(_FIGURE.fullmatch(text) and not _YEAR.fullmatch(text) for text in region.rows[0].values())


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Return sorted numbers in runs without a gap."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _is_table(rows: dict[int, dict[int, str]], band: list[int], side: list[int]) -> bool:
    """Tell whether a side of a band stands for itself: two columns and two rows at least, each row filled."""
    if len(side) < 2:
        return False
    filled = [sum(1 for column in side if column in rows[row]) for row in band]
    return sum(1 for count in filled if count > 1) >= 2


def _without_titles(builder: TextBuilder, region: _Region, titles: set[int], *, followed: bool) -> list[dict[int, str]]:
    """Append the rows at the top of a table that hold a single cell as its titles; return the other rows."""
    rows = region.rows
    wide = len(region.columns) > 1
    first = 0
    while first < len(rows) and len(rows[first]) == 1 and (wide or len(rows) == 1 or region.first + first in titles):
        first += 1
    for row in rows[:first]:
        text = " ".join(next(iter(row.values())).split())
        is_title = (first < len(rows) or followed) and len(text) <= _LONGEST_TITLE and not _FIGURE.fullmatch(text)
        builder.add(BlockKind.HEADING if is_title else BlockKind.PARAGRAPH, text, level=2 if is_title else 0)
    return rows[first:]
