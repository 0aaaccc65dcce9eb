"""A saved index held against the library: files that are damaged, vectors that are lacking, too many, or others."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.folder import segment_path
from workbench.indexing.index_file import Stop
from workbench.indexing.manifest import Manifest
from workbench.indexing.opening import Truth
from workbench.indexing.segment import Segment
from workbench.language import mark


def index_problems(path: Path, truth: Truth, stop: Stop = lambda: False) -> list[str]:
    """Return what is wrong with an index as it is saved, a sentence each; nothing where it is only behind.

    What is behind the library is brought into step at the next opening, and no fault: nothing was promised.

    Args:
        path: The folder that it was saved to.
        truth: The library's vectors.
        stop: Whether to end now.
    """
    if not path.exists():
        return []
    try:
        manifest = Manifest.read(path)
        if manifest.dim != truth.dim:
            return [mark("The search index is of another embedding model.")]
        store, problems = FaissStore.rescue(path)
        damaged = [error.message for error in problems]
        for entry in manifest.entries:
            if stop():
                return []
            damaged += _unsound(segment_path(path, entry.number), truth.dim, stop)
    except IndexUnavailable as error:
        return [error.message]
    if damaged or manifest.generation != truth.generation:
        return damaged[:1]
    return _differences(store, truth)


def _unsound(path: Path, dim: int, stop: Stop) -> list[str]:
    try:
        segment = Segment.open(path, dim=dim)
    except IndexUnavailable:
        return []  # said already
    return [] if segment.is_sound(stop) else [mark("The search index is damaged.")]


def _differences(store: FaissStore, truth: Truth) -> list[str]:
    held, wanted = store.ids, truth.ids()
    lacking, extra = _only_in(wanted, held), _only_in(held, wanted)
    if lacking or extra:
        return [mark(f"The search index differs from the vectors: {lacking} are lacking, {extra} too many.")]
    others = len(store.differing(*truth.beginnings())) if len(wanted) else 0
    return [mark(f"Vectors that are others in the search index: {others}.")] if others else []


def _only_in(some: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    return len(np.setdiff1d(some, others))
