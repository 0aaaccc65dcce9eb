"""Recycle bin: removed documents with all their content, until they expire or the user empties it."""

import sqlite3
from collections.abc import Sequence
from datetime import timedelta

from workbench.model.knowledge_base import BinnedDocument, Removal
from workbench.store.database import Database
from workbench.store.document_rows import documents_where
from workbench.store.document_writes import keyword_rows, remove_chunks
from workbench.store.library_state import deletion_time
from workbench.store.linked_folders import is_below, linked_paths
from workbench.store.stored_values import loaded_text

# The first condition selects the index of the few removed documents: scanning all 34,000 documents took 200 ms.
_IN_BIN = "removed > 0 AND removed IN (1, 2)"

# The method list() hides the type inside the class.
Binned = list[BinnedDocument]
Numbers = list[int]


class RecycleBin:
    """Bin of removed documents, which DocumentStore.mark_removed() and restore() move in and out with all content."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Binned:
        """Return its documents, the latest first."""
        with self._database.read() as connection:
            documents = {d.id: d for d in documents_where(connection, _IN_BIN, ())}
            rows = connection.execute(
                f"SELECT id, removed, removed_at FROM documents WHERE {_IN_BIN} ORDER BY removed_at DESC, id DESC"
            ).fetchall()
        return [BinnedDocument(documents[id], Removal(removal), at) for id, removal, at in rows]

    def hashes(self) -> set[str]:
        """Return the hashes of its documents, whose copied files are still needed."""
        with self._database.read() as connection:
            return {row[0] for row in connection.execute(f"SELECT sha256 FROM documents WHERE {_IN_BIN}")}

    def expired(self, days: int) -> Numbers:
        """Return the documents removed more than this number of days ago, by the time of library_state.py."""
        limit = (deletion_time(self._database) - timedelta(days=days)).isoformat(timespec="microseconds")
        with self._database.read() as connection:
            # Documents without a time were removed by a version without a bin, which deleted them at its next start.
            return [
                row[0]
                for row in connection.execute(
                    f"SELECT id FROM documents WHERE {_IN_BIN} AND removed_at < ? ORDER BY id", (limit,)
                )
            ]

    def purge(self, ids: Sequence[int]) -> int:
        """Delete removed documents permanently, with chunks, keyword rows and vectors; return their number."""
        deleted = 0
        for id in ids:
            # One transaction each, so that a long purge lets other writers through.
            with self._database.write() as connection:
                found = connection.execute(
                    "SELECT path, knowledge_base, removed FROM documents WHERE id = ? AND removed IN (1, 2)", (id,)
                ).fetchone()
                if found is None:
                    continue
                remove_chunks(connection, keyword_rows(connection, id))
                _forget(connection, id, *found)
                deleted += 1
                self._database.revision += 1
        if deleted:
            with self._database.write() as connection:
                # Releases the disk space. One page per call: Python's execute() runs only the first step.
                for _ in range(connection.execute("PRAGMA freelist_count").fetchone()[0]):
                    connection.execute("PRAGMA incremental_vacuum(1)")
        return deleted


_CONTENT = ("contents", "pages", "source_lines", "abbreviations", "partial_readings")
"""Tables with what was read of a document's file."""


def _forget(connection: sqlite3.Connection, id: int, path: str | bytes, base: int, removal: int) -> None:
    """Delete a document's row, or keep only its name if the user removed it from a linked folder."""
    linked = linked_paths(connection, base)
    if removal == Removal.BY_USER and any(is_below(loaded_text(path), folder) for folder in linked):
        for table in (*_CONTENT, "chunk_edits", "document_metadata"):
            connection.execute(f"DELETE FROM {table} WHERE document = ?", (id,))
        connection.execute(
            "UPDATE documents SET removed = ?, chunks = 0, embedded = 0, pages = 0, findings = '[]', warnings = '[]'"
            " WHERE id = ?",
            (Removal.FOR_GOOD.value, id),
        )
    else:
        connection.execute("DELETE FROM documents WHERE id = ?", (id,))
