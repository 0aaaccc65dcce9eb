"""OpenDocument spreadsheets: a page for each sheet."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import ParsedDocument
from workbench.parsing.odf_package import DC, DRAW, OFFICE, STYLE, TABLE, TEXT, OdfPackage
from workbench.parsing.odf_tables import number, rows_of
from workbench.parsing.ooxml import one_line
from workbench.parsing.sheet_regions import Sheet
from workbench.parsing.workbook import MOST_CELLS, Workbook, workbook_document
from workbench.parsing.zip_package import Element, local_name

_MOST_COPIES = 1000
"""A cell repeated more often fills the rest of the sheet."""


class OdsParser:
    """Reads .ods: what is shown in the cells is stored beside their values."""

    format: ClassVar[str] = "ods"
    suffixes: ClassVar[frozenset[str]] = frozenset({".ods", ".ots"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OdfPackage.open(path, password)
        body = package.body("spreadsheet")
        hidden = _hidden_styles(body.getroottree().getroot())
        book = Workbook()
        for table in body:
            if table.tag != f"{TABLE}table":
                continue
            name = table.get(f"{TABLE}name") or ""
            if book.is_full:
                book.left_out(name)
                continue
            sheet = Sheet(name, hidden=table.get(f"{TABLE}style-name") in hidden)
            _read_rows(table, sheet, book)
            book.pictures += sum(1 for _ in table.iter(f"{DRAW}image"))
            book.add(sheet)
        return workbook_document(book, package, path, self.format)


def _hidden_styles(root: Element) -> set[str]:
    """Return the names of the styles of hidden sheets."""
    return {
        style.get(f"{STYLE}name") or ""
        for style in root.iter(f"{STYLE}style")
        if any(entry.get(f"{TABLE}display") == "false" for entry in style)
    }


def _read_rows(table: Element, sheet: Sheet, book: Workbook) -> None:
    at = 0
    for row in rows_of(table):
        cells = _cells(row, at, sheet, book)
        times = number(row, "number-rows-repeated")
        copies = min(times, _MOST_COPIES) if cells else 0
        for copy in range(copies):
            sheet.rows[at + copy] = dict(cells)
            book.cells += len(cells)
        book.copies_left_out += times - copies if cells else 0
        at += times
        if book.cells >= MOST_CELLS:
            return


def _cells(row: Element, at: int, sheet: Sheet, book: Workbook) -> dict[int, str]:
    cells: dict[int, str] = {}
    column = 0
    for cell in row:
        if local_name(cell) not in ("table-cell", "covered-table-cell"):
            continue
        times = number(cell, "number-columns-repeated")
        text = "\n".join(_shown(paragraph) for paragraph in cell.findall(f"{TEXT}p"))
        for comment in cell.findall(f"{OFFICE}annotation"):
            _add_comment(sheet, comment)
        if text.strip() and local_name(cell) == "table-cell":
            for copy in range(min(times, _MOST_COPIES)):
                cells[column + copy] = text
            book.copies_left_out += max(0, times - _MOST_COPIES)
            across, down = number(cell, "number-columns-spanned"), number(cell, "number-rows-spanned")
            if across > 1 or down > 1:
                sheet.merged.append((at, column, at + down - 1, column + across - 1))
        column += times
    return cells


def _shown(paragraph: Element) -> str:
    parts = []
    for element in paragraph.iter():
        name = local_name(element)
        if name == "s":
            parts.append(" ")
        elif name not in ("annotation", "creator", "date"):
            parts.append(element.text or "")
        if element is not paragraph:
            parts.append(element.tail or "")
    return "".join(parts)


def _add_comment(sheet: Sheet, comment: Element) -> None:
    text = one_line(" ".join(_shown(paragraph) for paragraph in comment.findall(f"{TEXT}p")))
    author = one_line(comment.findtext(f"{DC}creator") or "")
    if text:
        sheet.notes.append(f"{author or '-'}: {text}")
