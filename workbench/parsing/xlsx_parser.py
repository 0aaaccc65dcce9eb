"""Parser of Excel workbooks: cells as a stream, comments, text boxes, charts and pictures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, ClassVar

from workbench.language import mark
from workbench.model.document import Finding, FindingKind, ParsedDocument
from workbench.parsing.formats import suffixes_of
from workbench.parsing.number_format import BUILT_IN, format_number
from workbench.parsing.ooxml import RELATION, A, ChartContent, OfficePackage, chart, one_line
from workbench.parsing.workbook import MOST_CELLS, Sheet, Workbook, workbook_document
from workbench.parsing.zip_package import Element, local_name, whole_number


class XlsxParser:
    """Parser of .xlsx files; reads the saved values of formulas and never runs macros."""

    format: ClassVar[str] = "xlsx"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("xlsx")
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


_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_VALUE, _TEXT = f"{_MAIN}v", f"{_MAIN}t"
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_RANGE = re.compile(r"([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MOST_STRINGS = 2_000_000


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """Sheet in the workbook's list of sheets."""

    name: str
    part: str
    hidden: bool


class XlsxCells:
    """Reader of a workbook's sheets, one by one."""

    def __init__(self, package: OfficePackage, main: str) -> None:
        self._package = package
        self._main = main
        self._has_more_strings = False
        self._without_text = 0
        self._relations = package.relations(main)
        self._root = package.tree(main)
        kinds = {relation.kind: relation.target for relation in self._relations.values()}
        self._strings = self._shared_strings(kinds.get("sharedStrings", "xl/sharedStrings.xml"))
        self._codes = _codes(package.tree(kinds.get("styles", "xl/styles.xml")))
        properties = self._root.find(f"{_MAIN}workbookPr") if self._root is not None else None
        self._since_1904 = properties is not None and properties.get("date1904") in ("1", "true")

    def sheets(self) -> list[SheetEntry]:
        """Return the sheets in the order of their tabs."""
        listed = self._root.iter(f"{_MAIN}sheet") if self._root is not None else ()
        found = []
        for entry in listed:
            relation = self._relations.get(entry.get(f"{RELATION}id") or "")
            if relation is not None and relation.kind in ("worksheet", "chartsheet"):
                hidden = entry.get("state") in ("hidden", "veryHidden")
                found.append(SheetEntry(entry.get("name") or "", relation.target, hidden))
        if found:
            return found
        # If the list is damaged, the sheets themselves may still be readable.
        parts = [name for name in self._package.names if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)]
        return [SheetEntry(f"Sheet {number}", part, hidden=False) for number, part in enumerate(sorted(parts), 1)]

    def read(self, entry: SheetEntry, book: Workbook) -> Sheet:
        """Return a sheet; its cells are counted in the book, and reading stops at the limit."""
        sheet = Sheet(entry.name, hidden=entry.hidden)
        stream = self._package.stream(entry.part)
        if stream is None:
            book.lost(entry.name)
            return sheet
        row_number = -1
        for element in _elements(stream, f"{_MAIN}row", f"{_MAIN}mergeCell"):
            if element.tag == f"{_MAIN}mergeCell":
                _add_merged(sheet, element.get("ref") or "")
                continue
            row_number = whole_number(element.get("r"), row_number + 2) - 1
            cells = self._cells(element)
            if cells:
                sheet.rows.setdefault(row_number, {}).update(cells)
                book.cells += len(cells)
            if book.cells >= MOST_CELLS:
                break
        return sheet

    def findings(self) -> list[Finding]:
        """Return findings about the cells that were read."""
        number = self._without_text
        if not number:
            return []
        kind, why = FindingKind.LEFT_OUT, mark("damaged, or missing from the file")
        if self._has_more_strings:
            kind = FindingKind.TRUNCATED
            why = mark(f"the workbook has more than {_MOST_STRINGS:,} texts; save its sheets as CSV and add those")
        detail = mark(f"the text of 1 cell: {why}") if number == 1 else mark(f"the texts of {number:,} cells: {why}")
        return [Finding(kind, count=number, detail=detail)]

    def _cells(self, row: Element) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = -1
        for cell in row:
            reference = cell.get("r")
            letters = reference.rstrip("0123456789") if reference else ""
            column = _column(letters) if letters else column + 1
            text = self._shown(cell)
            if text and not text.isspace():
                cells[column] = text
        return cells

    def _shown(self, cell: Element) -> str:
        """Return the displayed text of a cell."""
        kind = cell.get("t")
        if kind == "inlineStr":
            return _rich(cell)
        value = cell.findtext(_VALUE)
        if not value:
            return ""
        if kind == "s":
            index = whole_number(value, len(self._strings))
            if index < len(self._strings):
                return self._strings[index]
            self._without_text += 1
            return ""
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind in ("str", "e", "d"):
            return _unescaped(value)
        style = whole_number(cell.get("s"))
        code = self._codes[style] if style < len(self._codes) else "General"
        if code == "General" and value.isdecimal():
            return str(value)
        try:
            return format_number(float(value), code, since_1904=self._since_1904)
        except (ValueError, OverflowError):
            return str(value).strip()

    def _shared_strings(self, part: str) -> list[str]:
        stream = self._package.stream(part)
        strings: list[str] = []
        for element in _elements(stream, f"{_MAIN}si") if stream is not None else ():
            if len(strings) >= _MOST_STRINGS:
                self._has_more_strings = True
                break
            strings.append(_rich(element))
        return strings


def _elements(stream: IO[bytes], *tags: str) -> Iterator[Element]:
    """Yield the elements with these tags as they end and free those read; stop if the XML cannot be repaired."""
    from lxml import etree  # as in zip_package

    try:
        events = etree.iterparse(
            stream, events=("end",), tag=tags, recover=True, huge_tree=True, resolve_entities=False, no_network=True
        )
        for _, element in events:
            yield element
            element.clear(keep_tail=False)
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError:
        return


def _rich(element: Element) -> str:
    """Return the text of a string item; readings of East Asian characters (rPh) are left out."""
    if len(element) == 1 and element[0].tag == _TEXT:
        return _unescaped(element[0].text or "")
    parts = []
    for text in element.iter(f"{_MAIN}t"):
        if local_name(text.getparent()) != "rPh":
            parts.append(text.text or "")
    return _unescaped("".join(parts))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


@lru_cache(maxsize=1024)
def _column(letters: str) -> int:
    number = 0
    for letter in letters[:3]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _add_merged(sheet: Sheet, reference: str) -> None:
    match = _RANGE.match(reference)
    corners = [_REFERENCE.match(corner) for corner in match.groups()] if match else []
    if len(corners) == 2 and corners[0] and corners[1]:
        (left, top), (right, bottom) = corners[0].groups(), corners[1].groups()
        sheet.merged.append((int(top) - 1, _column(left), int(bottom) - 1, _column(right)))


def _codes(root: Element | None) -> list[str]:
    """Return the format code of each cell style."""
    if root is None:
        return []
    own = {entry.get("numFmtId") or "": entry.get("formatCode") or "General" for entry in root.iter(f"{_MAIN}numFmt")}
    styles = root.find(f"{_MAIN}cellXfs")
    codes = []
    for style in styles if styles is not None else ():
        number = style.get("numFmtId") or "0"
        code = own.get(number)
        codes.append(code or BUILT_IN.get(whole_number(number), "General"))
    return codes


_COPY = "[Threaded comment]"
"""Prefix of the comments that Excel writes for programs without support for threads."""


def read_extras(package: OfficePackage, part: str, sheet: Sheet) -> int:
    """Add comments, text boxes and chart titles to a sheet; return the number of pictures.

    If a sheet contains only a chart, the chart's data become the sheet's cells.
    """
    relations = package.relations(part).values()
    threads = [package.tree(relation.target) for relation in relations if relation.kind == "threadedComment"]
    persons = _persons(package)
    for root in threads:
        _add_thread(sheet, root, persons)
    for relation in relations:
        if relation.kind == "comments" and relation.target:
            _add_comments(sheet, package.tree(relation.target))
    return sum(_add_drawing(package, relation.target, sheet) for relation in relations if relation.kind == "drawing")


def _add_comments(sheet: Sheet, root: Element | None) -> None:
    elements = list(root.iter()) if root is not None else []
    authors = [one_line(entry.text or "") for entry in elements if local_name(entry) == "author"]
    for entry in elements:
        if local_name(entry) != "comment":
            continue
        text = one_line("".join(child.text or "" for child in entry.iter() if local_name(child) == "t"))
        if text.startswith(_COPY):
            continue
        number = whole_number(entry.get("authorId"), len(authors))
        author = authors[number] if number < len(authors) else ""
        # Excel repeats the author's name in the comment.
        _add_note(sheet, entry.get("ref") or "", author, text.removeprefix(f"{author}:").strip() if author else text)


def _add_thread(sheet: Sheet, root: Element | None, persons: dict[str, str]) -> None:
    for entry in root if root is not None else ():
        text = one_line("".join(child.text or "" for child in entry if local_name(child) == "text"))
        _add_note(sheet, entry.get("ref") or "", persons.get(entry.get("personId") or "", ""), text)


def _add_note(sheet: Sheet, cell: str, author: str, text: str) -> None:
    if text:
        sheet.notes.append(f"{', '.join(part for part in (cell, author) if part) or '-'}: {text}")


def _persons(package: OfficePackage) -> dict[str, str]:
    """Return the names of the participants in comment threads, by identifier."""
    names: dict[str, str] = {}
    for part in package.names:
        if part.startswith("xl/persons/"):
            root = package.tree(part)
            for entry in root if root is not None else ():
                names[entry.get("id") or ""] = one_line(entry.get("displayName") or "")
    return names


def _add_drawing(package: OfficePackage, part: str, sheet: Sheet) -> int:
    root = package.tree(part)
    if root is None:
        return 0
    for shape in root.iter():
        if local_name(shape) == "txBody":
            text = one_line(" ".join("".join(t.text or "" for t in p.iter(f"{A}t")) for p in shape.iter(f"{A}p")))
            if text:
                sheet.notes.append(text)
    for relation in package.relations(part).values():
        if relation.kind == "chart" and relation.target:
            figures = package.tree(relation.target)
            shown = chart(figures) if figures is not None else ChartContent("", [])
            if not sheet.rows:
                lines = [[shown.title], *shown.rows] if shown.title else shown.rows
                sheet.rows = {row: {c: text for c, text in enumerate(line) if text} for row, line in enumerate(lines)}
                sheet.curves += shown.is_curve
            elif shown.title:
                sheet.notes.append(shown.title)
    return sum(1 for entry in root.iter() if local_name(entry) == "blip")
