"""Division of long files into parts: text between lines, tables between rows, mailboxes between messages.

    file -> spans and names of its parts -> one part at a time, written as UTF-8

Divisions are found from the beginning: appending to a log only changes its last parts.
"""

import codecs
import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from workbench.errors import DocumentTooLarge
from workbench.language import mark
from workbench.model.document_name import whole_name
from workbench.parsing.encoding import detect_in_file
from workbench.parsing.formats import CATALOGUE
from workbench.parsing.long_file_lines import PIECE, CharacterLayout, count_lines, layout_of, line_break, row_ends
from workbench.parsing.parser_registry import parser_named, suffix_of

LONG = 24 * 2**20
"""Maximum bytes of a file that is read as one document."""
PART = 4 * 2**20
"""Approximate bytes of a part: four novels as long as War and Peace, or 100,000 rows."""
MOST_PARTS = 999

_NEAR = 2**16
_HEAD = 2**16
"""Maximum bytes of the header that is repeated at the start of each part."""
_HEAD_ROWS = 10
_LONGEST_STEM = 120

_LINES, _ROWS, _MESSAGES = "lines", "rows", "messages"
_UNITS = {one.format: one.unit for one in CATALOGUE}
_JSON_LINES = frozenset((".jsonl", ".ndjson", ".jsonlines"))
_MESSAGE = (b"\n\nFrom ", b"\n\r\nFrom ")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LongFilePart:
    """Part of a file.

    Attributes:
        name: Name of the file to which it is written.
        start: Start offset in the whole file, in bytes.
        end: End offset in the whole file, exclusive.
        file_size: Its bytes when written.
    """

    name: str
    start: int
    end: int
    file_size: int


@dataclass(frozen=True, slots=True)
class Division:
    """Division of a file into parts.

    Attributes:
        parts: In order.
        unit: Unit of the count: lines, rows or messages.
        count: Number of units in the file.
        encoding: Python's name of the encoding; empty if the bytes are copied unchanged.
        head: UTF-8 text repeated at the start of each part but the first: the names of the columns.
    """

    parts: tuple[LongFilePart, ...]
    unit: str
    count: int
    encoding: str = ""
    head: bytes = b""

    def sentence(self, name: str) -> str:
        """Return the description of the division for people."""
        number = len(self.parts)
        if self.unit == _ROWS:
            return mark(f"“{name}” has {self.count:,} rows: it is read in {number:,} parts, each a document.")
        if self.unit == _MESSAGES:
            return mark(f"“{name}” has {self.count:,} messages: it is read in {number:,} parts, each a document.")
        return mark(f"“{name}” has {self.count:,} lines: it is read in {number:,} parts, each a document.")


def is_part(path: Path) -> bool:
    """Return True if a path has the name of a part; its parent is then the whole file."""
    whole = whole_name(path.name)
    return whole != path.name and Path(whole).stem == _stem(path.parent.name)


def can_be_long(path: Path) -> bool:
    """Return True if a file with this name is read in parts if it is long."""
    return bool(_unit_by_name(path))


def is_long(path: Path, size: int) -> bool:
    """Return True if a file is read in parts, by its name and size; its content is not read.

    Args:
        path: Path of the file, or its path in an archive treated as a folder.
        size: Bytes.
    """
    return size > LONG and bool(_unit_by_name(path))


def divide(path: Path, name: str) -> Division:
    """Return the division of a file; a single part if it cannot be divided. Blocking, about 0.5 GB/s.

    Args:
        path: The file.
        name: Name of the file for display and for its format.

    Raises:
        DocumentError: It contains no text, or is too long even for parts.
        OSError: It cannot be read.
    """
    status = path.stat()
    if status.st_size > MOST_PARTS * PART:
        raise DocumentTooLarge(
            f"“{name}” is larger than {MOST_PARTS * PART // 2**30} GB, the limit for files that are read in parts.",
            "Divide it into several files.",
        )
    return _divided(path, name, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=100)
def _divided(path: Path, name: str, size: int, _mtime_ns: int) -> Division:
    unit = _unit_by_name(Path(name))
    with path.open("rb") as file:
        if unit == _MESSAGES:
            spans = _spans(0, size, lambda at: _next_message(file, at, size))
            counts = [_count_messages(file, start, end) for start, end in spans]
            return _division(name, unit, spans, counts, [end - start for start, end in spans])
        layout = layout_of(file, detect_in_file(file)[0])
        head, head_end = b"", layout.begin
        if unit == _ROWS:
            delimiter = _delimiter(file, layout)
            head, head_end = _head(file, size, layout, delimiter)
            spans, counts = _row_spans(file, size, layout, delimiter, head_end)
        else:
            spans = _spans(
                layout.begin, size, lambda at: line_break(file, at, _aligned(at + PART, layout), layout, _NEAR)
            )
            counts = [count_lines(file, start, end, layout) for start, end in spans]
            counts[-1] += not _ends_in_line_end(file, size, layout)
        extra = len(codecs.BOM_UTF8)
        sizes = [
            extra + (len(head) if start >= head_end else 0) + _written_size(file, start, end, layout.encoding)
            for start, end in spans
        ]
    return _division(name, unit, spans, counts, sizes, layout.encoding, head)


def write_part(path: Path, division: Division, part: LongFilePart, target: Path) -> None:
    """Write one part of a file to a separate file; blocking.

    Raises:
        OSError: Reading or writing failed.
    """
    with path.open("rb") as file, target.open("wb") as copy:
        if division.encoding:
            # The byte order mark prevents detection of another encoding.
            copy.write(codecs.BOM_UTF8)
        if part != division.parts[0]:
            copy.write(division.head)
        for piece in _as_utf8(file, part.start, part.end, division.encoding):
            copy.write(piece)


def _unit_by_name(path: Path) -> str:
    """Return the unit between which a file can be divided; empty if its parts would not be valid documents."""
    suffix = suffix_of(path)
    if not suffix:
        return _LINES
    named = parser_named(path)
    if named is None:
        return ""
    return _LINES if suffix in _JSON_LINES else _UNITS.get(named.format, "")


def _division(
    name: str, unit: str, spans: list[Span], counts: list[int], sizes: list[int], encoding: str = "", head: bytes = b""
) -> Division:
    # A part of a file without suffix gets .txt, so that the end of its name is not taken for one.
    suffix = Path(name).suffix if suffix_of(Path(name)) else ".txt"
    stem = _stem(name)
    parts = []
    before = 0
    for number, ((start, end), count, size) in enumerate(zip(spans, counts, sizes, strict=True), 1):
        called = f"{stem}, part {number:03}, {unit} {before + 1:,} to {max(before + count, before + 1):,}{suffix}"
        parts.append(LongFilePart(called, start, end, size))
        before += count
    return Division(tuple(parts), unit, before, encoding, head)


def _stem(name: str) -> str:
    suffix = Path(name).suffix if suffix_of(Path(name)) else ""
    return name.removesuffix(suffix)[:_LONGEST_STEM].strip()


def _spans(begin: int, size: int, next_cut: Callable[[int], int]) -> list[Span]:
    spans = []
    while size - begin > PART + PART // 2:
        cut = next_cut(begin)
        spans.append((begin, cut))
        begin = cut
    return [*spans, (begin, size)] if begin < size or not spans else spans


def _aligned(at: int, layout: CharacterLayout) -> int:
    return at - (at - layout.begin) % layout.width


def _ends_in_line_end(file: BinaryIO, size: int, layout: CharacterLayout) -> bool:
    last = _aligned(size, layout) - layout.width
    return count_lines(file, max(last, layout.begin), size, layout) > 0


def _delimiter(file: BinaryIO, layout: CharacterLayout) -> str:
    # Same detection as the table's parser, imported for tables only.
    from workbench.parsing.csv_parser import delimiter_of

    return delimiter_of(_text(file, layout.begin, layout.begin + PIECE, layout))


def _head(file: BinaryIO, size: int, layout: CharacterLayout, delimiter: str) -> tuple[bytes, int]:
    """Return the titles and column names above the first row of values, and the offset of their end."""
    rows: list[str] = []
    ends: list[int] = []
    for piece in row_ends(file, size, layout, delimiter):
        start = layout.begin
        for end in piece[:_HEAD_ROWS].tolist():
            rows.append(_text(file, start, min(end, start + _HEAD), layout))
            ends.append(end)
            start = end
        break
    if not rows:
        return b"", layout.begin
    filled = [sum(map(bool, next(csv.reader(io.StringIO(row), delimiter=delimiter), []))) for row in rows]
    last = next((number for number, cells in enumerate(filled) if cells > 1), None)
    if last is None:
        last = int(rows[0].startswith("sep=") and len(rows) > 1)
    head = b"".join(_as_utf8(file, layout.begin, ends[last], layout.encoding)) if ends[last] <= _HEAD else b""
    return head, ends[last]


def _text(file: BinaryIO, start: int, end: int, layout: CharacterLayout) -> str:
    return b"".join(_as_utf8(file, start, end, layout.encoding)).decode("utf-8", "replace")


def _row_spans(
    file: BinaryIO, size: int, layout: CharacterLayout, delimiter: str, head_end: int
) -> tuple[list[Span], list[int]]:
    """Return the parts of a table, and the number of rows in each."""
    spans: list[Span] = []
    counts: list[int] = []
    begin = last = layout.begin
    count = 0
    for ends in row_ends(file, size, layout, delimiter):
        rows = ends[ends > head_end]
        while len(rows) and size - begin > PART + PART // 2:
            fitting = int(rows.searchsorted(begin + PART, side="right"))
            if fitting == len(rows):
                break
            if not fitting and last <= begin:
                fitting = 1  # a row longer than a part
            cut = int(rows[fitting - 1]) if fitting else last
            spans.append((begin, cut))
            counts.append(count + fitting)
            begin, count, rows = cut, 0, rows[fitting:]
        count += len(rows)
        last = int(ends[-1]) if ends[-1] > head_end else last
    if last < size and size > head_end:
        count += 1  # without a line end
    return [*spans, (begin, size)], [*counts, count]


def _next_message(file: BinaryIO, begin: int, size: int) -> int:
    """Return the start of the last message within a part's length, or of the next one if a message is longer."""
    file.seek(begin)
    data = file.read(PART)
    if place := max(_message_in(data, bytes.rfind)):
        return begin + place
    overlap = max(map(len, _MESSAGE))
    for start in range(begin + PART - overlap, size, PART):
        file.seek(start)
        if found := [place for place in _message_in(file.read(PART + overlap), bytes.find) if place]:
            return start + min(found)
    return size


def _message_in(data: bytes, find: Callable[[bytes, bytes], int]) -> list[int]:
    """Return the start of a message after each kind of blank line, 0 if there is none."""
    places = [(find(data, pattern), pattern) for pattern in _MESSAGE]
    return [place + pattern.index(b"F") if place >= 0 else 0 for place, pattern in places]


def _count_messages(file: BinaryIO, start: int, end: int) -> int:
    """Return the number of messages in a part of a mailbox, including the one at its start."""
    overlap = max(map(len, _MESSAGE)) - 1
    count = 1
    for at in range(start, end, PIECE):
        file.seek(at)
        data = file.read(min(PIECE + overlap, end - at))
        count += sum(data.count(pattern, 0, PIECE + len(pattern) - 1) for pattern in _MESSAGE)
    return count


def _written_size(file: BinaryIO, start: int, end: int, encoding: str) -> int:
    return end - start if encoding == "utf-8" else sum(map(len, _as_utf8(file, start, end, encoding)))


def _as_utf8(file: BinaryIO, start: int, end: int, encoding: str) -> Iterator[bytes]:
    """Yield the bytes between two offsets as UTF-8, a few megabytes at a time; unchanged if there is no encoding."""
    is_cesu = encoding == "cesu-8"
    decoder = None
    if encoding not in ("", "utf-8"):
        decoder = codecs.getincrementaldecoder("utf-8" if is_cesu else encoding)(
            "surrogatepass" if is_cesu else "replace"
        )
    for at in range(start, end, PIECE):
        file.seek(at)
        data = file.read(min(PIECE, end - at))
        if decoder is None:
            yield data
            continue
        text = decoder.decode(data, final=at + PIECE >= end)
        if is_cesu:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        yield text.encode("utf-8", "replace")
