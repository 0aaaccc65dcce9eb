"""Long tables in parts that a search can find, each with the table's head."""

from collections.abc import Iterator, Sequence

from workbench.model.document import BlockKind
from workbench.parsing.assembly import TextBuilder, markdown_table

_MOST_ROWS = 40
_MOST_CHARACTERS = 1500
"""About what the built-in embedder sees in two windows; one vector for 10,000 rows would stand for none of them."""


def table_parts(table: str) -> Iterator[str]:
    """Yield a Markdown table in parts: its first two lines, then as many rows as a part may have."""
    lines = table.split("\n")
    head, rows = lines[:2], lines[2:]
    if len(table) <= _MOST_CHARACTERS and len(rows) <= _MOST_ROWS:
        yield table
        return
    start = sum(map(len, head))
    # A head of many columns must not be most of every part.
    limit = max(_MOST_CHARACTERS, 3 * start)
    part: list[str] = []
    size = start
    for row in rows:
        if part and (len(part) == _MOST_ROWS or size + len(row) > limit):
            yield "\n".join([*head, *part])
            part, size = [], start
        part.append(row)
        size += len(row) + 1
    yield "\n".join([*head, *part])


def add_table(builder: TextBuilder, rows: Sequence[Sequence[str]]) -> bool:
    """Append rows of cells as one or more table blocks; tell whether there was anything in them."""
    table = markdown_table(rows)
    for part in table_parts(table):
        builder.add(BlockKind.TABLE, part)
    return bool(table)
