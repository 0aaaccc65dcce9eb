"""A file of vectors that is never changed: a small one is read into memory, of a big one what a search wants."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.durable import written_anew
from workbench.indexing.file_rows import FileRows
from workbench.indexing.index_file import IndexFile, Stop
from workbench.indexing.lists import LEAST

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
    """An open file: ids ascending, rows in their order.

    Attributes:
        path: The file.
        ids: int64 [n].
        rows: float32 [n, dim]. In memory where they are fewer than lists are made of, 25 MB of those that are 384 wide:
            a search looks at all of these, so that they would be in memory anyway, and to read them anew each time
            would double what it takes. What becomes of the file is no matter then.
        checksum: That of the rows when they were written.
        file: What is open.
    """

    path: Path
    ids: NDArray[np.int64]
    rows: NDArray[np.float32] | FileRows
    checksum: int
    file: IndexFile

    @property
    def is_held(self) -> bool:
        """Whether its rows are in memory, and were checked when they were read."""
        return not isinstance(self.rows, FileRows)

    @classmethod
    def open(cls, path: Path, *, dim: int) -> "Segment":
        """Open a file: its head, length and ids are checked now, its rows where they are held, else by is_sound().

        Raises:
            IndexUnavailable: It is absent, cut short, damaged, or not such a file.
        """
        try:
            file = IndexFile(path)
            head = file.read(0, _HEAD.size)
            magic, width, count, of_ids, of_rows, of_head = _HEAD.unpack(head)
        except OSError as error:
            raise IndexUnavailable("The search index cannot be read.", _HINT) from error
        size = _START + count * (_ID.itemsize + width * _VALUE.itemsize)
        if magic != _MAGIC or width != dim or not count or of_head != zlib.crc32(head[:-4]) or file.size != size:
            raise IndexUnavailable(_DAMAGED, _HINT)
        ids = np.empty(count, _ID)
        file.fill([(ids.data.cast("B"), _START)])
        rows: NDArray[np.float32] | FileRows = FileRows(file, _START + ids.nbytes, (count, dim))
        if count < LEAST:
            rows = rows[:]
        if zlib.crc32(ids.data) != of_ids or (not isinstance(rows, FileRows) and zlib.crc32(rows.data) != of_rows):
            raise IndexUnavailable(_DAMAGED, _HINT)
        return cls(path, ids, rows, of_rows, file)

    def is_sound(self, stop: Stop) -> bool:
        """Read the whole file; whether the rows are what was written. True where it was to stop before it knew."""
        return self.file.is_sound(_START + self.ids.nbytes, self.checksum, stop)


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
