"""Tables of OpenDocument files as rows of cells."""

from collections.abc import Callable, Iterator

from workbench.parsing.odf_package import TABLE
from workbench.parsing.zip_package import Element, whole_number

_MOST_COLUMNS = 200
_MOST_CELLS = 4_000_000
"""A row that says that its one cell is repeated 200 times takes 60 bytes."""
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


def odf_rows(table: Element, read_cell: Callable[[Element], str]) -> list[list[str]]:
    """Return the rows of a table; a cell over several columns or rows is repeated in each."""
    rows: list[list[str]] = []
    count = 0
    pending: dict[int, tuple[int, str]] = {}
    for row in rows_of(table):
        cells: list[str] = []
        for cell in row:
            if cell.tag not in _CELLS:
                continue
            text = read_cell(cell)
            across, down = number(cell, "number-columns-spanned"), number(cell, "number-rows-spanned")
            for _ in range(number(cell, "number-columns-repeated")):
                if len(cells) >= _MOST_COLUMNS:
                    break
                if cell.tag == _CELLS[1]:
                    cells.append(_covered(pending, len(cells)))
                    continue
                for offset in range(min(across, _MOST_COLUMNS)):
                    if down > 1 or offset:
                        pending[len(cells) + offset] = (down if offset else down - 1, text)
                cells.append(text)
        # What reaches no further down is done with.
        rows.append(cells)
        count += len(cells)
        if count >= _MOST_CELLS:
            break
    return rows


def _covered(pending: dict[int, tuple[int, str]], column: int) -> str:
    """Return what a cell shows that another one covers."""
    left, text = pending.get(column, (0, ""))
    if left > 1:
        pending[column] = (left - 1, text)
    else:
        pending.pop(column, None)
    return text
