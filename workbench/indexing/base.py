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
