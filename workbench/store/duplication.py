"""A document copied into another knowledge base, chunks and vectors and all, without reading it again."""

import sqlite3
from dataclasses import replace

from workbench.store.checksums import VECTOR
from workbench.store.chunk_log import copy_edits
from workbench.store.keywords import KeywordRow, add_rows
from workbench.store.replacement import keyword_rows

_OWN = ("id", "knowledge_base", "document", "chunk")
"""Columns that a copy has of its own."""


def copy_document(connection: sqlite3.Connection, document: int, knowledge_base: int) -> int:
    """Return the id of a copy of a document in a knowledge base, inside the caller's transaction."""
    columns = _columns(connection, "documents")
    made = connection.execute(
        f"INSERT INTO documents (knowledge_base, {columns}) SELECT ?, {columns} FROM documents WHERE id = ?",
        (knowledge_base, document),
    ).lastrowid
    assert made is not None
    for table in ("contents", "pages", "abbreviations", "document_metadata"):
        columns = _columns(connection, table)
        connection.execute(
            f"INSERT INTO {table} (document, {columns}) SELECT ?, {columns} FROM {table} WHERE document = ?",
            (made, document),
        )
    _copy_chunks(connection, document, made)
    return made


def _copy_chunks(connection: sqlite3.Connection, document: int, made: int) -> None:
    columns = _columns(connection, "chunks")
    added: list[KeywordRow] = []
    embedders: set[int] = set()
    numbers: dict[int, int] = {}
    for row in keyword_rows(connection, document):
        number = connection.execute(
            f"INSERT INTO chunks (document, {columns}) SELECT ?, {columns} FROM chunks WHERE id = ?", (made, row.chunk)
        ).lastrowid
        assert number is not None
        added.append(replace(row, chunk=number))
        numbers[row.chunk] = number
        vectors = connection.execute(
            # A copy of a damaged vector is none the better: its checksum stays wrong.
            "INSERT INTO vectors (embedder, chunk, vector, checksum) SELECT embedder, ?1, vector,"
            f" row_checksum(embedder, ?1, vector) + coalesce(checksum <> {VECTOR}, 0) FROM vectors WHERE chunk = ?2"
            " RETURNING embedder",
            (number, row.chunk),
        ).fetchall()
        embedders.update(embedder for (embedder,) in vectors)
        connection.execute(
            "INSERT INTO token_codes (vector, codes, checksum) SELECT copy.id, t.codes, row_checksum(copy.id, t.codes)"
            " + coalesce(t.checksum <> row_checksum(t.vector, t.codes), 0) FROM vectors v"
            " CROSS JOIN token_codes t ON t.vector = v.id"
            " CROSS JOIN vectors copy ON copy.chunk = ? AND copy.embedder = v.embedder WHERE v.chunk = ?",
            (number, row.chunk),
        )
    add_rows(connection, added)
    copy_edits(connection, document, made, numbers)
    connection.executemany(
        "UPDATE embedders SET generation = generation + 1 WHERE id = ?", [(embedder,) for embedder in embedders]
    )


def _columns(connection: sqlite3.Connection, table: str) -> str:
    """Return what a row of a table copies; asked of the database, so that a later schema is copied whole."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return ", ".join(f'"{name}"' for name in names if name not in _OWN)
