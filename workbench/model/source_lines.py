"""Line and row numbers of a document's text in a longer file, counted from 1.

A part of a long file (parsing/long_files.py) is a separate document with its own text. People look up citations in the
whole file, so a citation names the line that an editor or “grep -n” shows, or the row of a spreadsheet.
"""

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark


class LineKind(StrEnum):
    """Unit that is counted in a file."""

    LINE = "line"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Range of adjacent lines or rows of a file.

    Attributes:
        kind: Unit that is counted.
        first: 1-based; rows are counted as in a spreadsheet, including those of titles and column names.
        last: Last line or row, inclusive.
    """

    kind: LineKind
    first: int
    last: int

    @property
    def words(self) -> str:
        """The range in words: "line 120,301", "rows 48,112 to 48,151"."""
        if self.kind is LineKind.ROW:
            several = mark(f"rows {self.first:,} to {self.last:,}")
            return mark(f"row {self.first:,}") if self.first == self.last else several
        several = mark(f"lines {self.first:,} to {self.last:,}")
        return mark(f"line {self.first:,}") if self.first == self.last else several

    def behind(self, place: str) -> str:
        """Return the range in words after those of a place, if it has any: "record 12 “Harbour”, line 120,301"."""
        if not place:
            return self.words
        if self.kind is LineKind.ROW:
            several = mark(f"{place}, rows {self.first:,} to {self.last:,}")
            return mark(f"{place}, row {self.first:,}") if self.first == self.last else several
        several = mark(f"{place}, lines {self.first:,} to {self.last:,}")
        return mark(f"{place}, line {self.first:,}") if self.first == self.last else several


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Lines of a span of a document's text.

    Attributes:
        kind: Unit that is counted.
        starts: Start of each line, as offsets into the document's text, ascending.
        numbers: Number of each line in the whole file, 1-based.
    """

    kind: LineKind
    starts: tuple[int, ...]
    numbers: tuple[int, ...]

    def span(self, start: int, end: int) -> LineSpan | None:
        """Return the line numbers of text[start:end]; None if it ends before the first known line."""
        last = bisect_left(self.starts, end) - 1
        if last < 0:
            return None
        first = min(max(bisect_right(self.starts, start) - 1, 0), last)
        return LineSpan(self.kind, self.numbers[first], self.numbers[last])

    def within(self, start: int, end: int) -> "SourceLines":
        """Return only the lines that contain text[start:end]."""
        first, last = max(bisect_right(self.starts, start) - 1, 0), bisect_left(self.starts, end)
        return SourceLines(self.kind, self.starts[first:last], self.numbers[first:last])


_RECORD = struct.Struct("<II")
RECORD_BYTES = _RECORD.size


@dataclass(frozen=True, slots=True)
class LineTable:
    """Packed lines of a whole document: 8 bytes per line (uint32 offset and number; little-endian).

    A part can have 100,000 lines and more. As bytes they are sent through a pipe without blocking the window.
    """

    kind: LineKind = LineKind.LINE
    data: bytes = b""

    @classmethod
    def pack(cls, kind: LineKind, lines: Iterable[tuple[int, int]]) -> "LineTable":
        """Return a table of lines given as (start offset, number), in the order of the text."""
        values = [value for line in lines for value in line]
        return cls(kind, struct.pack(f"<{len(values)}I", *values))

    def __len__(self) -> int:
        return len(self.data) // RECORD_BYTES

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return _RECORD.iter_unpack(self.data)

    @property
    def unpacked(self) -> SourceLines:
        """The lines as unpacked numbers."""
        values = struct.unpack(f"<{2 * len(self)}I", self.data)
        return SourceLines(self.kind, values[::2], values[1::2])

    def without_first(self, characters: int) -> "LineTable":
        """Return the lines of the text after its first characters were removed."""
        if not characters or not self.data:
            return self
        left = self.unpacked
        first = max(bisect_right(left.starts, characters) - 1, 0)
        pairs = zip(left.starts[first:], left.numbers[first:], strict=True)
        return LineTable.pack(self.kind, ((max(start - characters, 0), number) for start, number in pairs))

    def segments(self, lines: int) -> Iterator[tuple[int, "LineTable"]]:
        """Yield the table in segments of the given number of lines, each with the offset at which it starts."""
        for at in range(0, len(self.data), lines * RECORD_BYTES):
            piece = self.data[at : at + lines * RECORD_BYTES]
            yield _RECORD.unpack_from(piece)[0], LineTable(self.kind, piece)


NO_LINES = LineTable()
"""Empty table, for a document that is not a part of a longer file."""
