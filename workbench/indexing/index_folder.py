"""The folder of an index: its manifest file and its segment files, which are numbered, opened and cleaned up here.

The manifest lists the segments; replacing it saves the index.
"""

import contextlib
import logging
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.files.changes import delete_file
from workbench.indexing.atomic_files import UNFINISHED, atomic_rewrite
from workbench.indexing.base import DAMAGED, REBUILT_FROM_LIBRARY
from workbench.indexing.ivf import InvertedLists
from workbench.indexing.segment import Segment, SegmentPart

logger = logging.getLogger(__name__)

_NAME = "manifest"
SEGMENT, LISTS = ".vectors", ".lists"

# Magic with format number and checksum of the rest; width, generation, number of entries.
_HEAD = struct.Struct("<8sI")
_BODY = struct.Struct("<IQI")
# Number of the segment, number of its vectors, length in bytes of the bitmap of deleted ones: 0 if none is deleted.
_ENTRY = struct.Struct("<QQI")
_MAGIC = b"KWINDEX1"


@dataclass(frozen=True, slots=True, eq=False)
class SegmentEntry:
    """Entry of one segment in the manifest.

    Attributes:
        number: Number of the file.
        count: Number of vectors in it.
        dead: bool [count], True for deleted vectors; None if none is deleted.
    """

    number: int
    count: int
    dead: NDArray[np.bool_] | None


@dataclass(frozen=True, slots=True, eq=False)
class IndexManifest:
    """List of the segments of an index.

    Attributes:
        dim: Width of a vector.
        generation: Number of the library state that the index matches.
        entries: Its segments, oldest first.
    """

    dim: int
    generation: int
    entries: tuple[SegmentEntry, ...]

    def write(self, folder: Path) -> None:
        """Write the manifest so that a kill at any moment leaves the old one or the new one.

        Raises:
            IndexUnavailable: It cannot be written.
        """
        body = [_BODY.pack(self.dim, self.generation, len(self.entries))]
        for entry in self.entries:
            bits = b"" if entry.dead is None else np.packbits(entry.dead).tobytes()
            body += [_ENTRY.pack(entry.number, entry.count, len(bits)), bits]
        data = b"".join(body)
        with atomic_rewrite(folder / _NAME) as file:
            file.write(_HEAD.pack(_MAGIC, zlib.crc32(data)) + data)

    @classmethod
    def read(cls, folder: Path) -> "IndexManifest":
        """Return the manifest of a folder.

        Raises:
            IndexUnavailable: It is absent, cut short, damaged, or not such a file.
        """
        try:
            data = (folder / _NAME).read_bytes()
            magic, checksum = _HEAD.unpack_from(data)
            body = data[_HEAD.size :]
            if magic != _MAGIC or zlib.crc32(body) != checksum:
                raise IndexUnavailable(DAMAGED, REBUILT_FROM_LIBRARY)
            dim, generation, entries = _BODY.unpack_from(body)
            return cls(dim, generation, tuple(_entries(body, entries)))
        except (OSError, struct.error) as error:
            raise IndexUnavailable("The search index cannot be read.", REBUILT_FROM_LIBRARY) from error


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


def segment_path(folder: Path, number: int) -> Path:
    """Return the path of a segment; the file of its lists has the same name with another suffix."""
    return folder / f"{number:06}{SEGMENT}"


def next_number(folder: Path) -> int:
    """Return an unused file number: Windows cannot replace a file that is open."""
    return max((int(path.stem) for path in folder.glob(f"*{SEGMENT}") if path.stem.isdigit()), default=0) + 1


def opened(folder: Path, entry: SegmentEntry, *, dim: int) -> SegmentPart:
    """Open the files of one segment; damaged lists are left out.

    Raises:
        IndexUnavailable: The segment is absent, damaged, or does not match the manifest.
    """
    path = segment_path(folder, entry.number)
    segment = Segment.open(path, dim=dim)
    if len(segment.ids) != entry.count:
        raise IndexUnavailable(DAMAGED, REBUILT_FROM_LIBRARY)
    lists = None
    if (beside := path.with_suffix(LISTS)).exists():
        try:
            lists = InvertedLists.open(beside, count=entry.count, checksum=segment.checksum)
        except IndexUnavailable as error:
            logger.info("%s They are rebuilt.", error.message)
    return SegmentPart(segment.ids, segment.rows, entry.dead, segment, entry.number, lists)


def sweep(folder: Path, kept: set[int]) -> None:
    """Delete files that the manifest no longer lists, and unfinished files of a killed process."""
    names = {f"{number:06}{suffix}" for number in kept for suffix in (SEGMENT, LISTS)}
    for path in folder.iterdir():
        if path.suffix in (SEGMENT, LISTS, UNFINISHED) and path.name not in names:
            # Windows cannot delete a file that a search still has open: it is deleted the next time.
            with contextlib.suppress(OSError):
                delete_file(path, within=folder)
