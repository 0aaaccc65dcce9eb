"""Checksums of vectors, token codes and rows, which detect damage that SQLite does not notice.

CRC-32 detects every single flipped bit. It takes 1 microsecond for a vector of 384 values: 10 ms of the 250 to 530 that
VectorTable.put takes for 10,000.

The triggers of schema 0015 delete the checksum of a row whenever the row changes; a new one is computed in idle time
and when the library is closed. A bit that flips on the disk fires no trigger.
"""

import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.store.stored_values import forget_state, put_state, read_undecoded, state

if TYPE_CHECKING:  # database.py imports row_checksum()
    from workbench.store.database import Database


_NUMBER = struct.Struct("<q")
_REAL = struct.Struct("<d")

VECTOR = "row_checksum(embedder, chunk, vector)"
CODES = "row_checksum(vector, codes)"
CODEC = "row_checksum(embedder, codec)"
"""SQL expressions of the checksums of the three tables."""

_TABLES = {"vectors": ("id", VECTOR), "token_codes": ("vector", CODES), "token_codecs": ("embedder", CODEC)}

# Number of rows per transaction, so that other writers get through: 3 MB of vectors of 384 values, 20 ms.
_PIECE = 2_000
_SAMPLE = 100


def row_checksum(*values: Any) -> int:
    """Return the CRC-32 of the values of a row as a signed 32-bit number; also registered as an SQL function."""
    checksum = 0
    for value in values:
        checksum = zlib.crc32(value if isinstance(value, bytes) else _stored(value), checksum)
    # SQLite stores a signed 32-bit number in four bytes, an unsigned one mostly in six.
    return checksum - (1 << 32) if checksum >> 31 else checksum


def _stored(value: int | float | str | None) -> bytes:
    """Return the bytes that represent a value that is not a blob."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if value is None:
        return b""
    return _NUMBER.pack(value) if isinstance(value, int) else _REAL.pack(value)


def true_width(connection: sqlite3.Connection, embedder: int) -> int | None:
    """Return the width of an embedder's vectors, from those whose checksum is valid; None if there are none."""
    row = connection.execute(
        "SELECT length(vector) / 4 FROM"
        f" (SELECT vector FROM vectors WHERE embedder = ? AND checksum = {VECTOR} LIMIT ?)"
        " GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1",
        (embedder, _SAMPLE),
    ).fetchone()
    return int(row[0]) if row else None


def fill_in_checksums(database: "Database", stop: Callable[[], bool]) -> None:
    """Add checksums to rows of earlier versions until stop() is true; blocking, for idle time."""
    for table in _TABLES:
        while not stop() and _fill_in_next(database, table):
            pass


def _fill_in_next(database: "Database", table: str) -> bool:
    """Add checksums to some rows of a table; return False if no row lacks one."""
    name = f"{table} without checksums"  # set by migration 0014
    key, checksum = _TABLES[table]
    with database.read() as connection:
        highest = state(connection, name)
    if highest is None:
        return False
    with database.write() as connection:
        numbers = [
            number
            for (number,) in connection.execute(
                f"SELECT {key} FROM {table} WHERE {key} <= ? ORDER BY {key} DESC LIMIT ?", (int(highest), _PIECE)
            )
        ]
        if not numbers:
            forget_state(connection, name)
            return False
        connection.execute(
            f"UPDATE {table} SET checksum = {checksum} WHERE {key} BETWEEN ? AND ? AND checksum IS NULL",
            (numbers[-1], numbers[0]),
        )
        put_state(connection, name, str(numbers[-1] - 1))
    return True


@dataclass(frozen=True, slots=True)
class _ChecksummedTable:
    """Table whose rows have checksums.

    Attributes:
        key: SQL expression that identifies a row; without column affinity, or it is not looked up by the index.
        name: Column that identifies the row to users.
        where: SQL condition for the rows that have checksums.
        there: SQL condition for the rows that may have an earlier checksum.
        order: Columns of the table's own key.
    """

    key: str = "+t.id"
    name: str = ""
    where: str = "1"
    there: str = "1"
    order: tuple[str, ...] = ("t.id",)


# Chunks are slices of their document's text, which has a checksum of zlib's; only the chunks of documents with chunks
# changed by the user are checked.
_CHANGED = "t.document IN (SELECT id FROM documents WHERE chunk_edits > 0 OR passage_tags <> '[]')"
_SETTING = "t.scope = 'setting'"
_NAMED = _ChecksummedTable("+t.name", "name", order=("t.name",))

_HOLDERS = {
    "documents": _ChecksummedTable(name="name"),
    "chunks": _ChecksummedTable(where=_CHANGED),
    "chunk_edits": _ChecksummedTable(),
    "document_metadata": _ChecksummedTable(name="key"),
    "knowledge_bases": _ChecksummedTable(name="name"),
    "linked_folders": _ChecksummedTable(name="path"),
    "folder_metadata": _ChecksummedTable("+t.folder", order=("t.folder",)),
    "sessions": _ChecksummedTable(name="title"),
    "runs": _ChecksummedTable(name="question"),
    "run_events": _ChecksummedTable(),
    "readings": _ChecksummedTable(name="name"),
    "reading_documents": _ChecksummedTable("t.reading || '/' || t.document", "name", order=("t.reading", "t.document")),
    "reading_passages": _ChecksummedTable("t.reading || '/' || t.chunk", order=("t.reading", "t.chunk")),
    "golden_questions": _ChecksummedTable(name="question"),
    "evaluations": _ChecksummedTable(name="set_name"),
    "memories": _ChecksummedTable(name="text"),
    "network_requests": _ChecksummedTable(name="host"),
    "agents": _NAMED,
    "profiles": _NAMED,
    "search_configurations": _NAMED,
    "tool_servers": _NAMED,
    "remembered": _ChecksummedTable("+t.key", "key", _SETTING, _SETTING, ("t.scope", "t.key")),
}

# Number of rows per transaction, so that other writers get through.
_ROW_CHECKSUMS_PIECE = 500


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """Row that differs from its state when its checksum was computed, or that is missing under its key.

    Attributes:
        table: Its table.
        key: Key of its checksum.
        name: Name shown to users; empty if it has no name.
        values: Values by column; empty if the row is missing.
    """

    table: str
    key: Any
    name: str
    values: dict[str, Any]


def changed_rows(connection: sqlite3.Connection, stop: Callable[[], bool] = lambda: False) -> Iterator[ChangedRow]:
    """Yield the rows that a flipped bit or another program changed; ends soon after stop() is true."""
    with read_undecoded(connection):
        for table, holder in _HOLDERS.items():
            cursor = connection.execute(
                f"SELECT r.key, r.checksum, t.* FROM {table} t CROSS JOIN row_checksums r ON r.holder = '{table}'"
                f" AND r.key = {holder.key} WHERE {holder.where}"
            )
            names = [column[0] for column in cursor.description[2:]]
            for key, checksum, *values in cursor:
                if stop():
                    return
                if row_checksum(*values) != checksum:
                    row = dict(zip(names, values, strict=True))
                    yield ChangedRow(table, key, _text(row.get(holder.name, "")), row)
            gone = connection.execute(
                f"SELECT key FROM row_checksums WHERE holder = '{table}'"
                f" AND key NOT IN (SELECT {holder.key} FROM {table} t WHERE {holder.there})"
            )
            for (key,) in gone:
                yield ChangedRow(table, key, _text(key) if holder.key == f"+t.{holder.name}" else "", {})


def accept_changes(connection: sqlite3.Connection, hand_out: Callable[[str, dict[str, Any]], None]) -> None:
    """Accept changed rows in their current state, after passing them to hand_out."""
    for row in list(changed_rows(connection)):
        if row.values:
            hand_out(row.table, row.values)
        connection.execute("DELETE FROM row_checksums WHERE holder = ? AND key = ?", (row.table, row.key))


class RowChecksums:
    """Adds missing row checksums of one library."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._writes = -1

    def add(self, stop: Callable[[], bool]) -> None:
        """Add missing row checksums until stop() is true; blocking, for idle time.

        One pass takes 0.1 s for 33,000 documents with checksums, no time if nothing was written since the last.
        """
        writes = self._database.writes
        if writes == self._writes:
            return
        for table, holder in _HOLDERS.items():
            place: tuple[Any, ...] | None = ()
            while place is not None:
                if stop():
                    return
                found = _lacking(self._database, table, holder, place)
                place = found and _add_from(self._database, table, holder, found)
                writes += found is not None
        self._writes = writes


def forget_row_checksums(connection: sqlite3.Connection) -> None:
    """Delete all row checksums, because the tables may have other columns now; within a transaction."""
    connection.execute("DELETE FROM row_checksums")


def _lacking(
    database: "Database", table: str, holder: _ChecksummedTable, place: tuple[Any, ...]
) -> tuple[Any, ...] | None:
    """Return the key of the first row without a checksum from a key on; None if there is none."""
    with database.read() as connection, read_undecoded(connection):
        sql, parameters = _query(table, holder, place, ", ".join(holder.order), 1)
        found: tuple[Any, ...] | None = connection.execute(sql, parameters).fetchone()
    return found


def _add_from(
    database: "Database", table: str, holder: _ChecksummedTable, place: tuple[Any, ...]
) -> tuple[Any, ...] | None:
    """Add checksums to some rows from a key on; return the key of the last row, None if there are no more."""
    many = len(holder.order)
    with database.write() as connection, read_undecoded(connection):
        columns = f"{', '.join(holder.order)}, {holder.key}, t.*"
        rows = connection.execute(*_query(table, holder, place, columns, _ROW_CHECKSUMS_PIECE)).fetchall()
        connection.executemany(
            "INSERT OR IGNORE INTO row_checksums (holder, key, checksum) VALUES (?, ?, ?)",
            [(table, row[many], row_checksum(*row[many + 1 :])) for row in rows],
        )
    return rows[-1][:many] if len(rows) == _ROW_CHECKSUMS_PIECE else None


def _query(
    table: str, holder: _ChecksummedTable, place: tuple[Any, ...], columns: str, limit: int
) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL query for rows without a checksum from a key on, and its parameters."""
    order = ", ".join(holder.order)
    since = f"({order}) >= ({', '.join('?' * len(place))})" if place else "1"
    lacking = f"NOT EXISTS (SELECT 1 FROM row_checksums r WHERE r.holder = '{table}' AND r.key = {holder.key})"
    return (
        f"SELECT {columns} FROM {table} t WHERE {since} AND {holder.where} AND {lacking}"
        f" ORDER BY {order} LIMIT {limit}",
        place,
    )


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
