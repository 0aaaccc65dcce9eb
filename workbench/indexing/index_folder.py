"""The one small file that says what an index consists of; to replace it is to save the index."""

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.atomic_files import atomic_rewrite

NAME = "manifest"

# Magic with format number and checksum of what follows; width, generation, how many entries.
_HEAD = struct.Struct("<8sI")
_BODY = struct.Struct("<IQI")
# Number of the segment, its vectors, and for how many bytes the bits of the dead ones follow: 0 when all are alive.
_ENTRY = struct.Struct("<QQI")
_MAGIC = b"KWINDEX1"
_HINT = "The program makes the index anew from the library."


@dataclass(frozen=True, slots=True, eq=False)
class SegmentEntry:
    """One segment of an index.

    Attributes:
        number: Which file.
        count: How many vectors it has.
        dead: bool [count], those that are no longer part of the index; None when all are.
    """

    number: int
    count: int
    dead: NDArray[np.bool_] | None


@dataclass(frozen=True, slots=True, eq=False)
class IndexManifest:
    """What an index consists of.

    Attributes:
        dim: Width of a vector.
        generation: The number of the library state that it agrees with.
        entries: Its segments, oldest first.
    """

    dim: int
    generation: int
    entries: tuple[SegmentEntry, ...]

    def write(self, folder: Path) -> None:
        """Write it so that a kill at any moment leaves the old one or the new one.

        Raises:
            IndexUnavailable: It cannot be written.
        """
        body = [_BODY.pack(self.dim, self.generation, len(self.entries))]
        for entry in self.entries:
            bits = b"" if entry.dead is None else np.packbits(entry.dead).tobytes()
            body += [_ENTRY.pack(entry.number, entry.count, len(bits)), bits]
        data = b"".join(body)
        with atomic_rewrite(folder / NAME) as file:
            file.write(_HEAD.pack(_MAGIC, zlib.crc32(data)) + data)

    @classmethod
    def read(cls, folder: Path) -> "IndexManifest":
        """Return what was written.

        Raises:
            IndexUnavailable: It is absent, cut short, damaged, or not such a file.
        """
        try:
            data = (folder / NAME).read_bytes()
            magic, checksum = _HEAD.unpack_from(data)
            body = data[_HEAD.size :]
            if magic != _MAGIC or zlib.crc32(body) != checksum:
                raise IndexUnavailable("The search index is damaged.", _HINT)
            dim, generation, entries = _BODY.unpack_from(body)
            return cls(dim, generation, tuple(_entries(body, entries)))
        except (OSError, struct.error) as error:
            raise IndexUnavailable("The search index cannot be read.", _HINT) from error


def _entries(body: bytes, entries: int) -> list[SegmentEntry]:
    found, place = [], _BODY.size
    for _ in range(entries):
        number, count, length = _ENTRY.unpack_from(body, place)
        place += _ENTRY.size
        dead = None
        if length:
            bits = np.frombuffer(body, np.uint8, length, place)
            dead = np.unpackbits(bits, count=count).astype(np.bool_)
        found.append(SegmentEntry(number, count, dead))
        place += length
    return found
