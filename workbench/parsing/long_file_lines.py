"""Lines of long files: line and row ends in the bytes, and the numbers of lines in the whole file for a part's text.

The ends are found without decoding; a line end within quotation marks does not end a row. This reads 1 GB/s if
quotation marks are only at cell borders; pieces with one inside a word, which csv treats as an ordinary character, are
processed mark by mark.

The name of a part contains its first line: "server, part 002, lines 81,203 to 160,411.log" begins on line 81,203 of
server.log. Line ends are counted as long_files.py counts them for that name, and as “grep -n” does: a carriage return
within a line is not a line end.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from workbench.model.document_name import part_span
from workbench.model.source_lines import NO_LINES, LineKind, LineTable

if TYPE_CHECKING:  # numpy is not imported at the start of the window.
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

PIECE = 4 * 2**20
_LONGEST_ROW = 4 * 2**20
"""Bytes; a longer row has a quotation mark that was never closed."""

_LF, _CR, _SPACE, _QUOTE = 10, 13, 32, 34
_WIDE = {"utf-16-le": "<u2", "utf-16-be": ">u2", "utf-32-le": "<u4", "utf-32-be": ">u4"}
_MARKED = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}


@dataclass(frozen=True, slots=True)
class CharacterLayout:
    """Encoding of a file's characters.

    Attributes:
        encoding: Python's name of the encoding, of the variant without byte order mark.
        begin: Length of the byte order mark.
        unit: numpy's type name of an ASCII character.
        width: Bytes of an ASCII character.
        line_end: Character that ends a line: line feed, or carriage return in files of old Macs.
    """

    encoding: str
    begin: int = 0
    unit: str = "u1"
    width: int = 1
    line_end: int = _LF


def layout_of(file: BinaryIO, encoding: str) -> CharacterLayout:
    """Return the character layout of a file in an encoding."""
    file.seek(0)
    data = file.read(PIECE)
    begin = 0
    for mark, name in _MARKED.get(encoding, ()):
        if data.startswith(mark):
            encoding, begin = name, len(mark)
            break
    unit = _WIDE.get(encoding, "u1")
    found = CharacterLayout(encoding, begin, unit, int(unit[-1]))
    units = _units_of(data[begin:], found)
    is_mac = not (units == _LF).any() and bool((units == _CR).any())
    return replace(found, line_end=_CR) if is_mac else found


def _units_of(data: bytes, layout: CharacterLayout) -> "NDArray[np.unsignedinteger]":
    """Return bytes as numbers, one or more for each character."""
    import numpy as np

    return np.frombuffer(data, layout.unit, len(data) // layout.width)


def _read_units(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> "NDArray[np.unsignedinteger]":
    """Return the units between two byte offsets of a file."""
    file.seek(start)
    return _units_of(file.read(end - start), layout)


def count_lines(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> int:
    """Return the number of line ends between two byte offsets of a file."""
    import numpy as np

    pieces = range(start, end, PIECE)
    return sum(
        int(np.count_nonzero(_read_units(file, at, min(at + PIECE, end), layout) == layout.line_end)) for at in pieces
    )


def line_break(file: BinaryIO, start: int, end: int, layout: CharacterLayout, near: int) -> int:
    """Return the best position for dividing a text: as late as possible, preferably after a blank line.

    Args:
        file: The text.
        start: Start of the part before the division.
        end: Maximum position.
        layout: Layout of the file.
        near: Bytes before the end that are searched for a blank line, or for a space if there is no line end.
    """
    import numpy as np

    first = max(start, end - near)
    units = _read_units(file, first, end, layout)
    ends = np.flatnonzero(units == layout.line_end)
    if len(ends):
        gaps = np.diff(ends)
        blank = ends[1:][(gaps == 1) | ((gaps == 2) & (units[ends[1:] - 1] == _CR))]
        return first + (int(blank[-1] if len(blank) else ends[-1]) + 1) * layout.width
    for at in reversed(range(start, first, PIECE)):
        earlier = np.flatnonzero(_read_units(file, at, min(at + PIECE, first), layout) == layout.line_end)
        if len(earlier):
            return at + (int(earlier[-1]) + 1) * layout.width
    spaces = np.flatnonzero(units == _SPACE)
    return (
        first + (int(spaces[-1]) + 1) * layout.width if len(spaces) else _between_characters(file, start, end, layout)
    )


def _between_characters(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> int:
    """Return the last start of a character at or before a byte offset."""
    decoder = codecs.getincrementaldecoder("utf-8" if layout.encoding == "cesu-8" else layout.encoding)("replace")
    file.seek(start)
    for at in range(start, end, PIECE):
        decoder.decode(file.read(min(at + PIECE, end) - at))
    return end - len(decoder.getstate()[0])


def row_ends(file: BinaryIO, size: int, layout: CharacterLayout, delimiter: str) -> "Iterator[Places]":
    """Yield the byte offsets after the rows of a table, in batches.

    Args:
        file: The table.
        size: Its bytes.
        layout: Layout of the file.
        delimiter: Separator of cells.
    """
    import numpy as np

    at, held = layout.begin, b""
    for start in range(layout.begin, size, PIECE):
        file.seek(start)
        held += file.read(min(PIECE, size - start))
        units = _units_of(held, layout)
        ends = _ends_in(units, layout.line_end, delimiter)
        if not len(ends) and (len(held) > _LONGEST_ROW or start + PIECE >= size):
            ends = np.flatnonzero(units == layout.line_end).astype(np.int64)
        if len(ends):
            behind = (ends + 1) * layout.width
            yield at + behind
            held = held[int(behind[-1]) :]
            at += int(behind[-1])


def _ends_in(units: "NDArray[np.unsignedinteger]", line_end: int, delimiter: str) -> "Places":
    """Return the row ends in a piece of a table that starts with a row."""
    import numpy as np

    ends = np.flatnonzero(units == line_end).astype(np.int64)
    marks = np.flatnonzero(units == _QUOTE)
    if not len(marks):
        return ends
    opening = marks[::2]
    before = units[opening[opening > 0] - 1]
    is_right = (before == ord(delimiter)) | (before == line_end) | (before == _LF) | (before == _QUOTE)
    if is_right.all():
        is_between: NDArray[np.bool_] = np.searchsorted(marks, ends) % 2 == 0
        return ends[is_between]
    opened, closed = _quoted(units, marks.tolist(), (ord(delimiter), _LF, _CR))
    place = np.searchsorted(opened, ends) - 1
    is_outside: NDArray[np.bool_] = (place < 0) | (np.append(closed, -1)[place] < ends)
    return ends[is_outside]


def _quoted(units: "NDArray[np.unsignedinteger]", marks: list[int], before: tuple[int, ...]) -> "tuple[Places, Places]":
    """Return starts and ends of quoted cells like csv: a mark only opens one at the beginning of a cell."""
    import numpy as np

    opened: list[int] = []
    closed: list[int] = []
    number = 0
    while number < len(marks):
        front = marks[number] - 1
        while front >= 0 and units[front] == _SPACE:
            front -= 1
        if front >= 0 and units[front] not in before:
            number += 1
            continue
        close = number + 1
        while close + 1 < len(marks) and marks[close + 1] == marks[close] + 1:
            close += 2
        opened.append(marks[number])
        closed.append(marks[close] if close < len(marks) else len(units))
        number = close + 1
    return np.array(opened, np.int64), np.array(closed, np.int64)


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
    return _table_of(lines.kind, zip(starts, numbers, strict=True))


def _table_of(kind: LineKind, lines: Iterable[tuple[int, int]]) -> LineTable:
    """Return a table of lines with each number once; a line with the same number as the one before belongs to it."""
    kept: list[tuple[int, int]] = []
    for start, number in lines:
        if not kept or kept[-1][1] != number:
            kept.append((start, number))
    return LineTable.pack(kind, kept)
