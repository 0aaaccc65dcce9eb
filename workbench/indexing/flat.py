"""Exact search: the inner product with every row, taken where the rows lie."""

from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

# Its type stubs know the C++ names only, not what its Python layer adds.
_FAISS: Any = faiss

Rows = NDArray[np.float32]
Places = NDArray[np.int64]


def inner_products(rows: Rows, query: NDArray[np.float32], chosen: Places | None = None) -> NDArray[np.float32]:
    """Return the inner products float32 [m] of a query [dim] with all rows [n, dim], or with the chosen ones.

    No row is copied, one thread does it: two threads on a busy machine took 12 ms for 5,000 vectors instead of 0.35 ms.
    """
    count = len(rows) if chosen is None else len(chosen)
    found = np.empty(count, np.float32)
    pointers = _FAISS.swig_ptr(found), _FAISS.swig_ptr(query), _FAISS.swig_ptr(rows)
    if chosen is None:
        _FAISS.fvec_inner_products_ny(*pointers, rows.shape[1], count)
    else:
        wanted = np.ascontiguousarray(chosen, np.int64)
        _FAISS.fvec_inner_products_by_idx(*pointers, _FAISS.swig_ptr(wanted), rows.shape[1], 1, count)
    return found


def best(scores: NDArray[np.float32], k: int) -> Places:
    """Return the places of the k highest scores, best first."""
    if k < len(scores):
        places = np.argpartition(-scores, k)[:k]
        places.sort()
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")]
