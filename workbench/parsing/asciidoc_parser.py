"""Parser of AsciiDoc: header, text with blocks, and tables."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import Cell, TextBuilder, add_table, spread, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.encoding import read_source, require_text
from workbench.parsing.formats import suffixes_of

_TITLE = re.compile(r"\s*(?://[^\n]*\n\s*)*=[ \t]+\S[^\n]*\n")
_AUTHOR = re.compile(r"([^\W\d_][\w.'’-]*(?:[ \t]+[\w.'’-]+){0,3})(?:[ \t]+<([^<>\s]+)>)?[ \t]*(?:;.*)?$")
_REVISION = re.compile(r"v?\d[\w.]*,[ \t]*(.+?)(?::.*)?$|(\d{4}-\d\d-\d\d)$")


class AsciiDocParser:
    """Parser of AsciiDoc files; attributes become metadata, includes are not followed."""

    format: ClassVar[str] = "asciidoc"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("asciidoc")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        header, text = _header(source.text)
        writer = AsciiDocWriter(text.split("\n"))
        writer.write()
        blocks = tuple(writer.builder.blocks)
        require_text(blocks)
        header |= writer.attributes
        written = writer.builder.text
        heading = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
        metadata = Metadata(
            title=header.get("doctitle") or (written[heading.start : heading.end] if heading else "") or stem(path),
            author=header.get("author") or header.get("authors", ""),
            created=iso_date(header.get("revdate") or header.get("date", "")),
            keywords=tuple(word.strip() for word in header.get("keywords", "").split(",") if word.strip()),
            language=header.get("lang", ""),
        )
        findings = (*source.findings, *writer.findings())
        return ParsedDocument(written, blocks, (), metadata, self.format, findings=findings)


def _header(text: str) -> tuple[dict[str, str], str]:
    """Return author and revision from the lines below the title, and the text without these lines."""
    title = _TITLE.match(text)
    if title is None:
        return {}, text
    header: dict[str, str] = {}
    rest = text[title.end() :].split("\n", 2)
    if rest and (author := _AUTHOR.match(rest[0])):
        following = rest[1] if len(rest) > 1 else ""
        # A line of words alone is an author only in a header, with an address, a revision or attributes.
        if author[2] or _REVISION.match(following) or following.startswith(":"):
            header["author"] = author[1]
            rest.pop(0)
            if rest and (revision := _REVISION.match(rest[0])):
                header["revdate"] = revision[1] or revision[2]
                rest.pop(0)
    return header, title[0] + "\n".join(rest)


_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?$")
_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?$")
_STYLE = re.compile(r"\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]$")
_ANCHOR = re.compile(r"\[\[[^\[\]]*\]\]$")
_ASCIIDOC_TEXT_TITLE = re.compile(r"\.([^\s.].*)$")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```.*|[|,:!]={3,})$")
_ITEM = re.compile(r"[ \t]*(?:\*{1,5}|-|\.{1,5}|\d{1,4}\.|[a-zA-Z]\.|<(?:\d+|\.)>)[ \t]+\S")
_TERM = re.compile(r"[ \t]*\S.*?(?::{2,4}|;;)(?:[ \t]|$)")
_MACRO = re.compile(r"(image|video|audio|include|ifdef|ifndef|ifeval|endif|toc)::(\S*?)\[(.*)\]$")
_COMMENT = re.compile(r"//(?!//)")
_BREAK = re.compile(r"(?:'{3,}|-{3}|\*{3}|<{3})$")

_INLINE = (
    (re.compile(r"(?:link|mailto|xref):{1,2}([^\s\[]+)\[([^\]]*)\]"), lambda m: m[2].rstrip("^") or m[1]),
    (re.compile(r"((?:https?|ftp)://[^\s\[\]]+)\[([^\]]*)\]"), lambda m: m[2].rstrip("^") or m[1]),
    (re.compile(r"<<([^,<>]+)(?:,([^<>]*))?>>"), lambda m: (m[2] or m[1]).strip()),
    (re.compile(r"image:([^\s\[:]+)\[([^\],]*)[^\]]*\]"), lambda m: m[2]),
    (re.compile(r"footnote:\w*\[([^\]]*)\]"), lambda m: f" ({m[1]})"),
    (re.compile(r"\[\[[\w-]+\]\]|\(\(\([^()]*\)\)\)"), ""),
)
_REFERENCE = re.compile(r"\{([\w-]+)\}")
_LONG_LINE = 20_000
"""Length from which a line is taken as generated; the patterns above would need minutes for a line of 5 MB."""
_FORMULAS = ("stem", "latexmath", "asciimath")


class AsciiDocWriter:
    """Writer of the visible lines of a source, in one pass and without recursion."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.builder = TextBuilder()
        self.attributes: dict[str, str] = {}
        self.included: list[str] = []
        self._lines = lines
        self._at = 0
        self._style = ""
        self._pictures = 0
        self._tables = 0

    def findings(self) -> Iterator[Finding]:
        """Yield findings: tables, images, and files that were not read."""
        if self._tables:
            yield Finding(FindingKind.TABLES, count=self._tables)
        if self._pictures:
            yield Finding(FindingKind.IMAGES, count=self._pictures)
        if self.included:
            yield Finding(FindingKind.LEFT_OUT, count=len(self.included), detail="included files")

    def write(self) -> None:
        """Append all lines."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            if len(line) > _LONG_LINE:
                self._at += 1
                self.builder.add(BlockKind.PARAGRAPH, line)
            elif not line.strip() or self._is_meta(line):
                self._at += 1
            elif match := _HEADING.match(line):
                self._at += 1
                self.builder.add(BlockKind.HEADING, self._inline(match[2]), level=len(match[1]))
            elif match := _DELIMITER.match(line):
                self._delimited(match[1])
            elif _ITEM.match(line) or _TERM.match(line):
                self._list()
            elif match := _ASCIIDOC_TEXT_TITLE.match(line):
                self._at += 1
                self.builder.add(BlockKind.PARAGRAPH, self._inline(match[1]))
            else:
                self._paragraph(line)

    def _is_meta(self, line: str) -> bool:
        """Process a line that is not text itself; return False if it is text."""
        if match := _ATTRIBUTE.match(line):
            self.attributes[match[1].lower()] = (match[2] or "").strip()
        elif match := _MACRO.match(line):
            if match[1] == "image":
                self._pictures += 1
                self.builder.add(BlockKind.PARAGRAPH, match[3].split(",")[0].strip('"'))
            elif match[1] == "include":
                self.included.append(match[2])
        elif (match := _STYLE.match(line)) and not _ANCHOR.match(line):
            self._style = match[1]
        elif not (_ANCHOR.match(line) or _BREAK.match(line) or line == "+" or _COMMENT.match(line)):
            return False
        return True

    def _delimited(self, mark: str) -> None:
        """Append a delimited block; a block that only groups others is processed line by line as usual."""
        kind, style = mark[0], self._style
        if kind in "=*_" or mark == "--":
            # An example, a sidebar, a quotation: its end is skipped like its start.
            self._at += 1
            self._style = ""
            return
        inner = self._until(mark)
        if len(mark) >= 4 and mark[1:4] == "===" and kind in "|,:!":
            if add_table(self.builder, list(spread(self._cleaned(table_rows(inner, kind, style))))):
                self._tables += 1
        elif kind == "+":
            if style.split(",")[0].strip() in _FORMULAS:
                self.builder.add(BlockKind.FORMULA, "\n".join(inner))
        elif kind != "/":
            self.builder.add(BlockKind.CODE, "\n".join(inner))
        self._style = ""

    def _cleaned(self, rows: list[list[tuple[str, int, int]]]) -> list[list[tuple[str, int, int]]]:
        return [[(self._inline(text), across, down) for text, across, down in row] for row in rows]

    def _until(self, mark: str) -> Sequence[str]:
        """Return the lines up to the end of a block, and move past it."""
        closing = "```" if mark.startswith("```") else mark
        start = self._at + 1
        end = start
        while end < len(self._lines) and self._lines[end].rstrip() != closing:
            end += 1
        self._at = end + 1
        return self._lines[start:end]

    def _list(self) -> None:
        """Append list items; blank lines between them do not end the list."""
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            if not line.strip():
                following = next(
                    (number for number in range(self._at, len(self._lines)) if self._lines[number].strip()), None
                )
                if following is None or not (
                    _ITEM.match(self._lines[following]) or _TERM.match(self._lines[following])
                ):
                    break
                self._at = following
                continue
            if (
                len(line) > _LONG_LINE
                or line == "+"
                or _HEADING.match(line)
                or _DELIMITER.match(line)
                or self._is_block_start(line)
            ):
                break
            taken.append(self._inline(line))
            self._at += 1
        self.builder.add(BlockKind.LIST, "\n".join(taken))
        self._style = ""

    def _is_block_start(self, line: str) -> bool:
        return bool(_MACRO.match(line) or _STYLE.match(line) or _ATTRIBUTE.match(line))

    def _paragraph(self, line: str) -> None:
        start = self._at
        literal = line[:1] in " \t" or self._style.split(",")[0].strip() in ("source", "listing", "literal")
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            if (
                not line.strip()
                or len(line) > _LONG_LINE
                or line == "+"
                or (self._at > start and (_DELIMITER.match(line) or self._is_block_start(line)))
            ):
                break
            self._at += 1
        lines = self._lines[start : self._at]
        if len(lines) > 1 and all(row.startswith("|") and row.count("|") > 1 for row in lines):
            self._tables += add_table(self.builder, [row.strip().strip("|").split("|") for row in lines])
        elif literal:
            self.builder.add(BlockKind.CODE, "\n".join(lines))
        else:
            kept = (line for line in lines if not line.startswith("//"))
            word = (
                self._style.upper() if self._style.upper() in ("NOTE", "TIP", "IMPORTANT", "CAUTION", "WARNING") else ""
            )
            self.builder.add(BlockKind.PARAGRAPH, (f"{word}: " if word else "") + "\n".join(map(self._inline, kept)))
        self._style = ""

    def _inline(self, text: str) -> str:
        """Return a text with links and references replaced by their visible text."""
        text = _REFERENCE.sub(lambda match: self.attributes.get(match[1].lower(), match[0]), text)
        for pattern, shown in _INLINE:
            text = pattern.sub(shown, text)
        return text


_SEPARATOR = re.compile(
    r"(?:(?<=\s)|^)(?:(\d{1,4})\*|(\d{1,4})?(?:\.(\d{1,4}))?\+)?[<^>]?(?:\.[<^>])?[adehlmsv]?\|(?!===)|(?<!\\)\|(?!===)",
    re.M,
)
_COLUMNS = re.compile(r"cols\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]]+))")
_REPEATED = re.compile(r"(\d{1,4})\*")
_MOST_COPIES = 100


def table_rows(lines: Sequence[str], mark: str, attributes: str) -> list[list[Cell]]:
    """Return a table's rows.

    Args:
        lines: Lines between the delimiters.
        mark: The delimiter's first character: "|", "!", "," or ":".
        attributes: The attributes in brackets above the table.
    """
    if mark in ",:" or "format=" in attributes:
        separator = ":" if mark == ":" or "dsv" in attributes else "\t" if "tsv" in attributes else ","
        try:
            return [[(cell, 1, 1) for cell in row] for row in csv.reader(lines, delimiter=separator) if row]
        except csv.Error:
            return [[(line, 1, 1)] for line in lines]
    if mark == "!":
        lines = [line.replace("!", "|") for line in lines]
    by_line = [list(_cells(line)) for line in lines if line.strip()]
    width = _width(attributes)
    if all(len(cells) > 1 and (not width or len(cells) <= width) for cells in by_line):
        return by_line
    width = width or next((len(cells) for cells in by_line if cells), 1)
    return list(_flowing(_cells("\n".join(lines)), width))


def _cells(text: str) -> Iterator[Cell]:
    marks = list(_SEPARATOR.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    # A line without a separator continues the cell above: it contains no cell itself.
    for mark, end in zip(marks, ends, strict=False):
        content = text[mark.end() : end].strip().replace("\\|", "|")
        cell = (content, int(mark[2] or 1), int(mark[3] or 1))
        for _ in range(min(int(mark[1] or 1), _MOST_COPIES)):
            yield cell


def _flowing(cells: Iterator[Cell], width: int) -> Iterator[list[Cell]]:
    """Yield rows with as many cells as there are columns, regardless of line breaks."""
    row: list[Cell] = []
    taken = 0
    reaching: dict[int, int] = {}
    number = 0
    for cell in cells:
        row.append(cell)
        taken += cell[1]
        for below in range(1, min(cell[2], 1000)):
            reaching[number + below] = reaching.get(number + below, 0) + cell[1]
        if taken + reaching.get(number, 0) >= width:
            yield row
            row, taken = [], 0
            number += 1
    if row:
        yield row


def _width(attributes: str) -> int:
    match = _COLUMNS.search(attributes)
    if match is None:
        return 0
    columns = match[1] or match[2] or match[3] or ""
    return sum(int(copies[1]) if (copies := _REPEATED.match(part.strip())) else 1 for part in re.split("[,;]", columns))
