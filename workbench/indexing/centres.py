"""Spherical k-means clustering of unit vectors."""

from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.indexing.file_rows import FileRows
from workbench.indexing.index_file import Stop

Rows = NDArray[np.float32]

# The type stubs of FAISS cover only the C++ names, not what its Python layer adds.
_FAISS: Any = faiss
_ROUNDS = 8


def centres_of(sample: Rows, count: int, stop: Stop) -> Rows | None:
    """Return unit vectors float32 [count, dim], deterministic; None if it was stopped.

    FAISS's own k-means returns its centres as a std::vector, which is one of MuPDF's once PyMuPDF is imported.

    Args:
        sample: float32 [n, dim], unit length.
        count: Number of centres, at most n.
        stop: Called between the rounds.
    """
    centres = some_of(sample, count)
    for _ in range(_ROUNDS):
        if stop():
            return None
        centres = _moved(centres, sample)
    return centres


def some_of(rows: Rows | FileRows, count: int) -> Rows:
    """Return a uniform random sample with a fixed seed."""
    if count >= len(rows):
        return np.ascontiguousarray(rows[:])
    places = np.random.default_rng(0).choice(len(rows), count, replace=False)
    places.sort()
    return rows[places]


def _moved(centres: Rows, sample: Rows) -> Rows:
    """Move each centre to the mean direction of the vectors nearest to it; a centre without vectors is unchanged."""
    index = _FAISS.IndexFlatIP(sample.shape[1])
    index.add(centres)
    nearest = index.search(sample, 1)[1][:, 0]
    order = np.argsort(nearest, kind="stable")
    owners, starts = np.unique(nearest[order], return_index=True)
    sums = np.add.reduceat(sample[order], starts, axis=0)
    moved = centres.copy()
    moved[owners] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return moved
