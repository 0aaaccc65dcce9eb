"""Where lines and the rows of tables end in a long file, found by its bytes without decoding them.

A line end within quotation marks ends no row. 1 GB/s where marks stand where they should; pieces with a mark within a
word, as csv reads it a mark like any other character, are looked through mark by mark.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

PIECE = 4 * 2**20
_LONGEST_ROW = 4 * 2**20
"""Bytes; a row that goes on for longer has a quotation mark that was never closed."""

_LF, _CR, _SPACE, _QUOTE = 10, 13, 32, 34
_WIDE = {"utf-16-le": "<u2", "utf-16-be": ">u2", "utf-32-le": "<u4", "utf-32-be": ">u4"}
_MARKED = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}


@dataclass(frozen=True, slots=True)
class CharacterLayout:
    """How the characters of a file are written.

    Attributes:
        encoding: Python's name, of one without a byte order mark.
        begin: Bytes of the mark in front.
        unit: numpy's name of what a character of ASCII is written as.
        width: Bytes of that.
        line_end: The character that ends a line: a line feed, in files of an old Mac a carriage return.
    """

    encoding: str
    begin: int = 0
    unit: str = "u1"
    width: int = 1
    line_end: int = _LF


def layout_of(file: BinaryIO, encoding: str) -> CharacterLayout:
    """Return how a file in an encoding is written."""
    file.seek(0)
    data = file.read(PIECE)
    begin = 0
    for mark, name in _MARKED.get(encoding, ()):
        if data.startswith(mark):
            encoding, begin = name, len(mark)
            break
    unit = _WIDE.get(encoding, "u1")
    found = CharacterLayout(encoding, begin, unit, int(unit[-1]))
    units = units_of(data[begin:], found)
    is_mac = not (units == _LF).any() and bool((units == _CR).any())
    return replace(found, line_end=_CR) if is_mac else found


def units_of(data: bytes, layout: CharacterLayout) -> "NDArray[np.unsignedinteger]":
    """Return bytes as numbers, one or more for a character."""
    import numpy as np

    return np.frombuffer(data, layout.unit, len(data) // layout.width)


def read_units(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> "NDArray[np.unsignedinteger]":
    """Return the units from one byte of a file to another."""
    file.seek(start)
    return units_of(file.read(end - start), layout)


def count_lines(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> int:
    """Return how many lines end from one byte of a file to another."""
    import numpy as np

    pieces = range(start, end, PIECE)
    return sum(
        int(np.count_nonzero(read_units(file, at, min(at + PIECE, end), layout) == layout.line_end)) for at in pieces
    )


def line_break(file: BinaryIO, start: int, end: int, layout: CharacterLayout, near: int) -> int:
    """Return the best place to cut a text between two bytes: as late as possible, best behind a blank line.

    Args:
        file: The text.
        start: Where the part before the cut begins.
        end: The cut is here or before.
        layout: Of the file.
        near: Bytes before the end in which a blank line, or a space where there is no line end, is looked for.
    """
    import numpy as np

    first = max(start, end - near)
    units = read_units(file, first, end, layout)
    ends = np.flatnonzero(units == layout.line_end)
    if len(ends):
        gaps = np.diff(ends)
        blank = ends[1:][(gaps == 1) | ((gaps == 2) & (units[ends[1:] - 1] == _CR))]
        return first + (int(blank[-1] if len(blank) else ends[-1]) + 1) * layout.width
    for at in reversed(range(start, first, PIECE)):
        earlier = np.flatnonzero(read_units(file, at, min(at + PIECE, first), layout) == layout.line_end)
        if len(earlier):
            return at + (int(earlier[-1]) + 1) * layout.width
    spaces = np.flatnonzero(units == _SPACE)
    return (
        first + (int(spaces[-1]) + 1) * layout.width if len(spaces) else _between_characters(file, start, end, layout)
    )


def _between_characters(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> int:
    """Return the last place at or before a byte where a character begins."""
    decoder = codecs.getincrementaldecoder("utf-8" if layout.encoding == "cesu-8" else layout.encoding)("replace")
    file.seek(start)
    for at in range(start, end, PIECE):
        decoder.decode(file.read(min(at + PIECE, end) - at))
    return end - len(decoder.getstate()[0])


def row_ends(file: BinaryIO, size: int, layout: CharacterLayout, delimiter: str) -> "Iterator[Places]":
    """Yield the bytes behind the rows of a table, many at a time.

    Args:
        file: The table.
        size: Its bytes.
        layout: How it is written.
        delimiter: Between two cells.
    """
    import numpy as np

    at, held = layout.begin, b""
    for start in range(layout.begin, size, PIECE):
        file.seek(start)
        held += file.read(min(PIECE, size - start))
        units = units_of(held, layout)
        ends = _ends_in(units, layout.line_end, delimiter)
        if not len(ends) and (len(held) > _LONGEST_ROW or start + PIECE >= size):
            ends = np.flatnonzero(units == layout.line_end).astype(np.int64)
        if len(ends):
            behind = (ends + 1) * layout.width
            yield at + behind
            held = held[int(behind[-1]) :]
            at += int(behind[-1])


def _ends_in(units: "NDArray[np.unsignedinteger]", line_end: int, delimiter: str) -> "Places":
    """Return where rows end in a piece of a table that begins with a row."""
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
    """Return where quoted cells begin and end, as csv reads them: a mark opens one at the beginning of a cell only."""
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
