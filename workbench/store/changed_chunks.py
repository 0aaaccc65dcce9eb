"""Chunks that may have become searchable or unsearchable, recorded by triggers on the writer connection.

This program keeps them in memory; other programs that read the library find them in the table chunk_changes.

Checking which of 1,000,000 vectors are searchable takes 0.55 s, which would delay every small document that is added.
"""

import secrets
import sqlite3
import threading
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.store.stored_values import packed_numbers, unpacked_numbers

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

MOST = 50_000
"""Maximum number of chunks recorded; above it a full check is about as fast."""

_KEPT = 1_000
"""Number of transactions kept in the table. A reader that has seen none of them checks all chunks."""

# Temporary triggers exist on this connection only, invisible to other programs and the schema. Cascades fire them too.
_TRIGGERS = """
CREATE TEMP TRIGGER vectors_came AFTER INSERT ON main.vectors BEGIN
    SELECT chunk_changed(NEW.chunk);
END;
CREATE TEMP TRIGGER vectors_moved AFTER UPDATE OF chunk, embedder, vector ON main.vectors BEGIN
    SELECT chunk_changed(OLD.chunk), chunk_changed(NEW.chunk);
END;
CREATE TEMP TRIGGER vectors_went AFTER DELETE ON main.vectors BEGIN
    SELECT chunk_changed(OLD.chunk);
END;
CREATE TEMP TRIGGER chunks_found_or_not AFTER UPDATE OF disabled, document ON main.chunks
WHEN OLD.disabled <> NEW.disabled OR OLD.document <> NEW.document BEGIN
    SELECT chunk_changed(NEW.id);
END;
CREATE TEMP TRIGGER documents_found_or_not AFTER UPDATE OF removed, knowledge_base ON main.documents
WHEN OLD.removed <> NEW.removed OR OLD.knowledge_base <> NEW.knowledge_base BEGIN
    SELECT chunk_changed(id) FROM chunks WHERE document = NEW.id;
END;
"""


class ChangedChunks:
    """Set of changed chunks since the last call of take(); unknown for a library that was just opened.

    It may contain too many chunks, such as those of a transaction that was rolled back, but never too few.
    """

    def __init__(self) -> None:
        self._changing = threading.Lock()
        # Chunks of the current transaction; only one writer at a time adds to it.
        self._written: set[int] = set()
        self._known: set[int] | None = None
        self._is_watching = False

    def watch(self, writer: sqlite3.Connection) -> None:
        """Record the writes of this connection from now on; the writer calls settle() when a transaction has ended."""
        writer.create_function("chunk_changed", 1, self._written.add)
        writer.executescript(_TRIGGERS)
        self._is_watching = True

    def note(self, chunks: Iterable[int]) -> None:
        """Count chunks as changed that were taken over without a check of their current state."""
        with self._changing:
            if self._known is not None:
                self._known.update(chunks)
                if len(self._known) > MOST:
                    self._known = None

    def record(self, writer: sqlite3.Connection) -> None:
        """Record the changed chunks of a transaction for readers; called as its last statement."""
        if not self._written:
            return
        chunks = packed_numbers(sorted(self._written)) if len(self._written) <= MOST else None
        added = (_new_token(chunks), chunks)
        number = writer.execute("INSERT INTO chunk_changes (token, chunks) VALUES (?, ?)", added).lastrowid
        writer.execute("DELETE FROM chunk_changes WHERE id <= ?", ((number or 0) - _KEPT,))

    def settle(self) -> None:
        """Publish the chunks recorded during a transaction after it has ended and readers can see its result."""
        if self._written:
            self.note(self._written)
            self._written.clear()

    def take(self) -> "NDArray[np.int64] | None":
        """Return the chunks that may have changed since the last call, ascending; None if it may be any chunk."""
        import numpy as np  # 100 ms that the window does not wait for

        with self._changing:
            taken, self._known = self._known, set() if self._is_watching else None
        return None if taken is None else np.array(sorted(taken), np.int64)


def _new_token(chunks: bytes | None) -> int:
    """Return a random number of 31 bits, followed by the CRC-32 of the chunks."""
    return secrets.randbits(31) << 32 | zlib.crc32(chunks or b"")


def _is_intact(token: int, chunks: bytes) -> bool:
    return token & 0xFFFFFFFF == zlib.crc32(chunks)


@dataclass(frozen=True, slots=True)
class ChangePosition:
    """Position of a reader: id and token of the latest row of chunk_changes that it saw; 0 and 0 for none."""

    number: int = 0
    token: int = 0


def changes_since(
    connection: sqlite3.Connection, position: ChangePosition | None
) -> tuple[ChangePosition, "NDArray[np.int64] | None"]:
    """Return the current position, and the chunks that may have changed since an earlier one.

    Args:
        connection: Any connection to the database.
        position: Position returned by an earlier call; None for the first call of a reader.

    Returns:
        The position, and the chunks, ascending; None instead of chunks if any chunk may have changed.
    """
    import numpy as np  # as above

    since = position or ChangePosition()
    rows = connection.execute("SELECT id, token, chunks FROM chunk_changes WHERE id >= ? ORDER BY id", (since.number,))
    found = rows.fetchall()
    now = ChangePosition(*found[-1][:2]) if found else ChangePosition()
    if position is None:
        return now, None
    if since.number:
        if not found or found[0][:2] != (since.number, since.token):
            return now, None
        found = found[1:]
    elif found and found[0][0] != 1:
        return now, None
    if any(chunks is None or not _is_intact(token, chunks) for _, token, chunks in found):
        return now, None
    return now, np.array(sorted({chunk for row in found for chunk in unpacked_numbers(row[2])}), np.int64)
