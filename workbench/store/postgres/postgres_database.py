"""The database of a shared library: PostgreSQL, opened by several workbenches at once."""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from typing import Any
from urllib.parse import SplitResult, urlsplit

from workbench.egress.gate import EgressGate, PendingRequest
from workbench.egress.postgres import ConnectionPool, PostgresProblem, connect, connection_options, problem_of
from workbench.errors import (
    LibraryError,
    LibraryTooNew,
    NetworkClosed,
    SharedAccessDenied,
    SharedLibraryUnreachable,
    WorkbenchError,
)
from workbench.language import mark
from workbench.logs import masked
from workbench.model.egress import DATABASE_PORT, Purpose
from workbench.store.postgres.dialect import FOLDED, parameters_of, translate

logger = logging.getLogger(__name__)

SCHEMA = 1
"""Version of schema.sql."""
_MILLISECONDS = 60_000
"""Timeout of a statement."""
_WAIT_MILLISECONDS = 20_000
"""Timeout of waiting for a lock of another transaction."""
_NOT_SET_UP = mark("This database is not a shared library of this program yet.")
_HINT = mark("Check the address and that the server is running; nothing is lost. It is tried again at the next search.")


@dataclass(frozen=True, slots=True)
class SharedLocation:
    """Location of a shared library.

    Attributes:
        url: Address of the database: postgresql://name@host:5432/database.
        key: Password; empty for none.
        gate: The gate that permits connections.
    """

    url: str
    key: str
    gate: EgressGate

    @property
    def address(self) -> SplitResult:
        """The parts of the address.

        Raises:
            SharedLibraryUnreachable: It is not a valid URL.
        """
        try:
            parts = urlsplit(self.url)
            _ = parts.port
        except ValueError as error:
            raise SharedLibraryUnreachable(
                mark("The address of the shared library is not a valid URL."),
                mark("Enter it like postgresql://name@localhost:5432/database."),
            ) from error
        return parts

    @property
    def request(self) -> PendingRequest:
        """The request for the gate."""
        parts = self.address
        host = parts.hostname or "localhost"
        return PendingRequest(Purpose.SHARED_LIBRARY, host, parts.port or DATABASE_PORT, self.url, seen=False)


class PostgresConnection:
    """Connection inside a transaction that runs the statements of store/; see dialect.py."""

    def __init__(self, connection: Any) -> None:
        """Wrap a psycopg connection, which is available as the attribute raw."""
        self.raw = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        """Run a statement."""
        translated, order = translate(sql)
        return self.raw.execute(translated, parameters_of(parameters, order))

    def executemany(self, sql: str, parameters: Any, /) -> Any:
        """Run a statement once for each row of parameters, in few round trips."""
        translated, order = translate(sql)
        cursor = self.raw.cursor()
        cursor.executemany(translated, [parameters_of(row, order) for row in parameters])
        return cursor


class PostgresDatabase:
    """Database of a shared library; a DocumentDatabase. Safe on any thread.

    Attributes:
        location: Its location.
        user: Name of the user at the server.
    """

    def __init__(self, location: SharedLocation, pool: ConnectionPool) -> None:
        """Use a pool of connections to the location; see open()."""
        self.location = location
        self.user = ""
        self._pool = pool
        self._generation = 0
        self._changing = threading.Lock()
        self._own = threading.local()

    @classmethod
    def open(cls, location: SharedLocation) -> "PostgresDatabase":
        """Open a shared library that exists.

        Raises:
            SharedLibraryUnreachable: The server cannot be reached or refuses the name or password, offline mode is on,
                or the package psycopg is not installed.
            LibraryError: The database is no shared library.
            LibraryTooNew: A later version of the program has changed its schema.
        """
        options = _options(location)
        try:
            permitted = location.gate.enter(location.request)
        except NetworkClosed as error:
            raise SharedLibraryUnreachable(error.message, error.hint) from error
        database = cls(location, ConnectionPool(options, _prepare, permitted))
        try:
            with database.read() as connection:
                database.user = str(connection.execute("SELECT session_user").fetchone()[0])
                database._check_schema(connection)
        except BaseException as error:
            permitted.failed(error)
            database.close()
            raise
        return database

    @staticmethod
    def create(location: SharedLocation, state: Callable[[Any], None] | None = None) -> None:
        """Create the schema of a shared library in a database.

        Args:
            location: The database; the user must be allowed to create schemas in it.
            state: Called with the connection in the same transaction, to complete the schema; None for nothing.

        Raises:
            SharedLibraryUnreachable: As open().
            LibraryError: The database contains a shared library already, or lacks the extension pgvector.
            SharedAccessDenied: The user must not create a schema there.
        """
        options = _options(location)
        try:
            permitted = location.gate.enter(location.request)
        except NetworkClosed as error:
            raise SharedLibraryUnreachable(error.message, error.hint) from error
        with permitted, translating_errors(location):
            connection = connect(options)
            try:
                with connection.transaction():
                    _create_schema(connection)
                    if state is not None:
                        state(connection)
            finally:
                connection.close()

    @property
    def revision(self) -> int:
        """Generation of the library, as last seen; refresh() reads it."""
        return self._generation

    @revision.setter
    def revision(self, value: int) -> None:
        """Do nothing: every write() advances the generation."""

    @property
    def returned(self) -> int:
        """Always 0: numbers of chunks are never used again."""
        return 0

    @property
    def document_writes(self) -> int:
        """Generation of the library, as last seen."""
        return self._generation

    def refresh(self) -> int:
        """Read the generation of the library, so that caches that are outdated are not used; return it."""
        with self.read_revision() as (_, generation):
            assert generation is not None
            return generation

    def seen(self, generation: int) -> None:
        """Record a generation that another program announced."""
        with self._changing:
            self._generation = max(self._generation, generation)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let every read of this thread within the block see the same state: a search is one transaction.

        Beginning and ending a transaction takes 0.5 ms, and a search reads 14 times.

        Raises:
            SharedLibraryUnreachable: As read().
        """
        if getattr(self._own, "snapshot", None) is not None:
            yield
            return
        with self.read_revision() as snapshot:
            self._own.snapshot = snapshot
            try:
                yield
            finally:
                del self._own.snapshot

    @contextmanager
    def read(self) -> Iterator[PostgresConnection]:
        """Yield a connection that sees one state of the library throughout.

        Raises:
            SharedLibraryUnreachable: The server cannot be reached, or is too slow.
        """
        snapshot = getattr(self._own, "snapshot", None)
        if snapshot is not None:
            yield snapshot[0]
            return
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection:
            yield connection

    @contextmanager
    def read_revision(self) -> Iterator[tuple[PostgresConnection, int | None]]:
        """Yield a connection as read() does, and the generation of exactly its state."""
        snapshot = getattr(self._own, "snapshot", None)
        if snapshot is not None:
            yield snapshot
            return
        with self.read() as connection:
            generation = int(connection.execute("SELECT value FROM library_generation").fetchone()[0])
            self.seen(generation)
            yield connection, generation

    @contextmanager
    def write(self, *, documents: bool = True) -> Iterator[PostgresConnection]:
        """Yield a connection inside one transaction, committed on leaving, rolled back on an exception.

        Within a write, a nested write() of the same thread joins the transaction.

        Args:
            documents: False if it changes nothing that caches depend on.

        Raises:
            SharedLibraryUnreachable: As read(); nothing is written.
            SharedAccessDenied: The user may not write.
        """
        outer = getattr(self._own, "written", None)
        if outer is not None:
            yield outer
            return
        with self._transaction("BEGIN") as connection:
            self._own.written = connection
            try:
                yield connection
                if documents:
                    # Last, because it keeps other writers waiting until the commit.
                    generation = int(connection.execute("SELECT advance()").fetchone()[0])
            finally:
                del self._own.written
        if documents:
            self.seen(generation)

    @contextmanager
    def unpooled(self) -> Iterator[Any]:
        """Yield a new psycopg connection in autocommit mode, closed on leaving: for locks and settings of a session.

        Raises:
            SharedLibraryUnreachable: As read().
        """
        self._require_open()
        with translating_errors(self.location):
            connection = self._pool.connect()
            try:
                yield connection
            finally:
                connection.close()

    def listen(self) -> Any:
        """Return a new connection that receives the generations of other workbenches; the caller closes it.

        Raises:
            SharedLibraryUnreachable: As read().
        """
        self._require_open()
        with translating_errors(self.location):
            connection = self._pool.connect()
            connection.execute("LISTEN workbench")
            return connection

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresConnection]:
        self._require_open()
        failure: BaseException | None = None
        with translating_errors(self.location):
            with self._pool.connection() as connection:
                connection.execute(begin)
                try:
                    yield PostgresConnection(connection)
                    connection.execute("COMMIT")
                except BaseException as error:
                    if connection.broken or connection.closed:
                        raise
                    # The connection stays usable, which the pool would close because of an error.
                    connection.cancel()
                    connection.execute("ROLLBACK")
                    failure = error
            if failure is not None:
                raise failure

    def _require_open(self) -> None:
        """Raise an error if the gate does not permit requests now: offline mode may be switched on at any time."""
        request = self.location.request
        try:
            self.location.gate.check(request.purpose, request.host, port=request.port, address=request.address)
        except NetworkClosed as error:
            raise SharedLibraryUnreachable(error.message, error.hint) from error

    def _check_schema(self, connection: PostgresConnection) -> None:
        version = connection.execute("SELECT value FROM remembered WHERE scope = 'state' AND key = 'schema'").fetchone()
        if version is None or int(version[0]) > SCHEMA:
            raise LibraryTooNew(
                mark("A later version of the program set up this shared library."),
                mark("Install the newest version of the program."),
            )


@contextmanager
def translating_errors(location: SharedLocation) -> Iterator[None]:
    """Translate errors of the client into those of the program.

    Raises:
        SharedLibraryUnreachable: The server cannot be reached, is too slow, or refuses the name or password.
        SharedAccessDenied: The user lacks a right.
        LibraryError: The database is no shared library, or its disk is full.
    """
    try:
        yield
    except WorkbenchError:
        raise
    except Exception as error:
        translated = _translated(error, location.address.hostname or "localhost")
        if translated is None:
            raise
        raise translated from error


def _translated(error: Exception, host: str) -> LibraryError | None:
    match problem_of(error):
        case PostgresProblem.MISSING:
            advice = mark("Its administrator sets it up once: “workbench shared create”. See packaging/SHARED.md.")
            return LibraryError(_NOT_SET_UP, advice)
        case PostgresProblem.DENIED:
            return access_denied()
        case PostgresProblem.NO_ROOM:
            return LibraryError(
                mark(f"The server of the shared library, {host}, has no room left."),
                mark("Its administrator has to free some; nothing that was saved before is lost."),
            )
        case PostgresProblem.TOO_SLOW:
            return SharedLibraryUnreachable(
                mark(f"The server of the shared library, {host}, is too slow."),
                mark("Try again later; nothing is lost."),
            )
        case PostgresProblem.REFUSED:
            return SharedLibraryUnreachable(
                mark(f"The server of the shared library, {host}, refused the name or password."),
                mark("Enter it again: “workbench shared key”. Nothing is lost."),
            )
        case PostgresProblem.UNREACHABLE:
            words = masked(" ".join(str(error).split())).rstrip(".")[:300]
            return SharedLibraryUnreachable(mark(f"The shared library cannot be reached: {words}."), _HINT)
    return None


def access_denied() -> SharedAccessDenied:
    """Return the error for a right that the user lacks."""
    return SharedAccessDenied(
        mark("Your user name does not have permission to do this in the shared knowledge base."),
        mark("Ask one of its managers: “workbench shared members” lists them."),
    )


def _options(location: SharedLocation) -> dict[str, Any]:
    if not all(map(find_spec, ("psycopg", "pgvector"))):
        raise SharedLibraryUnreachable(
            mark("Shared libraries need packages that are not installed."),
            mark("Install them: pip install “knowledge-workbench[shared]”."),
        )
    return connection_options(location.address, location.key)


def _prepare(connection: Any) -> None:
    import pgvector.psycopg

    connection.execute("SET search_path = workbench, public")
    connection.execute(f"SET statement_timeout = {_MILLISECONDS}")
    connection.execute(f"SET lock_timeout = {_WAIT_MILLISECONDS}")
    connection.execute("SET ivfflat.iterative_scan = relaxed_order")
    connection.execute("SET jit = off")  # compiling takes longer than any of these statements
    connection.execute("SET client_encoding = 'UTF8'")
    if connection.execute("SELECT to_regtype('vector')").fetchone()[0]:  # else the library is not set up yet
        pgvector.psycopg.register_vector(connection)


def _create_schema(connection: Any) -> None:
    if connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'workbench'").fetchone():
        raise LibraryError(
            mark("This database contains a shared library already."),
            mark("Connect to it: “workbench shared connect”; or use another database."),
        )
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except Exception as error:
        if problem_of(error) in (PostgresProblem.UNREACHABLE, PostgresProblem.REFUSED):
            raise
        raise LibraryError(
            mark("The server lacks the extension pgvector, or you may not install it."),
            mark("Its administrator installs it once: CREATE EXTENSION vector. It has to be version 0.7 or later."),
        ) from error
    collations = {row[0] for row in connection.execute("SELECT collname FROM pg_collation")}
    has_casefold = connection.info.server_version >= 180000
    usable = (name for name in FOLDED if not name or (name in collations and (has_casefold or name == "und-x-icu")))
    schema = resources.files(__package__).joinpath("schema.sql").read_text("utf-8")
    connection.execute(schema.replace("{folded}", FOLDED[next(usable)]))
