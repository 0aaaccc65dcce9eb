"""Tables of Word documents as rows of cells."""

from collections.abc import Callable, Iterator

from workbench.parsing.docx_styles import W, value
from workbench.parsing.zip_package import Element, whole_number

_MOST_COLUMNS = 200
"""A cell that claims to span more is lying."""

_TRANSPARENT = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))


def table_rows(table: Element, read_cell: Callable[[Element], str]) -> list[list[str]]:
    """Return the rows of a table; a cell over several columns or rows is repeated in each."""
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
    """Yield the children of a tag, those within content controls and insertions too."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _TRANSPARENT:
            yield from elements(child, tag)


def is_layout(table: Element) -> bool:
    """Tell whether a table only frames its content: a single cell, or a single column around other tables."""
    rows = list(elements(table, f"{W}tr"))
    if any(len(list(elements(row, f"{W}tc"))) > 1 for row in rows):
        return False
    return len(rows) == 1 or any(True for _ in next(iter(rows), table).iter(f"{W}tbl") if rows)


def _span(properties: Element | None, name: str, otherwise: int) -> int:
    number = whole_number(value(properties.find(f"{W}{name}")), otherwise) if properties is not None else otherwise
    return min(max(number, otherwise), _MOST_COLUMNS)
