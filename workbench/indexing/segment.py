"""Segments of an index.

Vector files that never change, the write buffer in memory, which of them are merged, and one search over all.
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
from workbench.indexing.file_rows import FileRows
from workbench.indexing.flat import best, inner_products
from workbench.indexing.index_file import IndexFile, Stop
from workbench.indexing.ivf import LEAST, InvertedLists

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

# A few ids are looked up one by one, many by a walk over all that the part holds.
_FEW = 16


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPart:
    """Never changed: a change makes another one, so that a search goes on in what it began with.

    Attributes:
        ids: int64 [n]; ascending in a segment.
        rows: float32 [n, dim].
        dead: bool [n], those that are no longer held; None when all are.
        segment: The file that it is of; None where it is to be written to one.
        number: The number of that file.
        lists: The same rows for a search that does not look at all of them; None where there are few, or not yet.
    """

    ids: Ids
    rows: NDArray[np.float32] | FileRows
    dead: NDArray[np.bool_] | None = None
    segment: Segment | None = None
    number: int = 0
    lists: InvertedLists | None = None

    @property
    def count(self) -> int:
        """How many are held."""
        return len(self.ids) - (0 if self.dead is None else int(np.count_nonzero(self.dead)))

    @property
    def places(self) -> Ids:
        """Where those stand that are held."""
        return np.arange(len(self.ids)) if self.dead is None else np.flatnonzero(~self.dead)

    @property
    def is_changed(self) -> bool:
        """Whether anything was done to its files since they were last found to be sound."""
        return any(one is not None and one.file.is_changed for one in (self.segment, self.lists))

    def is_of(self, path: Path) -> bool:
        """Whether a file is one of its own."""
        return any(one is not None and one.path == path for one in (self.segment, self.lists))

    def places_of(self, wanted: Ids) -> Ids:
        """Return where those of the ids stand that are held; they are ascending, none twice."""
        if self.segment is not None and self.ids[-1] - self.ids[0] == len(self.ids) - 1:
            # None is lacking between the first and the last: as it mostly is, 0.1 ms in place of 2.
            found = _between(wanted, self.ids) - int(self.ids[0])
        elif self.segment is None or len(wanted) * _FEW > len(self.ids):
            found = np.flatnonzero(np.isin(self.ids, _between(wanted, self.ids), assume_unique=True))
        else:
            places = np.searchsorted(self.ids, wanted)
            places = np.minimum(places, len(self.ids) - 1)
            found = places[self.ids[places] == wanted]
        return found if self.dead is None else found[~self.dead[found]]

    def without(self, wanted: Ids) -> "SegmentPart":
        """Return the part without these ids: itself where it holds none of them."""
        places = self.places_of(wanted)
        if not len(places):
            return self
        dead = np.zeros(len(self.ids), np.bool_) if self.dead is None else self.dead.copy()
        dead[places] = True
        return replace(self, dead=dead)

    def release(self) -> None:
        """Give back the memory of lists that were looked at."""
        if self.lists is not None:
            self.lists.release()

    def search(self, query: NDArray[np.float32], k: int, allowed: Ids | None) -> Found:
        """Return ids and inner products of the k nearest that are held and allowed, best first; exact."""
        ids, scores = self.products(query, allowed)
        found = best(scores, k)
        return ids[found], scores[found]

    def products(self, query: NDArray[np.float32], allowed: Ids | None) -> Found:
        """Return ids and inner products of all that are held and allowed, as they lie; exact."""
        if allowed is not None:
            places = self.places_of(allowed)
            return self.ids[places], inner_products(self.rows, query, places)
        scores = inner_products(self.rows, query)
        return (self.ids, scores) if self.dead is None else (self.ids[~self.dead], scores[~self.dead])

    def among(self, places: Ids, query: NDArray[np.float32], k: int) -> Found:
        """Return ids and inner products of the k nearest of the rows at some places, best first; exact."""
        scores = inner_products(self.rows, query, places)
        found = best(scores, k)
        return self.ids[places[found]], scores[found]


def _between(wanted: Ids, ids: Ids) -> Ids:
    """Return those of the ascending ids that lie between the lowest and the highest of a part."""
    if not len(ids):
        return wanted[:0]
    return wanted[np.searchsorted(wanted, ids.min()) : np.searchsorted(wanted, ids.max(), side="right")]


class WriteBuffer:
    """Rows that are filled from the front; what was filled is never written again, so that parts may look at it.

    Attributes:
        ROOM: How many it takes: 13 MB of those that are 384 wide.
    """

    ROOM = 8192

    def __init__(self, dim: int) -> None:
        self._ids = np.empty(self.ROOM, np.int64)
        self._rows = np.empty((self.ROOM, dim), np.float32)
        self._used = 0

    @property
    def room(self) -> int:
        """How many more it takes."""
        return len(self._ids) - self._used

    def grown(self, part: SegmentPart | None, ids: NDArray[np.int64], rows: NDArray[np.float32]) -> SegmentPart:
        """Put in what there is room for, and return the part that looks at all of it.

        Args:
            part: The one that looked at it so far; its dead stay dead.
            ids: int64 [n], at most as many as there is room for.
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
"""Vectors of a segment that others were merged into: 400 MB of those that are 384 wide."""

# Segments below it are always merged: each costs a search 20 microseconds.
_LEAST = 1024


def to_write(parts: Sequence[SegmentPart]) -> list[list[SegmentPart]]:
    """Return which parts are to become one new segment each.

    What is new takes with it every segment that is no bigger than what it has become so far: the segments' sizes
    double, and a vector is written again only when its segment's size does. A segment of which a quarter is dead is
    written again without them.
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
    """Return the ids that the parts hold, ascending, and their rows, some at a time."""
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


# Of so few rows each is compared: 1 ms.
_SEARCHING_FEW = 4096
# A search for more wants most of what is near: it goes by every row.
_MOST = 1024
# How many candidates are compared exactly for k: rounding moves few of them further than that.
_TIMES, _MORE = 2, 80


def nearest(parts: Sequence[SegmentPart], query: NDArray[np.float32], k: int, allowed: Ids | None) -> Found:
    """Return ids and inner products of the k nearest that are held and allowed, best first.

    Args:
        parts: What to search.
        query: float32 [dim].
        k: How many at most.
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
    """Return ids and inner products of all that are held and allowed, in the order in which nearest() gives equal ones.

    Args:
        parts: What to look at.
        query: float32 [dim].
        allowed: Ids to look at, ascending; None means all.
    """
    found: list[Found] = [(np.empty(0, np.int64), np.empty(0, np.float32))]
    found += [part.products(query, allowed) for part in parts]
    ids, scores = (np.concatenate(each) for each in zip(*found, strict=True))
    return ids, scores
