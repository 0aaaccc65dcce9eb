"""Connections to PostgreSQL servers: checked addresses, and a pool of connections of a permitted request."""

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote

from workbench.egress.gate import PermittedRequest
from workbench.errors import SettingError
from workbench.model.egress import DATABASE_PORT, is_here

SCHEMES = ("postgresql", "postgres")
"""Schemes of the address of a PostgreSQL server."""

_SECONDS = 10
"""Timeout of a connection."""
_ELSEWHERE = ("PGHOSTADDR", "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR")
"""Variables that would lead a connection to another server than the one that passed the gate."""


def connection_options(address: SplitResult, key: str = "") -> dict[str, Any]:
    """Return the arguments of connect(), without options of the address that could lead to another server.

    Args:
        address: The parts of the address of the server.
        key: The password; if empty, the one in the address is used.

    Raises:
        SettingError: The address is not that of one PostgreSQL server, or has such options.
    """
    query = parse_qs(address.query)
    folder = query.pop("host", [""])[0]
    sslmode = query.pop("sslmode", [""])[0]
    is_plain = re.fullmatch(r"(?:/[^,]*)?", folder) is not None and not query and "," not in address.netloc
    if address.scheme not in SCHEMES or not is_plain or (folder and address.hostname):
        raise SettingError(
            "The address of PostgreSQL cannot be used.",
            "Enter it like postgresql://name@localhost:5432/database, without further options but sslmode.",
        )
    host = folder or address.hostname or "localhost"
    is_local = host.startswith("/") or is_here(host)
    return {
        "host": host,
        "port": address.port or DATABASE_PORT,
        "user": unquote(address.username or "") or None,
        "password": key or unquote(address.password or "") or None,
        "dbname": unquote(address.path.strip("/")) or None,
        "sslmode": sslmode or ("prefer" if is_local else "require"),
        "connect_timeout": _SECONDS,
        "application_name": "knowledge-workbench",
        # A server that disappears without a word is noticed after a minute.
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
    }


def connect(options: dict[str, Any]) -> Any:
    """Return a connection in autocommit mode, in which each statement is one transaction.

    Raises:
        psycopg.OperationalError: The server cannot be reached, or refuses the name or password.
    """
    import psycopg  # an optional extra

    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    return psycopg.connect(**options, autocommit=True)


class PostgresProblem(Enum):
    """Kind of a server's error."""

    REFUSED = "refused"
    """The name or password was refused."""
    DENIED = "denied"
    """The user lacks a right."""
    MISSING = "missing"
    """There is no such schema or table."""
    TAKEN = "taken"
    """A value that must be unique is used already."""
    CHECK = "check"
    """A rule of the schema forbids it."""
    NO_ROOM = "no room"
    TOO_SLOW = "too slow"
    """A statement or a lock took too long, or transactions were in each other's way."""
    UNREACHABLE = "unreachable"


_PROBLEMS = {
    **dict.fromkeys(("28P01", "28000"), PostgresProblem.REFUSED),
    "42501": PostgresProblem.DENIED,
    **dict.fromkeys(("42P01", "3F000"), PostgresProblem.MISSING),
    "23505": PostgresProblem.TAKEN,
    "23514": PostgresProblem.CHECK,
    **dict.fromkeys(("53100", "53200"), PostgresProblem.NO_ROOM),
    **dict.fromkeys(("57014", "55P03", "40001", "40P01"), PostgresProblem.TOO_SLOW),
}
"""By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html."""


def problem_of(error: BaseException) -> PostgresProblem | None:
    """Return the kind of an error of the client; None for other errors, among them those that are our bugs."""
    import psycopg  # an optional extra

    if not isinstance(error, psycopg.Error):
        return None
    if (known := _PROBLEMS.get(error.sqlstate or "")) is not None:
        return known
    if not isinstance(error, psycopg.OperationalError):
        return None
    return PostgresProblem.REFUSED if "authentication failed" in str(error) else PostgresProblem.UNREACHABLE


class ConnectionPool:
    """Pool of idle connections, last in first out; a thread takes one for a statement or a transaction."""

    def __init__(
        self, options: dict[str, Any], prepare: Callable[[Any], None], permitted: PermittedRequest | None = None
    ) -> None:
        """Create an empty pool.

        Args:
            options: Arguments of connect().
            prepare: Prepares a new connection.
            permitted: The permitted request of the gate, which close() ends.
        """
        self._options = options
        self._prepare = prepare
        self._permitted = permitted
        self._idle: list[Any] = []
        self._changing = threading.Lock()

    @contextlib.contextmanager
    def connection(self) -> Iterator[Any]:
        """Yield a connection. If it fails, it is closed, and the next statement connects again."""
        with self._changing:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self.connect()
        try:
            yield connection
        except BaseException:
            # After a restart of the server, idle connections are broken as well.
            self._close_idle()
            connection.close()
            raise
        with self._changing:
            self._idle.append(connection)

    def connect(self) -> Any:
        """Return a new connection, which the caller closes."""
        connection = connect(self._options)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the idle connections and end the request."""
        self._close_idle()
        if self._permitted is not None:
            self._permitted.done()

    def _close_idle(self) -> None:
        with self._changing:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
