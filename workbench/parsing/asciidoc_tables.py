"""AsciiDoc tables as rows of cells."""

import csv
import re
from collections.abc import Iterator, Sequence

from workbench.parsing.table_grid import Cell

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
        lines: Between the delimiters.
        mark: The delimiter's first character: "|", "!", "," or ":".
        attributes: What stood in brackets above the table.
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
    # A line without a mark goes on with the cell above it: it holds none of its own.
    for mark, end in zip(marks, ends, strict=False):
        content = text[mark.end() : end].strip().replace("\\|", "|")
        cell = (content, int(mark[2] or 1), int(mark[3] or 1))
        for _ in range(min(int(mark[1] or 1), _MOST_COPIES)):
            yield cell


def _flowing(cells: Iterator[Cell], width: int) -> Iterator[list[Cell]]:
    """Yield rows of as many cells as there are columns, wherever the lines break."""
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
    said = match[1] or match[2] or match[3] or ""
    return sum(int(copies[1]) if (copies := _REPEATED.match(part.strip())) else 1 for part in re.split("[,;]", said))
