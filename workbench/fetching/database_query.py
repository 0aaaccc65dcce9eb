"""Database queries: connections to SQLite files and PostgreSQL servers, and one SELECT, read-only and within limits."""

import datetime
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from workbench.errors import QueryFailed
from workbench.fetching.base import QueriedDatabase, QueryLimits, QueryResult, Value
from workbench.language import in_seconds, mark
from workbench.model.egress import DATABASE_PORT, is_here

if TYPE_CHECKING:
    import psycopg


POSTGRES = ("postgresql", "postgres")


def normalise_connection(connection: str) -> str:
    """Return a connection in full: the absolute path of an SQLite file, or a PostgreSQL address.

    Raises:
        QueryFailed: The text is neither.
    """
    text = connection.strip()
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in POSTGRES:
        return f"postgresql://{rest}"
    if separator and scheme.lower() in ("sqlite", "file"):
        # sqlite:///relative.db and sqlite:////absolute.db, as other programs write them
        text = unquote(rest.removeprefix("/")) if scheme.lower() == "sqlite" else unquote(rest)
    elif separator:
        raise QueryFailed(
            f"“{scheme}” databases cannot be queried.", "Give an SQLite file, or an address with postgresql://."
        )
    if not text:
        raise QueryFailed("No database is specified.", "Give an SQLite file, or an address with postgresql://.")
    return str(Path(text).expanduser().absolute())


def is_server(connection: str) -> bool:
    """Return True if a normalised connection leads to a server."""
    return connection.startswith("postgresql://")


def servers_of(connection: str) -> list[tuple[str, int]]:
    """Return the host and port of each server that a normalised connection may lead to; empty for a file.

    A socket of this machine counts as localhost. A connection may name several servers, of which one is used.

    Raises:
        QueryFailed: The connection leaves the choice of the server to other files or variables.
    """
    if not is_server(connection):
        return []
    parts = urlsplit(connection)
    given = {key.lower(): unquote(value) for key, _, value in (pair.partition("=") for pair in parts.query.split("&"))}
    if "service" in given or "servicefile" in given:
        raise QueryFailed(
            "The connection names a service instead of a server address.", "Give the server's own address."
        )
    named = [_host_and_port(unquote(one)) for one in parts.netloc.rpartition("@")[2].split(",")]
    ports = given.get("port", "").split(",")
    hosts = [one for key in ("host", "hostaddr") if key in given for one in given[key].split(",")]
    found = [(host, _port(ports[min(place, len(ports) - 1)])) for place, host in enumerate(hosts)]
    # If both are given, the driver uses one of the two; all possible hosts are included.
    found += [one for one in named if one[0] or not hosts]
    return [
        ("localhost" if not host or host.startswith(("/", "@")) else host.strip("[]"), port) for host, port in found
    ]


def named_server(host: str, port: int) -> str:
    """Return a server as a consent shows it: “db.example.org”, with its port unless it is the default one."""
    host = f"[{host}]" if ":" in host else host
    return host if port == DATABASE_PORT else f"{host}:{port}"


def remote_servers(connection: str) -> tuple[str, ...]:
    """Return the distinct servers on other machines that a connection as typed may lead to, as a consent shows them.

    Empty for a file, or for an invalid connection.
    """
    try:
        servers = servers_of(normalise_connection(connection))
    except (QueryFailed, ValueError):
        return ()
    return tuple(dict.fromkeys(named_server(*one) for one in servers if not is_here(one[0])))


def _host_and_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]") or "/" in port:
        return text, DATABASE_PORT
    return host, _port(port)


def _port(text: str) -> int:
    return int(text) if text.isdecimal() else DATABASE_PORT


def database_for(connection: str) -> QueriedDatabase:
    """Return the function that runs a query on a normalised connection; importable by name in a child process."""
    if is_server(connection):
        return query_postgres

    return query_sqlite


def strip_password(connection: str) -> tuple[str, str]:
    """Return a connection without its password, to show and store, and the password."""
    if not is_server(connection):
        return connection, ""
    parts = urlsplit(connection)
    user, _, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    kept, hidden = [], unquote(password)
    for pair in filter(None, parts.query.split("&")):
        key, _, value = pair.partition("=")
        if key.lower() in ("password", "sslpassword"):
            hidden = hidden or unquote(value)
        else:
            kept.append(pair)
    netloc = f"{name}@{host}" if user else host
    return urlunsplit(parts._replace(netloc=netloc, query="&".join(kept))), hidden


def insert_password(connection: str, password: str) -> str:
    """Return a connection with its password inserted again."""
    if not password or not is_server(connection):
        return connection
    parts = urlsplit(connection)
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))


_READING = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE))
_FORBIDDEN = frozenset(("load_extension", "writefile", "edit", "fts3_tokenizer"))
_STEPS = 10_000
"""Virtual machine steps between two checks of the deadline: about 1 ms."""


def query_sqlite(connection: str, query: str, limits: QueryLimits) -> QueryResult:
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
                raise _not_a_query_error()
            collector = RowCollector([column[0] for column in cursor.description], limits)
            for row in cursor:
                if not collector.take(row):
                    break
            return collector.table()
    except (sqlite3.ProgrammingError, sqlite3.Warning) as error:
        raise QueryFailed(
            f"The query cannot be run: {_error_message(error)}.", "Enter a single SELECT statement."
        ) from error
    except sqlite3.Error as error:
        raise _to_query_failed(error, path, limits) from error


def _restrict(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA query_only = ON")
    # Views and triggers of an untrusted file may not call functions with side effects.
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA temp_store = MEMORY")
    database.set_authorizer(_authorize)


def _authorize(action: int, _first: str | None, second: str | None, _database: str | None, _inner: str | None) -> int:
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _to_query_failed(error: sqlite3.Error, path: Path, limits: QueryLimits) -> QueryFailed:
    words = _error_message(error)
    if "interrupted" in words:
        return QueryFailed(f"The query took longer than {in_seconds(limits.seconds)}.", "Query less data at a time.")
    if "not authorized" in words or "prohibited" in words or "readonly" in words:
        return _not_a_query_error()
    if "not a database" in words or "malformed" in words:
        return QueryFailed(f"“{path.name}” is not an SQLite database, or is damaged.", "Check which file it is.")
    if "unable to open" in words:
        return QueryFailed(f"“{path.name}” cannot be opened.", "Check that you may read it.")
    return QueryFailed(f"The database refused the query: {words}.", "Check its names and its spelling.")


def _not_a_query_error() -> QueryFailed:
    return QueryFailed(
        "Only a query that reads data is run: a single SELECT statement.",
        "Nothing was changed. Begin it with SELECT or WITH.",
    )


def _error_message(error: Any) -> str:
    return " ".join(str(error).split()).rstrip(".")[:300]


CONNECT_SECONDS = 15

_SERVER_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR")
"""Environment variables that complete a connection without a server; cleared, because this is a child process."""


def query_postgres(connection: str, query: str, limits: QueryLimits) -> QueryResult:
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
    for name in _SERVER_VARIABLES:
        os.environ.pop(name, None)
    try:
        with psycopg.connect(connection, connect_timeout=CONNECT_SECONDS, autocommit=False) as server:
            server.read_only = True
            milliseconds = round(limits.seconds * 1000)
            server.execute("SELECT set_config('statement_timeout', %s, false)", (str(milliseconds),))
            return _rows(server, query, limits)
    except psycopg.errors.QueryCanceled as error:
        raise QueryFailed(
            f"The query took longer than {in_seconds(limits.seconds)}.", "Query less data at a time."
        ) from error
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise QueryFailed(
            "Only a query that reads data is run: a single SELECT statement.",
            "Nothing was changed. Begin it with SELECT or WITH.",
        ) from error
    except psycopg.OperationalError as error:
        raise QueryFailed(
            f"No connection to the database: {_postgres_error_message(error)}.", "Check its address and password."
        ) from error
    except psycopg.Error as error:
        raise QueryFailed(
            f"The database refused the query: {_postgres_error_message(error)}.",
            "Enter a single SELECT statement; check its names and spelling.",
        ) from error


def _rows(server: "psycopg.Connection[tuple[object, ...]]", query: str, limits: QueryLimits) -> QueryResult:
    with server.cursor() as cursor:
        # Stream the rows with the protocol that accepts a single statement: “…; COMMIT; DROP TABLE x” is refused.
        rows = cursor.stream(query.encode())
        first = next(rows, None)
        if cursor.description is None:
            raise QueryFailed(
                "Only a query that reads data is run: a single SELECT statement.", "Begin it with SELECT or WITH."
            )
        collector = RowCollector([column.name for column in cursor.description], limits)
        if first is not None and collector.take(first):
            for row in rows:
                if not collector.take(row):
                    # The server may have millions more to send.
                    server.cancel_safe(timeout=5)
                    break
        return collector.table()


def _postgres_error_message(error: "psycopg.Error") -> str:
    """Return the server's message; that of a failed connection contains the host and user, never the password."""
    message = error.diag.message_primary or str(error)
    return " ".join(message.split()).rstrip(".")[:300]


LONGEST = 100_000
"""Maximum number of characters of one value."""


class RowCollector:
    """Collects rows until a limit is reached."""

    def __init__(self, columns: Sequence[str], limits: QueryLimits) -> None:
        self._columns = tuple(name or f"column {number}" for number, name in enumerate(columns, 1))
        self._limits = limits
        self._rows: list[tuple[Value, ...]] = []
        self._characters = 0
        self._truncated = ""

    def take(self, row: Sequence[Any]) -> bool:
        """Add a row; return False if no more rows are needed."""
        if len(self._rows) == self._limits.rows:
            self._truncated = mark(f"only the first {self._limits.rows:,} rows")
            return False
        values = tuple(map(_to_json_value, row))
        self._characters += sum(len(value) if isinstance(value, str) else 8 for value in values)
        if self._characters > self._limits.characters:
            self._truncated = mark(
                f"only the first {len(self._rows):,} rows, which hold {self._limits.characters:,} characters"
            )
            return False
        self._rows.append(values)
        return True

    def table(self) -> QueryResult:
        """Return the collected rows.

        Raises:
            QueryFailed: Nothing was found.
        """
        if not self._rows:
            raise QueryFailed("The query found no rows.", "Check its conditions.")
        return QueryResult(self._columns, tuple(self._rows), self._truncated)


def _to_json_value(value: Any) -> Value:
    """Convert a database value to a JSON value; binary data becomes its size."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"({len(bytes(value)):,} bytes)"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) and value.is_finite() else _to_json_value(str(value))
