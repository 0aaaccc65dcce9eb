"""Spreadsheets of every format: a page for each sheet, and the division of a sheet into tables."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from workbench.errors import DocumentError
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, add_table
from workbench.parsing.ooxml import curves_left_out
from workbench.parsing.page_layout import assign_pages

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


MOST_CELLS = 1_000_000
"""Of all sheets together: about 10 MB of text and 5,000 chunks; more is a database, not a document."""


class WorkbookContainer(Protocol):
    """The file that a workbook was read from."""

    def findings(self) -> list[Finding]:
        """Return what there is to say of the container."""
        ...

    def warnings(self) -> list[str]:
        """Return the same as sentences."""
        ...

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        """Return what the file says of itself; without a builder no heading stands in for the title."""
        ...

    def without_text(self, message: str, hint: str) -> DocumentError:
        """Return the error for a file in which no text was found."""
        ...


@dataclass(slots=True)
class Workbook:
    """Sheets as they are read, within the limit of cells.

    Attributes:
        builder: Holds the text.
        cells: How many cells were read; a reader counts them here.
        pictures: How many pictures were seen.
        copies_left_out: How many repetitions of the same row or cell are not read.
        noted: What the reader of the format has to say of the sheets.
    """

    builder: TextBuilder = field(default_factory=TextBuilder)
    cells: int = 0
    pictures: int = 0
    copies_left_out: int = 0
    noted: list[Finding] = field(default_factory=list)
    _starts: list[tuple[int, str]] = field(default_factory=list)
    _hidden: list[str] = field(default_factory=list)
    _cut: list[str] = field(default_factory=list)
    _damaged: list[str] = field(default_factory=list)
    _tables: int = 0
    _curves: int = 0

    @property
    def is_full(self) -> bool:
        """Whether no more cells may be read."""
        return self.cells >= MOST_CELLS

    def left_out(self, name: str) -> None:
        """Note that a sheet, or the rest of it, is not read."""
        self._cut.append(name)

    def lost(self, name: str) -> None:
        """Note that a sheet is damaged or missing, and nothing of its cells is read."""
        self._damaged.append(name)

    def add(self, sheet: Sheet) -> None:
        """Append a sheet."""
        self._starts.append((self.builder.length, sheet.name))
        self._tables += add_sheet(self.builder, sheet)
        self._curves += sheet.curves
        if sheet.hidden:
            self._hidden.append(sheet.name)
        if self.is_full:
            self._cut.append(sheet.name)

    @property
    def starts(self) -> list[tuple[int, str]]:
        """Where each sheet begins, and its name."""
        return self._starts

    def findings(self) -> list[Finding]:
        """Return what was found and what was left out."""
        found = []
        if self._tables:
            found.append(Finding(FindingKind.TABLES, count=self._tables))
        if self.pictures:
            found.append(Finding(FindingKind.IMAGES, count=self.pictures))
        if self._cut:
            names = _quoted(self._cut)
            detail = mark(f"{MOST_CELLS:,} cells; not all was read of {names}; save these sheets as CSV and add those")
            found.append(Finding(FindingKind.TRUNCATED, detail=detail))
        if self._damaged:
            names = _quoted(self._damaged)
            why = mark("damaged, or missing from the file")
            detail = mark(f"what stands in {names}: {why}")
            found.append(Finding(FindingKind.LEFT_OUT, count=len(self._damaged), detail=detail))
        if self.copies_left_out:
            number = self.copies_left_out
            several = mark(f"{number:,} repetitions of the same rows or cells")
            detail = mark("1 repetition of the same row or cell") if number == 1 else several
            found.append(Finding(FindingKind.LEFT_OUT, count=number, detail=detail))
        return [*found, *curves_left_out(self._curves), *self.noted]

    def warnings(self) -> list[str]:
        """Return what people should know, as sentences."""
        warnings = []
        if self._hidden:
            names = _quoted(self._hidden)
            one = len(self._hidden) == 1
            warnings.append(
                mark(f"Sheet {names} is hidden; it was read too.")
                if one
                else mark(f"Sheets {names} are hidden; they were read too.")
            )
        if self._cut:
            warnings.append(mark(f"The workbook has more than {MOST_CELLS:,} cells; the rest was not read."))
        return warnings


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in dict.fromkeys(names))


def workbook_document(book: Workbook, container: WorkbookContainer, path: Path, name: str) -> ParsedDocument:
    """Return the document that a workbook makes.

    Raises:
        DocumentError: No cell holds anything.
    """
    if not book.builder.blocks:
        raise container.without_text("The sheets are empty.", "There is nothing in it to search.")
    blocks, pages = assign_pages(book.builder, book.starts)
    return ParsedDocument(
        book.builder.text,
        blocks,
        pages,
        container.metadata(None, path),
        name,
        warnings=(*container.warnings(), *book.warnings()),
        page_kind=PageKind.SHEET,
        findings=(*book.findings(), *container.findings()),
    )
