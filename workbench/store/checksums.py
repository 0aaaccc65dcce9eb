"""Checksums of rows of numbers: vectors, token codes and the codecs of these.

CRC-32 finds every single flipped bit. It takes 1 microsecond for a vector of 384 values: 10 ms of the 250 to 530 that
VectorTable.put takes for 10,000.
"""

import sqlite3
import struct
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.store.state import forget_state, put_state, state

if TYPE_CHECKING:  # which knows row_checksum()
    from workbench.store.database import Database

_NUMBER = struct.Struct("<q")
_REAL = struct.Struct("<d")

VECTOR = "row_checksum(embedder, chunk, vector)"
CODES = "row_checksum(vector, codes)"
CODEC = "row_checksum(embedder, codec)"
"""What the checksums of the three tables are, as SQL."""

_TABLES = {"vectors": ("id", VECTOR), "token_codes": ("vector", CODES), "token_codecs": ("embedder", CODEC)}

# Rows at a time, so that other writers get through: 3 MB of vectors of 384 values, 20 ms.
_PIECE = 2_000
_SAMPLE = 100


def row_checksum(*values: Any) -> int:
    """Return the CRC-32 of values of a row as a signed number of 32 bits; also an SQL function."""
    checksum = 0
    for value in values:
        checksum = zlib.crc32(value if isinstance(value, bytes) else _stored(value), checksum)
    # SQLite keeps it in four bytes, an unsigned one mostly in six.
    return checksum - (1 << 32) if checksum >> 31 else checksum


def _stored(value: int | float | str | None) -> bytes:
    """Return what is stored of a value that is no blob."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if value is None:
        return b""
    return _NUMBER.pack(value) if isinstance(value, int) else _REAL.pack(value)


def true_width(connection: sqlite3.Connection, embedder: int) -> int | None:
    """Return how wide the vectors of an embedder are, by those whose checksum is right; None where none has one."""
    row = connection.execute(
        "SELECT length(vector) / 4 FROM"
        f" (SELECT vector FROM vectors WHERE embedder = ? AND checksum = {VECTOR} LIMIT ?)"
        " GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1",
        (embedder, _SAMPLE),
    ).fetchone()
    return int(row[0]) if row else None


def fill_in_checksums(database: "Database", stop: Callable[[], bool]) -> None:
    """Give checksums to rows of earlier versions until stop says so; blocking, for idle time."""
    for table in _TABLES:
        while not stop() and _fill_in_next(database, table):
            pass


def _fill_in_next(database: "Database", table: str) -> bool:
    """Give checksums to some rows of a table; False where all have theirs."""
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
