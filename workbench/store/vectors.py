"""Vectors and compressed token vectors of chunks, by embedder; the search index is a cache of them."""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.errors import EmbeddingError
from workbench.model.chunk import Chunk
from workbench.store.bulk_reads import columns
from workbench.store.changed_chunks import ChangePosition, changes_since
from workbench.store.checksums import row_checksum
from workbench.store.database import Database
from workbench.store.document_rows import CHUNK_COLUMNS, chunk_of
from workbench.store.stored_values import put_state, raise_damaged, state

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]


# Number of rows per transaction, to let other writers through.
_PIECE = 5_000

_LACKING = (
    " FROM vectors v CROSS JOIN chunks c ON c.id = v.chunk CROSS JOIN documents d ON d.id = c.document"
    " WHERE v.embedder = (SELECT id FROM embedders WHERE name = ?) AND d.removed = 0 AND c.disabled = 0"
    " AND NOT EXISTS (SELECT 1 FROM token_codes t WHERE t.vector = v.id)"
)

_PUT = "INSERT OR REPLACE INTO token_codes (vector, codes, checksum) SELECT id, ?1, row_checksum(id, ?1) FROM vectors"


@dataclass(frozen=True, slots=True)
class CodedTokens:
    """Token codes of several chunks, in the order of their ids, and the stored codec that made them."""

    codec: bytes
    codes: Sequence[bytes]


class TokenCodeTable:
    """Table of token codes, which are deleted, replaced (VectorTable.put) and copied together with their vector."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, embedder_id: str, chunks: Sequence[int]) -> "tuple[Vectors, list[bytes]]":
        """Return the chunks that have codes, int64 [n], their vectors float32 [n, dim], and the codes."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT v.chunk, v.vector, t.codes FROM json_each(?) j CROSS JOIN vectors v ON v.chunk = j.value"
                " AND v.embedder = (SELECT id FROM embedders WHERE name = ?)"
                " CROSS JOIN token_codes t ON t.vector = v.id",
                (json.dumps([int(chunk) for chunk in chunks]), embedder_id),
            ).fetchall()
        return vector_rows([row[:2] for row in rows]), [row[2] for row in rows]

    def add(
        self, embedder_id: str, ids: "NDArray[np.int64]", vectors: "NDArray[np.float32]", tokens: CodedTokens
    ) -> None:
        """Store codes of chunks whose vector is still the one that they were made with; others are left out."""
        import numpy as np  # 100 ms that the window does not wait for

        with self._database.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO token_codecs (embedder, codec, checksum)"
                " SELECT id, ?1, row_checksum(id, ?1) FROM embedders WHERE name = ?2",
                (tokens.codec, embedder_id),
            )
            connection.executemany(
                f"{_PUT} WHERE chunk = ?2 AND vector = ?3 AND embedder = (SELECT id FROM embedders WHERE name = ?4)",
                (
                    (one, int(id), np.ascontiguousarray(vector, "<f4").tobytes(), embedder_id)
                    for id, vector, one in zip(ids, vectors, tokens.codes, strict=True)
                ),
            )

    def lacking(self, embedder_id: str, limit: int, *, after: int = 0) -> list[Chunk]:
        """Return the next chunks after an id that have a vector but no codes."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS}{_LACKING} AND c.id > ? ORDER BY c.id LIMIT ?",
                (embedder_id, after, limit),
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def size(self) -> tuple[int, int]:
        """Return the number of chunks that have codes, and the total size of the codes in bytes."""
        with self._database.read() as connection:
            count, size = connection.execute("SELECT COUNT(*), TOTAL(LENGTH(codes)) FROM token_codes").fetchone()
        return int(count), int(size)

    def codec(self, embedder_id: str) -> bytes | None:
        """Return the codec that decodes the codes of an embedder; None before the first codes."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT codec FROM token_codecs WHERE embedder = (SELECT id FROM embedders WHERE name = ?)",
                (embedder_id,),
            ).fetchone()
        return bytes(row[0]) if row else None

    def delete_all(self) -> int:
        """Delete the codes of every embedder, release their disk space, and return their number."""
        deleted, piece = 0, _PIECE
        while piece == _PIECE:
            with self._database.write() as connection:
                piece = connection.execute(
                    "DELETE FROM token_codes WHERE vector IN (SELECT vector FROM token_codes LIMIT ?)", (_PIECE,)
                ).rowcount
                deleted += piece
        with self._database.write() as connection:
            connection.execute("DELETE FROM token_codecs")
            for _ in range(connection.execute("PRAGMA freelist_count").fetchone()[0] if deleted else 0):
                connection.execute("PRAGMA incremental_vacuum(1)")
        return deleted


def replace_codes(
    connection: sqlite3.Connection,
    embedder: int,
    kept: Sequence[int],
    tokens: CodedTokens | None,
    ids: "Iterable[Any]",
) -> None:
    """Delete the codes of chunks whose vectors were just stored, and store the new ones.

    Args:
        connection: A transaction.
        embedder: Row number of the embedder.
        kept: Chunks whose vectors were stored.
        tokens: Codes of all ids; None if there are none.
        ids: Chunks of the codes; those that are not in kept are left out.
    """
    connection.executemany(
        "DELETE FROM token_codes WHERE vector = (SELECT id FROM vectors WHERE chunk = ? AND embedder = ?)",
        ((chunk, embedder) for chunk in kept),
    )
    if tokens is None:
        return
    connection.execute(
        "INSERT OR IGNORE INTO token_codecs (embedder, codec, checksum) VALUES (?, ?, ?)",
        (embedder, tokens.codec, row_checksum(embedder, tokens.codec)),
    )
    known = connection.execute("SELECT codec = ? FROM token_codecs WHERE embedder = ?", (tokens.codec, embedder))
    if not known.fetchone()[0]:
        return  # made by a codec that the library no longer uses: they are made again in the background
    wanted = set(kept)
    connection.executemany(
        f"{_PUT} WHERE chunk = ?2 AND embedder = ?3",
        ((one, int(id), embedder) for id, one in zip(ids, tokens.codes, strict=True) if int(id) in wanted),
    )


_VECTOR = "<f4"

_LIVE = (
    "FROM documents d CROSS JOIN chunks c ON c.document = d.id CROSS JOIN vectors v ON v.chunk = c.id"
    " WHERE d.removed = 0 AND v.embedder = (SELECT id FROM embedders WHERE name = ?)"
    " AND c.id NOT IN (SELECT id FROM chunks WHERE disabled = 1)"
)

_LOOKED_UP = 2_000
"""Maximum number of chunks that are looked up one by one; of more, all chunks are read."""
_BASES = (
    "SELECT c.id AS id, d.knowledge_base AS base FROM documents d CROSS JOIN chunks c ON c.document = d.id"
    " ORDER BY c.id"
)

# Reads one index: 35 ms. Starting from the documents needs two look-ups per chunk: 52 ms.
_LIVE_IDS = (
    "SELECT chunk FROM vectors WHERE embedder = (SELECT id FROM embedders WHERE name = ?) AND chunk NOT IN"
    " (SELECT c.id FROM documents d CROSS JOIN chunks c ON c.document = d.id WHERE d.removed > 0)"
    " AND chunk NOT IN (SELECT id FROM chunks WHERE disabled = 1) ORDER BY chunk"
)


class VectorTable:
    """Table of vectors; those of different embedders are stored side by side and never mixed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def embedder(self) -> str:
        """The embedder that the library was last used with; empty in a new library."""
        with self._database.read() as connection:
            return embedder_in_use(connection)

    def use(self, embedder_id: str) -> None:
        """Record the embedder of the library: Document.embedded counts its vectors from now on."""
        with self._database.write() as connection:
            if embedder_in_use(connection) == embedder_id:
                return
            put_state(connection, "embedder", embedder_id)
            connection.execute(
                "UPDATE documents SET embedded = (SELECT COUNT(*) FROM embedders e, chunks c, vectors v"
                " WHERE e.name = ? AND c.document = documents.id AND v.chunk = c.id AND v.embedder = e.id)",
                (embedder_id,),
            )

    def put(
        self,
        embedder_id: str,
        ids: "NDArray[np.int64]",
        vectors: "NDArray[np.float32]",
        tokens: CodedTokens | None = None,
    ) -> "NDArray[np.int64]":
        """Store vectors float32 [n, dim] in one transaction; return the stored ids that are searchable.

        Vectors of another embedder than the one in use are stored as well, but Document.embedded does not count them. A
        chunk that was deleted meanwhile (its document was replaced or purged) is left out. Token codes of replaced
        vectors are deleted; the given codes, one per row, take their place.

        Raises:
            EmbeddingError: The number of rows and ids differs, the width has changed, or a value is not finite.
        """
        import numpy as np  # 100 ms that the window does not wait for

        rows = np.ascontiguousarray(vectors, _VECTOR)
        if rows.ndim != 2 or len(rows) != len(ids) or rows.shape[1] == 0 or not np.isfinite(rows).all():
            raise EmbeddingError("The embedding model gave vectors that cannot be used.", "Choose another model.")
        with self._database.write() as connection:
            if not embedder_in_use(connection):
                self.use(embedder_id)
            embedder = _embedder_row(connection, embedder_id, rows.shape[1])
            wanted = json.dumps([int(id) for id in ids])
            kept = {
                row[0]
                for row in connection.execute(
                    "SELECT c.id FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?))", (wanted,)
                )
            }
            disabled = {row[0] for row in connection.execute("SELECT id FROM chunks WHERE disabled = 1")}
            connection.executemany(
                "INSERT INTO vectors (embedder, chunk, vector, checksum) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (chunk, embedder) DO UPDATE SET vector = excluded.vector, checksum = excluded.checksum",
                (
                    (embedder, chunk, vector, row_checksum(embedder, chunk, vector))
                    for chunk, vector in zip(map(int, ids), map(bytes, rows), strict=True)
                    if chunk in kept
                ),
            )
            connection.execute("UPDATE embedders SET generation = generation + 1 WHERE id = ?", (embedder,))
            replace_codes(connection, embedder, sorted(kept), tokens, ids)
            if embedder_in_use(connection) == embedder_id:
                connection.execute(
                    "UPDATE documents SET embedded = (SELECT COUNT(*) FROM chunks c JOIN vectors v ON v.chunk = c.id"
                    " AND v.embedder = ? WHERE c.document = documents.id)"
                    " WHERE id IN (SELECT document FROM chunks WHERE id IN (SELECT value FROM json_each(?)))",
                    (embedder, wanted),
                )
        return np.array([id for id in ids if int(id) in kept - disabled], np.int64)

    def all(self, embedder_id: str) -> "Vectors":
        """Return ids int64 [n] and vectors float32 [n, dim] of the searchable chunks.

        Those of documents in the bin and of disabled chunks are left out.
        """
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT v.chunk, v.vector {_LIVE} ORDER BY v.id", (embedder_id,)).fetchall()
        return vector_rows(rows)

    def ids(self, embedder_id: str) -> "NDArray[np.int64]":
        """Return the ids of all(), ascending, without reading the vectors: 20 ms for 100,000."""
        with self._database.read() as connection:
            return columns(connection, ("chunk",), _LIVE_IDS, (embedder_id,))[0]

    def found_among(self, embedder_id: str, chunks: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the given chunks that ids() contains, ascending; only these are looked up, while ids() reads all."""
        query = (
            "SELECT v.chunk FROM json_each(?) j CROSS JOIN vectors v ON v.chunk = j.value"
            " AND v.embedder = (SELECT id FROM embedders WHERE name = ?)"
            " CROSS JOIN chunks c INDEXED BY chunks_places ON c.id = v.chunk"
            " CROSS JOIN documents d ON d.id = c.document"
            " WHERE d.removed = 0 AND c.id NOT IN (SELECT id FROM chunks WHERE disabled = 1) ORDER BY v.chunk"
        )
        with self._database.read() as connection:
            return columns(connection, ("chunk",), query, (json.dumps(chunks.tolist()), embedder_id))[0]

    def knowledge_bases_of(self, chunks: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the id of the knowledge base of each chunk, int64 [n]; 0 for a chunk that does not exist."""
        import numpy as np  # 100 ms that the window does not wait for

        if len(chunks) <= _LOOKED_UP:
            query = (
                "SELECT coalesce((SELECT d.knowledge_base FROM chunks c CROSS JOIN documents d ON d.id = c.document"
                " WHERE c.id = j.value), 0) AS base FROM json_each(?) j ORDER BY j.key"
            )
            with self._database.read() as connection:
                return columns(connection, ("base",), query, (json.dumps(chunks.tolist()),))[0]
        with self._database.read() as connection:
            ids, bases = columns(connection, ("id", "base"), _BASES)
        places = np.minimum(np.searchsorted(ids, chunks), max(0, len(ids) - 1))
        if not len(ids):
            return np.zeros(len(chunks), np.int64)
        return np.where(ids[places] == chunks, bases[places], 0)

    def changes_since(self, position: ChangePosition | None) -> "tuple[ChangePosition, NDArray[np.int64] | None]":
        """Return the result of changed_chunks.changes_since(): changes by this or another program since a position."""
        with self._database.read() as connection:
            return changes_since(connection, position)

    def beginnings(self, embedder_id: str) -> "Vectors":
        """Return the ids of all(), ascending, and the first two values of each vector, float32 [n, 2].

        They distinguish vectors: 1,000,000 take 2 s and 16 MB, while complete vectors take 10 s and 1.5 GB.
        """
        import numpy as np  # 100 ms that the window does not wait for

        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT v.chunk, substr(v.vector, 1, 8) {_LIVE} ORDER BY v.chunk", (embedder_id,)
            )
            ids, values = array("q"), bytearray()
            for id, beginning in rows:
                ids.append(id)
                values += beginning
        return np.array(ids, np.int64), _rows(values, len(ids))

    def get(self, embedder_id: str, ids: Sequence[int]) -> "Vectors":
        """Return the given ids that have a vector, in their order, and the vectors."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT v.chunk, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.chunk = j.value"
                " AND v.embedder = (SELECT id FROM embedders WHERE name = ?)",
                (json.dumps([int(id) for id in ids]), embedder_id),
            ).fetchall()
        return vector_rows(rows)

    def missing(self, embedder_id: str, document: int | None = None) -> list[Chunk]:
        """Return the chunks that have no vector yet, in order, of one document or of all that are not removed."""
        if document is not None:
            return self.missing_of(embedder_id, [document])[document]
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_missing('d.removed = 0')} ORDER BY d.id, c.ordinal", (embedder_id,)
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def missing_of(self, embedder_id: str, documents: Sequence[int]) -> dict[int, list[Chunk]]:
        """Return the chunks of each of these documents that have no vector yet, in order; none for a removed one."""
        found: dict[int, list[Chunk]] = {}
        with self._database.read() as connection:
            for document in documents:
                # Selected by number alone: with “or all of them” in the condition SQLite scans every document of the
                # library, 2.5 ms for each of 20,000.
                rows = connection.execute(
                    f"{_missing('d.removed = 0 AND d.id = ?')} ORDER BY c.ordinal", (document, embedder_id)
                ).fetchall()
                found[document] = [chunk_of(row) for row in rows]
        return found

    def width(self, embedder_id: str) -> int | None:
        """Return the width of an embedder's vectors; None if there are none."""
        with self._database.read() as connection:
            row = connection.execute("SELECT dim FROM embedders WHERE name = ?", (embedder_id,)).fetchone()
        return int(row[0]) if row else None

    def generation(self, embedder_id: str) -> int:
        """Return a number that grows whenever the embedder's set of vectors changes; 0 before the first."""
        with self._database.read() as connection:
            row = connection.execute("SELECT generation FROM embedders WHERE name = ?", (embedder_id,)).fetchone()
        return int(row[0]) if row else 0


def _missing(condition: str) -> str:
    """Return the query for chunks without a vector of an embedder, in documents (d) that meet a condition."""
    return (
        f"SELECT {CHUNK_COLUMNS} FROM documents d CROSS JOIN chunks c ON c.document = d.id WHERE {condition}"
        " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id"
        " AND v.embedder = (SELECT id FROM embedders WHERE name = ?))"
    )


def vector_rows(rows: Sequence[tuple[int, bytes]]) -> "Vectors":
    """Return ids int64 [n] and vectors float32 [n, dim] of stored rows (id, vector)."""
    import numpy as np  # 100 ms that the window does not wait for

    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    if not rows:
        return ids, np.empty((0, 0), np.float32)
    return ids, _rows(b"".join(row[1] for row in rows), len(rows)).astype(np.float32)


def _rows(values: bytes | bytearray, many: int) -> "NDArray[np.float32]":
    """Return values as a matrix with the given number of rows.

    Raises:
        LibraryDamaged: The rows have different lengths.
    """
    import numpy as np  # as above

    try:
        return np.frombuffer(values, _VECTOR).reshape(many, len(values) // 4 // max(1, many))
    except ValueError as error:
        raise_damaged(error)


def embedder_in_use(connection: sqlite3.Connection) -> str:
    """Return the id of the embedder that the library is searched with; empty in a new library."""
    return str(state(connection, "embedder") or "")


def _embedder_row(connection: sqlite3.Connection, name: str, dim: int) -> int:
    connection.execute("INSERT OR IGNORE INTO embedders (name, dim) VALUES (?, ?)", (name, dim))
    number, known = connection.execute("SELECT id, dim FROM embedders WHERE name = ?", (name,)).fetchone()
    if known != dim:
        raise EmbeddingError(
            f"The embedding model now gives vectors of width {dim}, the library holds {known}.",
            "Index the documents again with the new model.",
        )
    return int(number)
