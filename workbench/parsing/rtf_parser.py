"""Parser of Rich Text Format: paragraphs, headings by style, lists, tables, notes."""

import re
from pathlib import Path
from typing import ClassVar

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING, TextBuilder, add_table
from workbench.parsing.docx_styles import heading_level
from workbench.parsing.ooxml import metadata_of, one_line
from workbench.parsing.rtf_reader import RtfParagraph, RtfReader, RtfText, codec_of, tokens

_FONT = re.compile(rb"\{\\f(\d{1,5})\b(?:[^{}]|\{[^{}]*\})*?\\fcharset(\d{1,3})")
_STYLE = re.compile(rb"\{(?:\\\*)?\\s(\d{1,5})\b((?:[^{}]|\{[^{}]*\})*)\}")
_OUTLINE = re.compile(rb"\\outlinelevel(\d)")
_CODEPAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_INFO = {"title": "title", "author": "creator", "keywords": "keywords", "creatim": "created", "revtim": "modified"}
_TIME = re.compile(rb"\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


class RtfParser:
    """Parser of .rtf files; headers, footers, hidden and deleted text are left out."""

    format: ClassVar[str] = "rtf"
    suffixes: ClassVar[frozenset[str]] = frozenset({".rtf"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        data = path.read_bytes()
        start = data[:1024].find(b"{\\rtf")
        if start < 0:
            raise DamagedDocument("The file is no rich text.", "Give it its right name, or save it again.")
        data = data[start:]
        codepage = _CODEPAGE.search(data[:4096])
        codec = codec_of(int(codepage[1])) if codepage else "mac_roman" if b"\\mac" in data[:200] else "cp1252"
        fonts = {int(number): int(charset) for number, charset in _FONT.findall(data)}
        text = RtfReader(codec, fonts).read(tokens(data))
        assembly = _Assembly(_heading_styles(data, codec))
        assembly.add(text)
        if not assembly.builder.blocks:
            raise EmptyDocument("The document holds no text.", "There is nothing in it to search.")
        return ParsedDocument(
            assembly.builder.text,
            tuple(assembly.builder.blocks),
            (),
            _metadata(data, codec, assembly.builder, path),
            self.format,
            findings=tuple(_findings(text, assembly.tables)),
        )


class _Assembly:
    """Builder of headings, lists and tables from paragraphs."""

    def __init__(self, headings: dict[int, int]) -> None:
        self.builder = TextBuilder()
        self.tables = 0
        self._headings = headings
        self._items: list[str] = []
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []

    def add(self, text: RtfText) -> None:
        """Append all paragraphs, followed by notes and comments."""
        for paragraph in text.paragraphs:
            self._paragraph(paragraph)
        self._end_list()
        self._end_table()
        for title, lines in (
            ("Notes", [f"[{i}] {n}" for i, n in enumerate(text.notes, 1)]),
            ("Comments", text.comments),
        ):
            if lines:
                self.builder.add(BlockKind.HEADING, title, level=1)
                self.builder.add(BlockKind.LIST, "\n".join(line for line in lines if line))

    def _paragraph(self, paragraph: RtfParagraph) -> None:
        words = one_line(paragraph.text)
        marked = f"{_bullet(paragraph.mark)} {words}" if paragraph.mark and words else words
        if paragraph.ends in ("cell", "nestcell"):
            self._cell.append(marked)
            if paragraph.ends == "cell":
                self._row.append(" ".join(part for part in self._cell if part))
                self._cell = []
        elif paragraph.ends == "row":
            self._end_list()
            self._rows.append(self._row)
            self._row = []
        elif paragraph.ends == "nestrow" or (paragraph.in_table and (self._row or self._rows or self._cell)):
            self._cell.append(marked)
        elif paragraph.in_table:
            # First paragraph of the first cell; the end of the cell follows.
            self._cell.append(marked)
        else:
            self._outside(paragraph, words, marked)

    def _outside(self, paragraph: RtfParagraph, words: str, marked: str) -> None:
        self._end_table()
        level = paragraph.level or self._headings.get(paragraph.style, 0)
        if level and words and len(words) <= LONGEST_HEADING:
            self._end_list()
            self.builder.add(BlockKind.HEADING, marked if _bullet(paragraph.mark) != "-" else words, level=level)
        elif paragraph.mark and words:
            self._items.append(marked)
        else:
            self._end_list()
            self.builder.add(BlockKind.PARAGRAPH, "\n".join(one_line(line) for line in paragraph.text.split("\n")))

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self.builder.add(BlockKind.LIST, "\n".join(items))

    def _end_table(self) -> None:
        if any(self._cell):
            self._row.append(" ".join(part for part in self._cell if part))
        rows = [*self._rows, self._row] if self._row else self._rows
        self._cell, self._row, self._rows = [], [], []
        if len(rows) == 1 and len(rows[0]) == 1:
            self.builder.add(BlockKind.PARAGRAPH, rows[0][0])
        else:
            self.tables += add_table(self.builder, rows)


def _bullet(mark: str) -> str:
    return mark if any(character.isalnum() for character in mark) and len(mark) < 20 and mark != "o" else "-"


def _heading_styles(data: bytes, codec: str) -> dict[int, int]:
    """Return the heading level of each style that has one."""
    start = data.find(b"{\\stylesheet")
    levels: dict[int, int] = {}
    for number, content in _STYLE.findall(data, start, start + 500_000) if start >= 0 else ():
        outline = _OUTLINE.search(content)
        name = re.sub(rb"\{[^{}]*\}|\\[a-z]+-?\d* ?", b"", content).decode(codec, "replace").strip(" ;\r\n")
        level = heading_level(name) or (int(outline[1]) + 1 if outline and outline[1] != b"9" else 0)
        if level:
            levels[int(number)] = level
    return levels


def _metadata(data: bytes, codec: str, builder: TextBuilder, path: Path) -> Metadata:
    start = data.find(b"{\\info")
    properties: dict[str, str] = {}
    for name, key in _INFO.items():
        match = re.search(rb"\{\\" + name.encode() + rb"\b ?((?:[^{}]|\{[^{}]*\})*)\}", data[start : start + 20_000])
        if start < 0 or match is None:
            continue
        time = _TIME.search(match[1])
        if name.endswith("tim"):
            properties[key] = "-".join(f"{int(part):02}" for part in time.groups()) if time else ""
        else:
            read = RtfReader(codec, {}).read(tokens(match[1]))
            properties[key] = one_line(" ".join(paragraph.text for paragraph in read.paragraphs))
    return metadata_of(properties, builder, path)


def _findings(text: RtfText, tables: int) -> list[Finding]:
    found = []
    if tables:
        found.append(Finding(FindingKind.TABLES, count=tables))
    if text.pictures:
        found.append(Finding(FindingKind.IMAGES, count=text.pictures))
    if text.hidden:
        found.append(Finding(FindingKind.LEFT_OUT, detail="hidden text"))
    return found
