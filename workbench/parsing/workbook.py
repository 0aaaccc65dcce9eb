"""What every spreadsheet becomes: a text with a page for each sheet."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from workbench.errors import DocumentError
from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Metadata, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.drawings import curves_left_out
from workbench.parsing.page_layout import lay_pages
from workbench.parsing.sheet_regions import Sheet, add_sheet

MOST_CELLS = 1_000_000
"""Of all sheets together: about 10 MB of text and 5,000 chunks; more is a database, not a document."""


class Container(Protocol):
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


def workbook_document(book: Workbook, container: Container, path: Path, name: str) -> ParsedDocument:
    """Return the document that a workbook makes.

    Raises:
        DocumentError: No cell holds anything.
    """
    if not book.builder.blocks:
        raise container.without_text("The sheets are empty.", "There is nothing in it to search.")
    blocks, pages = lay_pages(book.builder, book.starts)
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
