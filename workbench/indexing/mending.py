"""An index that is brought into step with the library when a search finds a file of it damaged."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.base import IndexDamaged, VectorStore

Found = tuple[NDArray[np.int64], NDArray[np.float32]]


class MendedIndex:
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

    def _found(self, look: Callable[[], Found]) -> Found:
        try:
            return look()
        except IndexDamaged:
            self._mend()
            return look()
