"""Conversion of spreadsheets of all formats: a page for each sheet, and the division of a sheet into tables."""

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
"""Maximum distance in rows from the last row of a table to the first row of its continuation."""

_MOST_COPIES = 200
"""A merged cell over more rows or columns is a background."""


@dataclass(slots=True)
class Sheet:
    """Content of a sheet.

    Attributes:
        name: Its name.
        rows: Displayed text of its cells, by row and column, from 0.
        merged: First row, first column, last row, last column of each merged cell.
        hidden: True if it is not displayed.
        notes: Its comments, text boxes and chart titles, each one line.
        curves: Number of charts with more points than are read, on a sheet without cells.
    """

    name: str
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden: bool = False
    notes: list[str] = field(default_factory=list)
    curves: int = 0


@dataclass(slots=True)
class _Region:
    """Table of a sheet: its rows without empty ones, and the numbers of its first and last row."""

    rows: list[dict[int, str]]
    first: int
    last: int

    @property
    def columns(self) -> list[int]:
        return sorted({column for row in self.rows for column in row})


def add_sheet(builder: TextBuilder, sheet: Sheet) -> int:
    """Append a sheet's name, its tables and its notes; return the number of tables."""
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
    """Repeat the content of merged cells; return the rows whose only content is a merged cell."""
    last_row = max(sheet.rows, default=0)
    last_column = max((max(cells, default=0) for cells in sheet.rows.values()), default=0)
    titles: set[int] = set()
    for top, left, bottom, right in sheet.merged:
        text = sheet.rows.get(top, {}).get(left, "")
        if not text:
            continue
        if top == bottom and len(sheet.rows[top]) == 1:
            # A title across a table: one cell is enough.
            titles.add(top)
            continue
        for row in range(top, min(bottom, last_row, top + _MOST_COPIES) + 1):
            for column in range(left, min(right, last_column, left + _MOST_COPIES) + 1):
                sheet.rows.setdefault(row, {}).setdefault(column, text)
    return titles


def _regions(rows: dict[int, dict[int, str]]) -> list[_Region]:
    """Return the tables of a sheet, divided at empty rows, and at empty columns if both sides are tables."""
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
    """Yield runs of rows without an empty one; a table next to the end of another starts a new run."""
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
    """Join regions that continue under the same header after a few empty rows."""
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
    """Return True if a region has no header: its first row has numbers, within the columns of the region before."""
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
    """Return True if a side of a band is a table: it has two columns, and two rows with several cells."""
    if len(side) < 2:
        return False
    filled = [sum(1 for column in side if column in rows[row]) for row in band]
    return sum(1 for count in filled if count > 1) >= 2


def _without_titles(builder: TextBuilder, region: _Region, titles: set[int], *, followed: bool) -> list[dict[int, str]]:
    """Append leading rows with a single cell as titles of the table; return the other rows."""
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
"""Maximum cells of all sheets, about 10 MB of text and 5,000 chunks; larger files are databases, not documents."""


class WorkbookContainer(Protocol):
    """File that contains a workbook."""

    def findings(self) -> list[Finding]:
        """Return findings about the file."""
        ...

    def warnings(self) -> list[str]:
        """Return the same findings as sentences."""
        ...

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        """Return the file's metadata; without a builder, no heading replaces a missing title."""
        ...

    def without_text(self, message: str, hint: str) -> DocumentError:
        """Return the error for a file without text."""
        ...


@dataclass(slots=True)
class Workbook:
    """Text of the sheets read so far, limited by the number of cells.

    Attributes:
        builder: Receives the text.
        cells: Number of cells read, counted by the parser.
        pictures: Number of pictures.
        copies_left_out: Number of repeated rows or cells that were not read.
        noted: Findings of the parser about the sheets.
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
        """True if no more cells may be read."""
        return self.cells >= MOST_CELLS

    def left_out(self, name: str) -> None:
        """Record that a sheet, or its remaining part, is not read."""
        self._cut.append(name)

    def lost(self, name: str) -> None:
        """Record that a sheet is damaged or missing, so that none of its cells are read."""
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
        """Start offset and name of each sheet."""
        return self._starts

    def findings(self) -> list[Finding]:
        """Return findings: tables, pictures, and parts that were left out."""
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
            detail = mark(f"the content of {names}: {why}")
            found.append(Finding(FindingKind.LEFT_OUT, count=len(self._damaged), detail=detail))
        if self.copies_left_out:
            number = self.copies_left_out
            several = mark(f"{number:,} repetitions of the same rows or cells")
            detail = mark("1 repetition of the same row or cell") if number == 1 else several
            found.append(Finding(FindingKind.LEFT_OUT, count=number, detail=detail))
        return [*found, *curves_left_out(self._curves), *self.noted]

    def warnings(self) -> list[str]:
        """Return the warnings for people, as sentences."""
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
    """Return a workbook as a document.

    Raises:
        DocumentError: All cells are empty.
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
