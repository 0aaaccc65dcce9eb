"""The file that an index is kept in: written without a copy in memory, checked before it is believed."""

import contextlib
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable

Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]

PIECE = 2048
"""Vectors that are read at a time: 3 MB of those that are 384 wide."""

# Magic with format number, width, generation, how many vectors, and checksum of what follows: all ids, then all rows.
_HEADER = struct.Struct("<8sIQQI")
_MAGIC = b"KWFAISS2"
_IDS, _ROWS = np.dtype("<i8"), np.dtype("<f4")
_HINT = "The program makes the index anew from the library on its next start."


def write_index(path: Path, *, dim: int, generation: int, parts: Sequence[Vectors]) -> None:
    """Write vectors to path so that a kill at any moment leaves the old file or the new one.

    Raises:
        IndexUnavailable: The file cannot be written.
    """
    unfinished = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(bytes(_HEADER.size))
            checksum = 0
            blocks = [np.ascontiguousarray(ids, _IDS).data for ids, _ in parts]
            blocks += [np.ascontiguousarray(rows, _ROWS).data for _, rows in parts]
            for block in blocks:
                checksum = zlib.crc32(block, checksum)
                file.write(block)
            count = sum(len(ids) for ids, _ in parts)
            file.seek(0)
            file.write(_HEADER.pack(_MAGIC, dim, generation, count, checksum))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise IndexUnavailable(
            "The search index could not be saved.", "Free some space; it is made anew on the next start."
        ) from error


@dataclass(frozen=True, slots=True)
class IndexFile:
    """What the head of a file says of it."""

    path: Path
    dim: int
    generation: int
    count: int
    checksum: int

    @classmethod
    def open(cls, path: Path) -> "IndexFile":
        """Read the head.

        Raises:
            IndexUnavailable: The file is absent, cut short, or not such a file.
        """
        try:
            with path.open("rb") as file:
                magic, dim, generation, count, checksum = _HEADER.unpack(file.read(_HEADER.size))
            is_whole = path.stat().st_size == _HEADER.size + count * (_IDS.itemsize + dim * _ROWS.itemsize)
        except (OSError, struct.error) as error:
            raise IndexUnavailable("The search index cannot be read.", _HINT) from error
        if magic != _MAGIC or not is_whole:
            raise IndexUnavailable("The search index is damaged.", _HINT)
        return cls(path, dim, generation, count, checksum)

    def read(self) -> Iterator[Vectors]:
        """Yield the vectors in pieces; what they were is known only when the last one was yielded.

        Raises:
            IndexUnavailable: The file cannot be read, or it turns out that it is damaged.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(_HEADER.size)
                data = file.read(self.count * _IDS.itemsize)
                checksum = zlib.crc32(data)
                ids = np.frombuffer(data, _IDS)
                for start in range(0, self.count, PIECE):
                    some = ids[start : start + PIECE]
                    data = file.read(len(some) * self.dim * _ROWS.itemsize)
                    checksum = zlib.crc32(data, checksum)
                    yield some, np.frombuffer(data, _ROWS).reshape(len(some), self.dim)
        except (OSError, ValueError) as error:
            raise IndexUnavailable("The search index cannot be read.", _HINT) from error
        if checksum != self.checksum:
            raise IndexUnavailable("The search index is damaged.", _HINT)
