"""A vector store on a vector database: the code that is common to all databases."""

import contextlib
import logging
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np

from workbench.errors import IndexUnavailable, StoreUnreachable
from workbench.files.changes import delete_folder
from workbench.files.modes import make_folder
from workbench.indexing.base import IndexDamaged, ascending, last_of_each, query_row
from workbench.indexing.stores.store_manifest import StoreManifest, place_of
from workbench.indexing.stores.vector_engine import (
    REBUILT,
    IdFilter,
    Ids,
    Rows,
    StoreLocation,
    StoreProvider,
    VectorEngine,
    failure,
)

logger = logging.getLogger(__name__)

PIECE = 1000
"""Number of vectors or ids in a request: 1.5 MB at 384 dimensions, below the limits of all databases."""

_LONGEST_LIST = 1000
"""Maximum number of ids in a filter, if a search for more results without the filter is likely to find enough.

A search with a list of half of 10,000 ids took 70 ms instead of 17 in LanceDB, and 24 instead of 11 in Milvus Lite.
"""
_SPARE = 3
"""Factor by which such a search requests more than the share of allowed ids requires."""
_MOST_SPARE = 10_000
"""Maximum number of results that such a search requests."""

_OPEN: "weakref.WeakValueDictionary[Path, EngineStore]" = weakref.WeakValueDictionary()
"""Stores in use by their folder: an embedded database can be opened once at a time."""


class EngineStore:
    """VectorStore over a VectorEngine.

    The ids of the store stay in memory, 8 bytes each: a filter contains no id that the database lacks, and a result
    that is too short is recognised as a loss of vectors, not shown as “nothing found”.
    """

    def __init__(
        self, name: str, provider: StoreProvider, engine: VectorEngine, location: StoreLocation, manifest: StoreManifest
    ) -> None:
        """Create a store on an open engine; see open_engine_store().

        Raises:
            StoreUnreachable: The ids cannot be read.
        """
        self.name = name
        self._provider = provider
        self._engine = engine
        self._location = location
        self._manifest = manifest
        self._changing = threading.RLock()
        self._reading: AbstractContextManager[object] = (
            contextlib.nullcontext() if provider.is_concurrent else self._changing
        )
        self._losses = self._made_good = 0
        # If close() is not called, this closes the engine when the last search that uses the store has ended.
        self._closing = weakref.finalize(self, engine.close)
        with self._translated():
            self._ids = np.sort(engine.ids())

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return self._manifest.dim

    @property
    def count(self) -> int:
        """Number of vectors in the store."""
        return len(self._ids)

    @property
    def ids(self) -> Ids:
        """The ids in the store, ascending."""
        return self._ids

    def existing(self, ids: Ids) -> Ids:
        """Return the ids that are in the store; the argument is ascending, without duplicates."""
        return np.intersect1d(ids, self._ids, assume_unique=True)

    @property
    def generation(self) -> int:
        """The generation of the library when the store was saved."""
        return self._manifest.generation

    def upsert(self, ids: Ids, vectors: Rows) -> None:
        """Add vectors float32 [n, dim], replacing those of existing ids; the last vector of a duplicate id counts.

        Raises:
            IndexUnavailable: The width is wrong, or the numbers of ids and vectors differ.
            StoreUnreachable: The database failed; the vectors that were added before stay, and are counted.
        """
        numbers, rows = last_of_each(ids, vectors, self.dim)
        with self._changing:
            for start in range(0, len(numbers), PIECE):
                piece = numbers[start : start + PIECE]
                with self._translated():
                    self._engine.put(piece, rows[start : start + PIECE])
                self._ids = np.union1d(self._ids, piece)

    def remove(self, ids: Ids) -> None:
        """Delete these ids; ids that are not in the store are ignored.

        Raises:
            StoreUnreachable: The database failed.
        """
        with self._changing:
            gone = self.existing(ascending(ids))
            for start in range(0, len(gone), PIECE):
                piece = gone[start : start + PIECE]
                with self._translated():
                    self._engine.delete(piece)
                self._ids = np.setdiff1d(self._ids, piece, assume_unique=True)

    def search(self, vector: Rows, k: int, *, allowed: Ids | None = None) -> tuple[Ids, Rows]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest, best first.

        Raises:
            IndexUnavailable: The width is wrong.
            StoreUnreachable: The database failed.
            IndexDamaged: The database has lost vectors, and acknowledge_loss() was not called since.
        """
        query = query_row(vector, self.dim)
        held = self._ids
        among = held if allowed is None else np.intersect1d(ascending(allowed), held, assume_unique=True)
        if k < 1 or not len(among):
            self._require_whole()
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if k < len(among):
            found, products = self._nearest(query, k, among, held)
            if len(found) == k:
                self._require_whole()
                return found, products
        # All allowed vectors are requested, or an approximate search has found too few.
        found, products = self._products(query, among)
        order = np.argsort(-products, kind="stable")[:k]
        return found[order], products[order]

    def products(self, vector: Rows, *, allowed: Ids | None = None) -> tuple[Ids, Rows]:
        """Return the ids int64 [n] in the store that are allowed, and their inner products float32 [n].

        Raises:
            IndexUnavailable: As search().
        """
        query = query_row(vector, self.dim)
        among = self._ids if allowed is None else self.existing(ascending(allowed))
        return self._products(query, among)

    def differing(self, ids: Ids, beginnings: Rows) -> Ids:
        """Return the ids in the store whose vectors do not begin with these values.

        Args:
            ids: int64 [n], ascending.
            beginnings: float32 [n, m], the first m values of each.
        """
        width, found = beginnings.shape[1], [np.empty(0, np.int64)]
        for held, rows in self._pieces(self.existing(ids)):
            begin = beginnings[np.searchsorted(ids, held)]
            found.append(held[(rows[:, :width] != begin).any(axis=1)])
        return np.concatenate(found)

    def save(self, path: Path, *, generation: int) -> None:
        """Record the generation of the library that the store agrees with; upsert() writes the vectors themselves.

        Raises:
            IndexUnavailable: The manifest cannot be written.
            StoreUnreachable: The database failed.
            ValueError: The path is not the folder that the store was opened for.
        """
        if path != self._location.folder:
            raise ValueError(f"The store belongs to {self._location.folder}, not {path}")
        with self._changing:
            with self._translated():
                self._engine.flush()
            manifest = self._manifest.at(generation)
            manifest.write(path)
            self._manifest = manifest

    @property
    def loss(self) -> int:
        """Sequence number of the last loss of vectors; 0 if no vectors are missing."""
        losses = self._losses
        return losses if losses != self._made_good else 0

    def acknowledge_loss(self, loss: int) -> None:
        """Record that the vectors of this loss were added again, or are known to be missing."""
        self._made_good = max(self._made_good, loss)

    def maintain(self, stop: Callable[[], bool]) -> bool:
        """Let the database compact its files and build its indexes; return whether vectors are missing.

        Raises:
            StoreUnreachable: The database failed.
        """
        if not stop():
            with self._reading, self._translated():
                self._engine.optimise(stop)
        return bool(self.loss)

    def drop(self) -> None:
        """Delete the collection and the folder, and close the store."""
        with self._changing:
            with self._translated():
                self._engine.drop()
            self.close()
            delete_folder(self._location.folder, within=self._location.folder.parent)

    def close(self) -> None:
        """Close the database; the store cannot be used afterwards."""
        with self._changing:
            if _OPEN.get(self._location.folder) is self:
                del _OPEN[self._location.folder]
            self._closing()

    @property
    def is_closed(self) -> bool:
        """True after close() was called."""
        return not self._closing.alive

    def _nearest(self, query: Rows, k: int, among: Ids, held: Ids) -> tuple[Ids, Rows]:
        """Return the k nearest of the ids among; fewer if an approximate search finds no more."""
        with self._reading, self._translated():
            if len(among) == len(held):
                found, products = self._engine.nearest(query, k, None)
                return self._known(found, products, held)
            allowed = IdFilter.of(among, held)
            wanted = _SPARE * k * len(held) // len(among) + k
            is_short = len(among) <= _LONGEST_LIST or (self._engine.uses_ranges and allowed.has_few_ranges)
            if not is_short and wanted < min(_MOST_SPARE, len(held)):
                found, products = self._known(*self._engine.nearest(query, wanted, None), among)
                if len(found) >= k:
                    return found[:k], products[:k]
            found, products = self._engine.nearest(query, k, allowed)
            return self._known(found, products, among)

    def _known(self, found: Ids, products: Rows, among: Ids) -> tuple[Ids, Rows]:
        """Return the results whose ids are in among."""
        numbers = np.asarray(found, np.int64)
        is_known = np.isin(numbers, among)
        return numbers[is_known], np.asarray(products, np.float32)[is_known]

    def _products(self, query: Rows, among: Ids) -> tuple[Ids, Rows]:
        ids, products = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for held, rows in self._pieces(among):
            ids.append(held)
            # Row by row: with BLAS, the last bits of a product would depend on the number of rows.
            products.append(np.einsum("ij,j->i", rows, query))
        self._require_whole()
        return np.concatenate(ids), np.concatenate(products)

    def _pieces(self, ids: Ids) -> Iterator[tuple[Ids, Rows]]:
        """Yield the vectors of ids in the store, ascending, PIECE at a time; record missing ones as a loss."""
        for start in range(0, len(ids), PIECE):
            piece = ids[start : start + PIECE]
            with self._reading, self._translated():
                found, rows = self._engine.vectors(piece)
            order = np.argsort(found)
            if len(found) < len(piece):
                self._note_loss(piece[~np.isin(piece, found)])
            yield np.asarray(found, np.int64)[order], np.ascontiguousarray(rows, np.float32)[order]

    def _note_loss(self, ids: Ids) -> None:
        """Record a loss of these ids, except those that were removed meanwhile."""
        with self._changing:
            lost = self.existing(ids)
            if len(lost):
                logger.warning("The vector store %s lacks %d vectors that were put", self.name, len(lost))
                self._losses += 1
                self._ids = np.setdiff1d(self._ids, lost, assume_unique=True)

    def _require_whole(self) -> None:
        if self.loss:
            raise IndexDamaged

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        if self.is_closed:
            raise StoreUnreachable("The vector store is closed.", "Search again.")
        if self._location.url:
            self._location.require_open(self._provider.port)
        try:
            yield
        except IndexUnavailable:
            raise
        except Exception as error:  # the clients of the databases have no common base exception
            raise failure(self._provider.title, error) from error


def load_engine_store(name: str, provider: StoreProvider, location: StoreLocation) -> EngineStore:
    """Return the store that was saved to a folder.

    Raises:
        StoreUnreachable: The database cannot be used now.
        IndexUnavailable: The store is damaged, was written by another version, or belongs to another library or server.
    """
    manifest = StoreManifest.read(location.folder)
    # Files are copied with the folder; a copied library needs a new collection on a server.
    is_elsewhere = bool(location.url) and manifest.place != place_of(location.folder)
    if manifest.store != name or is_elsewhere or manifest.url != location.url:
        raise IndexUnavailable("The vector store belongs to another library or another server.", REBUILT)
    return _open(name, provider, location, manifest)


def open_engine_store(
    name: str, provider: StoreProvider, location: StoreLocation, dim: int
) -> tuple[EngineStore, bool]:
    """Return the store of a folder, or an empty one if there is none that can be used, and whether it was damaged.

    Raises:
        StoreUnreachable: The database cannot be used now; nothing was changed.
    """
    current = _OPEN.get(location.folder)
    if current is not None and not current.is_closed:
        if current.dim == dim:
            return current, False
        current.close()
    was_damaged = False
    if location.folder.exists():
        try:
            store = load_engine_store(name, provider, location)
            if store.dim == dim:
                return store, False
            store.drop()
        except StoreUnreachable:
            raise
        except IndexUnavailable as error:
            logger.info("The vector store is rebuilt: %s", error.message)
        was_damaged = True
        delete_folder(location.folder, within=location.folder.parent)
    return _create(name, provider, location, dim), was_damaged


def _create(name: str, provider: StoreProvider, location: StoreLocation, dim: int) -> EngineStore:
    manifest = StoreManifest.new(name, dim, location.folder, location.url)
    try:
        make_folder(location.folder, inherit=True)
    except OSError as error:
        raise IndexUnavailable("The search index could not be saved.", "Free some space.") from error
    # Written before the collection is created: otherwise a kill could leave a collection without a manifest.
    manifest.write(location.folder)
    try:
        return _open(name, provider, location, manifest)
    except IndexUnavailable:
        delete_folder(location.folder, within=location.folder.parent)
        raise


def _open(name: str, provider: StoreProvider, location: StoreLocation, manifest: StoreManifest) -> EngineStore:
    engine = provider.open(replace(location, collection=manifest.collection), manifest.dim)
    store = EngineStore(name, provider, engine, location, manifest)
    _OPEN[location.folder] = store
    return store
