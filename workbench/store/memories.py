"""Memories of conversations: separate for each user, and separate from the documents."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.errors import NotFound, SettingError
from workbench.model.memory import LONGEST_MEMORY, Memory, MemoryKind, NewMemory
from workbench.store.database import Database
from workbench.store.library_state import deletion_time
from workbench.store.stored_values import is_row_number, loaded_text, stored_text

_COLUMNS = "m.id, m.user, m.kind, m.text, m.created, m.expires, m.hits, m.run, r.question"
_ROWS = f"SELECT {_COLUMNS} FROM memories m LEFT JOIN runs r ON r.id = m.run WHERE m.user = ?"
# The method list() hides the type inside the class.
Memories = list[Memory]


def _utc() -> datetime:
    return datetime.now(UTC)


class MemoryStore:
    """Store of memories. Expired memories are never returned."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = _utc) -> None:
        self._database = database
        self._clock = clock

    def list(self, user: str = "", *, within_days: int | None = None) -> Memories:
        """Return the memories of a user, newest first; within_days limits their age."""
        now = self._clock()
        since = _stamp(now - timedelta(days=within_days)) if within_days is not None else ""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_ROWS} AND m.expires > ? AND m.created >= ? ORDER BY m.created DESC, m.id DESC",
                (stored_text(user), _stamp(now), since),
            ).fetchall()
        return [_memory_of(row) for row in rows]

    def get(self, number: int, user: str = "") -> Memory:
        """Return a memory of a user.

        Raises:
            NotFound: No memory has that number, or it belongs to another user.
        """
        row = None
        if is_row_number(number):
            with self._database.read() as connection:
                row = connection.execute(
                    f"{_ROWS} AND m.id = ? AND m.expires > ?",
                    (stored_text(user), number, _stamp(self._clock())),
                ).fetchone()
        if row is None:
            raise NotFound(f"There is no memory {number}.", "“workbench memory list” shows what is remembered.")
        return _memory_of(row)

    def put(self, new: NewMemory, user: str = "", *, days: int, run: int | None = None) -> Memory:
        """Store a memory; an existing memory with the same text is renewed.

        Raises:
            SettingError: It is empty or too long.
        """
        text = checked_text(new.text)
        now = self._clock()
        values = (stored_text(user), _hash(text), new.kind.value, stored_text(text), _stamp(now))
        with self._database.write() as connection:
            (number,) = connection.execute(
                "INSERT INTO memories (user, hash, kind, text, created, expires, run)"
                " VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))"
                " ON CONFLICT (user, hash) DO UPDATE SET kind = excluded.kind, text = excluded.text,"
                " created = excluded.created, expires = excluded.expires, run = excluded.run RETURNING id",
                (*values, _stamp(now + timedelta(days=days)), run),
            ).fetchone()
        return self.get(number, user)

    def edit(self, number: int, text: str, user: str = "", *, days: int) -> Memory:
        """Change the text of a memory; it counts as newly created.

        Raises:
            NotFound: No memory has that number.
            SettingError: The text is empty or too long, or already remembered.
        """
        text = checked_text(text)
        self.get(number, user)
        now = self._clock()
        values = (_hash(text), stored_text(text), _stamp(now), _stamp(now + timedelta(days=days)))
        with self._database.write() as connection:
            other = connection.execute(
                "SELECT 1 FROM memories WHERE user = ? AND hash = ? AND id <> ?",
                (stored_text(user), _hash(text), number),
            ).fetchone()
            if other is not None:
                raise SettingError("That is remembered already.", "Remove one of the two.")
            connection.execute(
                "UPDATE memories SET hash = ?, text = ?, created = ?, expires = ?, vector = NULL"
                " WHERE id = ? AND user = ?",
                (*values, number, stored_text(user)),
            )
        return self.get(number, user)

    def remove(self, number: int, user: str = "") -> Memory:
        """Delete a memory and return it, so that it can be restored.

        Raises:
            NotFound: No memory has that number.
        """
        removed = self.get(number, user)
        with self._database.write() as connection:
            connection.execute("DELETE FROM memories WHERE id = ? AND user = ?", (number, stored_text(user)))
        return removed

    def remove_all(self, user: str = "") -> Memories:
        """Delete all memories of a user and return them, so that they can be restored."""
        with self._database.write() as connection:
            removed = self.list(user)
            connection.execute("DELETE FROM memories WHERE user = ?", (stored_text(user),))
        return removed

    def restore(self, memories: Iterable[Memory]) -> None:
        """Restore removed memories under new numbers; memories with the same text created since then are kept."""
        with self._database.write() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO memories (user, hash, kind, text, created, expires, hits, run)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?))",
                [
                    (stored_text(one.user), _hash(one.text), one.kind.value, stored_text(one.text), *_rest(one))
                    for one in memories
                ],
            )

    def count_uses(self, numbers: Sequence[int], user: str = "") -> None:
        """Count one more use of memories that were handed to a model."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE memories SET hits = hits + 1 WHERE id = ? AND user = ?",
                [(one, stored_text(user)) for one in numbers],
            )

    def vectors(self, user: str, embedder: str) -> dict[int, bytes]:
        """Return the vectors that an embedder made of a user's memories, by number."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT id, vector FROM memories WHERE user = ? AND embedder = ? AND vector IS NOT NULL",
                (stored_text(user), embedder),
            ).fetchall()
        return dict(rows)

    def keep_vectors(self, embedder: str, vectors: Mapping[int, tuple[str, bytes]], user: str = "") -> None:
        """Store vectors of a user's memories by number, each with its text, because the memory may have changed."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE memories SET embedder = ?, vector = ? WHERE id = ? AND hash = ? AND user = ?",
                [
                    (embedder, vector, number, _hash(text), stored_text(user))
                    for number, (text, vector) in vectors.items()
                ],
            )

    def drop_expired(self) -> int:
        """Delete memories that had expired by the time used for deletions (library_state.py); return their number."""
        time = _stamp(deletion_time(self._database, self._clock))
        with self._database.read() as connection:
            found = connection.execute("SELECT count(*) FROM memories WHERE expires <= ?", (time,)).fetchone()[0]
        if found:
            with self._database.write() as connection:
                connection.execute("DELETE FROM memories WHERE expires <= ?", (time,))
        return int(found)


def checked_text(text: str) -> str:
    """Return a text on one line.

    Raises:
        SettingError: It is empty or too long.
    """
    line = " ".join(text.split())
    if not 0 < len(line) <= LONGEST_MEMORY:
        raise SettingError(
            f"A memory has 1 to {LONGEST_MEMORY} characters; this one has {len(line)}.", "Write one short sentence."
        )
    return line


def _hash(text: str) -> str:
    return hashlib.sha256(text.casefold().encode("utf-8", "surrogatepass")).hexdigest()


def _stamp(time: datetime) -> str:
    return time.isoformat(timespec="microseconds")


def _rest(memory: Memory) -> tuple[str, str, int, int | None]:
    return memory.created, memory.expires, memory.hits, memory.run


def _memory_of(row: Sequence[Any]) -> Memory:
    number, user, kind, text, created, expires, hits, run, question = row
    asked = loaded_text(question) if question is not None else ""
    return Memory(number, loaded_text(user), MemoryKind(kind), loaded_text(text), created, expires, hits, run, asked)
