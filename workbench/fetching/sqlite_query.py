"""A query on an SQLite file that cannot change it: opened read-only, and every step of the query is judged."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.errors import QueryFailed
from workbench.fetching.base import QueryLimits, Table
from workbench.fetching.rows import Gathering
from workbench.language import in_seconds

_READING = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE))
_FORBIDDEN = frozenset(("load_extension", "writefile", "edit", "fts3_tokenizer"))
_STEPS = 10_000
"""Virtual machine steps between two looks at the clock: about 1 ms."""


def query_sqlite(connection: str, query: str, limits: QueryLimits) -> Table:
    """Return the rows of one SELECT.

    Raises:
        QueryFailed: The file cannot be opened, or the query is refused, wrong, or takes too long.
    """
    path = Path(connection)
    if not path.is_file():
        raise QueryFailed(f"There is no database “{path}”.", "Check the path.")
    deadline = time.monotonic() + limits.seconds
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as database:
            _restrict(database)
            database.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            cursor = database.execute(query)
            if cursor.description is None:
                raise _not_a_query()
            gathering = Gathering([column[0] for column in cursor.description], limits)
            for row in cursor:
                if not gathering.take(row):
                    break
            return gathering.table()
    except (sqlite3.ProgrammingError, sqlite3.Warning) as error:
        raise QueryFailed(f"The query cannot be run: {_words(error)}.", "Give one SELECT.") from error
    except sqlite3.Error as error:
        raise _failure(error, path, limits) from error


def _restrict(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA query_only = ON")
    # Views and triggers of a file that somebody else made may not call functions with side effects.
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA temp_store = MEMORY")
    database.set_authorizer(_judge)


def _judge(action: int, _first: str | None, second: str | None, _database: str | None, _inner: str | None) -> int:
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _failure(error: sqlite3.Error, path: Path, limits: QueryLimits) -> QueryFailed:
    words = _words(error)
    if "interrupted" in words:
        return QueryFailed(f"The query took longer than {in_seconds(limits.seconds)}.", "Ask for less at a time.")
    if "not authorized" in words or "prohibited" in words or "readonly" in words:
        return _not_a_query()
    if "not a database" in words or "malformed" in words:
        return QueryFailed(f"“{path.name}” is not an SQLite database, or is damaged.", "Check which file it is.")
    if "unable to open" in words:
        return QueryFailed(f"“{path.name}” cannot be opened.", "Check that you may read it.")
    return QueryFailed(f"The database refused the query: {words}.", "Check its names and its spelling.")


def _not_a_query() -> QueryFailed:
    return QueryFailed(
        "Only a query that reads is run: one SELECT.", "Nothing was changed. Begin it with SELECT or WITH."
    )


def _words(error: Any) -> str:
    return " ".join(str(error).split()).rstrip(".")[:300]
