"""The saved index, brought into step with the library: what is damaged or lacking in it comes from there."""

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.files.changes import delete_file
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.following import Fetch, Vectors, follow

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Truth:
    """The library's vectors of one embedder, of which an index is a cache.

    Attributes:
        dim: Their width.
        generation: The library's own count of changes to them.
        ids: Gives the ids of all.
        fetch: Gives the vectors of some.
        beginnings: Gives ids ascending, and the first values of each vector.
    """

    dim: int
    generation: int
    ids: Callable[[], NDArray[np.int64]]
    fetch: Fetch
    beginnings: Callable[[], Vectors]


@dataclass(frozen=True, slots=True)
class Opened:
    """An index that was opened.

    Attributes:
        store: It can be searched.
        was_damaged: Whether what was saved of it was.
        is_whole: Whether it holds every vector of the library; else it is to follow the library, and to be saved.
    """

    store: FaissStore
    was_damaged: bool
    is_whole: bool = True


def open_index(path: Path, truth: Truth, *, at_once: int = sys.maxsize) -> Opened:
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
        return Opened(store, was_damaged, is_whole=False)
    if follow(store, wanted, truth.fetch) or is_behind or was_damaged or not path.exists():
        try:
            store.save(path, generation=truth.generation)
        except IndexUnavailable as error:
            # It is only the cache that is missing next time.
            logger.warning("%s", error)
    return Opened(store, was_damaged)


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
