"""First vectors: approximate vectors in memory of chunks that are not embedded yet."""

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.base import VectorSearch
from workbench.indexing.segment import Found, Ids, SegmentPart, nearest, products

Floats = NDArray[np.float32]

MOST = 100_000
"""Maximum number of chunks: 51 MB at width 128. Later ones wait for the model's vectors."""

# More parts than this are merged: each costs a search 20 microseconds.
_MOST_PARTS = 16


class FirstVectors:
    """Store of approximate unit vectors under int64 ids; safe to use from several threads.

    Their inner products with a question are a little lower than the model's: of the best of each question to annual
    reports 0.47 on average (the model's 0.63), to manuals, slides and papers 0.40 (0.51), of all 0.22 (0.24) and 0.09
    (0.08). So they are compared without scaling, and rank first only if the model's vectors have no near match.
    """

    def __init__(self, project: Callable[[Floats], Floats]) -> None:
        """Take a function that projects a query vector float32 [dim] to the space of these vectors."""
        self._project = project
        self._parts: tuple[SegmentPart, ...] = ()
        self._changing = threading.Lock()

    @property
    def count(self) -> int:
        """Number of vectors."""
        return sum(part.count for part in self._parts)

    @property
    def room(self) -> int:
        """Number of vectors that can be added."""
        return max(0, MOST - self.count)

    def put(self, ids: Ids, rows: Floats) -> None:
        """Add or replace the vectors float32 [n, width] of chunks, up to MOST in total."""
        with self._changing:
            parts = [part.without(np.sort(ids)) for part in self._parts]
            room = MOST - sum(part.count for part in parts)
            parts.append(SegmentPart(ids[:room], rows[:room]))
            self._parts = _living(parts if len(parts) <= _MOST_PARTS else [_joined(parts)])

    def discard(self, ids: Ids) -> None:
        """Delete these ids; unknown ids are ignored."""
        if self._parts:
            with self._changing:
                self._parts = _living([part.without(np.sort(ids)) for part in self._parts])

    def clear(self) -> None:
        """Delete all vectors."""
        with self._changing:
            self._parts = ()

    def search(self, vector: Floats, k: int, allowed: Ids | None) -> Found:
        """Return ids and inner products of the k nearest to a question's vector, float32 [dim], best first."""
        return nearest(self._parts, self._project(vector), k, allowed)

    def products(self, vector: Floats, allowed: Ids | None) -> Found:
        """Return ids and inner products of all to a question's vector, float32 [dim], in no order."""
        return products(self._parts, self._project(vector), allowed)


class IndexWithFirstVectors:
    """Vector search over the index and the first vectors of chunks that it does not contain yet."""

    def __init__(self, index: VectorSearch, first: Callable[[], FirstVectors | None]) -> None:
        """Take the index, and a function that returns the first vectors of its model, or None."""
        self._index = index
        self._first = first

    def search(self, vector: Floats, k: int, *, allowed: Ids | None = None) -> Found:
        """Return the nearest of both, as VectorStore.search does.

        Raises:
            IndexUnavailable: The index failed.
        """
        found = self._index.search(vector, k, allowed=allowed)
        ids, products = self._with(found, lambda first: first.search(vector, k, allowed))
        if ids is found[0]:
            return found
        order = np.argsort(-products, kind="stable")[:k]
        return ids[order], products[order]

    def products(self, vector: Floats, *, allowed: Ids | None = None) -> Found:
        """Return the inner products of both, as VectorSearch.products does.

        Raises:
            IndexUnavailable: The index failed.
        """
        found = self._index.products(vector, allowed=allowed)
        return self._with(found, lambda first: first.products(vector, allowed))

    def _with(self, found: Found, search: Callable[[FirstVectors], Found]) -> Found:
        """Return the results followed by those first vectors that are not among them."""
        first = self._first()
        if first is None or not first.count:
            return found
        also = search(first)
        is_new = ~np.isin(also[0], found[0])  # the model's vector may have been added just now
        return np.concatenate([found[0], also[0][is_new]]), np.concatenate([found[1], also[1][is_new]])


def _living(parts: list[SegmentPart]) -> tuple[SegmentPart, ...]:
    return tuple(part for part in parts if part.count)


def _joined(parts: list[SegmentPart]) -> SegmentPart:
    places = [part.places for part in parts]
    ids = np.concatenate([part.ids[some] for part, some in zip(parts, places, strict=True)])
    return SegmentPart(ids, np.concatenate([part.rows[some] for part, some in zip(parts, places, strict=True)]))
