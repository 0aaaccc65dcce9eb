"""The saved index: opened, read beside its writer, synchronised with the library, checked and repaired."""

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
from workbench.indexing.base import IndexDamaged, VectorStore
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.folder import segment_path
from workbench.indexing.index_file import Stop
from workbench.indexing.index_folder import IndexManifest
from workbench.indexing.segment import PIECE, Segment
from workbench.language import mark

Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]
Fetch = Callable[[list[int]], Vectors]
"""Gives the ids and vectors of those of the ids that the library has."""


def follow(
    store: VectorStore,
    wanted: NDArray[np.int64],
    fetch: Fetch,
    stop: Stop = lambda: False,
    *,
    among: NDArray[np.int64] | None = None,
) -> int:
    """Make a store hold exactly the ids wanted; returns how many had to be forgotten or taken in.

    Chunks of edited documents and of documents in the bin would otherwise crowd out what may be found: the store
    gives the nearest first, whether they can be shown or not. Ends soon when stop says so, before all is taken in.
    What a damaged file of the store held is made good where all ids are looked at.

    Args:
        store: What is to hold them.
        wanted: Ids, none twice.
        fetch: Gives their vectors.
        stop: Whether to end now.
        among: Look at these ids only, ascending, none twice: all others are as they should be. None means all.
    """
    loss = store.loss
    held = store.ids if among is None else store.held(among)
    gone = np.setdiff1d(held, wanted, assume_unique=True)
    lacking = np.setdiff1d(wanted, held, assume_unique=True)
    if len(gone):
        store.remove(gone)
    for ids, vectors in in_pieces(lacking, fetch):
        if stop():
            return len(gone) + len(lacking)
        store.upsert(ids, vectors)
    if among is None:
        store.made_good(loss)
    return len(gone) + len(lacking)


def in_pieces(ids: NDArray[np.int64], fetch: Fetch) -> Iterator[Vectors]:
    """Yield the vectors of ids, some at a time: all 100,000 of a library at once took 450 MB on their way."""
    for start in range(0, len(ids), PIECE):
        yield fetch(ids[start : start + PIECE].tolist())


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LibraryVectors:
    """The library's vectors of one embedder, of which an index is a cache.

    Attributes:
        dim: Their width.
        generation: The library's own count of changes to them.
        ids: Gives the ids of all.
        fetch: Gives the vectors of some.
        beginnings: Gives ids ascending, and the first values of each vector.
        found_among: Gives those of some ids that ids() gives.
        changes_since: Gives, since a position (None before the first), the ids that may have changed, ascending, None
            where it may be any, with the position to ask from the next time.
    """

    dim: int
    generation: int
    ids: Callable[[], NDArray[np.int64]]
    fetch: Fetch
    beginnings: Callable[[], Vectors]
    found_among: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None
    changes_since: Callable[[Any], tuple[Any, NDArray[np.int64] | None]] | None = None


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """An index that was opened.

    Attributes:
        store: It can be searched.
        was_damaged: Whether what was saved of it was.
        is_whole: Whether it holds every vector of the library; else it is to follow the library, and to be saved.
    """

    store: FaissStore
    was_damaged: bool
    is_whole: bool = True


def open_index(path: Path, truth: LibraryVectors, *, at_once: int = sys.maxsize) -> OpenedIndex:
    """Return the index of the library.

    Args:
        path: The folder that it was saved to.
        truth: The library's vectors.
        at_once: Where it lacks more vectors than so many, taking them in is left to the caller.

    Raises:
        IndexUnavailable: The vectors of the library do not fit the embedder.
    """
    store, was_damaged = _saved(path, truth.dim)
    is_behind = store.generation != truth.generation
    if is_behind and store.count:
        logger.info("The search index is behind the library and is brought into step")
        store.remove(store.differing(*truth.beginnings()))
    wanted = truth.ids()
    if len(wanted) - store.count > at_once:
        return OpenedIndex(store, was_damaged, is_whole=False)
    if follow(store, wanted, truth.fetch) or is_behind or was_damaged or not path.exists():
        try:
            store.save(path, generation=truth.generation)
        except IndexUnavailable as error:
            # It is only the cache that is missing next time.
            logger.warning("%s", error)
    return OpenedIndex(store, was_damaged)


def _saved(path: Path, dim: int) -> tuple[FaissStore, bool]:
    """Return what was saved as far as it can be believed, and whether some of it cannot."""
    if not path.exists():
        # A new library has none: nothing is wrong with it.
        logger.info("The search index is made: there is none yet")
        return FaissStore(dim, path), False
    try:
        if path.is_file():
            delete_file(path, within=path.parent)
        store, problems = FaissStore.rescue(path)
        for problem in problems:
            logger.info("The search index is made anew in part: %s", problem.message)
        if store.dim == dim:
            return store, bool(problems)
        logger.info("The search index is made anew: it is of another width")
        return FaissStore(dim, path), True
    except IndexUnavailable as error:
        logger.info("The search index is made anew: %s", error.message)
    return FaissStore(dim, path), True


# A save takes milliseconds from the new manifest to the last file that it deletes.
_TRIES = 5


class ReadOnlyIndex:
    """An index that is searched while another program may write the library and its files.

    Files that are deleted there stay open here. What the saved index lacks is taken from the library.

    Attributes:
        store: The index; only its content in memory changes.
    """

    def __init__(self, path: Path, truth: Callable[[], LibraryVectors]) -> None:
        """Open what was saved.

        Args:
            path: The folder that it was saved to; there may be none.
            truth: Gives the library's vectors as they are when it is called.

        Raises:
            IndexUnavailable: The vectors of the library do not fit the embedder.
        """
        self._truth = truth
        now = truth()
        self.store = _reading_saved(path, now.dim)
        # Whatever number it has: no later one is known yet.
        self._generation = self.store.generation
        self._position: Any = None
        self._follow(now)

    def follow(self) -> None:
        """Take in what the other program has changed since.

        Ten vectors that came to 100,000: 1.4 ms where it is known which, 210 where all have to be looked at.
        """
        self._follow(self._truth())

    def _follow(self, now: LibraryVectors) -> None:
        changed = None
        if now.changes_since is not None:
            # Asked before anything is read: what is changed meanwhile is looked at the next time once more.
            self._position, changed = now.changes_since(self._position)
        if changed is None or now.found_among is None or self.store.loss:
            self._follow_all(now)
        elif len(changed):
            # A vector may be another one now.
            self.store.remove(changed)
            follow(self.store, now.found_among(changed), now.fetch, among=changed)

    def _follow_all(self, now: LibraryVectors) -> None:
        if now.generation != self._generation and self.store.count:
            self.store.remove(self.store.differing(*now.beginnings()))
        follow(self.store, now.ids(), now.fetch)
        # The number of before: what was changed meanwhile has another one, and is looked at the next time.
        self._generation = now.generation


def _reading_saved(path: Path, dim: int) -> FaissStore:
    """Return what was saved as far as it can be believed, in a store that writes nothing."""
    for _ in range(_TRIES):
        try:
            store, problems = FaissStore.rescue(path, to_read=True)
        except IndexUnavailable as error:
            logger.info("The search index is made in memory: %s", error.message)
            return FaissStore(dim)
        if not problems:
            break
        # Its files were merged between the manifest and them: there is another manifest by now.
        logger.info("The search index is read again: %s", problems[0].message)
    return store if store.dim == dim else FaissStore(dim)


def index_problems(path: Path, truth: LibraryVectors, stop: Stop = lambda: False) -> list[str]:
    """Return what is wrong with an index as it is saved, a sentence each; nothing where it is only behind.

    What is behind the library is brought into step at the next opening, and no fault: nothing was promised.

    Args:
        path: The folder that it was saved to.
        truth: The library's vectors.
        stop: Whether to end now.
    """
    if not path.exists():
        return []
    try:
        manifest = IndexManifest.read(path)
        if manifest.dim != truth.dim:
            return [mark("The search index is of another embedding model.")]
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
    return _differences(store, truth)


def _unsound(path: Path, dim: int, stop: Stop) -> list[str]:
    try:
        segment = Segment.open(path, dim=dim)
    except IndexUnavailable:
        return []  # said already
    return [] if segment.is_sound(stop) else [mark("The search index is damaged.")]


def _differences(store: FaissStore, truth: LibraryVectors) -> list[str]:
    held, wanted = store.ids, truth.ids()
    lacking, extra = _only_in(wanted, held), _only_in(held, wanted)
    if lacking or extra:
        return [mark(f"The search index differs from the vectors: {lacking} are lacking, {extra} too many.")]
    others = len(store.differing(*truth.beginnings())) if len(wanted) else 0
    return [mark(f"Vectors that are others in the search index: {others}.")] if others else []


def _only_in(some: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    return len(np.setdiff1d(some, others))


class SelfRepairingIndex:
    """VectorSearch over a store whose files other programs may damage while it is open."""

    def __init__(self, store: VectorStore, mend: Callable[[], None]) -> None:
        """Take the store, and what makes it follow the library; that may be called by several threads at once."""
        self._store = store
        self._mend = mend

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the nearest as VectorSearch.search does; where something was damaged, after it was mended.

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
