"""Excel workbooks: a page for each sheet, with what people see in its cells."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import ParsedDocument
from workbench.parsing.ooxml import OfficePackage
from workbench.parsing.workbook import Workbook, workbook_document
from workbench.parsing.xlsx_extras import read_extras
from workbench.parsing.xlsx_sheet import XlsxCells


class XlsxParser:
    """Reads .xlsx; of formulas the values that were saved with them, macros are never run."""

    format: ClassVar[str] = "xlsx"
    suffixes: ClassVar[frozenset[str]] = frozenset({".xlsx", ".xlsm", ".xltx", ".xltm"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OfficePackage.open(path, password)
        cells = XlsxCells(package, package.main_part("xl/workbook.xml"))
        book = Workbook()
        for entry in cells.sheets():
            if book.is_full:
                book.left_out(entry.name)
                continue
            sheet = cells.read(entry, book)
            book.pictures += read_extras(package, entry.part, sheet)
            book.add(sheet)
        book.noted += cells.findings()
        return workbook_document(book, package, path, self.format)
