"""Compressed token vectors of the chunks, each beside the vector that it was made with."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.model.chunk import Chunk
from workbench.store.checksums import row_checksum
from workbench.store.database import Database
from workbench.store.rows import CHUNK_COLUMNS, chunk_of
from workbench.store.values import loaded_text

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.store.vectors import Vectors

# A piece at a time lets other writers through.
_PIECE = 5_000

_LACKING = (
    " FROM vectors v CROSS JOIN chunks c ON c.id = v.chunk CROSS JOIN documents d ON d.id = c.document"
    " WHERE v.embedder = (SELECT id FROM embedders WHERE name = ?) AND d.removed = 0 AND c.disabled = 0"
    " AND NOT EXISTS (SELECT 1 FROM token_codes t WHERE t.vector = v.id)"
)

_PUT = "INSERT OR REPLACE INTO token_codes (vector, codes, checksum) SELECT id, ?1, row_checksum(id, ?1) FROM vectors"


@dataclass(frozen=True, slots=True)
class CodedTokens:
    """The token codes of several chunks, in the order of their ids, and the codec that made them, as it is stored."""

    codec: bytes
    codes: Sequence[bytes]


class TokenCodeTable:
    """Codes go with their vector: deleted with it, replaced when it is (VectorTable.put), copied with its chunk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, embedder_id: str, chunks: Sequence[int]) -> "tuple[Vectors, list[bytes]]":
        """Return those of the chunks that have codes, int64 [n], their vectors float32 [n, dim], and the codes."""
        from workbench.store.vectors import vector_rows

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
        """Keep codes of chunks whose vector is still the one they were made with; others are left out."""
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

    def lacking(self, embedder_id: str, limit: int, *, after: int = 0) -> list[tuple[Chunk, str, str]]:
        """Return the first chunks after one that have a vector and no codes, with their document's name and title."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT d.name, d.title, {CHUNK_COLUMNS}{_LACKING} AND c.id > ? ORDER BY c.id LIMIT ?",
                (embedder_id, after, limit),
            ).fetchall()
        return [(chunk_of(row[2:]), loaded_text(row[0]), loaded_text(row[1])) for row in rows]

    def size(self) -> tuple[int, int]:
        """Return how many chunks have codes, and how many bytes these take."""
        with self._database.read() as connection:
            count, size = connection.execute("SELECT COUNT(*), TOTAL(LENGTH(codes)) FROM token_codes").fetchone()
        return int(count), int(size)

    def codec(self, embedder_id: str) -> bytes | None:
        """Return how the codes of an embedder are read; None before the first."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT codec FROM token_codecs WHERE embedder = (SELECT id FROM embedders WHERE name = ?)",
                (embedder_id,),
            ).fetchone()
        return bytes(row[0]) if row else None

    def delete_all(self) -> int:
        """Delete the codes of every embedder, give the room back, and return how many there were."""
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
    """Delete the codes of chunks whose vectors were just put, and keep the new ones.

    Args:
        connection: Within a transaction.
        embedder: The number of its row.
        kept: The chunks whose vectors were put.
        tokens: Codes of all ids; None where there are none.
        ids: Chunks; those that are not among the kept are left out.
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
        return  # made by a codec that is not the library's any more: they are made again in the background
    wanted = set(kept)
    connection.executemany(
        f"{_PUT} WHERE chunk = ?2 AND embedder = ?3",
        ((one, int(id), embedder) for id, one in zip(ids, tokens.codes, strict=True) if int(id) in wanted),
    )
