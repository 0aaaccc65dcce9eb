"""Segments of an index.

Immutable vector files, the write buffer in memory, the merge policy, and a search over all parts.
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.atomic_files import atomic_rewrite
from workbench.indexing.base import DAMAGED, REBUILT_FROM_LIBRARY
from workbench.indexing.file_rows import FileRows
from workbench.indexing.flat import best, inner_products
from workbench.indexing.index_file import IndexFile, Stop
from workbench.indexing.ivf import LEAST, InvertedLists

PIECE = 2048
"""Number of vectors that are processed at a time: 3 MB at width 384."""

# Magic with format number, width, count, checksum of the ids, of the rows, and of the preceding fields.
_HEAD = struct.Struct("<8sIQIII")
_MAGIC = b"KWVECTS1"
# Ids start at an offset aligned for their type, rows follow them.
_START = 64
_ID, _VALUE = np.dtype("<i8"), np.dtype("<f4")


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """An open segment file: ids ascending, rows in the same order.

    Attributes:
        path: The file.
        ids: int64 [n].
        rows: float32 [n, dim]. In memory if there are fewer than LEAST, 25 MB at width 384: a search reads all of them,
            so that they would be in memory anyway, and reading them again each time would double its time. Later
            changes of the file then have no effect.
        checksum: Checksum of the rows when they were written.
        file: The open file.
    """

    path: Path
    ids: NDArray[np.int64]
    rows: NDArray[np.float32] | FileRows
    checksum: int
    file: IndexFile

    @property
    def is_held(self) -> bool:
        """True if the rows are in memory and were checked when they were read."""
        return not isinstance(self.rows, FileRows)

    @classmethod
    def open(cls, path: Path, *, dim: int) -> "Segment":
        """Open a file and check header, length, ids and the rows kept in memory; is_sound() checks other rows.

        Raises:
            IndexUnavailable: The file is absent, cut short, damaged, or not such a file.
        """
        try:
            file = IndexFile(path)
            head = file.read(0, _HEAD.size)
            magic, width, count, of_ids, of_rows, of_head = _HEAD.unpack(head)
        except OSError as error:
            raise IndexUnavailable("The search index cannot be read.", REBUILT_FROM_LIBRARY) from error
        size = _START + count * (_ID.itemsize + width * _VALUE.itemsize)
        if magic != _MAGIC or width != dim or not count or of_head != zlib.crc32(head[:-4]) or file.size != size:
            raise IndexUnavailable(DAMAGED, REBUILT_FROM_LIBRARY)
        ids = np.empty(count, _ID)
        file.fill([(ids.data.cast("B"), _START)])
        rows: NDArray[np.float32] | FileRows = FileRows(file, _START + ids.nbytes, (count, dim))
        if count < LEAST:
            rows = rows[:]
        if zlib.crc32(ids.data) != of_ids or (not isinstance(rows, FileRows) and zlib.crc32(rows.data) != of_rows):
            raise IndexUnavailable(DAMAGED, REBUILT_FROM_LIBRARY)
        return cls(path, ids, rows, of_rows, file)

    def is_sound(self, stop: Stop) -> bool:
        """Return whether the rows in the file match their checksum; True if it was stopped before the end."""
        return self.file.is_sound(_START + self.ids.nbytes, self.checksum, stop)


def write_segment(path: Path, ids: NDArray[np.int64], rows: Iterator[NDArray[np.float32]], *, dim: int) -> None:
    """Write a segment so that a kill at any moment leaves no file or a complete one.

    Args:
        path: The file.
        ids: int64 [n], ascending.
        rows: Their vectors, in blocks.
        dim: Width of a vector.

    Raises:
        IndexUnavailable: It cannot be written.
    """
    numbers = np.ascontiguousarray(ids, _ID)
    with atomic_rewrite(path) as file:
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


Ids = NDArray[np.int64]
Found = tuple[Ids, NDArray[np.float32]]

# A few ids are looked up by binary search, many by a scan over all ids of the part.
_FEW = 16


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPart:
    """Immutable part of an index: a change creates a new part, so that running searches are not affected.

    Attributes:
        ids: int64 [n]; ascending in a segment.
        rows: float32 [n, dim].
        dead: bool [n], True for deleted vectors; None if none is deleted.
        segment: Its file; None if it is not written yet.
        number: Number of that file.
        lists: The same rows as inverted lists; None if there are few rows, or the lists are not built yet.
    """

    ids: Ids
    rows: NDArray[np.float32] | FileRows
    dead: NDArray[np.bool_] | None = None
    segment: Segment | None = None
    number: int = 0
    lists: InvertedLists | None = None

    @property
    def count(self) -> int:
        """Number of vectors that are not deleted."""
        return len(self.ids) - (0 if self.dead is None else int(np.count_nonzero(self.dead)))

    @property
    def places(self) -> Ids:
        """Positions of the vectors that are not deleted."""
        return np.arange(len(self.ids)) if self.dead is None else np.flatnonzero(~self.dead)

    @property
    def is_changed(self) -> bool:
        """True if one of its files was changed since it was last verified."""
        return any(one is not None and one.file.is_changed for one in (self.segment, self.lists))

    def is_of(self, path: Path) -> bool:
        """Return whether a path is one of its files."""
        return any(one is not None and one.path == path for one in (self.segment, self.lists))

    def places_of(self, wanted: Ids) -> Ids:
        """Return the positions of those given ids that are in the part; the input is ascending and unique."""
        if self.segment is not None and self.ids[-1] - self.ids[0] == len(self.ids) - 1:
            # The ids are consecutive, the usual case: 0.1 ms instead of 2.
            found = _between(wanted, self.ids) - int(self.ids[0])
        elif self.segment is None or len(wanted) * _FEW > len(self.ids):
            found = np.flatnonzero(np.isin(self.ids, _between(wanted, self.ids), assume_unique=True))
        else:
            places = np.searchsorted(self.ids, wanted)
            places = np.minimum(places, len(self.ids) - 1)
            found = places[self.ids[places] == wanted]
        return found if self.dead is None else found[~self.dead[found]]

    def without(self, wanted: Ids) -> "SegmentPart":
        """Return the part without these ids; the part itself if it contains none of them."""
        places = self.places_of(wanted)
        if not len(places):
            return self
        dead = np.zeros(len(self.ids), np.bool_) if self.dead is None else self.dead.copy()
        dead[places] = True
        return replace(self, dead=dead)

    def release(self) -> None:
        """Release the memory of loaded lists."""
        if self.lists is not None:
            self.lists.release()

    def search(self, query: NDArray[np.float32], k: int, allowed: Ids | None) -> Found:
        """Return ids and inner products of the k nearest stored and allowed vectors, best first; exact."""
        ids, scores = self.products(query, allowed)
        found = best(scores, k)
        return ids[found], scores[found]

    def products(self, query: NDArray[np.float32], allowed: Ids | None) -> Found:
        """Return ids and inner products of all stored and allowed vectors, in storage order; exact."""
        if allowed is not None:
            places = self.places_of(allowed)
            return self.ids[places], inner_products(self.rows, query, places)
        scores = inner_products(self.rows, query)
        return (self.ids, scores) if self.dead is None else (self.ids[~self.dead], scores[~self.dead])

    def among(self, places: Ids, query: NDArray[np.float32], k: int) -> Found:
        """Return ids and inner products of the k nearest of the rows at the given positions, best first; exact."""
        scores = inner_products(self.rows, query, places)
        found = best(scores, k)
        return self.ids[places[found]], scores[found]


def _between(wanted: Ids, ids: Ids) -> Ids:
    """Return those of the ascending ids that are between the lowest and the highest of a part."""
    if not len(ids):
        return wanted[:0]
    return wanted[np.searchsorted(wanted, ids.min()) : np.searchsorted(wanted, ids.max(), side="right")]


class WriteBuffer:
    """Append-only buffer of rows; filled rows are never written again, so that parts can be views of them.

    Attributes:
        ROOM: Capacity in rows: 13 MB at width 384.
    """

    ROOM = 8192

    def __init__(self, dim: int) -> None:
        self._ids = np.empty(self.ROOM, np.int64)
        self._rows = np.empty((self.ROOM, dim), np.float32)
        self._used = 0

    @property
    def room(self) -> int:
        """Number of free rows."""
        return len(self._ids) - self._used

    def grown(self, part: SegmentPart | None, ids: NDArray[np.int64], rows: NDArray[np.float32]) -> SegmentPart:
        """Append rows and return the part that is a view of all of them.

        Args:
            part: Previous view; its deleted vectors stay deleted.
            ids: int64 [n], n at most the number of free rows.
            rows: float32 [n, dim].
        """
        end = self._used + len(ids)
        self._ids[self._used : end] = ids
        self._rows[self._used : end] = rows
        dead = None
        if part is not None and part.dead is not None:
            dead = np.concatenate([part.dead, np.zeros(len(ids), np.bool_)])
        self._used = end
        return SegmentPart(self._ids[:end], self._rows[:end], dead)


MOST = 262_144
"""Maximum number of vectors of a merged segment: 400 MB at width 384."""

# Segments smaller than this are always merged: each costs a search 20 microseconds.
_LEAST = 1024


def to_write(parts: Sequence[SegmentPart]) -> list[list[SegmentPart]]:
    """Return groups of parts, each of which should become one new segment.

    New vectors are merged with every segment that is not larger than the group so far: the segments' sizes double, and
    a vector is written again only when the size of its segment doubles. A segment of which more than a quarter is
    deleted is written again without the deleted vectors.
    """
    fresh = [part for part in parts if part.segment is None]
    wasteful = [part for part in parts if part.segment is not None and 4 * part.count < 3 * len(part.ids)]
    groups = []
    if fresh:
        group, size = list(fresh), sum(part.count for part in fresh)
        for part in sorted((part for part in parts if part.segment is not None), key=lambda part: part.count):
            if part.count > max(size, _LEAST) or size + part.count > MOST:
                break
            group.append(part)
            size += part.count
        groups.append(group)
    taken = {id(part) for group in groups for part in group}
    return groups + [[part] for part in wasteful if id(part) not in taken]


def merged(parts: Sequence[SegmentPart]) -> tuple[NDArray[np.int64], Iterator[NDArray[np.float32]]]:
    """Return the ids of the parts, ascending, and their rows, in blocks."""
    places = [part.places for part in parts]
    ids = np.concatenate([part.ids[some] for part, some in zip(parts, places, strict=True)])
    order = np.argsort(ids)
    owner = np.repeat(np.arange(len(parts)), [len(some) for some in places])[order]
    place = np.concatenate(places)[order]
    return ids[order], _rows(parts, owner, place)


def _rows(
    parts: Sequence[SegmentPart], owner: NDArray[np.int64], place: NDArray[np.int64]
) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(owner), PIECE):
        owners, places = owner[start : start + PIECE], place[start : start + PIECE]
        rows = np.empty((len(owners), parts[0].rows.shape[1]), np.float32)
        for number in np.unique(owners):
            mine = owners == number
            rows[mine] = parts[number].rows[places[mine]]
        yield rows


# Up to this number of rows, each is compared: 1 ms.
_SEARCHING_FEW = 4096
# A search for more results than this compares every row, as it needs most of the near ones anyway.
_MOST = 1024
# Factor and offset of the number of candidates compared exactly for k: rounding moves few of them further.
_TIMES, _MORE = 2, 80


def nearest(parts: Sequence[SegmentPart], query: NDArray[np.float32], k: int, allowed: Ids | None) -> Found:
    """Return ids and inner products of the k nearest stored and allowed vectors, best first.

    Args:
        parts: Parts to search.
        query: float32 [dim].
        k: Maximum number of results.
        allowed: Ids to search among, ascending; None means all.
    """
    wanted = _TIMES * k + _MORE
    found: list[Found] = [(np.empty(0, np.int64), np.empty(0, np.float32))]
    rough: list[tuple[SegmentPart, Ids, NDArray[np.float32]]] = []
    for part in parts:
        if part.lists is None or k > _MOST:
            found.append(part.search(query, k, allowed))
            continue
        chosen = None if allowed is None else part.places_of(allowed)
        if chosen is not None and len(chosen) <= _SEARCHING_FEW:
            found.append(part.among(chosen, query, k))
        else:
            places, scores = part.lists.nearest(query, wanted, chosen=chosen, dead=part.dead)
            if len(places) < min(k, part.count if chosen is None else len(chosen)):
                found.append(part.search(query, k, allowed))
            else:
                rough.append((part, places, scores))
    if rough:
        every = np.concatenate([scores for _, _, scores in rough])
        least = np.partition(every, -wanted)[-wanted] if len(every) > wanted else -np.inf
        found += [part.among(np.sort(places[scores >= least]), query, k) for part, places, scores in rough]
    ids, products = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(-products, kind="stable")[:k]
    return ids[order], products[order]


def products(parts: Sequence[SegmentPart], query: NDArray[np.float32], allowed: Ids | None) -> Found:
    """Return ids and inner products of all stored and allowed vectors, in the order that nearest() uses for ties.

    Args:
        parts: Parts to read.
        query: float32 [dim].
        allowed: Ids to include, ascending; None means all.
    """
    found: list[Found] = [(np.empty(0, np.int64), np.empty(0, np.float32))]
    found += [part.products(query, allowed) for part in parts]
    ids, scores = (np.concatenate(each) for each in zip(*found, strict=True))
    return ids, scores
