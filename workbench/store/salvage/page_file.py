"""A database file and its log -> pages, whatever is broken between them."""

import struct
from pathlib import Path

from workbench.files.positional import PositionalFile
from workbench.store.backups import APPLICATION_ID, LOGS, MAGIC

# https://www.sqlite.org/fileformat2.html#the_database_header
HEADER = 100
FREE, ROOT, BTREE = 2, 1, 5
"""Of pointer maps: a page that is not used, the top of a tree, a page of a tree below its top."""

_OURS = 8192
"""Page size of our databases, for a header that is gone."""
_SIZES = tuple(1 << power for power in range(9, 17))
_LOG_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_LOG_MAGIC = 0x377F0682
_ENTRY = 5


class PageFile:
    """Pages by their numbers, from 1; those that the log has in a later form come from there.

    Attributes:
        size: Bytes of a page.
        usable: Of those, the ones that hold anything.
        count: How many pages there are.
        version: user_version; 0 where the header is gone.
        is_headed: The header could be read.
    """

    def __init__(self, path: Path) -> None:
        """Take the database file; a log beside it is read too.

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
        """Let go of the file."""
        self._file.close()

    @property
    def is_of_another_program(self) -> bool:
        """Whether the header says that it is none of our databases."""
        head = (self.page(1) or b"")[:HEADER]
        return self.is_headed and int.from_bytes(head[68:72], "big") not in (APPLICATION_ID, 0)

    def page(self, number: int) -> bytes | None:
        """Return a page; None where there is none of that number."""
        if number in self._later:
            return self._later[number]
        data = self._bytes((number - 1) * self.size, self.size)
        return data if number > 0 and len(data) == self.size else None

    def place_of(self, number: int) -> tuple[int, int] | None:
        """Return the use of a page and the page above it, as the pointer map has them; None where it does not say."""
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
        """Take in what was committed to the log; returns how many pages the database has with it."""
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
        sums = _summed(data[: _LOG_HEADER.size - 8], order, (0, 0))
        if sums != _LOG_HEADER.unpack_from(data)[6:]:
            return 0
        committed, waiting, place = 0, dict[int, bytes](), _LOG_HEADER.size
        while place + _FRAME.size + size <= len(data):
            number, pages, *rest = _FRAME.unpack_from(data, place)
            body = data[place + _FRAME.size : place + _FRAME.size + size]
            sums = _summed(data[place : place + 8], order, sums)
            sums = _summed(body, order, sums)
            if rest[:2] != list(salts) or tuple(rest[2:]) != sums:
                break  # of an earlier use of the log, or never finished
            waiting[number] = body
            if pages:
                committed = pages
                self._later.update(waiting)
                waiting = {}
            place += _FRAME.size + size
        return committed


def _summed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Return the log's running checksum with more data in it."""
    one, other = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return one, other
