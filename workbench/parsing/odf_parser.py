"""Parsers of OpenDocument files: text documents, presentations and spreadsheets."""

import re
from pathlib import Path
from typing import ClassVar

from workbench.model.document import BlockKind, PageKind, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING
from workbench.parsing.formats import suffixes_of
from workbench.parsing.odf_package import DC, DRAW, OFFICE, PRESENTATION, STYLE, SVG, TABLE, TEXT, OdfPackage, OdfStyles
from workbench.parsing.odf_text import OdfFlowReader, number, rows_of
from workbench.parsing.ooxml import one_line
from workbench.parsing.page_layout import Area, assign_pages, reading_order
from workbench.parsing.workbook import MOST_CELLS, Sheet, Workbook, workbook_document
from workbench.parsing.zip_package import Element, local_name


class OdtParser:
    """Parser of .odt files; headers, footers and deletions are left out."""

    format: ClassVar[str] = "odt"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("odt")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OdfPackage.open(path, password)
        body = package.body("text")
        reader = OdfFlowReader(package, OdfStyles(package.tree("styles.xml"), body.getroottree().getroot()))
        reader.read(body)
        metadata = package.metadata(reader.builder, path)
        reader.add_notes()
        if not reader.builder.blocks:
            raise package.without_text(
                "The document holds no text.", "If it is made of pictures, save it as a PDF and add that."
            )
        return ParsedDocument(
            reader.builder.text,
            tuple(reader.builder.blocks),
            (),
            metadata,
            self.format,
            warnings=tuple(package.warnings()),
            findings=(*reader.findings(), *package.findings()),
        )


_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)\s*(cm|mm|in|pt|px)?")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "px": 0.75}
_FURNITURE = ("date-time", "footer", "header", "page-number", "page")


class OdpParser:
    """Parser of .odp files; elements repeated on every slide are left out."""

    format: ClassVar[str] = "odp"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("odp")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OdfPackage.open(path, password)
        body = package.body("presentation")
        reader = OdfFlowReader(package, OdfStyles(package.tree("styles.xml"), body.getroottree().getroot()))
        starts: list[tuple[int, str]] = []
        for slide in body.iter(f"{DRAW}page"):
            start = reader.builder.length
            starts.append((start, _read_slide(reader, slide)))
        if not reader.builder.blocks:
            raise package.without_text(
                "The slides hold no text.", "If they are pictures, save them as a PDF and add that."
            )
        metadata = package.metadata(reader.builder, path)
        blocks, pages = assign_pages(reader.builder, starts)
        return ParsedDocument(
            reader.builder.text,
            blocks,
            pages,
            metadata,
            self.format,
            warnings=tuple(package.warnings()),
            page_kind=PageKind.SLIDE,
            findings=(*reader.findings(), *package.findings()),
        )


def _read_slide(reader: OdfFlowReader, slide: Element) -> str:
    """Append a slide; return its title, or an empty string."""
    # An undeclared entity is a child node, too, but its tag is not a string.
    drawn = (shape for shape in slide if isinstance(shape.tag, str) and shape.tag.startswith(DRAW))
    shapes = [shape for shape in drawn if shape.get(f"{PRESENTATION}class") not in _FURNITURE]
    title = next((shape for shape in shapes if shape.get(f"{PRESENTATION}class") == "title"), None)
    label = _words(title) if title is not None else ""
    if title is not None and label and len(label) <= LONGEST_HEADING:
        reader.builder.add(BlockKind.HEADING, label, level=1)
        shapes.remove(title)
    for index in reading_order([_area(shape, index) for index, shape in enumerate(shapes)]):
        reader.read([shapes[index]])
    for notes in slide.iter(f"{PRESENTATION}notes"):
        texts = [_words(shape) for shape in notes if shape.get(f"{PRESENTATION}class") == "notes"]
        for text in texts:
            reader.builder.add(BlockKind.PARAGRAPH, f"Notes: {text}" if text else "")
    reader.add_notes()
    return label[:LONGEST_HEADING]


def _words(shape: Element) -> str:
    paragraphs = ("".join(p.itertext()) for p in shape.iter() if local_name(p) in ("p", "h"))
    return one_line(" ".join(paragraphs))


def _area(shape: Element, index: int) -> Area:
    left, top, width, height = (_points(shape.get(f"{SVG}{name}")) for name in ("x", "y", "width", "height"))
    return Area(left, top, left + width, top + height, index)


def _points(length: str | None) -> float:
    match = _LENGTH.match(length or "")
    return float(match[1]) * _POINTS[match[2] or "pt"] if match else 0.0


_MOST_COPIES = 1000
"""A cell repeated more often fills the rest of the sheet."""


class OdsParser:
    """Parser of .ods files, which store the displayed text of cells in addition to their values."""

    format: ClassVar[str] = "ods"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("ods")
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
