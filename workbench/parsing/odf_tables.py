"""Tables of OpenDocument files as rows of cells."""

from collections.abc import Callable, Iterator

from workbench.parsing.odf_package import TABLE
from workbench.parsing.table_grid import within_limit
from workbench.parsing.zip_package import Element, whole_number

_MOST_COLUMNS = 16_384
"""As many as LibreOffice has: a cell is repeated no further, cells that stand in the file are read all the same."""

_MOST_ACROSS = 200
"""A cell that claims to span more is lying."""

_GROUPS = frozenset(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))
_CELLS = (f"{TABLE}table-cell", f"{TABLE}covered-table-cell")


def rows_of(table: Element) -> Iterator[Element]:
    """Yield the rows of a table, those in groups too."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _GROUPS:
            yield from rows_of(child)


def number(element: Element, name: str) -> int:
    """Return how often something is repeated or how far it spans; 1 where nothing is said."""
    return max(1, whole_number(element.get(f"{TABLE}{name}"), 1))


def odf_rows(table: Element, read_cell: Callable[[Element], str]) -> tuple[list[list[str]], int]:
    """Return the rows of a table, and how many more there are than are read.

    A cell over several columns or rows is repeated in each; nothing stands for empty cells at the end of a row.
    """
    pending: dict[int, tuple[int, str]] = {}
    elements = list(rows_of(table))
    rows = within_limit(_cells(row, pending, read_cell) for row in elements)
    return rows, len(elements) - len(rows)


def _cells(row: Element, pending: dict[int, tuple[int, str]], read_cell: Callable[[Element], str]) -> list[str]:
    cells: list[str] = []
    empty = 0
    for cell in row:
        if cell.tag not in _CELLS:
            continue
        text = read_cell(cell)
        across, down = number(cell, "number-columns-spanned"), number(cell, "number-rows-spanned")
        copies = number(cell, "number-columns-repeated")
        is_covered = cell.tag == _CELLS[1]
        if not text and not is_covered and across == down == 1:
            empty += copies
            continue
        cells.extend([""] * min(empty, _MOST_COLUMNS))
        empty = 0
        for copy in range(copies):
            if copy and len(cells) >= _MOST_COLUMNS:
                break
            if is_covered:
                cells.append(_covered(pending, len(cells)))
                continue
            for offset in range(min(across, _MOST_ACROSS) if copies == 1 else 1):
                if down > 1 or offset:
                    pending[len(cells) + offset] = (down if offset else down - 1, text)
            cells.append(text)
    return cells


def _covered(pending: dict[int, tuple[int, str]], column: int) -> str:
    """Return what a cell shows that another one covers."""
    left, text = pending.get(column, (0, ""))
    if left > 1:
        pending[column] = (left - 1, text)
    else:
        pending.pop(column, None)
    return text
