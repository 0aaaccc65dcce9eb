"""Checksums of rows that nothing else can tell of: what the user wrote, asked and set up.

The triggers of schema 0015 delete a row's checksum with every change of it; it gets another one when nothing else is to
be done, and when the library is closed. A bit that flips on the disk fires no trigger.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.store.checksums import row_checksum
from workbench.store.values import undecoded

if TYPE_CHECKING:  # which knows migration.py, and that this
    from workbench.store.database import Database


@dataclass(frozen=True, slots=True)
class _Holder:
    """A table whose rows have checksums.

    Attributes:
        key: Tells one row from another, as SQL; without the type of a column, or it is not looked up by the index.
        name: The column that says to people which row it is.
        where: Which rows have checksums.
        there: Which rows may have one that they got before.
        order: The columns of the table's own key.
    """

    key: str = "+t.id"
    name: str = ""
    where: str = "1"
    there: str = "1"
    order: tuple[str, ...] = ("t.id",)


# Chunks are slices of their document's text, which has a checksum of zlib's; only those of which the user changed
# something are looked at.
_CHANGED = "t.document IN (SELECT id FROM documents WHERE chunk_edits > 0 OR passage_tags <> '[]')"
_SETTING = "t.scope = 'setting'"
_NAMED = _Holder("+t.name", "name", order=("t.name",))

_HOLDERS = {
    "documents": _Holder(name="name"),
    "chunks": _Holder(where=_CHANGED),
    "chunk_edits": _Holder(),
    "document_metadata": _Holder(name="key"),
    "knowledge_bases": _Holder(name="name"),
    "linked_folders": _Holder(name="path"),
    "folder_metadata": _Holder("+t.folder", order=("t.folder",)),
    "sessions": _Holder(name="title"),
    "runs": _Holder(name="question"),
    "run_events": _Holder(),
    "readings": _Holder(name="name"),
    "reading_documents": _Holder("t.reading || '/' || t.document", "name", order=("t.reading", "t.document")),
    "reading_passages": _Holder("t.reading || '/' || t.chunk", order=("t.reading", "t.chunk")),
    "golden_questions": _Holder(name="question"),
    "evaluations": _Holder(name="set_name"),
    "memories": _Holder(name="text"),
    "network_requests": _Holder(name="host"),
    "agents": _NAMED,
    "profiles": _NAMED,
    "search_configurations": _NAMED,
    "tool_servers": _NAMED,
    "remembered": _Holder("+t.key", "key", _SETTING, _SETTING, ("t.scope", "t.key")),
}

# Rows at a time, so that other writers get through.
_PIECE = 500


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row that is not what it was when it got its checksum, or not there any more under its key.

    Attributes:
        table: Its table.
        key: That of its checksum.
        name: What people call it; empty where it has no name.
        values: By column; nothing where it is gone.
    """

    table: str
    key: Any
    name: str
    values: dict[str, Any]


def changed_rows(connection: sqlite3.Connection, stop: Callable[[], bool] = lambda: False) -> Iterator[ChangedRow]:
    """Yield the rows that a flipped bit or another program changed; ends soon when stop says so."""
    with undecoded(connection):
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
    """Take changed rows as they are now; they are handed out before."""
    for row in list(changed_rows(connection)):
        if row.values:
            hand_out(row.table, row.values)
        connection.execute("DELETE FROM row_checksums WHERE holder = ? AND key = ?", (row.table, row.key))


class RowChecksums:
    """Gives checksums to rows of one library that have none."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._writes = -1

    def add(self, stop: Callable[[], bool]) -> None:
        """Give checksums to rows that have none until stop says so; blocking, for idle time.

        One pass takes 0.1 s for 33,000 documents that have theirs, and none where nothing was written since the last.
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
    """Delete all checksums of rows, which may have other columns now; within a transaction."""
    connection.execute("DELETE FROM row_checksums")


def _lacking(database: "Database", table: str, holder: _Holder, place: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the place of the first row without a checksum from a place on; None where there is none."""
    with database.read() as connection, undecoded(connection):
        sql, parameters = _query(table, holder, place, ", ".join(holder.order), 1)
        found: tuple[Any, ...] | None = connection.execute(sql, parameters).fetchone()
    return found


def _add_from(database: "Database", table: str, holder: _Holder, place: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Give checksums to some rows from a place on; returns the place of the last, None where there are no more."""
    many = len(holder.order)
    with database.write() as connection, undecoded(connection):
        columns = f"{', '.join(holder.order)}, {holder.key}, t.*"
        rows = connection.execute(*_query(table, holder, place, columns, _PIECE)).fetchall()
        connection.executemany(
            "INSERT OR IGNORE INTO row_checksums (holder, key, checksum) VALUES (?, ?, ?)",
            [(table, row[many], row_checksum(*row[many + 1 :])) for row in rows],
        )
    return rows[-1][:many] if len(rows) == _PIECE else None


def _query(
    table: str, holder: _Holder, place: tuple[Any, ...], columns: str, limit: int
) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL for rows without a checksum from a place on, and its parameters."""
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
