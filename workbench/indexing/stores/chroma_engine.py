"""Chroma: an embedded database with an approximate index (HNSW graph)."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.indexing.stores.vector_engine import (
    IdFilter,
    Ids,
    Rows,
    StoreLocation,
    VectorEngine,
    missing_package,
    opening_files,
    other_schema,
)
from workbench.model.vector_store import AddressUse

_TITLE = "Chroma"
_CANDIDATES = 256
"""Number of candidates of a search in the graph and of an insertion into it."""
_NEIGHBOURS = 32
"""Edges of a node: twice the default of 16, as the vectors of passages lie closer together than test data."""


class ChromaProvider:
    """StoreProvider for Chroma."""

    title = _TITLE
    address_use = AddressUse.NEVER
    port = 0
    is_concurrent = True

    def open(self, location: StoreLocation, dim: int) -> VectorEngine:
        """Open the collection; raises as StoreProvider.open does."""
        try:
            import chromadb
            from chromadb.config import Settings
        except ImportError as error:
            raise missing_package(_TITLE, "chroma") from error
        with opening_files(_TITLE):
            options = Settings(anonymized_telemetry=False, chroma_otel_collection_endpoint="")
            return ChromaEngine(chromadb.PersistentClient(str(location.data), options), location.collection, dim)


class ChromaEngine:
    """VectorEngine over one collection; ids are stored as text, as Chroma requires."""

    uses_ranges = False

    def __init__(self, client: Any, name: str, dim: int) -> None:
        self._client = client
        self._name = name
        self._dim = dim
        graph = {
            "space": "ip",
            "ef_construction": _CANDIDATES,
            "ef_search": _CANDIDATES,
            "max_neighbors": _NEIGHBOURS,
        }
        self._collection = client.get_or_create_collection(
            name, configuration={"hnsw": graph}, metadata={"dim": dim}, embedding_function=None
        )
        if (self._collection.metadata or {}).get("dim") != dim:
            raise other_schema(_TITLE)

    def ids(self) -> Ids:
        """Return all ids."""
        return _numbers(self._collection.get(include=[])["ids"])

    def vectors(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the ids that are held, and their vectors."""
        found = self._collection.get(ids=_texts(ids), include=["embeddings"])
        return _numbers(found["ids"]), np.asarray(found["embeddings"], np.float32).reshape(-1, self._dim)

    def put(self, ids: Ids, rows: Rows) -> None:
        """Add or replace vectors."""
        self._collection.upsert(ids=_texts(ids), embeddings=rows)

    def delete(self, ids: Ids) -> None:
        """Delete ids."""
        self._collection.delete(ids=_texts(ids))

    def nearest(self, query: Rows, k: int, allowed: IdFilter | None) -> tuple[Ids, Rows]:
        """Return the ids and inner products of the k nearest; the recall is slightly below 1."""
        among = {} if allowed is None else {"ids": _texts(allowed.ids)}
        found = self._collection.query(query_embeddings=[query], n_results=k, include=["distances"], **among)
        # Chroma's distance is one minus the inner product.
        return _numbers(found["ids"][0]), np.float32(1) - np.asarray(found["distances"][0], np.float32)

    def optimise(self, stop: Callable[[], bool]) -> None:
        """Do nothing: Chroma builds its graph by itself."""

    def flush(self) -> None:
        """Do nothing: each change is written to the disk before its call returns."""

    def drop(self) -> None:
        """Delete the collection."""
        self._client.delete_collection(self._name)

    def close(self) -> None:
        """Close the files."""
        with contextlib.suppress(Exception):  # Chroma may have closed it in its own exit handler
            self._client.close()


def _texts(ids: Ids) -> list[str]:
    return list(map(str, ids.tolist()))


def _numbers(ids: list[str]) -> Ids:
    return np.array(list(map(int, ids)), np.int64)
