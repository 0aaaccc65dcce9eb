"""Line numbers of a whole long file for the text of one of its parts, whose name contains its first line.

"server, part 002, lines 81,203 to 160,411.log" begins on line 81,203 of server.log. Line ends are counted as
long_files.py counts them for that name, and as “grep -n” does: a carriage return within a line is not a line end.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from workbench.model.document_name import part_span
from workbench.model.source_lines import NO_LINES, LineKind, LineTable


def lines_of_part(text: str, name: str) -> LineTable:
    """Return the lines of a part's text in the whole file; an empty table if the name is not that of such a part.

    Args:
        text: Text with the line ends of the file; the offsets refer to the result of assembly.clean().
        name: File name of the part.
    """
    span = part_span(name)
    if span is None or span.unit != "lines":
        return NO_LINES
    # Offsets are the same as after clean(): it shortens only line ends of two characters, to one.
    text = text.replace("\r\n", "\n")
    end = "\n" if "\n" in text or span.first == span.last else "\r"
    return LineTable.pack(LineKind.LINE, _numbered(text, end, span.first))


def _numbered(text: str, line_end: str, first: int) -> Iterator[tuple[int, int]]:
    yield 0, first
    for number, match in enumerate(re.finditer(line_end, text), first + 1):
        yield match.end(), number


def rows_of_part(name: str) -> int | None:
    """Return the number of a part's first row of values in the whole file; None if it is not a part of a table.

    The name counts rows of values; a part's text begins with the titles and column names of the whole table.
    """
    span = part_span(name)
    return span.first if span is not None and span.unit == "rows" else None


def lines_of_edited(lines: LineTable, before: Sequence[int], text: str) -> LineTable:
    """Return the lines of a text whose lines were replaced by others.

    Args:
        lines: Lines of the old text.
        before: Offset into the old text for each line of the new one; empty if nothing was replaced.
        text: The new text.
    """
    if not before or not lines:
        return lines
    old = lines.unpacked
    starts = (0, *(match.end() for match in re.finditer("\n", text)))
    numbers = (old.numbers[max(bisect_right(old.starts, at) - 1, 0)] for at in before)
    return table_of(lines.kind, zip(starts, numbers, strict=True))


def table_of(kind: LineKind, lines: Iterable[tuple[int, int]]) -> LineTable:
    """Return a table of lines with each number once; a line with the same number as the one before belongs to it."""
    kept: list[tuple[int, int]] = []
    for start, number in lines:
        if not kept or kept[-1][1] != number:
            kept.append((start, number))
    return LineTable.pack(kind, kept)
