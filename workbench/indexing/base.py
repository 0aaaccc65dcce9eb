"""The vector store protocol: a cache of the library's vectors, made for searching."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable


class IndexDamaged(IndexUnavailable):
    """A file of the index was damaged while it was open; the store lacks its vectors until it follows the library."""

    def __init__(self) -> None:
        super().__init__("The search index is damaged.", "The program makes the index anew from the library.")


class VectorSearch(Protocol):
    """What vectors are searched in; from several threads at once."""

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest, best first.

        Args:
            vector: float32 [dim], unit length.
            k: How many at most.
            allowed: Search among these ids only (true pre-filtering); None means all.

        Raises:
            IndexUnavailable: The store failed; never an empty answer instead.
            IndexDamaged: Vectors are lacking since a damaged file was put aside; so it is until made_good() is told.
        """
        ...

    def products(
        self, vector: NDArray[np.float32], *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the ids int64 [n] of all that are held and allowed, and their inner products float32 [n].

        In no order; of equal ones that comes first which search() of all gives first.

        Args:
            vector: float32 [dim], unit length.
            allowed: These ids only; None means all.

        Raises:
            IndexUnavailable: As search().
        """
        ...


class VectorStore(VectorSearch, Protocol):
    """Holds unit vectors under int64 ids; searched and changed from several threads at once.

    Contract (tests/contracts/vector_store.py runs it over every implementation): upsert replaces, removing an absent
    id is no error, filters act before the limit, k > n returns n, an empty store returns nothing, a wrong width is
    refused, what was saved is not believed where it is damaged.
    """

    @property
    def dim(self) -> int: ...

    @property
    def count(self) -> int:
        """How many vectors are held."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids that are held, in no order."""
        ...

    def held(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which of some ids are held, in no order; they are ascending, none twice."""
        ...

    @property
    def generation(self) -> int:
        """The number of the library state that the store agrees with; set by save, read by load."""
        ...

    def upsert(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add vectors float32 [n, dim]; an id that is held already is replaced.

        Raises:
            IndexUnavailable: A wrong width, or the store failed.
        """
        ...

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Forget these ids; those not held are ignored."""
        ...

    def save(self, path: Path, *, generation: int) -> None:
        """Write what is new to path so that a kill at any moment leaves the old state or the new one."""
        ...

    def differing(self, ids: NDArray[np.int64], beginnings: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return which of the ids are held with a vector that does not begin with these values.

        Args:
            ids: int64 [n], ascending.
            beginnings: float32 [n, m], the first m values of each vector of the library.
        """
        ...

    @property
    def loss(self) -> int:
        """The number of the last damaged file that was put aside; 0 where nothing is lacking since."""
        ...

    def made_good(self, loss: int) -> None:
        """Take note that what was lacking with that loss was taken in again, or is known to be lacking."""
        ...

    def tend(self, stop: Callable[[], bool]) -> bool:
        """Do what can wait until nothing else is to be done: check the files, make searches faster.

        Returns whether something was damaged and put aside: the store then has to follow the library. Ends soon when
        stop says so; changes and searches go on meanwhile.
        """
        ...

    def close(self) -> None:
        """Release files and connections; the store is not used afterwards. A second call does nothing."""
        ...


def last_of_each(
    ids: NDArray[np.int64], vectors: NDArray[np.float32], dim: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return ids int64 [n] and vectors float32 [n, dim] to put into a store: of an id given twice the last counts.

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
    """Return a question's vector as contiguous float32 [dim].

    Raises:
        IndexUnavailable: A wrong width.
    """
    query = np.ascontiguousarray(vector, np.float32).reshape(-1)
    if len(query) != dim:
        raise wrong_width(dim, len(query))
    return query


def ascending(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ids in ascending order, none twice."""
    numbers = np.ascontiguousarray(ids, np.int64)
    # The store gives them in order mostly: looking takes a tenth of sorting.
    return numbers if bool(np.all(numbers[1:] > numbers[:-1])) else np.unique(numbers)


def wrong_width(dim: int, width: int) -> IndexUnavailable:
    """Return the error of a vector that has another width than the store."""
    return IndexUnavailable(
        f"The search index holds vectors of width {dim}, not {width}.",
        "Index the documents again with the present embedding model.",
    )
