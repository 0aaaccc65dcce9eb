"""What rows of our tables look like."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.store.database import add_functions
from workbench.store.migration import Step, migrate
from workbench.store.salvage.records import Row, Value

NOT_TAKEN = ("keyword_", "document_name", "sqlite_", "common_words", "token_code", "abbreviations", "row_checksums")
"""Tables that are made anew from the others."""

SCOPES = ("setting", "state", "window")
# What is told by no type: an index over two texts looks like it, too.
_SIGNS: Mapping[str, Callable[[Sequence[Value]], bool]] = {"remembered": lambda values: values[0] in SCOPES}

_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "INT": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
    "ANY": (int, float, str, bytes),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A table.

    Attributes:
        name: Of the table.
        columns: Their names in the order in which they are stored.
        types: Their types.
        needed: Those that are never NULL.
        key: Which of them is the rowid, and is stored as NULL; None in a table that has no such column.
        has_numbers: Whether it has rowids.
        least: So many values a row has at least; what later versions added may be absent.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    needed: tuple[bool, ...]
    key: int | None
    has_numbers: bool
    least: int

    def values(self, row: Row) -> tuple[Value, ...] | None:
        """Return the values of a row for the first columns, None where it is no row of this table."""
        if (row.number is not None) != self.has_numbers or not self.least <= len(row.values) <= len(self.columns):
            return None
        values = list(row.values)
        if self.key is not None:
            if values[self.key] is not None:
                return None
            values[self.key] = row.number
        for value, type, needed in zip(values, self.types, self.needed, strict=False):
            if value is None:
                if needed:
                    return None
            elif not isinstance(value, _TYPES[type]):
                return None
        is_it = _SIGNS.get(self.name)
        return tuple(values) if is_it is None or is_it(values) else None


@lru_cache(maxsize=4)
def shapes(steps: tuple[Step, ...]) -> Mapping[str, Shape]:
    """Return the tables of a schema that hold what cannot be made anew."""
    first = _tables(steps[:1])
    return {
        name: Shape(name, *rest, least=len(first[name][0]) if name in first else len(rest[0]))
        for name, rest in _tables(steps).items()
    }


_Parts = tuple[tuple[str, ...], tuple[str, ...], tuple[bool, ...], int | None, bool]


def _tables(steps: Sequence[Step]) -> dict[str, _Parts]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        add_functions(connection)
        migrate(connection, Path(":memory:"), steps, None)
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith(NOT_TAKEN)
        ]
        return {name: _parts(connection, name) for name in names}


def _parts(connection: sqlite3.Connection, name: str) -> _Parts:
    rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
    (has_numbers,) = connection.execute("SELECT NOT wr FROM pragma_table_list WHERE name = ?", (name,)).fetchone()
    keys = sorted((row for row in rows if row[5]), key=lambda row: row[5])
    if not has_numbers:
        # What is the key of a table without rowids stands first in its rows.
        rows = keys + [row for row in rows if not row[5]]
    key = next((place for place, row in enumerate(rows) if row[5] and row[2] == "INTEGER"), None)
    is_rowid = bool(has_numbers) and len(keys) == 1
    needed = tuple(bool(row[3]) or (bool(row[5]) and not (is_rowid and row[2] == "INTEGER")) for row in rows)
    return (
        tuple(row[1] for row in rows),
        tuple(row[2].upper() for row in rows),
        needed,
        key if is_rowid else None,
        bool(has_numbers),
    )
