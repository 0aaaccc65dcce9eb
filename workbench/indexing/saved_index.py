"""The saved index: opening, read-only use, synchronisation with the library, verification and repair."""

import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.files.changes import delete_file
from workbench.indexing.base import DAMAGED, IndexDamaged, VectorSearch, VectorStore
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.index_file import Stop
from workbench.indexing.index_folder import IndexManifest, segment_path
from workbench.indexing.segment import PIECE, Segment
from workbench.language import mark

Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]
Fetch = Callable[[list[int]], Vectors]
"""Callback that returns ids and vectors of those ids that the library contains."""


def follow(
    store: VectorStore,
    wanted: NDArray[np.int64],
    fetch: Fetch,
    stop: Stop = lambda: False,
    *,
    among: NDArray[np.int64] | None = None,
) -> int:
    """Make a store contain exactly the wanted ids; return the number of ids to delete and to add.

    Chunks of edited documents and of documents in the bin would otherwise crowd out valid results: the store returns
    the nearest first, whether they can be shown or not. Returns soon after stop() is true, before all are added. A
    loss from a damaged file is marked as repaired if all ids were compared.

    Args:
        store: Store to synchronise.
        wanted: Unique ids.
        fetch: Returns their vectors.
        stop: Returns True to stop.
        among: Compare only these ids, ascending and unique; all others are known to match. None means all.
    """
    loss = store.loss
    held = store.ids if among is None else store.existing(among)
    gone = np.setdiff1d(held, wanted, assume_unique=True)
    lacking = np.setdiff1d(wanted, held, assume_unique=True)
    if len(gone):
        store.remove(gone)
    for ids, vectors in in_pieces(lacking, fetch):
        if stop():
            return len(gone) + len(lacking)
        store.upsert(ids, vectors)
    if among is None:
        store.acknowledge_loss(loss)
    return len(gone) + len(lacking)


def in_pieces(ids: NDArray[np.int64], fetch: Fetch) -> Iterator[Vectors]:
    """Yield the vectors of ids in pieces: fetching all 100,000 of a library at once took 450 MB."""
    for start in range(0, len(ids), PIECE):
        yield fetch(ids[start : start + PIECE].tolist())


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LibraryVectors:
    """The library's vectors of one embedder, of which an index is a cache.

    Attributes:
        dim: Width of a vector.
        generation: The library's counter of changes to them.
        ids: Returns all ids.
        fetch: Returns the vectors of given ids.
        beginnings: Returns ids ascending, and the first values of each vector.
        found_among: Returns those of the given ids that ids() contains.
        changes_since: Takes a position (None for the first call); returns the next position and the ids that may have
            changed since, ascending, or None if any may have changed.
    """

    dim: int
    generation: int
    ids: Callable[[], NDArray[np.int64]]
    fetch: Fetch
    beginnings: Callable[[], Vectors]
    found_among: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None
    changes_since: Callable[[Any], tuple[Any, NDArray[np.int64] | None]] | None = None

    def limited(self, keep: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> "LibraryVectors":
        """Return a part of the vectors; keep returns those of the given ids that belong to it, in the same order."""

        def beginnings() -> Vectors:
            ids, values = self.beginnings()
            kept = keep(ids)
            return kept, values[np.searchsorted(ids, kept)]

        return LibraryVectors(self.dim, self.generation, lambda: keep(self.ids()), self.fetch, beginnings)


def remove_outdated(store: VectorStore, truth: LibraryVectors, generation: int) -> None:
    """Remove the vectors that differ from those of the library, if it has changed since the given generation."""
    if store.count and generation != truth.generation:
        store.remove(store.differing(*truth.beginnings()))


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """Result of opening an index.

    Attributes:
        store: Searchable store.
        was_damaged: Whether the saved files were damaged.
        is_whole: Whether it contains every vector of the library; if not, it must be synchronised and saved.
    """

    store: VectorStore
    was_damaged: bool
    is_whole: bool = True


def open_index(
    path: Path,
    truth: LibraryVectors,
    *,
    at_once: int = sys.maxsize,
    opener: Callable[[], tuple[VectorStore, bool]] | None = None,
) -> OpenedIndex:
    """Return the index of the library.

    Args:
        path: Folder of the saved index.
        truth: The library's vectors.
        at_once: If more vectors than this are missing, adding them is left to the caller.
        opener: Returns the saved store and whether it was damaged; None for the built-in store.

    Raises:
        IndexUnavailable: The vectors of the library do not fit the embedder, or the store cannot be opened.
    """
    store, was_damaged = open_saved(path, truth.dim) if opener is None else opener()
    is_behind = store.generation != truth.generation
    if is_behind and store.count:
        logger.info("The search index is behind the library and is brought into step")
    remove_outdated(store, truth, store.generation)
    wanted = truth.ids()
    if len(wanted) - store.count > at_once:
        return OpenedIndex(store, was_damaged, is_whole=False)
    if follow(store, wanted, truth.fetch) or is_behind or was_damaged or not path.exists():
        try:
            store.save(path, generation=truth.generation)
        except IndexUnavailable as error:
            # The saved index is only a cache; it is rebuilt at the next start.
            logger.warning("%s", error)
    return OpenedIndex(store, was_damaged)


def open_saved(path: Path, dim: int) -> tuple[VectorStore, bool]:
    """Return the readable part of the saved built-in store, and whether some of it was damaged."""
    if not path.exists():
        # A new library has no index yet, which is not an error.
        logger.info("The search index is made: there is none yet")
        return FaissStore(dim, path), False
    try:
        if path.is_file():
            delete_file(path, within=path.parent)
        store, problems = FaissStore.rescue(path)
        for problem in problems:
            logger.info("The search index is rebuilt in part: %s", problem.message)
        if store.dim == dim:
            return store, bool(problems)
        logger.info("The search index is rebuilt: it is of another width")
        return FaissStore(dim, path), True
    except IndexUnavailable as error:
        logger.info("The search index is rebuilt: %s", error.message)
    return FaissStore(dim, path), True


# A save takes milliseconds from the new manifest to the last file that it deletes.
_TRIES = 5


class ReadOnlyIndex:
    """Read-only index that is searched while another program may write the library and its files.

    Files that the other program deletes stay open here. Missing vectors are read from the library.

    Attributes:
        store: The index; only its data in memory changes.
    """

    def __init__(self, path: Path, truth: Callable[[], LibraryVectors]) -> None:
        """Open the saved index.

        Args:
            path: Folder of the saved index; it may be missing.
            truth: Returns the current vectors of the library.

        Raises:
            IndexUnavailable: The vectors of the library do not fit the embedder.
        """
        self._truth = truth
        now = truth()
        self.store = _reading_saved(path, now.dim)
        # The saved generation is used until a later one is known.
        self._generation = self.store.generation
        self._position: Any = None
        self._follow(now)

    def follow(self) -> None:
        """Add the changes of the other program since the last call.

        Ten new vectors among 100,000 take 1.4 ms if their ids are known, 210 ms if all have to be compared.
        """
        self._follow(self._truth())

    def _follow(self, now: LibraryVectors) -> None:
        changed = None
        if now.changes_since is not None:
            # Called before anything is read, so that later changes are reported again by the next call.
            self._position, changed = now.changes_since(self._position)
        if changed is None or now.found_among is None or self.store.loss:
            self._follow_all(now)
        elif len(changed):
            # The vector of an id may have changed.
            self.store.remove(changed)
            follow(self.store, now.found_among(changed), now.fetch, among=changed)

    def _follow_all(self, now: LibraryVectors) -> None:
        remove_outdated(self.store, now, self._generation)
        follow(self.store, now.ids(), now.fetch)
        # The generation from before the read: later changes have another one and are compared next time.
        self._generation = now.generation


def _reading_saved(path: Path, dim: int) -> FaissStore:
    """Return the readable part of the saved index, in a store that writes nothing."""
    for _ in range(_TRIES):
        try:
            store, problems = FaissStore.rescue(path, to_read=True)
        except IndexUnavailable as error:
            logger.info("The search index is made in memory: %s", error.message)
            return FaissStore(dim)
        if not problems:
            break
        # The files were merged after the manifest was read: there is a new manifest by now.
        logger.info("The search index is read again: %s", problems[0].message)
    return store if store.dim == dim else FaissStore(dim)


def index_problems(path: Path, truth: LibraryVectors, stop: Stop = lambda: False) -> list[str]:
    """Return the problems of a saved index, a sentence each; an outdated index is not a problem.

    An index that is behind the library is synchronised when it is opened next.

    Args:
        path: Folder of the saved index.
        truth: The library's vectors.
        stop: Returns True to stop.
    """
    if not path.exists():
        return []
    try:
        manifest = IndexManifest.read(path)
        if manifest.dim != truth.dim:
            return [mark("The search index belongs to another embedding model.")]
        store, problems = FaissStore.rescue(path)
        damaged = [error.message for error in problems]
        for entry in manifest.entries:
            if stop():
                return []
            damaged += _unsound(segment_path(path, entry.number), truth.dim, stop)
    except IndexUnavailable as error:
        return [error.message]
    if damaged or manifest.generation != truth.generation:
        return damaged[:1]
    return differences(store, truth)


def _unsound(path: Path, dim: int, stop: Stop) -> list[str]:
    try:
        segment = Segment.open(path, dim=dim)
    except IndexUnavailable:
        return []  # reported already
    return [] if segment.is_sound(stop) else [DAMAGED]


def differences(store: VectorStore, truth: LibraryVectors) -> list[str]:
    """Return the differences between a store and the vectors of the library, a sentence each."""
    held, wanted = store.ids, truth.ids()
    lacking, extra = _only_in(wanted, held), _only_in(held, wanted)
    if lacking or extra:
        return [mark(f"The search index differs from the vectors: {lacking} missing, {extra} too many.")]
    others = len(store.differing(*truth.beginnings())) if len(wanted) else 0
    return [mark(f"Vectors that differ in the search index: {others}.")] if others else []


def _only_in(some: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    return len(np.setdiff1d(some, others))


class UnopenedIndex:
    """VectorSearch for an index that could not be opened: each search tries to open it again, or raises the error."""

    def __init__(self, open: Callable[[], VectorSearch]) -> None:
        """Take a function that opens the index, or raises IndexUnavailable."""
        self._open = open

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the nearest as VectorSearch.search does; raises as it does."""
        return self._open().search(vector, k, allowed=allowed)

    def products(
        self, vector: NDArray[np.float32], *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return all inner products as VectorSearch.products does; raises as search does."""
        return self._open().products(vector, allowed=allowed)


class SelfRepairingIndex:
    """VectorSearch over a store whose files other programs may damage while it is open."""

    def __init__(self, store: VectorStore, mend: Callable[[], None]) -> None:
        """Take the store, and a thread-safe function that synchronises it with the library."""
        self._store = store
        self._mend = mend

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the nearest as VectorSearch.search does; a damaged store is repaired first.

        Raises:
            IndexUnavailable: The store failed, or was damaged again meanwhile.
        """
        return self._found(lambda: self._store.search(vector, k, allowed=allowed))

    def products(
        self, vector: NDArray[np.float32], *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return all inner products as VectorSearch.products does; raises as search does."""
        return self._found(lambda: self._store.products(vector, allowed=allowed))

    def _found(self, look: Callable[[], Vectors]) -> Vectors:
        try:
            return look()
        except IndexDamaged:
            self._mend()
            return look()
