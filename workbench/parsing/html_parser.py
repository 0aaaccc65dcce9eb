"""Parser of HTML: visible text in reading order with headings, lists, code, and tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.errors import EmptyDocument
from workbench.model.document import BlockKind, Finding, FindingKind, ParsedDocument
from workbench.parsing.assembly import MOST_COLUMNS, Cell, TextBuilder, markdown_table, spread, table_parts
from workbench.parsing.formats import suffixes_of
from workbench.parsing.html_metadata import html_metadata, read_html
from workbench.parsing.html_tree import (
    BLOCKS,
    count_words,
    inline_text,
    is_furniture,
    is_hidden,
    left_out,
    page_tree,
    raw_text,
    walk,
    without_furniture,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\n\r\f]+")


class HtmlParser:
    """Parser of HTML pages; hidden elements are left out, and also menus and footers, with a finding."""

    format: ClassVar[str] = "html"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("html")
    version: ClassVar[int] = 3

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        decoded = read_html(path.read_bytes())
        tree = page_tree(decoded.text)
        body = tree.body or tree.root
        builder = TextBuilder()
        around = 0
        if body is not None:
            builder = read_element(body)
            if builder.blocks:
                around = count_words(inline_text(body)) - count_words(without_furniture(body))
            else:
                builder = read_element(body, keep_furniture=True)
        if not builder.blocks:
            raise EmptyDocument(
                "The page holds no text of its own.",
                "A script may create its text: save the page from the browser as it is displayed.",
            )
        findings = (*decoded.findings, *page_findings(tree, builder), *left_out(around))
        metadata = html_metadata(tree, path)
        return ParsedDocument(builder.text, tuple(builder.blocks), (), metadata, self.format, findings=findings)


def page_findings(tree: LexborHTMLParser, builder: TextBuilder) -> list[Finding]:
    """Return findings about tables and pictures."""
    found = []
    if tables := sum(1 for block in builder.blocks if block.kind is BlockKind.TABLE):
        found.append(Finding(FindingKind.TABLES, count=tables))
    if pictures := len(tree.css("body img, body svg, body canvas")):
        found.append(Finding(FindingKind.IMAGES, count=pictures))
    return found


def read_element(element: LexborNode, *, keep_furniture: bool = False) -> TextBuilder:
    """Return the text and blocks of a part of a page."""
    return _HtmlReader(keep_furniture=keep_furniture).read(element)


class _HtmlReader:
    """Collector of running text that adds it to the builder at the end of each block element."""

    def __init__(self, *, keep_furniture: bool) -> None:
        self._keep_furniture = keep_furniture
        self._builder = TextBuilder()
        self._parts: list[str] = []
        self._items: list[str] = []
        self._lists: list[int | None] = []

    def read(self, body: LexborNode) -> TextBuilder:
        """Return the text and blocks of an element."""
        steps = walk(body, self._skipped)
        step = next(steps, None)
        while step is not None:
            entering, node = step
            taken = self._enter(node) if entering else self._leave(node)
            try:
                step = steps.send(taken or None)  # type: ignore[attr-defined]
            except StopIteration:
                break
        self._end_list()
        return self._builder

    def _skipped(self, node: LexborNode) -> bool:
        return is_hidden(node) or (not self._keep_furniture and is_furniture(node))

    def _enter(self, node: LexborNode) -> bool:
        """Process a node; return True if all its descendants were processed as well."""
        tag = node.tag or ""
        if node.is_text_node:
            self._parts.append(_SPACE.sub(" ", node.text_content or ""))
        elif tag == "br":
            self._parts.append("\n")
        elif tag in _HEADINGS:
            self._whole(BlockKind.HEADING, inline_text(node), level=_HEADINGS[tag])
            return True
        elif tag == "pre":
            self._whole(BlockKind.CODE, raw_text(node))
            return True
        elif tag == "table" and not is_layout(node):
            caption = node.css_first("caption")
            if caption is not None:
                self._whole(BlockKind.PARAGRAPH, inline_text(caption))
            for part in table_parts(table_markdown(node)):
                self._whole(BlockKind.TABLE, part)
            return True
        elif tag in BLOCKS:
            self._flush()
            if tag in ("ul", "ol", "menu"):
                self._lists.append(1 if tag == "ol" else None)
            elif tag == "li" and self._lists:
                self._start_item()
        return False

    def _leave(self, node: LexborNode) -> bool:
        tag = node.tag or ""
        if tag in BLOCKS:
            self._flush()
            if tag in ("ul", "ol", "menu") and self._lists:
                self._lists.pop()
                if not self._lists:
                    self._end_list()
        return False

    def _start_item(self) -> None:
        number = self._lists[-1]
        mark = "-" if number is None else f"{number}."
        if number is not None:
            self._lists[-1] = number + 1
        # Limited, because deep nesting would make the text quadratic in size.
        self._parts.append("  " * min(len(self._lists) - 1, 8) + mark + " ")

    def _whole(self, kind: BlockKind, text: str, *, level: int = 0) -> None:
        self._flush()
        self._end_list()
        self._builder.add(kind, text, level=level)

    def _flush(self) -> None:
        """End the running text as a list item or paragraph."""
        lines = [_line(line) for line in "".join(self._parts).split("\n")]
        self._parts.clear()
        text = "\n".join(line for line in lines if line.strip())
        if not text:
            return
        if self._lists:
            self._items.append(text)
        else:
            self._builder.add(BlockKind.PARAGRAPH, text)

    def _end_list(self) -> None:
        self._flush()
        if self._items:
            self._builder.add(BlockKind.LIST, "\n".join(self._items))
            self._items.clear()


def _line(line: str) -> str:
    """Return a line with single spaces; the indentation of a list item is kept."""
    words = line.lstrip(" ")
    indent = line[: len(line) - len(words)] if words[:1] in "-0123456789" else ""
    return indent + _SPACE.sub(" ", words).rstrip(" ")


_LONG_CELL = 400
"""Characters. Cells of data tables with a heading or a small table are much shorter, columns of a page much longer."""


def is_layout(table: LexborNode) -> bool:
    """Return True if a table only arranges the page.

    It has no header cells, contains another table, a heading or code, and has a single column or a long cell.
    """
    if table.css_first("table table, h1, h2, h3, pre") is None or table.css_first("th") is not None:
        return False
    rows = [list(_children(row, "td")) for row in _rows(table)]
    single = all(len(cells) < 2 for cells in rows)
    return single or any(len(cell.text(deep=True)) > _LONG_CELL for cells in rows for cell in cells)


def table_markdown(table: LexborNode) -> str:
    """Return the table's rows as Markdown; a merged cell is repeated in each column or row that it covers."""
    return markdown_table(list(spread(map(_cells, _rows(table)))))


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in _children(table, "thead", "tbody", "tfoot", "tr"):
        if part.tag == "tr":
            yield part
        else:
            yield from _children(part, "tr")


def _cells(row: LexborNode) -> Iterator[Cell]:
    for cell in _children(row, "td", "th"):
        yield inline_text(cell), _span(cell, "colspan"), _span(cell, "rowspan")


def _children(parent: LexborNode, *tags: str) -> Iterator[LexborNode]:
    node = parent.child
    while node is not None:
        if node.tag in tags:
            yield node
        node = node.next


def _span(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    if not (value.isascii() and value.isdigit() and len(value) < 6):
        return 1
    return min(max(int(value), 1), MOST_COLUMNS)
