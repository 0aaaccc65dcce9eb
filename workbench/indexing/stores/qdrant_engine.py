"""Qdrant: a server by its URL, or the local mode of its client, which compares with every vector in memory."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.egress.gate import PermittedRequest
from workbench.indexing.stores.engine_store import PIECE
from workbench.indexing.stores.vector_engine import (
    IdFilter,
    Ids,
    Rows,
    StoreLocation,
    VectorEngine,
    connecting,
    failure,
    missing_package,
    opening_files,
    other_schema,
)
from workbench.model.vector_store import AddressUse

_TITLE = "Qdrant"
_PORT = 6333
_SECONDS = 15
"""Timeout of a request; the default of 5 s is too short for a filter of 10,000 ids on a busy server."""
_MOST_NUMBERS = 500_000
"""Maximum number of numbers in a request, at most 25 bytes each: a server accepts 32 MiB unless set otherwise."""
_ID = "id"
_EF = 256
"""Number of candidates of a search in the graph of a server: recall@10 above 0.98 by Qdrant's own measurements."""


class QdrantProvider:
    """StoreProvider for Qdrant."""

    title = _TITLE
    address_use = AddressUse.OPTIONAL
    port = _PORT
    # The local mode keeps its vectors in arrays that it replaces while other threads read them.
    is_concurrent = False

    def open(self, location: StoreLocation, dim: int) -> VectorEngine:
        """Open the collection; raises as StoreProvider.open does."""
        try:
            from qdrant_client import QdrantClient
        except ImportError as error:
            raise missing_package(_TITLE, "qdrant") from error
        if location.url:
            return self._connected(QdrantClient, location, dim)
        with opening_files(_TITLE):
            try:
                client = QdrantClient(path=str(location.data), force_disable_check_same_thread=True)
            except RuntimeError as error:  # another program has it open
                raise failure(_TITLE, error) from error
            return QdrantEngine(client, location.collection, dim, None)

    def _connected(self, make: Callable[..., Any], location: StoreLocation, dim: int) -> VectorEngine:
        parts = location.address
        with connecting(_TITLE, location, _PORT) as passage:
            client = make(
                host=parts.hostname,
                port=parts.port or _PORT,
                https=parts.scheme == "https",
                prefix=parts.path.strip("/") or None,
                api_key=location.key or None,
                timeout=_SECONDS,
                check_compatibility=False,
                trust_env=False,
            )
            try:
                return QdrantEngine(client, location.collection, dim, passage)
            except Exception:
                client.close()
                raise


class QdrantEngine:
    """VectorEngine over one collection; a point is an id and a vector.

    On a server, a point also has its id as an indexed field, because Qdrant has no ranges of point ids.
    """

    def __init__(self, client: Any, name: str, dim: int, passage: PermittedRequest | None) -> None:
        from qdrant_client import models

        self._client = client
        self._name = name
        self._dim = dim
        self._passage = passage
        self._models = models
        self.uses_ranges = passage is not None
        if client.collection_exists(name):
            collection = client.get_collection(name)
            params = collection.config.params.vectors
            if getattr(params, "size", None) != dim or params.distance != models.Distance.DOT:
                raise other_schema(_TITLE)
            if self.uses_ranges and _ID not in (collection.payload_schema or {}):
                raise other_schema(_TITLE)
        else:
            client.create_collection(name, models.VectorParams(size=dim, distance=models.Distance.DOT))
            if self.uses_ranges:
                index = models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=False, range=True)
                client.create_payload_index(name, _ID, index)
        if passage is None:
            self._local("PRAGMA journal_mode = WAL")
            self._local("PRAGMA synchronous = NORMAL")

    def ids(self) -> Ids:
        """Return all ids."""
        found: list[int] = []
        after: Any = None
        while True:
            points, after = self._client.scroll(
                self._name, limit=10 * PIECE, offset=after, with_payload=False, with_vectors=False
            )
            found += [point.id for point in points]
            if after is None:
                return np.array(found, np.int64)

    def vectors(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the ids that are held, and their vectors."""
        points = self._client.retrieve(self._name, ids.tolist(), with_payload=False, with_vectors=True)
        rows = np.array([point.vector for point in points], np.float32).reshape(-1, self._dim)
        return np.array([point.id for point in points], np.int64), rows

    def put(self, ids: Ids, rows: Rows) -> None:
        """Add or replace vectors."""
        step = max(1, _MOST_NUMBERS // self._dim)
        for start in range(0, len(ids), step):
            numbers = ids[start : start + step].tolist()
            fields = [{_ID: number} for number in numbers] if self.uses_ranges else None
            batch = self._models.Batch(ids=numbers, vectors=rows[start : start + step].tolist(), payloads=fields)
            self._client.upsert(self._name, batch, wait=True)

    def delete(self, ids: Ids) -> None:
        """Delete ids."""
        self._client.delete(self._name, self._models.PointIdsList(points=ids.tolist()), wait=True)

    def nearest(self, query: Rows, k: int, allowed: IdFilter | None) -> tuple[Ids, Rows]:
        """Return the ids and inner products of the k nearest; in local mode exactly, and none if allowed is given."""
        models = self._models
        among = None
        if allowed is not None and self._passage is None:
            # The local mode calls its filter for each point, 64 ms for 10,000 points; EngineStore is faster.
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if allowed is not None and allowed.has_few_ranges:
            ranges = [models.Range(gte=first, lte=last) for first, last in allowed.ranges.tolist()]
            among = models.Filter(should=[models.FieldCondition(key=_ID, range=one) for one in ranges])
        elif allowed is not None:
            among = models.Filter(must=[models.HasIdCondition(has_id=allowed.ids.tolist())])
        points = self._client.query_points(
            self._name,
            query=query.tolist(),
            limit=k,
            query_filter=among,
            search_params=models.SearchParams(hnsw_ef=max(_EF, k)) if self._passage is not None else None,
            with_payload=False,
        ).points
        return np.array([one.id for one in points], np.int64), np.array([one.score for one in points], np.float32)

    def optimise(self, stop: Callable[[], bool]) -> None:
        """Do nothing: a server optimises by itself, and the local mode has no index."""

    def flush(self) -> None:
        """Write changes of the local mode to the disk; a server does that by itself."""
        if self._passage is None:
            self._local("PRAGMA wal_checkpoint(FULL)")

    def _local(self, command: str) -> None:
        """Run a command on the SQLite file of the local mode, which has no options for its journal.

        There each point is a separate transaction: 10,000 points took 83 s with a wait for the disk after each.
        """
        with contextlib.suppress(AttributeError):  # another version may store its points elsewhere
            self._client._client.collections[self._name].storage.storage.execute(command).fetchall()

    def drop(self) -> None:
        """Delete the collection."""
        self._client.delete_collection(self._name)

    def close(self) -> None:
        """Close the connection, or the files of the local mode."""
        self._client.close()
        if self._passage is not None:
            self._passage.done()
