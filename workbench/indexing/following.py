"""Bring a vector store into step with the library: forget what is gone, take in what it lacks."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.base import VectorStore
from workbench.indexing.index_file import Stop
from workbench.indexing.segment import PIECE

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
