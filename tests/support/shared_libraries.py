"""Shared libraries on a real PostgreSQL server, and copies of personal libraries in them."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import psycopg

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.operations.shared.sharing import _complete_schema
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.postgres.members import SharedKnowledgeBases
from workbench.store.postgres.postgres_database import PostgresDatabase, SharedLocation
from workbench.store.postgres.publication import ReadDocument, publish

DIM = 4
EMBEDDER = f"test/{DIM}/1/fp32"
_NUMBERS = itertools.count(1)
_EMPTY: dict[str, list[str]] = {}
"""Address of a server -> names of databases that are not in use."""
_EMPTY_DATABASE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DROP SCHEMA IF EXISTS workbench CASCADE;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""
_COPIED = (
    *("path", "name", "size", "format", "title", "author", "created", "keywords", "language", "modified", "folder"),
    *("tags", "pages", "origin", "page_kind", "passage_tags", "added"),
)


@contextmanager
def empty_database(server: str) -> Iterator[str]:
    """Yield the address of an empty database on a server; emptying it for the next test is quicker than a new one."""
    empty = _EMPTY.setdefault(server, [])
    if not empty:
        empty.append(f"test{next(_NUMBERS)}")
        with psycopg.connect(server, autocommit=True) as owner:
            owner.execute(f"CREATE DATABASE {empty[-1]}")
    name = empty.pop()
    try:
        yield address_of(server, name)
    finally:
        with psycopg.connect(address_of(server, name), autocommit=True) as owner:
            owner.execute(_EMPTY_DATABASE)
        empty.append(name)


def address_of(server: str, database: str, user: str = "postgres") -> str:
    """Return the address of a database on the server, for a user."""
    return f"postgresql://{user}@/{database}?{urlsplit(server).query}"


@contextmanager
def shared_library(url: str, *, embedder: str = EMBEDDER, model: str = "") -> Iterator[PostgresDatabase]:
    """Set up a shared library in an empty database, open it, and close it."""
    location = SharedLocation(url, "", LOOPBACK_ONLY)
    PostgresDatabase.create(location, lambda connection: _complete_schema(connection, embedder, model))
    database = PostgresDatabase.open(location)
    try:
        yield database
    finally:
        database.close()


def opened(url: str) -> PostgresDatabase:
    """Return a shared library that was set up; the caller closes it."""
    return PostgresDatabase.open(SharedLocation(url, "", LOOPBACK_ONLY))


def add_users(server: str, *names: str) -> None:
    """Create users at a server who may only connect."""
    with psycopg.connect(server, autocommit=True) as owner:
        for name in names:
            owner.execute(f"DROP ROLE IF EXISTS {name}")
            owner.execute(f"CREATE ROLE {name} LOGIN")


def copy_library(source: Database, shared: PostgresDatabase, vectors: Mapping[int, Any] | None = None) -> None:
    """Publish every document of a personal library, with its fields; ids become those of a new library: 1, 2, 3 ..."""
    documents = DocumentStore(source)
    there = [name for name, _ in SharedKnowledgeBases(shared).list()]
    for name in documents.knowledge_bases():
        if name not in there:
            SharedKnowledgeBases(shared).create(name)
    for document in documents.list():
        chunks = [chunk.id for chunk in documents.chunks(document.id)]
        ids = np.array(chunks if vectors is None else [one for one in chunks if one in vectors], np.int64)
        rows = np.array(
            [np.eye(DIM, dtype=np.float32)[one % DIM] if vectors is None else vectors[one] for one in ids], np.float32
        )
        publish_read(shared, ReadDocument.of(source, document.id, ids, rows, {}), source)


def publish_read(shared: PostgresDatabase, read: ReadDocument, source: Database | None = None) -> int:
    """Publish a document as the worker "w" of a new job, and return its id."""
    document = read.document
    with shared.write() as connection:
        (number,) = connection.execute(
            "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, added)"
            " VALUES ((SELECT id FROM knowledge_bases WHERE name = ?), ?, ?, ?, ?, ?, 'queued', ?) RETURNING id",
            (document.knowledge_base, *map(_plain, (document.path, document.name)), document.sha256, 1, "", "x"),
        ).fetchone()
        connection.execute(
            "INSERT INTO import_jobs (document, knowledge_base, worker)"
            " SELECT id, knowledge_base, 'w' FROM documents WHERE id = ?",
            (number,),
        )
    assert publish(shared, number, "w", [read]) == [number]
    if source is not None:
        with source.read() as own, shared.write() as connection:
            row = own.execute(f"SELECT {', '.join(_COPIED)} FROM documents WHERE id = ?", (document.id,)).fetchone()
            values = ", ".join(f"{name} = ?" for name in _COPIED)
            connection.execute(f"UPDATE documents SET {values} WHERE id = ?", (*map(_plain, row), number))
    return int(number)


def _plain(value: Any) -> Any:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def write_file(folder: Path, name: str, text: str) -> Path:
    """Write a text file and return it."""
    path = folder / name
    path.write_text(text)
    return path
