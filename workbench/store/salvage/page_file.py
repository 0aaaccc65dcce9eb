"""Reader for the pages, cells and rows of a damaged database file and its log.

https://www.sqlite.org/fileformat2.html#b_tree_pages and #record_format
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.files.positional import PositionalFile
from workbench.store.backups import APPLICATION_ID, LOGS, MAGIC

# https://www.sqlite.org/fileformat2.html#the_database_header
HEADER = 100
FREE, ROOT, BTREE = 2, 1, 5
"""Page types in pointer maps: unused page, root page of a tree, page of a tree below its root."""

_OURS = 8192
"""Page size of our databases, used if the header is missing."""
_SIZES = tuple(1 << power for power in range(9, 17))
_LOG_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_LOG_MAGIC = 0x377F0682
_ENTRY = 5


class PageFile:
    """Pages by their numbers, from 1; pages with a later version in the log are read from there.

    Attributes:
        size: Page size in bytes.
        usable: Usable bytes of a page.
        count: Number of pages.
        version: user_version; 0 if the header is missing.
        is_headed: The header could be read.
    """

    def __init__(self, path: Path) -> None:
        """Open the database file; a log next to it is read too.

        Raises:
            OSError: The file cannot be read.
        """
        self._file = PositionalFile(path)
        self._length = self._file.stamp().size
        self._later: dict[int, bytes] = {}
        head = self._bytes(0, HEADER)
        self.size, self.usable = self._page_size(head)
        in_log = self._read_log(path.with_name(path.name + LOGS[0]))
        self.count = max(self._length // self.size, in_log)
        head = (self.page(1) or b"")[:HEADER]
        self.is_headed = head.startswith(MAGIC)
        self.version = int.from_bytes(head[60:64], "big") if self.is_headed else 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def is_of_another_program(self) -> bool:
        """True if the header identifies the file as another program's database."""
        head = (self.page(1) or b"")[:HEADER]
        return self.is_headed and int.from_bytes(head[68:72], "big") not in (APPLICATION_ID, 0)

    def page(self, number: int) -> bytes | None:
        """Return a page; None if there is no page of that number."""
        if number in self._later:
            return self._later[number]
        data = self._bytes((number - 1) * self.size, self.size)
        return data if number > 0 and len(data) == self.size else None

    def place_of(self, number: int) -> tuple[int, int] | None:
        """Return the type and the parent of a page as recorded in the pointer map; None if there is no valid entry."""
        if number < 3:
            return None
        per_map = self.usable // _ENTRY
        of_map = 2 + (number - 2) // (per_map + 1) * (per_map + 1)
        if of_map == number or (data := self.page(of_map)) is None:
            return None
        start = _ENTRY * (number - of_map - 1)
        kind, above = data[start], int.from_bytes(data[start + 1 : start + _ENTRY], "big")
        return (kind, above) if 1 <= kind <= BTREE and above <= self.count else None

    def is_map(self, number: int) -> bool:
        """Return whether a page is a pointer map, in a database that has them, as ours do."""
        return number >= 2 and (number - 2) % (self.usable // _ENTRY + 1) == 0

    def _bytes(self, start: int, length: int) -> bytes:
        return self._file.read(start, length) if start >= 0 else b""

    def _page_size(self, head: bytes) -> tuple[int, int]:
        if head.startswith(MAGIC):
            size = int.from_bytes(head[16:18], "big")
            size = 65536 if size == 1 else size
            if size in _SIZES and head[20] < size // 4:
                return size, size - head[20]
        return _OURS, _OURS

    def _read_log(self, path: Path) -> int:
        """Read the committed pages of the log; return the number of pages of the database including it."""
        try:
            data = path.read_bytes()
        except OSError:
            return 0
        if len(data) < _LOG_HEADER.size:
            return 0
        magic, _version, size, _checkpoint, *salts = _LOG_HEADER.unpack_from(data)[:6]
        if magic & ~1 != _LOG_MAGIC or size not in _SIZES:
            return 0
        if not self._bytes(0, len(MAGIC)).startswith(MAGIC):
            self.size = self.usable = size
        if size != self.size:
            return 0
        order = ">" if magic & 1 else "<"
        sums = _update_checksum(data[: _LOG_HEADER.size - 8], order, (0, 0))
        if sums != _LOG_HEADER.unpack_from(data)[6:]:
            return 0
        committed, waiting, place = 0, dict[int, bytes](), _LOG_HEADER.size
        while place + _FRAME.size + size <= len(data):
            number, pages, *rest = _FRAME.unpack_from(data, place)
            body = data[place + _FRAME.size : place + _FRAME.size + size]
            sums = _update_checksum(data[place : place + 8], order, sums)
            sums = _update_checksum(body, order, sums)
            if rest[:2] != list(salts) or tuple(rest[2:]) != sums:
                break  # left from an earlier use of the log, or never finished
            waiting[number] = body
            if pages:
                committed = pages
                self._later.update(waiting)
                waiting = {}
            place += _FRAME.size + size
        return committed


def _update_checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the log's running checksum updated with more data."""
    one, other = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return one, other


INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 2, 5, 10, 13
KINDS = (INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE)

Value = int | float | str | bytes | None

_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_REAL = struct.Struct(">d")


class Unreadable(Exception):
    """Error for bytes that violate the file format."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row as stored.

    Attributes:
        number: Its rowid; None in a table without rowids.
        values: In the order of the table's columns; in a table without rowids, the key comes first.
    """

    number: int | None
    values: tuple[Value, ...]


def kind_of(page: bytes | None, number: int) -> int:
    """Return the type of a b-tree page, 0 for any other page."""
    if page is None:
        return 0
    kind = page[_head(number)]
    return kind if kind in KINDS else 0


def children(pages: PageFile, number: int) -> list[int]:
    """Return the child pages of a page, as far as they are readable."""
    page = pages.page(number)
    if page is None or kind_of(page, number) not in (INTERIOR_INDEX, INTERIOR_TABLE):
        return []
    head = _head(number)
    found = [int.from_bytes(page[place : place + 4], "big") for place in _cells(page, number, 12)]
    found.append(int.from_bytes(page[head + 8 : head + 12], "big"))
    return [one for one in found if 1 < one <= pages.count]


def rows(pages: PageFile, number: int) -> Iterator[StoredRow | None]:
    """Yield the rows of a page, None for each row that cannot be read."""
    page = pages.page(number)
    kind = kind_of(page, number)
    if page is None or kind in (0, INTERIOR_TABLE):
        return
    for place in _cells(page, number, 12 if kind == INTERIOR_INDEX else 8):
        try:
            yield _row(pages, page, place, kind)
        except (Unreadable, IndexError, struct.error, UnicodeDecodeError, OverflowError):
            yield None


def _head(number: int) -> int:
    return HEADER if number == 1 else 0


def _cells(page: bytes, number: int, header: int) -> list[int]:
    """Return the offsets of the cells of a page; offsets outside the page are left out."""
    head = _head(number)
    many = int.from_bytes(page[head + 3 : head + 5], "big")
    first = head + header
    many = min(many, (len(page) - first) // 2)
    places = struct.unpack_from(f">{many}H", page, first)
    return [place for place in places if first + 2 * many <= place < len(page) - 3]


def _row(pages: PageFile, page: bytes, place: int, kind: int) -> StoredRow:
    if kind == INTERIOR_INDEX:
        place += 4
    length, place = _varint(page, place)
    number: int | None = None
    if kind == LEAF_TABLE:
        number, place = _varint(page, place)
        number = number - (1 << 64) if number >= 1 << 63 else number
    return StoredRow(number, _values(_payload(pages, page, place, length, is_table=kind == LEAF_TABLE)))


def _payload(pages: PageFile, page: bytes, place: int, length: int, *, is_table: bool) -> bytes:
    usable = pages.usable
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return _exactly(page[place : min(place + length, usable)], length)
    if length > usable * pages.count:
        raise Unreadable("longer than the file")
    least = (usable - 12) * 32 // 255 - 23
    here = least + (length - least) % (usable - 4)
    here = here if here <= most else least
    parts, left = [page[place : place + here]], length - here
    following = int.from_bytes(page[place + here : place + here + 4], "big")
    seen: set[int] = set()
    while left > 0:
        more = pages.page(following)
        # If overwritten by zeros, the last page would pass for one without further content.
        if more is None or following in seen or not any(more):
            raise Unreadable("the rest of the row is not there")
        seen.add(following)
        parts.append(more[4 : min(usable, 4 + left)])
        left -= usable - 4
        following = int.from_bytes(more[:4], "big")
    return _exactly(b"".join(parts), length)


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise Unreadable("cut short")
    return data


def _values(payload: bytes) -> tuple[Value, ...]:
    header, place = _varint(payload, 0)
    if not place <= header <= len(payload):
        raise Unreadable("a header that is longer than its row")
    kinds = []
    while place < header:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    if place != header:
        raise Unreadable("a header that does not end")
    found = []
    for kind in kinds:
        value, place = _value(payload, place, kind)
        found.append(value)
    if place != len(payload):
        raise Unreadable("more than the header says")
    return tuple(found)


def _value(payload: bytes, place: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, place
    if kind in (8, 9):
        return kind - 8, place
    if kind == 7:
        return _REAL.unpack_from(payload, place)[0], place + 8
    if kind in _INTEGERS:
        end = place + _INTEGERS[kind]
        return int.from_bytes(_exactly(payload[place:end], end - place), "big", signed=True), end
    if kind < 12:
        raise Unreadable("a kind of value that there is not")
    end = place + (kind - 12) // 2
    data = _exactly(payload[place:end], end - place)
    return (data if kind % 2 == 0 else data.decode()), end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = data[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | data[place + 8], place + 9
