"""Bring a vector store into step with the library: forget what is gone, take in what it lacks."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.base import VectorStore

Fetch = Callable[[list[int]], tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Gives the ids and vectors of those of the ids that the library has."""


def follow(store: VectorStore, wanted: NDArray[np.int64], fetch: Fetch) -> int:
    """Make a store hold exactly the ids wanted; returns how many had to be forgotten or taken in.

    Chunks of edited documents and of documents in the bin would otherwise crowd out what may be found: the store
    gives the nearest first, whether they can be shown or not.
    """
    held = store.ids
    gone = np.setdiff1d(held, wanted)
    lacking = np.setdiff1d(wanted, held)
    if len(gone):
        store.remove(gone)
    if len(lacking):
        store.upsert(*fetch(lacking.tolist()))
    return len(gone) + len(lacking)
