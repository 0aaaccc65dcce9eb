"""A file of vectors that is never changed: mapped, not read, so that opening it takes no time and no memory."""

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.durable import Stop, checksum_from, release, written_anew

PIECE = 2048
"""Vectors that are handled at a time: 3 MB of those that are 384 wide."""

# Magic with format number, width, how many, checksum of the ids, of the rows, and of this head before it.
_HEAD = struct.Struct("<8sIQIII")
_MAGIC = b"KWVECTS1"
# Ids begin on an even place for their type, rows after them.
_START = 64
_ID, _VALUE = np.dtype("<i8"), np.dtype("<f4")
_DAMAGED = "The search index is damaged."
_HINT = "The program makes the index anew from the library."


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """An open file: ids ascending, rows in their order; the system may drop its pages from memory at any time.

    Attributes:
        path: The file.
        ids: int64 [n].
        rows: float32 [n, dim].
        checksum: That of the rows when they were written.
    """

    path: Path
    ids: NDArray[np.int64]
    rows: NDArray[np.float32]
    checksum: int
    _map: mmap.mmap

    @classmethod
    def open(cls, path: Path, *, dim: int) -> "Segment":
        """Map a file: its head, length and ids are checked now, its rows by is_sound().

        Raises:
            IndexUnavailable: It is absent, cut short, damaged, or not such a file.
        """
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD.size)
                magic, width, count, of_ids, of_rows, of_head = _HEAD.unpack(head)
                size = _START + count * (_ID.itemsize + width * _VALUE.itemsize)
                if magic != _MAGIC or width != dim or not count or of_head != zlib.crc32(head[:-4]):
                    raise IndexUnavailable(_DAMAGED, _HINT)
                if path.stat().st_size != size:
                    raise IndexUnavailable(_DAMAGED, _HINT)
                mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except (OSError, ValueError, OverflowError, struct.error) as error:
            raise IndexUnavailable("The search index cannot be read.", _HINT) from error
        ids = np.frombuffer(mapped, _ID, count, _START)
        if zlib.crc32(ids.data) != of_ids:
            raise IndexUnavailable(_DAMAGED, _HINT)
        rows = np.frombuffer(mapped, _VALUE, count * dim, _START + ids.nbytes).reshape(count, dim)
        return cls(path, ids, rows, of_rows, mapped)

    def is_sound(self, stop: Stop) -> bool:
        """Read the whole file; whether the rows are what was written. True where it was to stop before it knew."""
        try:
            return checksum_from(self.path, _START + self.ids.nbytes, stop) in (None, self.checksum)
        except OSError:
            return False

    def release(self) -> None:
        """Give the pages back; the system still keeps them as long as it has nothing better to keep."""
        release(self._map)


def write_segment(path: Path, ids: NDArray[np.int64], rows: Iterator[NDArray[np.float32]], *, dim: int) -> None:
    """Write a segment so that a kill at any moment leaves no file, or a whole one.

    Args:
        path: The file.
        ids: int64 [n], ascending.
        rows: Their vectors, some at a time.
        dim: Width of a vector.

    Raises:
        IndexUnavailable: It cannot be written.
    """
    numbers = np.ascontiguousarray(ids, _ID)
    with written_anew(path) as file:
        file.write(bytes(_START))
        file.write(numbers.data)
        checksum = 0
        for some in rows:
            block = np.ascontiguousarray(some, _VALUE).data
            checksum = zlib.crc32(block, checksum)
            file.write(block)
        head = _HEAD.pack(_MAGIC, dim, len(numbers), zlib.crc32(numbers.data), checksum, 0)[:-4]
        file.seek(0)
        file.write(head + struct.pack("<I", zlib.crc32(head)))
