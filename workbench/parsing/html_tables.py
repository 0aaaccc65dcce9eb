"""HTML tables as rows of Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.parsing.assembly import markdown_table
from workbench.parsing.html_tree import inline_text
from workbench.parsing.table_grid import MOST_COLUMNS, Cell, spread

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LONG_CELL = 400
"""Characters; cells of tables with a heading or a small table in them stay far below, columns of a page far above."""


def is_layout(table: LexborNode) -> bool:
    """Tell whether a table only arranges the page.

    It holds another table, a heading or code, and no head cells; and it is a single column, or a cell of it is long.
    """
    if table.css_first("table table, h1, h2, h3, pre") is None or table.css_first("th") is not None:
        return False
    rows = [list(_children(row, "td")) for row in _rows(table)]
    single = all(len(cells) < 2 for cells in rows)
    return single or any(len(cell.text(deep=True)) > _LONG_CELL for cells in rows for cell in cells)


def table_markdown(table: LexborNode) -> str:
    """Return the table's rows as Markdown; a cell over several columns or rows is repeated in each."""
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
