"""Database queries as documents: read-only, each row is a record that a citation can name, run again on request."""

import json
from collections.abc import Sequence
from pathlib import Path

from workbench.egress.gate import EgressGate, PendingRequest
from workbench.errors import HostClosed, NetworkClosed, ParserTimedOut, QueryFailed
from workbench.fetching.base import QueryLimits, QueryResult
from workbench.fetching.content_type import safe_name
from workbench.fetching.database_query import (
    database_for,
    insert_password,
    is_server,
    named_server,
    normalise_connection,
    servers_of,
    strip_password,
)
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.egress import QUERY_PURPOSES, Purpose
from workbench.model.import_progress import DocumentChanged, FileFinished
from workbench.operations.imports.non_file_sources import Arrival, FetchedContent, arrive, gate_for, receive, take_in
from workbench.operations.imports.temp_files import staging_folder, write_staged
from workbench.operations.library.credentials import load_secret, store_secret
from workbench.operations.library.library import Library
from workbench.parsing.sandboxed import SandboxedParser
from workbench.settings import Settings
from workbench.store.intake import Origins
from workbench.store.stored_values import now
from workbench.worker.confinement import Confinement
from workbench.worker.job import JobContext, Operation, finish_despite_cancel
from workbench.worker.processes import ProcessPool

_PASSED_ON = ("PGPASSFILE", "PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGTZ")
"""Environment variables of the user that configure how to connect; none of them names a server."""

SHOWN = 60
"""Maximum number of characters of a query that are shown in a document's path and name."""


def add_query(
    library: Library,
    connection: str,
    query: str,
    *,
    title: str = "",
    knowledge_base: str = "default",
    allow_hosts: Sequence[str] = (),
) -> Operation[list[FileFinished]]:
    """Add the result of a query on an SQLite file or a PostgreSQL server; nothing is ever written there.

    A password in the connection is stored in the system's keyring, or kept until the program ends if there is none; it
    is neither stored in the library nor shown.

    Args:
        library: The open library.
        connection: Path of an SQLite file, or postgresql://user:password@host/database.
        query: One SELECT statement.
        title: Name of the document.
        knowledge_base: Knowledge base of the document.
        allow_hosts: Database servers that this operation may contact although offline mode is on: “db.example.org”, or
            “db.example.org:6543” if it does not use the default port. If a server was refused, closed_hosts of the
            FileFinished lists the servers.

    Raises:
        QueryFailed: The connection does not name a supported database.
        SettingError: One of allow_hosts is not a host.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        gate = await gate_for(library, allow_hosts, QUERY_PURPOSES)
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        shown, password = strip_password(normalise_connection(connection))
        if not query.strip():
            raise QueryFailed("The query is empty.", "Enter a single SELECT statement.")
        if password:
            await library.on_store(_keep_password, shown, password)
        row = await library.on_store(_queue_row, library, knowledge_base, shown, query.strip(), title.strip())
        return await run_queries(library, context, [row], gate)

    return operation


async def run_queries(
    library: Library, context: JobContext, rows: list[Document], gate: EgressGate
) -> list[FileFinished]:
    """Run the queries of database documents, and replace the documents whose result changed."""
    for row in rows:
        context.emit(DocumentChanged(row))
    return await take_in(
        library, context, [arrive(library, context, row, _run(library, context, row, gate)) for row in rows]
    )


def _run(library: Library, context: JobContext, row: Document, gate: EgressGate) -> Arrival:
    async def run() -> Document | FileFinished:
        settings = await library.on_store(library.setting_values.load)
        details = await library.on_store(Origins(library.database).details, row.id)
        shown, query = details.get("connection", ""), details.get("query", "")
        connection = insert_password(shown, await library.on_store(_password, shown))
        table = await _query_through_gate(library, gate, settings, connection, query)
        return await library.on_store(_receive, library, context, row, table, details)

    return run()


async def _query_through_gate(
    library: Library, gate: EgressGate, settings: Settings, connection: str, query: str
) -> QueryResult:
    """Run a query; a query on a server only if the gate allows it, and then it is recorded in the ledger.

    Raises:
        HostClosed: Offline mode is on. If the connection names several servers, any of them could be contacted.
    """
    servers = servers_of(connection)
    if not servers:
        return await _table(library, settings, connection, query)
    shown = strip_password(connection)[0]
    every = [PendingRequest(Purpose.DATABASE, host, port, shown, seen=False) for host, port in servers]
    away = [one for one in every if not gate.is_here(one.host)]
    closed = [one for one in away if not await library.on_store(gate.allows, one)]
    try:
        # Ask for the first server that is refused; else the first that is not this machine; else the first of all.
        passage = await gate.enter_soon((closed or away or every)[0])
    except NetworkClosed as error:
        hosts = tuple(dict.fromkeys(named_server(one.host, one.port) for one in away))
        raise HostClosed(error.message, error.hint, hosts) from error
    with passage:
        return await _table(library, settings, connection, query)


async def _table(library: Library, settings: Settings, connection: str, query: str) -> QueryResult:
    """Run a query in a child process, so that a cancel ends it at once and a damaged database cannot do harm."""
    limits = QueryLimits(rows=settings.query_rows, seconds=float(settings.parser_seconds))
    files, rights = await library.on_store(_files_and_rights, connection)
    pool = ProcessPool(1, confined=lambda: rights) if rights is not None else library.parsers
    # The database's own time limit applies first and gives a better error; the child's covers databases that ignore it.
    child = SandboxedParser(pool, seconds=limits.seconds + 20, megabytes=settings.parser_megabytes)
    try:
        return await child.call(run_query, connection, query, limits, *files)
    except ParserTimedOut as error:
        raise QueryFailed("The database does not answer.", "Try again later, or ask for less at a time.") from error
    finally:
        if pool is not library.parsers:
            await finish_despite_cancel(library.on_store(pool.close))


def _files_and_rights(connection: str) -> tuple[list[Path], Confinement | None]:
    """Return the files of a database, and the rights of a separate child if those of a reader do not suffice."""
    if is_server(connection):
        # The files for name resolution, the certificates and the password file are in many places of the system.
        return [], Confinement(reads=None, network=True, named=_PASSED_ON)
    path = Path(connection)
    beside = [path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal")]
    files = [one for one in (path, *beside) if one.exists()]
    if beside[0].exists() and not beside[1].exists():
        # The program that wrote it was killed: SQLite creates the index of the write-ahead log (-shm) even to read.
        return files, Confinement(reads=(path.parent,), writes=(path.parent,))
    return files, None


def run_query(connection: str, query: str, limits: QueryLimits, *_files: Path) -> QueryResult:
    """Run a query; called in a child process, which may read only the files in its arguments.

    Raises:
        QueryFailed: The database cannot be opened, or refused the query.
    """
    return database_for(connection)(connection, query, limits)


def _queue_row(library: Library, knowledge_base: str, connection: str, query: str, title: str) -> Document:
    origins = Origins(library.database)
    address = f"{connection}\n{query}"
    name = title or _make_title(connection, query)
    details = {"address": address, "connection": connection, "query": query, "title": name}
    row = origins.by_address(knowledge_base, address, Origin.QUERY)
    if row is None:
        path = f"{connection} · {_shorten(query)}"
        return origins.queue(knowledge_base, address, path=path, name=name, origin=Origin.QUERY, details=details)
    if title:
        origins.describe(row.id, path=row.path, name=title, origin=Origin.QUERY, details=details)
    return row if row.chunks else library.documents.set_status(row.id, DocumentStatus.QUEUED)


def _receive(
    library: Library, context: JobContext, row: Document, table: QueryResult, details: dict[str, str]
) -> Document | FileFinished:
    title = details.get("title", row.name)
    content = {
        "title": title,
        "connection": details["connection"],
        "query": details["query"],
        "columns": table.columns,
        "rows": table.rows,
        "truncated": table.truncated,
    }
    with staging_folder(library) as folder:
        data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        file = write_staged(folder / f"{safe_name(title)}.query.json", data)
        arrived = FetchedContent(file, row.path, title, Origin.QUERY, details | {"fetched": now()})
        return receive(library, context, row, arrived)


def _make_title(connection: str, query: str) -> str:
    place = connection.rpartition("/")[2].partition("?")[0] if is_server(connection) else Path(connection).name
    return f"{place}: {_shorten(query)}"


def _shorten(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _keep_password(connection: str, password: str) -> None:
    store_secret(f"database {connection}", password)


def _password(connection: str) -> str:
    return load_secret(f"database {connection}")
