"""Spherical k-means: points that stand in the middle of the vectors near them."""

from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.indexing.file_rows import FileRows
from workbench.indexing.index_file import Stop

Rows = NDArray[np.float32]

# Its type stubs know the C++ names only, not what its Python layer adds.
_FAISS: Any = faiss
_ROUNDS = 8


def centres_of(sample: Rows, count: int, stop: Stop) -> Rows | None:
    """Return unit vectors float32 [count, dim], the same each time; None where it was to stop.

    Not FAISS's own: it hands its centres over as a std::vector, which is one of MuPDF's once PyMuPDF is imported.

    Args:
        sample: float32 [n, dim], unit length.
        count: How many, at most n.
        stop: Asked between the rounds.
    """
    centres = some_of(sample, count)
    for _ in range(_ROUNDS):
        if stop():
            return None
        centres = _moved(centres, sample)
    return centres


def some_of(rows: Rows | FileRows, count: int) -> Rows:
    """Return a fair sample; the same one each time."""
    if count >= len(rows):
        return np.ascontiguousarray(rows[:])
    places = np.random.default_rng(0).choice(len(rows), count, replace=False)
    places.sort()
    return rows[places]


def _moved(centres: Rows, sample: Rows) -> Rows:
    """Return each centre in the middle of what is nearest to it; one that is nearest to nothing stays."""
    index = _FAISS.IndexFlatIP(sample.shape[1])
    index.add(centres)
    nearest = index.search(sample, 1)[1][:, 0]
    order = np.argsort(nearest, kind="stable")
    owners, starts = np.unique(nearest[order], return_index=True)
    sums = np.add.reduceat(sample[order], starts, axis=0)
    moved = centres.copy()
    moved[owners] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return moved
