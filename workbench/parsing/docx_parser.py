"""Parser of Word documents: body block by block, text of paragraphs, tables, page starts, notes and comments."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from workbench.model.document import BlockKind, Finding, FindingKind, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING, TextBuilder, add_table
from workbench.parsing.docx_styles import (
    DocxNumbering,
    Style,
    W,
    is_mono,
    is_on,
    numbering_of,
    outline_level,
    read_styles,
    roman,
    value,
)
from workbench.parsing.formats import suffixes_of
from workbench.parsing.ooxml import OfficePackage, alternatives, chart_of, curves_left_out, diagram_of, formula
from workbench.parsing.page_layout import assign_pages
from workbench.parsing.zip_package import Element, local_name, whole_number

PAGE = "\f"
"""Character in a text where Word began a new page when it last laid out the document."""

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SKIPPED = frozenset(
    f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "instrText", "delText", "rt")
)
_SIGNS = {
    **{f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""},
    f"{W}lastRenderedPageBreak": PAGE,
}
_SHAPES = frozenset(f"{W}{name}" for name in ("drawing", "pict", "object"))
_BOX = f"{W}txbxContent"
_WINGDINGS = {"f0b7": "•", "f0a7": "▪", "f0fc": "✓", "f0fe": "☒", "f0a8": "☐", "f06f": "☐", "f0e0": "→", "f0d8": "➢"}


@dataclass(slots=True)
class Notes:
    """References to notes: by kind and identifier, with their marks in the text."""

    marks: dict[tuple[str, str], str] = field(default_factory=dict)

    def mark(self, kind: str, identifier: str) -> str:
        """Return the mark of a note: footnotes have 1, 2, 3, endnotes i, ii, iii."""
        if (kind, identifier) not in self.marks:
            count = sum(1 for known, _ in self.marks if known == kind) + 1
            self.marks[kind, identifier] = str(count) if kind == "footnote" else roman(count)
        return self.marks[kind, identifier]


@dataclass(slots=True)
class DocxInline:
    """Content of a paragraph.

    Attributes:
        text: Its text, with PAGE at page starts and formulas between dollar signs.
        formulas: Its formulas, if it contains nothing else.
        boxes: Text boxes anchored in it.
        graphics: Its drawings, for charts and diagrams.
        mono: True if all of its text is monospaced.
    """

    text: str = ""
    formulas: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    graphics: list[Element] = field(default_factory=list)
    mono: bool = False


class DocxInlineReader:
    """Reader of paragraphs, which collects the objects that they refer to.

    Attributes:
        notes: Footnotes and endnotes in the order of their marks.
        pictures: Number of pictures.
        objects: Number of embedded files.
        hidden: True if hidden text was left out.
    """

    def __init__(self) -> None:
        self.notes = Notes()
        self.pictures = 0
        self.objects = 0
        self.hidden = False
        self._rules: dict[str, Callable[[Element], None]] = {
            f"{W}r": self._run,
            f"{W}t": self._text,
            f"{W}br": self._break,
            f"{W}sym": self._symbol,
            f"{W}footnoteReference": self._note,
            f"{W}endnoteReference": self._note,
            f"{_MATH}oMath": self._formula,
            **dict.fromkeys(_SHAPES, self._shape),
        }
        self._parts: list[str] = []
        self._inline = DocxInline()
        self._mono: list[bool] = []
        self._is_mono: bool | None = None
        self._plain = False

    def read(self, paragraph: Element, *, mono: bool | None = None) -> DocxInline:
        """Return the text of a paragraph; mono is the value of its style."""
        self._parts, self._inline, self._mono, self._is_mono, self._plain = [], DocxInline(), [], mono, False
        self._walk(paragraph)
        inline = self._inline
        inline.text = "".join(self._parts)
        inline.mono = bool(self._mono) and all(self._mono)
        if self._plain:
            inline.formulas = []
        return inline

    def _walk(self, parent: Element) -> None:
        for child in parent:
            tag = child.tag
            rule = self._rules.get(tag)
            if rule is not None:
                rule(child)
            elif tag in _SIGNS:
                self._parts.append(_SIGNS[tag])
            elif tag not in _SKIPPED:
                if local_name(child) == "AlternateContent":
                    self._walk(list(alternatives(child)))
                else:
                    self._walk(child)

    def _run(self, run: Element) -> None:
        properties = run.find(f"{W}rPr")
        if properties is not None and is_on(properties, "vanish"):
            self.hidden = self.hidden or any(True for _ in run.iter(f"{W}t"))
            return
        before = self._is_mono
        own = is_mono(properties)
        self._is_mono = before if own is None else own
        self._walk(run)
        self._is_mono = before

    def _text(self, element: Element) -> None:
        text = element.text or ""
        self._parts.append(text)
        if text.strip():
            self._plain = True
            self._mono.append(bool(self._is_mono))

    def _break(self, element: Element) -> None:
        self._parts.append("\n" if element.get(f"{W}type") in (None, "textWrapping") else " ")

    def _symbol(self, element: Element) -> None:
        code = (element.get(f"{W}char") or "").lower()
        self._parts.append(_WINGDINGS.get(code, "" if code.startswith("f0") else _character(code)))

    def _note(self, element: Element) -> None:
        kind = local_name(element).removesuffix("Reference")
        if element.get(f"{W}customMarkFollows") not in ("1", "true"):
            self._parts.append(f"[{self.notes.mark(kind, element.get(f'{W}id') or '')}]")
        else:
            self.notes.mark(kind, element.get(f"{W}id") or "")

    def _formula(self, element: Element) -> None:
        text = " ".join(formula(element).split())
        if text:
            self._inline.formulas.append(text)
            self._parts.append(f" ${text}$ ")

    def _shape(self, shape: Element) -> None:
        """Collect a drawing or an embedded object, with its text boxes and pictures."""
        self._inline.graphics.append(shape)
        waiting = [shape]
        while waiting:
            element = waiting.pop()
            name = local_name(element)
            if element.tag == _BOX:
                self._inline.boxes.append(element)
                continue
            self.pictures += name in ("blip", "imagedata")
            self.objects += name == "OLEObject"
            inside = list(alternatives(element)) if name == "AlternateContent" else list(element)
            waiting.extend(reversed(inside))


def _character(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""


def plain(text: str) -> str:
    """Return a paragraph's text on one line, without page marks."""
    return " ".join(text.replace(PAGE, "").split())


_LOOKS_LIKE_CODE = re.compile(
    r"[{}();=<>\[\]$#|\\]|^[^\S\n]{2,}+\S|\w\.\w+\(|^[^\S\n]*+(?:import|def|class|return)\b", re.M
)
_DEEPEST_INDENT = 8


class DocxBodyReader:
    """Converter of the paragraphs and tables of a document into a builder.

    Attributes:
        builder: Receives the text.
        inline: Reader of paragraphs.
        relations: Relationships of the main part.
        page_starts: Offsets in the text at which pages begin, except the first.
    """

    def __init__(self, package: OfficePackage, main: str) -> None:
        self.builder = TextBuilder()
        self.inline = DocxInlineReader()
        self.relations = package.relations(main)
        self.page_starts: list[int] = []
        self._package = package
        parts = {relation.kind: relation.target for relation in self.relations.values()}
        self._styles = read_styles(package.tree(parts.get("styles", "word/styles.xml")))
        self._numbering = DocxNumbering(package.tree(parts.get("numbering", "word/numbering.xml")))
        self._items: list[str] = []
        self._code: list[tuple[str, bool]] = []
        self._tables = 0
        self._imported = 0
        self._curves = 0

    def read(self, parent: Iterable[Element]) -> None:
        """Append all content below an element."""
        self._blocks(parent)
        self._end_runs()

    def findings(self) -> list[Finding]:
        """Return findings: tables, pictures, and parts that were left out."""
        found = []
        if self._tables:
            found.append(Finding(FindingKind.TABLES, count=self._tables))
        if self.inline.pictures:
            found.append(Finding(FindingKind.IMAGES, count=self.inline.pictures))
        if self.inline.objects or self._imported:
            count = self.inline.objects + self._imported
            found.append(Finding(FindingKind.LEFT_OUT, count=count, detail="embedded files"))
        if self.inline.hidden:
            found.append(Finding(FindingKind.LEFT_OUT, detail="hidden text"))
        return [*found, *curves_left_out(self._curves)]

    def add_appendix(self, title: str, entries: Sequence[tuple[str, Element]]) -> None:
        """Append notes or comments under a separate heading, each with its mark."""
        texts = [(mark, self._flat(entry)) for mark, entry in entries]
        lines = [f"{mark} {text}" for mark, text in texts if text]
        if lines:
            self.builder.add(BlockKind.HEADING, title, level=1)
            self.builder.add(BlockKind.LIST, "\n".join(lines))

    def _blocks(self, parent: Iterable[Element]) -> None:
        for element in parent:
            tag = element.tag
            if tag == f"{W}p":
                self._paragraph(element)
            elif tag == f"{W}tbl":
                self._table(element)
            elif tag == f"{W}altChunk":
                self._imported += 1
            elif local_name(element) in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"):
                self._blocks(element)
            elif local_name(element) == "AlternateContent":
                self._blocks(alternatives(element))
            elif local_name(element) == "oMathPara":
                self._formulas(self.inline.read([element]).formulas)

    def _paragraph(self, element: Element) -> None:
        properties = element.find(f"{W}pPr")
        style = self._styles.of(value(properties.find(f"{W}pStyle")) if properties is not None else None)
        inline = self.inline.read(element, mono=style.mono)
        mark = self._mark(properties, style) if plain(inline.text) else None
        level = outline_level(properties)
        level = style.level if level is None else level
        text = inline.text.strip(" \t\n")
        if inline.formulas:
            self._formulas(inline.formulas)
        elif level and 0 < len(plain(text)) <= LONGEST_HEADING:
            self._end_runs()
            self._add(BlockKind.HEADING, f"{mark} {text}" if mark and mark != "-" else text, level=level)
        elif style.code or (inline.mono and mark is None):
            self._end_list()
            self._code.append((inline.text.rstrip(), style.code))
        elif mark is not None or style.contents:
            self._end_code()
            depth = self._depth(properties, style)
            self._items.append("  " * min(depth, _DEEPEST_INDENT) + (f"{mark} " if mark else "") + text)
        elif text:
            self._end_runs()
            self._add(BlockKind.PARAGRAPH, text)
        self._anchored(inline)

    def _mark(self, properties: Element | None, style: Style) -> str | None:
        number, depth = numbering_of(properties)
        if number is None and style.numbering is not None:
            number, depth = style.numbering[0], style.numbering[1] if depth is None else depth
        return self._numbering.mark(number, depth or 0) if number not in (None, "0") else None

    @staticmethod
    def _depth(properties: Element | None, style: Style) -> int:
        depth = numbering_of(properties)[1]
        return depth if depth is not None else style.numbering[1] if style.numbering else 0

    def _anchored(self, inline: DocxInline) -> None:
        """Append content anchored to a paragraph: charts, diagrams, text boxes."""
        for graphic in inline.graphics:
            for text in diagram_of(graphic, self._package, self.relations):
                self._end_runs()
                self._add(BlockKind.PARAGRAPH, text)
            chart = chart_of(graphic, self._package, self.relations)
            if chart is not None:
                self._end_runs()
                self._add(BlockKind.PARAGRAPH, chart.title)
                add_table(self.builder, chart.rows)
                self._curves += chart.is_curve
        for box in inline.boxes:
            self._blocks(box)

    def _formulas(self, formulas: Sequence[str]) -> None:
        self._end_runs()
        for text in formulas:
            self._add(BlockKind.FORMULA, f"$${text}$$")

    def _table(self, table: Element) -> None:
        self._end_runs()
        if is_layout(table):
            for row in elements(table, f"{W}tr"):
                for cell in elements(row, f"{W}tc"):
                    self._blocks(cell)
            self._end_runs()
            return
        boxes: list[Element] = []
        begun = len(self.page_starts)
        rows = table_rows(table, lambda cell: self._flat(cell, boxes))
        self._tables += add_table(self.builder, rows)
        # In a table, several cells of a row continue on the next page, each with a mark: only one page begins, after
        # it.
        if any(True for _ in table.iter(f"{W}lastRenderedPageBreak")):
            self.page_starts[begun:] = [self.builder.length]
        for box in boxes:
            self._blocks(box)
        self._end_runs()

    def _flat(self, parent: Iterable[Element], boxes: list[Element] | None = None) -> str:
        """Return all text below an element on one line, for cells and notes."""
        parts: list[str] = []
        for element in parent:
            tag = element.tag
            if tag == f"{W}p":
                properties = element.find(f"{W}pPr")
                style = self._styles.of(value(properties.find(f"{W}pStyle")) if properties is not None else None)
                inline = self.inline.read(element)
                text = plain(inline.text)
                mark = self._mark(properties, style) if text else None
                parts.append(f"{mark} {text}" if mark else text)
                if boxes is not None:
                    boxes.extend(inline.boxes)
            elif tag == f"{W}tbl":
                parts.extend(cell for row in table_rows(element, self._flat) for cell in row)
            elif local_name(element) in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"):
                parts.append(self._flat(element, boxes))
        return " ".join(part for part in parts if part)

    def _end_runs(self) -> None:
        self._end_list()
        self._end_code()

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self._add(BlockKind.LIST, "\n".join(items))

    def _end_code(self) -> None:
        lines, self._code = self._code, []
        text = "\n".join(line for line, _ in lines)
        if any(styled for _, styled in lines) or _LOOKS_LIKE_CODE.search(text):
            self._add(BlockKind.CODE, text.strip("\n"))
            return
        # A whole letter may have a monospaced font.
        for line, _ in lines:
            self._add(BlockKind.PARAGRAPH, line.strip())

    def _add(self, kind: BlockKind, text: str, *, level: int = 0) -> None:
        """Append a block; page marks are removed from it and recorded as page starts."""
        pieces = text.split(PAGE)
        before = len(self.builder.blocks)
        self.builder.add(kind, "".join(pieces), level=level)
        if len(pieces) == 1:
            return
        if len(self.builder.blocks) == before:
            self.page_starts.extend([self.builder.length] * (len(pieces) - 1))
            return
        block = self.builder.blocks[-1]
        at = block.start
        for piece in pieces[:-1]:
            at += len(piece)
            # At the end of a block the page begins after it, at its beginning before it.
            self.page_starts.append(min(at, block.end))


_NOTES = {"footnote": "footnotes", "endnote": "endnotes"}


class DocxParser:
    """Parser of .docx files; headers, footers and deletions are left out, insertions are read."""

    format: ClassVar[str] = "docx"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("docx")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OfficePackage.open(path, password)
        main = package.main_part("word/document.xml")
        root = package.main_tree(main)
        reader = DocxBodyReader(package, main)
        body = root.find(f"{W}body")
        reader.read(body if body is not None else root)
        starts = stored_page_starts(reader.page_starts, package)
        metadata = package.metadata(reader.builder, path)
        _add_notes(reader, package)
        _add_comments(reader, package)
        if not reader.builder.blocks:
            raise package.without_text(
                "The document holds no text.", "If it is made of pictures, save it as a PDF and add that."
            )
        blocks, pages = assign_pages(reader.builder, starts)
        return ParsedDocument(
            reader.builder.text,
            blocks,
            pages,
            metadata,
            self.format,
            warnings=tuple(package.warnings()),
            findings=tuple([*reader.findings(), *package.findings()]),
        )


def _add_notes(reader: DocxBodyReader, package: OfficePackage) -> None:
    """Append the footnotes and endnotes that the text refers to, with their marks in the text."""
    parts = {relation.kind: relation.target for relation in reader.relations.values()}
    found: dict[tuple[str, str], Element] = {}
    for kind, part in _NOTES.items():
        root = package.tree(parts.get(part, ""))
        for note in root.iter(f"{W}{kind}") if root is not None else ():
            found[kind, note.get(f"{W}id") or ""] = note
    entries = [(mark, found[key]) for key, mark in list(reader.inline.notes.marks.items()) if key in found]
    reader.add_appendix("Notes", [(f"[{mark}]", note) for mark, note in entries])


def _add_comments(reader: DocxBodyReader, package: OfficePackage) -> None:
    part = next((relation.target for relation in reader.relations.values() if relation.kind == "comments"), "")
    root = package.tree(part)
    entries = []
    for comment in root.iter(f"{W}comment") if root is not None else ():
        author = " ".join((comment.get(f"{W}author") or "").split())
        entries.append((f"{author}:" if author else "-", comment))
    reader.add_appendix("Comments", entries)


_MOST_COLUMNS = 200
"""Larger spans are invalid."""

_TRANSPARENT = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))


def table_rows(table: Element, read_cell: Callable[[Element], str]) -> list[list[str]]:
    """Return the rows of a table; a merged cell is repeated in each column or row that it covers."""
    rows: list[list[str]] = []
    above: list[str] = []
    for row in elements(table, f"{W}tr"):
        properties = row.find(f"{W}trPr")
        if properties is not None and properties.find(f"{W}del") is not None:
            continue
        cells: list[str] = [""] * _span(properties, "gridBefore", 0)
        for cell in elements(row, f"{W}tc"):
            own = cell.find(f"{W}tcPr")
            merged = own.find(f"{W}vMerge") if own is not None else None
            if merged is not None and value(merged) != "restart":
                text = above[len(cells)] if len(cells) < len(above) else ""
            else:
                text = read_cell(cell)
            cells.extend([text] * _span(own, "gridSpan", 1))
        rows.append(cells)
        above = cells
    return rows


def elements(parent: Element, tag: str) -> Iterator[Element]:
    """Yield the children with a tag, including those within content controls and insertions."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _TRANSPARENT:
            yield from elements(child, tag)


def is_layout(table: Element) -> bool:
    """Return True if a table only frames its content: it is a single cell, or a single column around other tables."""
    rows = list(elements(table, f"{W}tr"))
    if any(len(list(elements(row, f"{W}tc"))) > 1 for row in rows):
        return False
    return len(rows) == 1 or any(True for _ in next(iter(rows), table).iter(f"{W}tbl") if rows)


def _span(properties: Element | None, name: str, otherwise: int) -> int:
    number = whole_number(value(properties.find(f"{W}{name}")), otherwise) if properties is not None else otherwise
    return min(max(number, otherwise), _MOST_COLUMNS)


_TOLERANCE = 0.05
"""Tolerated relative difference between the marks and Word's page count; a table across pages can hide a mark."""


def stored_page_starts(starts: Sequence[int], package: OfficePackage) -> list[tuple[int, str]]:
    """Return the page starts, or an empty list if they are unreliable.

    Word stores a mark at each page start, and the number of pages in the properties. If both agree, the page numbers
    are those that people see. Other programs that edit the file leave the marks unchanged, and a citation of the wrong
    page is worse than one without a page.
    """
    root = package.tree("docProps/app.xml")
    count = next((entry.text or "" for entry in (root if root is not None else ()) if local_name(entry) == "Pages"), "")
    pages = len(starts) + 1
    if not starts or abs(whole_number(count) - pages) > _TOLERANCE * pages:
        return []
    return [(0, ""), *((start, "") for start in starts)]
