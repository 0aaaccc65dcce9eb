"""A docutils tree -> text and blocks."""

import re
from collections.abc import Iterator
from typing import Any

from workbench.model.document import BlockKind, Finding, FindingKind
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.long_tables import add_table
from workbench.parsing.table_grid import Cell, spread

_SKIPPED = frozenset(
    (
        "comment",
        "target",
        "substitution_definition",
        "raw",
        "pending",
        "meta",
        "decoration",
        "transition",
    )
)
_PARAGRAPHS = frozenset(
    ("paragraph", "term", "rubric", "attribution", "caption", "subtitle", "doctest_block", "option_string")
)
_CODE = frozenset(("literal_block", "doctest_block"))
_ADMONITIONS = frozenset(("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"))
_BRINGS_IN = re.compile(r"\.\. (?:include|raw|csv-table)::")
_DEEPEST_INDENT = 8


class RstWriter:
    """Writes the visible nodes of a tree."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self.fields: dict[str, str] = {}
        self._pictures = 0
        self._tables = 0

    def findings(self) -> Iterator[Finding]:
        """Yield what was found and not read."""
        if self._tables:
            yield Finding(FindingKind.TABLES, count=self._tables)
        if self._pictures:
            yield Finding(FindingKind.IMAGES, count=self._pictures)

    def write(self, node: Any, level: int = 0) -> None:
        """Append what is visible below a node; sections deepen the level of headings."""
        for child in node.children:
            name = child.tagname
            if name in _SKIPPED:
                continue
            if name == "system_message":
                self._misread(child)
            elif name == "section":
                self.write(child, level + 1)
            elif name == "title":
                self.builder.add(BlockKind.HEADING, _flat(child), level=min(max(level, 1), 6))
            elif name in _CODE:
                self.builder.add(BlockKind.CODE, child.astext())
            elif name == "math_block":
                self.builder.add(BlockKind.FORMULA, child.astext())
            elif name == "table":
                self._table(child)
            elif name in ("bullet_list", "enumerated_list"):
                self._list(child, level)
            elif name == "docinfo" or (name == "field_list" and self._is_at_the_top()):
                self._docinfo(child)
            elif name == "image":
                self._picture(child)
            elif name in _ADMONITIONS:
                self._admonition(child, name.capitalize(), level)
            elif name in _PARAGRAPHS or not _has_blocks(child):
                self._pictures += sum(1 for _ in child.findall(_is_picture))
                self.builder.add(BlockKind.PARAGRAPH, child.astext())
            else:
                self.write(child, level)

    def _misread(self, message: Any) -> None:
        """Append the source that docutils could not make sense of, so that it is not lost."""
        for source in message.children:
            if source.tagname == "literal_block" and not _BRINGS_IN.match(source.astext()):
                self.builder.add(BlockKind.PARAGRAPH, source.astext())

    def _admonition(self, node: Any, word: str, level: int) -> None:
        if node.children and node.children[0].tagname == "paragraph":
            self.builder.add(BlockKind.PARAGRAPH, f"{word}: {node.children[0].astext()}")
            self._rest(node, level)
        else:
            self.write(node, level)

    def _rest(self, node: Any, level: int) -> None:
        """Write all but a node's first child."""
        node.children.pop(0)
        self.write(node, level)

    def _list(self, node: Any, level: int) -> None:
        """Append a list in one piece, or around the code and tables in it."""
        lines: list[str] = []
        for item, depth, mark in _items(node, 0):
            if item.tagname in _CODE or item.tagname in ("table", "math_block"):
                self.builder.add(BlockKind.LIST, "\n".join(lines))
                lines = []
                holder = type(item)()
                holder.children = [item]
                self.write(holder, level)
            elif text := item.astext().strip():
                indent = "  " * min(depth, _DEEPEST_INDENT)
                lines.append(f"{indent}{mark}" + text.replace("\n", f"\n{indent}  "))
        self.builder.add(BlockKind.LIST, "\n".join(lines))

    def _table(self, node: Any) -> None:
        for title in node.findall(lambda inner: inner.tagname == "title"):
            self.builder.add(BlockKind.PARAGRAPH, _flat(title))
        if add_table(self.builder, list(spread(_rows(node)))):
            self._tables += 1

    def _is_at_the_top(self) -> bool:
        """Whether nothing but the title was written: fields below it say who wrote the document, and when."""
        return len(self.builder.blocks) == 1 and self.builder.blocks[0].kind is BlockKind.HEADING

    def _docinfo(self, node: Any) -> None:
        for child in node.children:
            if child.tagname == "field":
                key, value = child.children[0].astext(), _value(child.children[1])
            elif child.tagname == "authors":
                key, value = "authors", ", ".join(_flat(author) for author in child.children)
            else:
                key, value = child.tagname, child.astext()
            self.fields.setdefault(key.strip().lower(), " ".join(value.split()))
            self.builder.add(BlockKind.PARAGRAPH, f"{key}: {value}")

    def _picture(self, node: Any) -> None:
        self._pictures += 1
        self.builder.add(BlockKind.PARAGRAPH, node.get("alt", ""))


def _is_picture(node: Any) -> bool:
    return getattr(node, "tagname", "") == "image"


def _has_blocks(node: Any) -> bool:
    return any(
        getattr(child, "tagname", "#text") not in ("#text", "inline") and not _is_inline(child)
        for child in node.children
    )


def _is_inline(node: Any) -> bool:
    from docutils import nodes

    return isinstance(node, nodes.Inline)


def _value(body: Any) -> str:
    """Return what a field says; of a list, its items with commas in between."""
    items = [_flat(item) for item in body.findall(lambda inner: inner.tagname == "list_item")]
    return ", ".join(items) or str(body.astext())


def _flat(node: Any) -> str:
    return " ".join(node.astext().split())


def _items(node: Any, depth: int) -> Iterator[tuple[Any, int, str]]:
    """Yield the blocks of a list's items with their depth, and the mark of those that begin an item."""
    number = int(node.get("start", 1))
    for item in node.children:
        mark = "- " if node.tagname == "bullet_list" else f"{number}. "
        number += 1
        for block in item.children:
            if block.tagname in _SKIPPED:
                continue
            if block.tagname in ("bullet_list", "enumerated_list"):
                yield from _items(block, depth + 1)
            else:
                yield block, depth, mark
            mark = "  "


def _rows(table: Any) -> Iterator[Iterator[Cell]]:
    for row in table.findall(lambda inner: inner.tagname == "row"):
        yield ((c.astext(), int(c.get("morecols", 0)) + 1, int(c.get("morerows", 0)) + 1) for c in row.children)
