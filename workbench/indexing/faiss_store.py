"""Nearest neighbours by inner product, computed by FAISS; see indexing/__init__.py for the parts."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.base import IndexDamaged, ascending, last_of_each, query_row
from workbench.indexing.index_file import IndexFileChanged, Stop
from workbench.indexing.index_folder import LISTS, IndexManifest, SegmentEntry, next_number, opened, segment_path, sweep
from workbench.indexing.ivf import LEAST, InvertedLists, make_lists
from workbench.indexing.segment import (
    PIECE,
    Segment,
    SegmentPart,
    WriteBuffer,
    merged,
    nearest,
    products,
    to_write,
    write_segment,
)
from workbench.language import mark

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Number of attempts. A file that changes again during each attempt is still being written.
_TRIES = 3
_HINT = mark("The program rebuilds the index from the library on its next start.")

Ids = NDArray[np.int64]


class FaissStore:
    """VectorStore over parts: new vectors in memory, saved vectors in segments.

    A search uses the tuple of parts that was current at its start and takes no lock. Changes are serialised by a lock;
    each replaces the tuple of parts. If another program writes to an open file, the next read detects it; the whole
    file is then checked, and excluded if it is damaged.
    """

    def __init__(self, dim: int, folder: Path | None = None) -> None:
        """Create an empty store.

        Args:
            dim: Width of a vector.
            folder: Folder that save() will write to. Vectors are moved there as they are added, to limit memory use.
        """
        self._dim = dim
        self._folder = folder
        self._generation = 0
        self._parts: tuple[SegmentPart, ...] = ()
        self._tail: WriteBuffer | None = None
        self._changing = threading.RLock()
        self._checked: set[int] = set()
        self._checking = threading.Lock()
        self._is_to_rewrite = False
        self._losses = self._made_good = 0

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return self._dim

    @property
    def count(self) -> int:
        """Number of vectors in the store."""
        return sum(part.count for part in self._parts)

    @property
    def ids(self) -> Ids:
        """Ids in the store, in no order."""
        return np.concatenate([np.empty(0, np.int64), *(part.ids[part.places] for part in self._parts)])

    def existing(self, ids: Ids) -> Ids:
        """Return those of the given ids that the store contains, in no order; the input is ascending and unique."""
        return np.concatenate([np.empty(0, np.int64), *(part.ids[part.places_of(ids)] for part in self._parts)])

    @property
    def generation(self) -> int:
        """Number of the library state that the store matched when it was saved."""
        return self._generation

    def upsert(self, ids: Ids, vectors: NDArray[np.float32]) -> None:
        """Add vectors float32 [n, dim]; an existing id is replaced; the last vector of a duplicate id is used.

        Raises:
            IndexUnavailable: A wrong width, not one vector an id, or not enough space for the vectors.
        """
        numbers, rows = last_of_each(ids, vectors, self._dim)
        with self._changing, _translated():
            self._put(numbers, rows)

    def remove(self, ids: Ids) -> None:
        """Delete these ids; ids that are not in the store are ignored."""
        with self._changing, _translated():
            self._parts = self._without(np.ascontiguousarray(ids, np.int64))

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: Ids | None = None
    ) -> tuple[Ids, NDArray[np.float32]]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest, best first.

        Raises:
            IndexUnavailable: A wrong width, or FAISS failed.
            IndexDamaged: Vectors are missing because a file was excluded; raised until acknowledge_loss() is called.
        """
        query = query_row(vector, self._dim)
        if k < 1:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        wanted = None if allowed is None else ascending(allowed)
        # The setting applies to the calling thread only.
        faiss.omp_set_num_threads(1)
        return self._found_in(lambda parts: nearest(parts, query, k, wanted))

    def products(self, vector: NDArray[np.float32], *, allowed: Ids | None = None) -> tuple[Ids, NDArray[np.float32]]:
        """Return ids int64 [n] and inner products float32 [n] of all stored and allowed vectors, in no order.

        Raises:
            IndexUnavailable: As search.
            IndexDamaged: As search.
        """
        query, wanted = query_row(vector, self._dim), None if allowed is None else ascending(allowed)
        return self._found_in(lambda parts: products(parts, query, wanted))

    @property
    def loss(self) -> int:
        """Number of the last damaged file that was excluded; 0 if no vectors are missing."""
        losses = self._losses
        return losses if losses != self._made_good else 0

    def acknowledge_loss(self, loss: int) -> None:
        """Record that the vectors of that loss were added again, or are known to be missing."""
        self._made_good = max(self._made_good, loss)

    def differing(self, ids: Ids, beginnings: NDArray[np.float32]) -> Ids:
        """Return the ids whose stored vector does not begin with these values.

        Args:
            ids: int64 [n], ascending.
            beginnings: float32 [n, m], the first m values of each.
        """
        width = beginnings.shape[1]

        def looked_at(parts: Sequence[SegmentPart]) -> Ids:
            found = [np.empty(0, np.int64)]
            for part in parts:
                every = part.places_of(ids)
                for places in (every[start : start + PIECE] for start in range(0, len(every), PIECE)):
                    held = part.ids[places]
                    begin = beginnings[np.searchsorted(ids, held)]
                    found.append(held[(part.rows[places][:, :width] != begin).any(axis=1)])
            return np.concatenate(found)

        return self._looked_at(looked_at)

    def save(self, path: Path, *, generation: int) -> None:
        """Write unsaved changes to the folder path so that a kill at any moment leaves the old state or the new one.

        Raises:
            IndexUnavailable: The files cannot be written.
        """
        with self._changing, _translated():
            if path != self._folder:
                self._move(path)
            for part in self._parts:
                self._settle(part, lambda: False)
            for group in to_write(self._parts):
                self._write(group)
            entries = tuple(SegmentEntry(part.number, len(part.ids), part.dead) for part in self._parts)
            IndexManifest(self._dim, generation, entries).write(path)
            self._generation = generation
            sweep(path, {part.number for part in self._parts})

    def maintain(self, stop: Stop) -> bool:
        """Check files that were not checked since they were opened, and build inverted lists for large segments.

        Returns whether a file was damaged or deleted: the store must then be synchronised with the library and saved.
        May take seconds, and returns soon after stop() is true; changes and searches continue during the call.

        Raises:
            IndexUnavailable: There is not enough space for the lists.
        """
        with _translated():
            for part in self._parts:
                if stop() or not self._settle(part, stop) or not self._is_sound(part, stop):
                    continue
                if part.segment is not None and len(part.ids) >= LEAST and self._lists(part.number) is None:
                    self._make_lists(part, stop)
        for part in self._parts:
            part.release()
        is_to_rewrite, self._is_to_rewrite = self._is_to_rewrite, False
        return bool(self.loss) or is_to_rewrite

    def close(self) -> None:
        """Do nothing: files are closed when the last search that uses them has ended."""

    @classmethod
    def load(cls, path: Path) -> "FaissStore":
        """Return the store that was saved to the folder path.

        Raises:
            IndexUnavailable: A file is absent, cut short, damaged, or not such a file.
        """
        store, problems = cls.rescue(path)
        if problems:
            raise problems[0]
        return store

    @classmethod
    def rescue(cls, path: Path, *, to_read: bool = False) -> tuple["FaissStore", list[IndexUnavailable]]:
        """Return the readable part of the store that was saved to the folder path, and the errors of the rest.

        Args:
            path: The folder.
            to_read: Never write to the folder: vectors that are added stay in memory.

        Raises:
            IndexUnavailable: The manifest is missing or damaged.
        """
        manifest = IndexManifest.read(path)
        store, problems = cls(manifest.dim, None if to_read else path), []
        parts = []
        for entry in manifest.entries:
            try:
                parts.append(opened(path, entry, dim=manifest.dim))
            except IndexUnavailable as error:
                problems.append(error)
        store._parts = tuple(parts)
        store._generation = manifest.generation
        return store, problems

    def _put(self, ids: Ids, rows: NDArray[np.float32]) -> None:
        while len(ids):
            room = self._tail.room if self._tail is not None else WriteBuffer.ROOM
            # One assignment: a search sees either the old or the new vectors of replaced ids.
            self._parts = self._appended(self._without(ids[:room]), ids[:room], rows[:room])
            ids, rows = ids[room:], rows[room:]
            if self._tail is not None and not self._tail.room:
                self._tail = None
                self._unload()

    def _appended(self, parts: tuple[SegmentPart, ...], ids: Ids, rows: NDArray[np.float32]) -> tuple[SegmentPart, ...]:
        if self._tail is None:
            self._tail = WriteBuffer(self._dim)
            return (*parts, self._tail.grown(None, ids, rows))
        return (*parts[:-1], self._tail.grown(parts[-1], ids, rows))

    def _unload(self) -> None:
        """Move vectors from memory to the folder, if there is one; if the disk is full they stay in memory."""
        try:
            for group in to_write(self._parts) if self._folder is not None else ():
                self._write(group)
        except IndexUnavailable as error:
            logger.info("%s Vectors stay in memory.", error.message)

    def _without(self, ids: Ids) -> tuple[SegmentPart, ...]:
        wanted = ascending(ids)
        kept = [part.without(wanted) for part in self._parts]
        if self._tail is not None and not kept[-1].count:
            self._tail = None
        return tuple(part for part in kept if part.count)

    def _write(self, group: Sequence[SegmentPart]) -> None:
        """Replace some parts by one new segment; their files are kept until the manifest no longer lists them."""
        assert self._folder is not None
        # Damaged rows would get a valid checksum in a new file.
        sound = [part for part in group if self._is_sound(part, lambda: False)]
        if not sound:
            return
        ids, rows = merged(sound)
        number = next_number(self._folder)
        path = segment_path(self._folder, number)
        write_segment(path, ids, rows, dim=self._dim)
        segment = Segment.open(path, dim=self._dim)
        self._checked.add(number)
        old = {id(part) for part in group}
        if self._tail is not None and id(self._parts[-1]) in old:
            self._tail = None
        made = SegmentPart(segment.ids, segment.rows, None, segment, number)
        self._parts = (made, *(part for part in self._parts if id(part) not in old))

    def _found_in(self, look: Callable[[tuple[SegmentPart, ...]], T]) -> T:
        """Return the result of look(parts); raise IndexDamaged if vectors are missing."""
        is_lacking, losses = bool(self.loss), self._losses
        found = self._looked_at(look)
        if is_lacking or losses != self._losses:
            raise IndexDamaged
        return found

    def _looked_at(self, look: Callable[[tuple[SegmentPart, ...]], T]) -> T:
        """Return the result of look(parts); retry if one of their files was changed during the call."""
        for _ in range(_TRIES):
            try:
                with _translated():
                    return look(self._parts)
            except IndexFileChanged as error:
                self._check_again(error.path)
        raise IndexUnavailable("The search index failed.", _HINT)

    def _check_again(self, path: Path) -> None:
        """Accept a changed file if its checksum is valid, else exclude it."""
        with self._checking:
            for part in self._parts:
                # Another search may already have handled the same change.
                if part.is_of(path) and part.is_changed:
                    self._checked.discard(part.number)
                    self._is_sound(part, lambda: False)

    def _settle(self, part: SegmentPart, stop: Stop) -> bool:
        """Return whether the file of a part is unchanged; if not, mark what is valid for rewriting."""
        segment = part.segment
        if segment is None or (segment.file.is_in_place and not segment.file.is_changed):
            return True
        is_sound = segment.is_sound(stop)
        if stop() or (is_sound and segment.file.is_in_place):
            return True
        if not is_sound and not segment.is_held:
            self._put_aside(part)
        elif self._exchange(part.number, lambda one: SegmentPart(one.ids, one.rows, one.dead)):
            logger.warning("A file of the search index is damaged or gone, and written again: %s", segment.path.name)
            self._is_to_rewrite = True
        return False

    def _put_aside(self, part: SegmentPart) -> None:
        def lost(_: SegmentPart) -> None:
            self._losses += 1  # before a search can see the store without the part

        # A file that a concurrent save deleted is no loss.
        if part.segment is not None and self._exchange(part.number, lost):
            logger.warning("A damaged file of the search index is put aside: %s", part.segment.path.name)

    def _is_sound(self, part: SegmentPart, stop: Stop) -> bool:
        """Return whether the files of a part match their checksums; damaged ones are excluded."""
        if part.segment is None or part.number in self._checked:
            return True
        if not part.segment.is_held and not part.segment.is_sound(stop):
            self._put_aside(part)
            return False
        if part.lists is not None and not part.lists.is_sound(stop):
            self._exchange(part.number, lambda one: replace(one, lists=None))
            logger.info("A file of the search index is rebuilt: %s", part.lists.path.name)
        if not stop():
            self._checked.add(part.number)
        return True

    def _make_lists(self, part: SegmentPart, stop: Stop) -> None:
        assert part.segment is not None
        path, checksum = part.segment.path.with_suffix(LISTS), part.segment.checksum
        write = make_lists(path, part.rows, checksum=checksum, stop=stop)
        if write is None:
            return

        def listed(one: SegmentPart) -> SegmentPart:
            write()
            return replace(one, lists=InvertedLists.open(path, count=len(one.ids), checksum=checksum))

        self._exchange(part.number, listed)

    def _exchange(self, number: int, change: Callable[[SegmentPart], SegmentPart | None]) -> bool:
        """Replace the part of a segment by the result of change(part); return whether the part still existed."""
        with self._changing:
            old = next((part for part in self._parts if part.number == number), None)
            if old is None:
                return False
            changed = change(old)
            others = [part for part in self._parts if part is not old]
            self._parts = (*([] if changed is None else [changed]), *others)
            return True

    def _lists(self, number: int) -> InvertedLists | None:
        return next((part.lists for part in self._parts if part.number == number), None)

    def _move(self, folder: Path) -> None:
        """Switch the store to a folder; vectors from another folder are written there as if they were new."""
        self._parts = tuple(SegmentPart(part.ids, part.rows, part.dead) for part in self._parts)
        self._tail = None
        self._folder = folder


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, MemoryError, AssertionError, OSError) as error:
        # FAISS throws RuntimeError from C++ and asserts on shapes in Python.
        raise IndexUnavailable("The search index failed.", _HINT) from error
