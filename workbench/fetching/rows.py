"""Rows as they come from a database, up to the limits."""

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from workbench.errors import QueryFailed
from workbench.fetching.base import QueryLimits, Table, Value
from workbench.language import mark

LONGEST = 100_000
"""Characters of one value that are kept."""


class Gathering:
    """Keeps rows until a limit is reached."""

    def __init__(self, columns: Sequence[str], limits: QueryLimits) -> None:
        self._columns = tuple(name or f"column {number}" for number, name in enumerate(columns, 1))
        self._limits = limits
        self._rows: list[tuple[Value, ...]] = []
        self._characters = 0
        self._truncated = ""

    def take(self, row: Sequence[Any]) -> bool:
        """Keep a row; False when no more are wanted."""
        if len(self._rows) == self._limits.rows:
            self._truncated = mark(f"only the first {self._limits.rows:,} rows")
            return False
        values = tuple(map(_value, row))
        self._characters += sum(len(value) if isinstance(value, str) else 8 for value in values)
        if self._characters > self._limits.characters:
            self._truncated = mark(
                f"only the first {len(self._rows):,} rows, which hold {self._limits.characters:,} characters"
            )
            return False
        self._rows.append(values)
        return True

    def table(self) -> Table:
        """Return what was kept.

        Raises:
            QueryFailed: Nothing was found.
        """
        if not self._rows:
            raise QueryFailed("The query found no rows.", "Check its conditions.")
        return Table(self._columns, tuple(self._rows), self._truncated)


def _value(value: Any) -> Value:
    """Return a value of a database as one of JSON; bytes that are no text only say how many they are."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"({len(bytes(value)):,} bytes)"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) and value.is_finite() else _value(str(value))
