"""Milvus: a server by its URL, or Milvus Lite, which runs in this process behind a local socket."""

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from workbench.errors import StoreUnreachable
from workbench.indexing.stores.engine_store import PIECE
from workbench.indexing.stores.vector_engine import (
    IdFilter,
    Ids,
    Rows,
    StoreLocation,
    VectorEngine,
    connecting,
    missing_package,
    opening_files,
    other_schema,
    refused_key,
)
from workbench.model.vector_store import AddressUse
from workbench.worker.scratch import drop_scratch, new_scratch

_TITLE = "Milvus"
_PORT = 19530
_SECONDS = 15
_MOST = 16_384
"""Maximum number of results of a search and of rows of a query, a limit of Milvus servers."""
_EF = 256
"""Number of candidates of a search in the graph of a server, and of an insertion into it."""
_THREADS = 4
_SEVERAL_CLUSTERS = "global-cluster"
"""Part of host names for which the client contacts other hosts by itself."""


class MilvusProvider:
    """StoreProvider for Milvus."""

    title = _TITLE
    address_use = AddressUse.OPTIONAL
    port = _PORT
    # Milvus Lite allows one writer at a time, and no reader while it writes.
    is_concurrent = False

    def open(self, location: StoreLocation, dim: int) -> VectorEngine:
        """Open the collection; raises as StoreProvider.open does."""
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise missing_package(_TITLE, "milvus") from error
        # The client prints the traceback of each request that fails to stderr; the error is raised, too.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        if location.url:
            return self._connected(MilvusClient, location, dim)
        with opening_files(_TITLE):
            server = LocalMilvus(location.data)
            try:
                client = MilvusClient(server.uri, timeout=_SECONDS, dedicated=True)
                return MilvusEngine(client, location.collection, dim, server.close, is_local=True)
            except BaseException:
                server.close()
                raise

    def _connected(self, make: Callable[..., Any], location: StoreLocation, dim: int) -> VectorEngine:
        parts = location.address
        if _SEVERAL_CLUSTERS in location.url.lower():
            raise StoreUnreachable(
                "The address of Milvus leads to several servers.", "Enter the address of one of them."
            )
        uri = f"{parts.scheme}://{parts.hostname}:{parts.port or _PORT}"
        with connecting(_TITLE, location, _PORT) as passage:
            try:
                client = make(uri, token=location.key, timeout=_SECONDS, dedicated=True)
                return MilvusEngine(client, location.collection, dim, passage.done, is_local=False)
            except Exception as error:
                if "auth" in str(error).lower():
                    raise refused_key(_TITLE) from error
                raise


class LocalMilvus:
    """Milvus Lite in this process, on a socket file in a folder that only this user may enter: no port is open."""

    def __init__(self, data: Path) -> None:
        try:
            import grpc
            from milvus_lite.adapter.grpc.servicer import MilvusServicer
            from milvus_lite.db import MilvusLite
            from pymilvus.grpc_gen import milvus_pb2_grpc
        except ImportError as error:
            raise missing_package("Milvus Lite", "milvus") from error
        # The path of a socket is limited to 107 bytes, which the folder of a library may exceed.
        self._folder = new_scratch()
        self.uri = f"unix:{self._folder / 'socket'}"
        self._database = MilvusLite(str(data))
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="milvus")
        self._server = grpc.server(
            self._threads,
            options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
        )
        servicer = MilvusServicer(self._database)
        # The client does not need this method; unless it is refused like this, the server logs an error at each start.
        servicer.AllocTimestamp = lambda _, context: context.abort(grpc.StatusCode.UNIMPLEMENTED, "")
        milvus_pb2_grpc.add_MilvusServiceServicer_to_server(servicer, self._server)
        self._server.add_insecure_port(self.uri)
        self._server.start()

    def close(self) -> None:
        """Stop the server and close the files."""
        self._server.stop(grace=None).wait()
        self._threads.shutdown()
        self._database.close()
        drop_scratch(self._folder)


class MilvusEngine:
    """VectorEngine over one collection with the fields id and vector."""

    uses_ranges = True

    def __init__(self, client: Any, name: str, dim: int, ended: Callable[[], None], *, is_local: bool) -> None:
        from pymilvus import DataType

        self._client = client
        self._name = name
        self._dim = dim
        self._ended = ended
        self._is_local = is_local
        if client.has_collection(name):
            fields = {field["name"]: field for field in client.describe_collection(name)["fields"]}
            if int(fields.get("vector", {}).get("params", {}).get("dim", 0)) != dim:
                raise other_schema(_TITLE)
        else:
            schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", DataType.INT64, is_primary=True)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dim)
            index = client.prepare_index_params()
            if is_local:
                index.add_index("vector", index_type="FLAT", metric_type="IP")
            else:
                graph = {"M": 32, "efConstruction": _EF}
                index.add_index("vector", index_type="HNSW", metric_type="IP", params=graph)
            client.create_collection(name, schema=schema, index_params=index, consistency_level="Strong")
        client.load_collection(name)

    def ids(self) -> Ids:
        """Return all ids."""
        if self._is_local:
            pages: Iterable[Any] = [self._client.query(self._name, filter="id >= 0", output_fields=["id"])]
        else:
            pages = self._pages()
        found = [np.array([row["id"] for row in rows], np.int64) for rows in pages]
        return np.concatenate([np.empty(0, np.int64), *found])

    def vectors(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the ids that are held, and their vectors."""
        found = self._client.query(self._name, filter=_among(ids), output_fields=["id", "vector"])
        rows = np.array([row["vector"] for row in found], np.float32).reshape(-1, self._dim)
        return np.array([row["id"] for row in found], np.int64), rows

    def put(self, ids: Ids, rows: Rows) -> None:
        """Add or replace vectors."""
        pairs = zip(ids.tolist(), rows, strict=True)
        self._client.upsert(self._name, [{"id": id, "vector": row} for id, row in pairs])

    def delete(self, ids: Ids) -> None:
        """Delete ids."""
        self._client.delete(self._name, ids=ids.tolist())

    def nearest(self, query: Rows, k: int, allowed: IdFilter | None) -> tuple[Ids, Rows]:
        """Return the ids and inner products of the k nearest; exactly in Milvus Lite."""
        limit = min(k, _MOST)
        found = self._client.search(
            self._name,
            [query],
            filter="" if allowed is None else _within(allowed),
            limit=limit,
            search_params={} if self._is_local else {"params": {"ef": max(_EF, limit)}},
        )[0]
        return np.array([hit["id"] for hit in found], np.int64), np.array(
            [hit["distance"] for hit in found], np.float32
        )

    def optimise(self, stop: Callable[[], bool]) -> None:
        """Do nothing: Milvus merges its files and builds its indexes by itself."""

    def flush(self) -> None:
        """Write buffered changes to files."""
        self._client.flush(self._name)

    def drop(self) -> None:
        """Delete the collection."""
        self._client.drop_collection(self._name)

    def close(self) -> None:
        """Close the connection, and Milvus Lite with it."""
        self._client.close()
        self._ended()

    def _pages(self) -> Iterator[Any]:
        """Yield the ids of a server, where a query returns at most _MOST; Milvus Lite has no such iterator."""
        rows = self._client.query_iterator(self._name, batch_size=10 * PIECE, output_fields=["id"])
        try:
            while page := rows.next():
                yield page
        finally:
            rows.close()


def _among(ids: Ids) -> str:
    return f"id in {ids.tolist()}"


def _within(allowed: IdFilter) -> str:
    if not allowed.has_few_ranges:
        return _among(allowed.ids)
    return _any_of([f"(id >= {first} and id <= {last})" for first, last in allowed.ranges.tolist()])


def _any_of(conditions: list[str]) -> str:
    """Join conditions in pairs: a server fails if “or” is nested about 50 deep, as in a chain of that many."""
    while len(conditions) > 1:
        pairs = [conditions[start : start + 2] for start in range(0, len(conditions), 2)]
        conditions = [f"({' or '.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
    return conditions[0]
