"""Vectors of the phrases that documents write for the terms of a question (retrieval/expansion.py).

A question for a ratio has up to eight of them, 2 to 3 ms each: half of the time of its search. So all are made together
at the first such question on a machine (0.3 s), and read from the cache from then on.
"""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.operations.made_files import keep_made, made_path, read_made
from workbench.retrieval.query_expansion import PHRASES

if TYPE_CHECKING:
    from workbench.embedding.base import Embedder

_VERSION = hashlib.sha256("\n".join(PHRASES).encode()).hexdigest()[:12]


def phrase_vectors(embedder: "Embedder", cache: Path) -> dict[str, NDArray[np.float32]]:
    """Return the vector of each phrase, float32 [dim] of length 1, as embed_query() gives it; blocking.

    Raises:
        EmbeddingError: The model failed.
    """
    path = made_path(cache, "phrase-vectors", embedder.id, _VERSION)
    kept = read_made(path)
    if kept is not None and len(kept) == 4 * len(PHRASES) * embedder.dim:
        vectors = np.frombuffer(kept, "<f4").reshape(len(PHRASES), embedder.dim)
    else:
        vectors = np.stack([embedder.embed_query(phrase) for phrase in PHRASES])
        keep_made(path, vectors.astype("<f4").tobytes())
    return dict(zip(PHRASES, vectors, strict=True))
