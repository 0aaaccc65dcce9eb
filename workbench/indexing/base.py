"""The vector store protocol: a cache of the library's vectors, made for searching."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.language import mark

DAMAGED = mark("The search index is damaged.")
REBUILT_FROM_LIBRARY = mark("The program rebuilds the index from the library.")
"""Hint of every error of an index that the library can restore."""


class IndexDamaged(IndexUnavailable):
    """Error of an index file damaged while open; its vectors are missing until the store is synchronised."""

    def __init__(self) -> None:
        super().__init__(DAMAGED, REBUILT_FROM_LIBRARY)


class VectorSearch(Protocol):
    """Interface of a nearest-neighbour search; called from several threads at once."""

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest, best first.

        Args:
            vector: float32 [dim], unit length.
            k: Maximum number of results.
            allowed: Search among these ids only (true pre-filtering); None means all.

        Raises:
            IndexUnavailable: The store failed; never an empty answer instead.
            IndexDamaged: A damaged file was excluded and its vectors are missing; raised until acknowledge_loss().
        """
        ...

    def products(
        self, vector: NDArray[np.float32], *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the ids int64 [n] of all stored and allowed vectors, and their inner products float32 [n].

        The order is arbitrary, except that equal products come in the order in which search() returns them.

        Args:
            vector: float32 [dim], unit length.
            allowed: These ids only; None means all.

        Raises:
            IndexUnavailable: As search().
        """
        ...


class VectorStore(VectorSearch, Protocol):
    """Store of unit vectors under int64 ids; searched and changed from several threads at once.

    Contract (tests/contracts/vector_store.py runs it over every implementation): upsert replaces, removing an absent
    id is no error, filters act before the limit, k > n returns n, an empty store returns nothing, a wrong width is
    refused, and damaged files are not used.
    """

    @property
    def dim(self) -> int: ...

    @property
    def count(self) -> int:
        """Number of vectors in the store."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """Ids in the store, in no order."""
        ...

    def existing(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of the given ids that the store contains, in no order; the input is ascending and unique."""
        ...

    @property
    def generation(self) -> int:
        """Number of the library state that the store matches; set by save, read by load."""
        ...

    def upsert(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add vectors float32 [n, dim]; the vector of an existing id is replaced.

        Raises:
            IndexUnavailable: A wrong width, or the store failed.
        """
        ...

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Delete these ids; ids that are not in the store are ignored."""
        ...

    def save(self, path: Path, *, generation: int) -> None:
        """Write unsaved changes to path so that a kill at any moment leaves the old state or the new one."""
        ...

    def differing(self, ids: NDArray[np.int64], beginnings: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the ids whose stored vector does not begin with these values.

        Args:
            ids: int64 [n], ascending.
            beginnings: float32 [n, m], the first m values of each vector of the library.
        """
        ...

    @property
    def loss(self) -> int:
        """Number of the last damaged file that was excluded; 0 if no vectors are missing."""
        ...

    def acknowledge_loss(self, loss: int) -> None:
        """Record that the vectors of that loss were added again, or are known to be missing."""
        ...

    def maintain(self, stop: Callable[[], bool]) -> bool:
        """Run idle-time maintenance: check the files, make searches faster.

        Returns whether damaged data was excluded: the store must then be synchronised with the library. Returns soon
        after stop() is true; changes and searches continue during the call.
        """
        ...

    def close(self) -> None:
        """Release files and connections; the store is not used afterwards. A second call does nothing."""
        ...


def last_of_each(
    ids: NDArray[np.int64], vectors: NDArray[np.float32], dim: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return ids int64 [n] and vectors float32 [n, dim] to put into a store; the last vector of a duplicate id is used.

    Raises:
        IndexUnavailable: A wrong width, or not one vector an id.
    """
    numbers = np.ascontiguousarray(ids, np.int64)
    rows = np.ascontiguousarray(vectors, np.float32)
    if not len(numbers) and not len(rows):
        return numbers, np.empty((0, dim), np.float32)
    if rows.ndim != 2 or rows.shape != (len(numbers), dim):
        raise wrong_width(dim, rows.shape[-1] if rows.ndim else 0)
    # np.unique of the reversed ids gives the last place of each.
    _, last = np.unique(numbers[::-1], return_index=True)
    chosen = np.sort(len(numbers) - 1 - last)
    return numbers[chosen], rows[chosen]


def query_row(vector: NDArray[np.float32], dim: int) -> NDArray[np.float32]:
    """Return a query vector as contiguous float32 [dim].

    Raises:
        IndexUnavailable: A wrong width.
    """
    query = np.ascontiguousarray(vector, np.float32).reshape(-1)
    if len(query) != dim:
        raise wrong_width(dim, len(query))
    return query


def ascending(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return unique ids in ascending order."""
    numbers = np.ascontiguousarray(ids, np.int64)
    # Ids from the store are usually in order already: checking takes a tenth of the time of sorting.
    return numbers if bool(np.all(numbers[1:] > numbers[:-1])) else np.unique(numbers)


def wrong_width(dim: int, width: int) -> IndexUnavailable:
    """Return the error for a vector whose width differs from that of the store."""
    return IndexUnavailable(
        f"The search index holds vectors of width {dim}, not {width}.",
        "Index the documents again with the current embedding model.",
    )
