"""Protocols of a database with documents, implemented for SQLite (database.py) and PostgreSQL (postgres/).

Stores that use these protocols contain SQL for both. They are written in SQLite's dialect with `?` for parameters;
postgres/dialect.py describes what it may contain.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Cursor(Protocol):
    """Result of a statement."""

    @property
    def rowcount(self) -> int:
        """Number of rows that the statement changed."""
        ...

    @property
    def lastrowid(self) -> int | None:
        """Id of the inserted row; only for SQLite."""
        ...

    def fetchone(self) -> Any:
        """Return the next row as a tuple, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """Return the remaining rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Connection inside a transaction."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Run a statement with positional parameters, or with numbered ones (?1, ?2)."""
        ...

    def executemany(self, sql: str, parameters: Any, /) -> Cursor:
        """Run a statement once for each row of parameters."""
        ...


class DocumentDatabase(Protocol):
    """Database with documents; shared by the stores and safe on any thread.

    Attributes:
        revision: Grows whenever the set of searchable chunks changes; for caches.
    """

    revision: int

    @property
    def returned(self) -> int:
        """Number that grows when chunks may have reused numbers of deleted ones."""
        ...

    @property
    def document_writes(self) -> int:
        """Number that grows with every write that may change documents; for caches."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """Return a connection that sees one state throughout, regardless of concurrent writes."""
        ...

    def read_revision(self) -> AbstractContextManager[tuple[Connection, int | None]]:
        """Return a connection as read() does, and the revision of its state; None while a change is being committed."""
        ...

    def write(self, *, documents: bool = True) -> AbstractContextManager[Connection]:
        """Return a connection inside one transaction, committed on leaving, rolled back on an exception."""
        ...
