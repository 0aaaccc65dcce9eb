"""Documents that did not come as files: rows that stand before anything was fetched, and what is known of them."""

import hashlib
import sqlite3
from collections.abc import Mapping
from typing import Any

from workbench.errors import NotFound
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.store.database import Database
from workbench.store.filtering import knowledge_base_id
from workbench.store.rows import DOCUMENT_COLUMNS, document_of
from workbench.store.values import loaded_json, now, stored_json, stored_name, stored_text

Details = dict[str, str]
"""What is known of a source: address, etag, connection, query..."""


class Origins:
    """Addresses and their details; what comes of them is a document like any other."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def queue(
        self, knowledge_base: str, address: str, *, path: str = "", name: str, origin: Origin, details: Details
    ) -> Document:
        """Return a QUEUED document for a source of which nothing was read yet; one that waits already is returned.

        Its identity is its address until its bytes are known: "new:" never begins a hash.

        Args:
            knowledge_base: Its name.
            address: What names the source.
            path: What is shown as its place; the address where nothing else is given.
            name: For people.
            origin: What kind of source it is.
            details: What is known of it.

        Raises:
            NotFound: There is no such knowledge base.
        """
        identity = "new:" + hashlib.sha256(f"{origin}\n{address}".encode("utf-8", "surrogatepass")).hexdigest()
        with self._database.write() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            connection.execute(
                "INSERT INTO documents"
                " (knowledge_base, path, name, sha256, size, format, status, title, added, origin, origin_details)"
                " VALUES (?, ?, ?, ?, 0, '', 'queued', ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (
                    base,
                    stored_text(path or address),
                    stored_name(name),
                    identity,
                    stored_name(name),
                    now(),
                    origin.value,
                    stored_json(details),
                ),
            )
            select = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.knowledge_base = ? AND d.sha256 = ?"
            return document_of(connection.execute(f"{select} AND d.removed = 0", (base, identity)).fetchone())

    def by_address(self, knowledge_base: str, address: str, origin: Origin) -> Document | None:
        """Return the document that came from an address, be it where we asked or where the page was in the end."""
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            # Details with a character that has no UTF-8 form are bytes, which json_extract takes for its own form.
            row = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents d"
                " WHERE d.knowledge_base = ? AND d.origin = ? AND d.removed = 0"
                " AND (d.path = ? OR json_extract(CAST(d.origin_details AS TEXT), '$.address') = ?)"
                " ORDER BY d.chunks > 0 DESC, d.id LIMIT 1",
                (base, origin.value, stored_text(address), address),
            ).fetchone()
        return document_of(row) if row is not None else None

    def details(self, id: int) -> Details:
        """Return what is known of a document's source; empty where nothing is."""
        with self._database.read() as connection:
            row = connection.execute("SELECT origin_details FROM documents WHERE id = ?", (id,)).fetchone()
        return {str(key): str(value) for key, value in loaded_json(row[0]).items()} if row else {}

    def describe(self, id: int, *, path: str, name: str, origin: Origin, details: Mapping[str, Any]) -> Document:
        """Return a document with another source.

        Raises:
            NotFound: There is no such document (any more).
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE documents SET path = ?, name = ?, origin = ?, origin_details = ? WHERE id = ? AND removed = 0",
                (stored_text(path), stored_name(name), origin.value, stored_json(dict(details)), id),
            )
            self._database.revision += 1  # filters go by paths and origins
            return _one(connection, id)

    def identify(self, id: int, *, sha256: str, size: int) -> Document:
        """Return a document without content as that of these bytes: a stop from here on reads them at the next start.

        Raises:
            NotFound: There is no such document (any more).
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE OR IGNORE documents SET sha256 = ?, size = ? WHERE id = ? AND chunks = 0 AND removed = 0",
                (sha256, size, id),
            )
            return _one(connection, id)

    def discard(self, id: int) -> None:
        """Delete a row of which nothing was read, because another document holds the same."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM documents WHERE id = ? AND chunks = 0", (id,))

    def discard_unwritten(self) -> None:
        """Delete the rows of notes whose text a kill kept from being written: nobody was told that it is there."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM documents WHERE origin = ? AND status = ? AND chunks = 0 AND sha256 LIKE 'new:%'",
                (Origin.NOTE.value, DocumentStatus.QUEUED.value),
            )


def _one(connection: sqlite3.Connection, id: int) -> Document:
    row = connection.execute(
        f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id = ? AND d.removed = 0", (id,)
    ).fetchone()
    if row is None:
        raise NotFound("This document is no longer in the library.", "Add it again.")
    return document_of(row)
