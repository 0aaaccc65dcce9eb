"""A query on a PostgreSQL server that cannot change it: a read-only transaction, one statement, limits."""

import os
from typing import TYPE_CHECKING

from workbench.errors import QueryFailed
from workbench.fetching.base import QueryLimits, Table
from workbench.fetching.rows import Gathering
from workbench.language import in_seconds

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 15

_ELSEWHERE = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR")
"""Variables that would say where a connection leads that does not say it itself; this runs in a child process."""


def query_postgres(connection: str, query: str, limits: QueryLimits) -> Table:
    """Return the rows of one SELECT.

    Raises:
        QueryFailed: The server cannot be reached, or the query is refused, wrong, or takes too long.
    """
    try:
        import psycopg  # an optional extra
    except ImportError as error:
        raise QueryFailed(
            "PostgreSQL needs a package that is not installed.", "Install it: pip install “psycopg[binary]”."
        ) from error
    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    try:
        with psycopg.connect(connection, connect_timeout=CONNECT_SECONDS, autocommit=False) as server:
            server.read_only = True
            milliseconds = round(limits.seconds * 1000)
            server.execute("SELECT set_config('statement_timeout', %s, false)", (str(milliseconds),))
            return _rows(server, query, limits)
    except psycopg.errors.QueryCanceled as error:
        raise QueryFailed(
            f"The query took longer than {in_seconds(limits.seconds)}.", "Ask for less at a time."
        ) from error
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise QueryFailed(
            "Only a query that reads is run: one SELECT.", "Nothing was changed. Begin it with SELECT or WITH."
        ) from error
    except psycopg.OperationalError as error:
        raise QueryFailed(
            f"No connection to the database: {_words(error)}.", "Check its address and password."
        ) from error
    except psycopg.Error as error:
        raise QueryFailed(
            f"The database refused the query: {_words(error)}.", "Give one SELECT; check its names and its spelling."
        ) from error


def _rows(server: "psycopg.Connection[tuple[object, ...]]", query: str, limits: QueryLimits) -> Table:
    with server.cursor() as cursor:
        # Row by row, and by the protocol that takes one statement only: “…; COMMIT; DROP TABLE x” is refused as such.
        rows = cursor.stream(query.encode())
        first = next(rows, None)
        if cursor.description is None:
            raise QueryFailed("Only a query that reads is run: one SELECT.", "Begin it with SELECT or WITH.")
        gathering = Gathering([column.name for column in cursor.description], limits)
        if first is not None and gathering.take(first):
            for row in rows:
                if not gathering.take(row):
                    # The server may have millions more to send.
                    server.cancel_safe(timeout=5)
                    break
        return gathering.table()


def _words(error: "psycopg.Error") -> str:
    """Return the server's sentence; a failed connection repeats the host and user, never the password."""
    said = error.diag.message_primary or str(error)
    return " ".join(said.split()).rstrip(".")[:300]
