"""A vector store whose vectors lie in several stores, by knowledge base."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable, StoreUnreachable
from workbench.indexing.base import VectorStore, ascending, last_of_each, query_row
from workbench.indexing.saved_index import OpenedIndex

logger = logging.getLogger(__name__)

Ids = NDArray[np.int64]
Rows = NDArray[np.float32]
BasesOf = Callable[[Ids], Ids]
"""Returns the id of the knowledge base of each chunk, int64 [n]; 0 for a chunk that does not exist."""


class Partition:
    """Vector store of one knowledge base, which is opened when it is first needed.

    Attributes:
        knowledge_base: Id of the knowledge base.
        path: Folder of the store.
        wanted: Returns the ids that the store contains after it was opened.
    """

    def __init__(
        self,
        knowledge_base: int,
        path: Path,
        open: Callable[[], OpenedIndex],
        wanted: Callable[[], Ids],
        *,
        store: VectorStore | None = None,
        on_behind: Callable[[], None] = lambda: None,
    ) -> None:
        """Describe a partition.

        Args:
            knowledge_base: Id of the knowledge base.
            path: Folder of the store.
            open: Opens the store and synchronises it with the library; raises IndexUnavailable.
            wanted: Returns the ids that the store contains after it was opened.
            store: The store, if it is open already.
            on_behind: Called after the store was opened without some vectors of the library.
        """
        self.knowledge_base = knowledge_base
        self.path = path
        self.wanted = wanted
        self._open = open
        self._store = store
        self._on_behind = on_behind
        self._opening = threading.Lock()

    @property
    def opened(self) -> VectorStore | None:
        """The store if it is open."""
        return self._store

    def store(self) -> VectorStore:
        """Return the store; opens it if necessary.

        Raises:
            IndexUnavailable: It cannot be opened, such as on a server that is down.
        """
        with self._opening:
            if self._store is None:
                opened = self._open()
                self._store = opened.store
                if not opened.is_whole:
                    self._on_behind()
            return self._store

    def release(self) -> None:
        """Open the store again at its next use, and compare it with the library then, after it missed a change.

        It is not closed: a search may be using it, and the last one closes it.
        """
        with self._opening:
            self._store = None

    def close(self) -> None:
        """Close the store if it is open."""
        with self._opening:
            if self._store is not None:
                self._store.close()
                self._store = None


class PartitionedStore:
    """VectorStore that consists of a main store and one partition for each of some knowledge bases.

    A vector is in place if it is in the store of the knowledge base of its chunk. `ids` and `existing` report only
    those in place, so that the usual synchronisation moves the vectors of a document that changes its knowledge base.
    Changes that a partition misses while its server is down are made when it is opened again. Searches that concern
    such a partition fail with the error of its server, and searches of other knowledge bases do not.
    """

    def __init__(self, main: VectorStore, partitions: Sequence[Partition], bases_of: BasesOf) -> None:
        """Combine stores.

        Args:
            main: Store of all other knowledge bases.
            partitions: Partitions, each of another knowledge base.
            bases_of: Returns the knowledge bases of chunks.
        """
        self.main = main
        self.partitions = tuple(partitions)
        self._bases_of = bases_of
        self._losses: dict[int, tuple[int, ...]] = {}

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return self.main.dim

    @property
    def count(self) -> int:
        """Number of vectors in the open stores."""
        return sum(store.count for store in self._opened())

    @property
    def ids(self) -> Ids:
        """Ids of the vectors in place, in no order; for a partition that is not open, those that it should contain."""
        found = [
            one.wanted() if (store := one.opened) is None else self._own(one, store.ids) for one in self.partitions
        ]
        return np.concatenate([self._rest(self.main.ids), *found])

    def existing(self, ids: Ids) -> Ids:
        """Return those of the given ids whose vectors are in place, ascending; the input is ascending and unique.

        Ids of a partition that is not open are reported as existing, because opening it will add them.
        """
        bases = self._bases_of(ids)
        found = [self.main.existing(ids[~np.isin(bases, self._numbers)])]
        for partition in self.partitions:
            own = ids[bases == partition.knowledge_base]
            store = partition.opened
            found.append(own if store is None else store.existing(own))
        return np.sort(np.concatenate(found))

    @property
    def generation(self) -> int:
        """Generation of the library that the main store matches."""
        return self.main.generation

    def upsert(self, ids: Ids, vectors: Rows) -> None:
        """Add vectors float32 [n, dim] to the stores of their knowledge bases, and remove them from all others.

        Raises:
            IndexUnavailable: A wrong width, or the main store failed. A partition that fails receives them later.
        """
        numbers, rows = last_of_each(ids, vectors, self.dim)
        bases = self._bases_of(numbers)
        for partition, store in self._open_partitions():
            is_own = bases == partition.knowledge_base
            with _opened_again_on_failure(partition):
                store.upsert(numbers[is_own], rows[is_own])
                store.remove(numbers[~is_own])
        is_rest = ~np.isin(bases, self._numbers)
        self.main.upsert(numbers[is_rest], rows[is_rest])
        self.main.remove(numbers[~is_rest])

    def remove(self, ids: Ids) -> None:
        """Delete these ids from every store."""
        for partition, store in self._open_partitions():
            with _opened_again_on_failure(partition):
                store.remove(ids)
        self.main.remove(ids)

    def search(self, vector: Rows, k: int, *, allowed: Ids | None = None) -> tuple[Ids, Rows]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest in all stores, best first.

        Raises:
            IndexUnavailable: A store failed that contains, or should contain, an allowed vector.
        """
        found = self._collected(vector, allowed, lambda store, query: store.search(query, k, allowed=allowed))
        return _best(*found, max(0, k))

    def products(self, vector: Rows, *, allowed: Ids | None = None) -> tuple[Ids, Rows]:
        """Return the ids int64 [n] of all stored and allowed vectors, and their inner products float32 [n].

        Raises:
            IndexUnavailable: As search().
        """
        ids, products = self._collected(vector, allowed, lambda store, query: store.products(query, allowed=allowed))
        return _best(ids, products, len(ids))

    def differing(self, ids: Ids, beginnings: Rows) -> Ids:
        """Return the ids whose vector in one of the open stores does not begin with these values."""
        return np.unique(np.concatenate([store.differing(ids, beginnings) for store in self._opened()]))

    def save(self, path: Path, *, generation: int) -> None:
        """Write unsaved changes of all open stores; path is the folder of the main store."""
        for partition, store in self._open_partitions():
            with _opened_again_on_failure(partition):
                store.save(partition.path, generation=generation)
        self.main.save(path, generation=generation)

    @property
    def loss(self) -> int:
        """Number of the last loss in any of the open stores; 0 if no vectors are missing."""
        losses = tuple(store.loss for store in self._opened())
        number = sum(losses)
        if number:
            self._losses[number] = losses
        return number

    def acknowledge_loss(self, loss: int) -> None:
        """Record that the vectors of that loss were added again, or are known to be missing."""
        for store, own in zip(self._opened(), self._losses.pop(loss, ()), strict=False):
            store.acknowledge_loss(own)

    def maintain(self, stop: Callable[[], bool]) -> bool:
        """Run the maintenance of all open stores; return whether damaged data was excluded from one of them."""
        is_damaged = self.main.maintain(stop)
        for partition, store in self._open_partitions():
            with _opened_again_on_failure(partition):
                is_damaged |= store.maintain(stop)
        return is_damaged

    def close(self) -> None:
        """Close all stores."""
        for partition in self.partitions:
            partition.close()
        self.main.close()

    @property
    def _numbers(self) -> list[int]:
        return [partition.knowledge_base for partition in self.partitions]

    def _open_partitions(self) -> list[tuple[Partition, VectorStore]]:
        return [(one, store) for one in self.partitions if (store := one.opened) is not None]

    def _opened(self) -> list[VectorStore]:
        return [self.main, *(store for _, store in self._open_partitions())]

    def _own(self, partition: Partition, ids: Ids) -> Ids:
        """Return the ids that belong to a partition."""
        is_own: NDArray[np.bool_] = self._bases_of(ids) == partition.knowledge_base
        return ids[is_own]

    def _rest(self, ids: Ids) -> Ids:
        """Return the ids that belong to the main store."""
        return ids[~np.isin(self._bases_of(ids), self._numbers)]

    def _collected(
        self, vector: Rows, allowed: Ids | None, look: Callable[[VectorStore, Rows], tuple[Ids, Rows]]
    ) -> tuple[Ids, Rows]:
        query = query_row(vector, self.dim)
        found = [look(self.main, query)]
        for partition in self.partitions:
            try:
                found.append(look(partition.store(), query))
            except IndexUnavailable:
                if allowed is None or (self._bases_of(ascending(allowed)) == partition.knowledge_base).any():
                    raise
        return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


@contextlib.contextmanager
def _opened_again_on_failure(partition: Partition) -> Iterator[None]:
    """Let a partition whose server fails be opened again, and compared with the library then."""
    try:
        yield
    except StoreUnreachable as error:
        logger.warning("%s The store is brought up to date later.", error.message)
        partition.release()


def _best(ids: Ids, products: Rows, k: int) -> tuple[Ids, Rows]:
    """Return the k best, best first; of an id that is in two stores during a move, the first one."""
    order = np.argsort(-products, kind="stable")
    _, first = np.unique(ids[order], return_index=True)
    chosen = order[np.sort(first)[:k]]
    return ids[chosen], products[chosen]
