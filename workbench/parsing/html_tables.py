"""HTML tables as rows of Markdown."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from workbench.parsing.assembly import markdown_table
from workbench.parsing.html_tree import inline_text

_MOST_COLUMNS = 200
"""A cell that claims to span more is lying."""


def is_layout(table: LexborNode) -> bool:
    """Tell whether a table only arranges the page: it holds another table, a heading or code, and no head cells."""
    return table.css_first("table table, h1, h2, h3, pre") is not None and table.css_first("th") is None


def table_markdown(table: LexborNode) -> str:
    """Return the table's rows as Markdown; a cell over several columns or rows is repeated in each."""
    rows: list[list[str]] = []
    pending: dict[int, tuple[int, str]] = {}
    for row in _rows(table):
        cells: list[str] = []
        for cell in _children(row, "td", "th"):
            _take_pending(pending, cells)
            text = inline_text(cell)
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            for _ in range(across):
                if down > 1:
                    pending[len(cells)] = (down - 1, text)
                cells.append(text)
        _take_pending(pending, cells)
        rows.append(cells)
    return markdown_table(rows)


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in _children(table, "thead", "tbody", "tfoot", "tr"):
        if part.tag == "tr":
            yield part
        else:
            yield from _children(part, "tr")


def _children(parent: LexborNode, *tags: str) -> Iterator[LexborNode]:
    node = parent.child
    while node is not None:
        if node.tag in tags:
            yield node
        node = node.next


def _take_pending(pending: dict[int, tuple[int, str]], cells: list[str]) -> None:
    """Put in the cells that reach down from the rows above."""
    while len(cells) in pending:
        left, text = pending.pop(len(cells))
        if left > 1:
            pending[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: LexborNode, name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    if not (value.isascii() and value.isdigit() and len(value) < 6):
        return 1
    return min(max(int(value), 1), _MOST_COLUMNS)
