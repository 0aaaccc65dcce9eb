"""Exact search: inner products with every row, in memory without a copy or read from a file."""

from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.indexing.file_rows import FileRows

# The type stubs of FAISS cover only the C++ names, not what its Python layer adds.
_FAISS: Any = faiss

Rows = NDArray[np.float32]
Places = NDArray[np.int64]

# Rows that are read from a file at a time: 400 KB at width 384 stay in the second-level cache.
_BLOCK = 256


def inner_products(
    rows: Rows | FileRows, query: NDArray[np.float32], chosen: Places | None = None
) -> NDArray[np.float32]:
    """Return the inner products float32 [m] of a query [dim] with all rows [n, dim], or with the chosen ones.

    A single thread is used: two threads on a busy machine took 12 ms for 5,000 vectors instead of 0.35 ms.

    Args:
        rows: Rows in memory are not copied.
        query: float32 [dim].
        chosen: Positions of rows, ascending.

    Raises:
        IndexFileChanged: The file of the rows was changed.
    """
    if isinstance(rows, FileRows):
        count = len(rows) if chosen is None else len(chosen)
        products = [np.empty(0, np.float32)]
        for start in range(0, count, _BLOCK):
            block = slice(start, min(start + _BLOCK, count))
            products.append(inner_products(rows[block if chosen is None else chosen[block]], query))
        return np.concatenate(products)
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
    """Return the positions of the k highest scores, best first."""
    if k < len(scores):
        places = np.argpartition(-scores, k)[:k]
        places.sort()
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")]
