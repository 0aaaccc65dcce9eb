"""Current and previous embedder of a library, and the swap between two sets of vectors."""

import json
import sqlite3
from typing import TYPE_CHECKING

from workbench.model.chunk import Chunk
from workbench.model.embedder import BoundEmbedder, EmbedderChoice
from workbench.store.document_rows import CHUNK_COLUMNS, chunk_of
from workbench.store.stored_values import forget_state, loaded_json, loaded_text, put_state, state, stored_json
from workbench.store.vectors import VectorTable, embedder_in_use

if TYPE_CHECKING:
    from workbench.store.database import Database

_PIECE = 20_000

# Chunks of documents outside the bin that the first embedder has embedded and the second has not.
_BEHIND = (
    " FROM chunks c CROSS JOIN documents d ON d.id = c.document WHERE d.removed = 0 AND EXISTS (SELECT 1 FROM vectors v"
    " WHERE v.chunk = c.id AND v.embedder = (SELECT id FROM embedders WHERE name = ?1)) AND NOT EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.embedder = (SELECT id FROM embedders WHERE name = ?2))"
)


class EmbedderStore:
    """Store of embedders. A library is searched with one set of vectors; another is built, then they are swapped."""

    def __init__(self, database: "Database", vectors: VectorTable) -> None:
        self._database = database
        self._vectors = vectors

    @property
    def current(self) -> BoundEmbedder | None:
        """The embedder of the library; None before the first vector, or if it was never recorded."""
        with self._database.read() as connection:
            return _current(connection)

    @property
    def previous(self) -> BoundEmbedder | None:
        """The embedder before the last swap, while its vectors are kept."""
        with self._database.read() as connection:
            return _bound(connection, "previous_embedder")

    def names(self) -> set[str]:
        """Return the names of the embedders with vectors in the library, and of the one in use."""
        with self._database.read() as connection:
            names = {row[0] for row in connection.execute("SELECT name FROM embedders")}
            return names | {embedder_in_use(connection)}

    def bind(self, id: str, choice: EmbedderChoice) -> None:
        """Record the embedder for searches from now on, whether or not it has vectors."""
        with self._database.write() as connection:
            if _current(connection) != BoundEmbedder(id, choice):
                self._vectors.use(id)
                _remember(connection, "bound_embedder", BoundEmbedder(id, choice))

    def behind(self, id: str, limit: int, *, after: int = 0) -> list[Chunk]:
        """Return the next chunks after a chunk id that the embedder in use has embedded and this one has not."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS}{_BEHIND} AND c.id > ?3 ORDER BY c.id LIMIT ?4",
                (embedder_in_use(connection), id, after, limit),
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def count_behind(self, id: str) -> int:
        """Return the total number of chunks of behind()."""
        with self._database.read() as connection:
            return _count_behind(connection, id)

    def swap(self, id: str, choice: EmbedderChoice) -> bool:
        """Switch to another embedder in one transaction; return False if it has not embedded every chunk.

        The previous embedder is recorded, so that the swap can be reversed.
        """
        with self._database.write() as connection:
            if _count_behind(connection, id):
                return False
            before = _current(connection)
            if before is not None and before.id != id:
                _remember(connection, "previous_embedder", before)
            self.bind(id, choice)
            self._database.revision += 1
        return True

    def forget_others(self, keep: set[str]) -> int:
        """Delete the vectors of all embedders except these and the one in use; return the number of deleted vectors."""
        with self._database.read() as connection:
            kept = keep | {embedder_in_use(connection)}
            others = [row for row in connection.execute("SELECT id, name FROM embedders") if row[1] not in kept]
        deleted = 0
        for number, name in others:
            deleted += self._forget(number, name)
        if deleted:
            with self._database.write() as connection:
                for _ in range(connection.execute("PRAGMA freelist_count").fetchone()[0]):
                    connection.execute("PRAGMA incremental_vacuum(1)")
        return deleted

    def too_long(self, max_tokens: int) -> int:
        """Return the number of divisible chunks with more tokens than an embedder reads."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT COUNT(*) FROM documents d CROSS JOIN chunks c ON c.document = d.id"
                " WHERE d.removed = 0 AND c.oversize = 0 AND c.tokens > ?",
                (max_tokens,),
            ).fetchone()
        return int(row[0])

    def documents_too_long(self, max_tokens: int) -> list[int]:
        """Return the documents of the chunks counted by too_long()."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT d.id FROM documents d CROSS JOIN chunks c ON c.document = d.id"
                " WHERE d.removed = 0 AND c.oversize = 0 AND c.tokens > ? ORDER BY d.id",
                (max_tokens,),
            ).fetchall()
        return [row[0] for row in rows]

    def size_without(self, id: str) -> tuple[int, int]:
        """Return the number of chunks that this embedder has not embedded, and of their tokens without context."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT COUNT(*), TOTAL(c.tokens) FROM documents d CROSS JOIN chunks c ON c.document = d.id"
                " WHERE d.removed = 0 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id"
                " AND v.embedder = (SELECT id FROM embedders WHERE name = ?))",
                (id,),
            ).fetchone()
        return int(row[0]), int(row[1])

    def sample_texts(self, count: int) -> list[str]:
        """Return the texts of about this many chunks, spread over the library; fewer if it has fewer."""
        with self._database.read() as connection:
            first, last = connection.execute("SELECT MIN(id), MAX(id) FROM chunks").fetchone()
            if first is None:
                return []
            step = max(1, (last - first) // count)
            rows = connection.execute(
                "SELECT c.text FROM chunks c JOIN documents d ON d.id = c.document WHERE d.removed = 0"
                " AND c.id IN (SELECT (SELECT MIN(id) FROM chunks WHERE id >= n.value) FROM json_each(?) n)",
                (json.dumps(list(range(first, last + 1, step))),),
            ).fetchall()
        return [loaded_text(row[0]) for row in rows]

    def _forget(self, number: int, name: str) -> int:
        deleted, piece = 0, _PIECE
        while piece == _PIECE:
            # In batches, to let other writers through: 20,000 vectors of 384 take 0.2 s.
            with self._database.write() as connection:
                piece = connection.execute(
                    "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE embedder = ? LIMIT ?)",
                    (number, _PIECE),
                ).rowcount
                deleted += piece
        with self._database.write() as connection:
            connection.execute("DELETE FROM embedders WHERE id = ?", (number,))
            previous = _bound(connection, "previous_embedder")
            if previous is not None and previous.id == name:
                forget_state(connection, "previous_embedder")
        return deleted


def _count_behind(connection: sqlite3.Connection, id: str) -> int:
    return int(connection.execute(f"SELECT COUNT(*){_BEHIND}", (embedder_in_use(connection), id)).fetchone()[0])


def _current(connection: sqlite3.Connection) -> BoundEmbedder | None:
    bound = _bound(connection, "bound_embedder")
    # In a library of an earlier version, or with externally added vectors, the embedder in use takes precedence.
    return bound if bound is not None and bound.id == embedder_in_use(connection) else None


def _bound(connection: sqlite3.Connection, key: str) -> BoundEmbedder | None:
    kept = state(connection, key)
    if kept is None:
        return None
    id, model, backend = loaded_json(kept)
    return BoundEmbedder(id, EmbedderChoice(model, backend))


def _remember(connection: sqlite3.Connection, key: str, bound: BoundEmbedder) -> None:
    put_state(connection, key, stored_json([bound.id, bound.choice.model, bound.choice.backend]))
