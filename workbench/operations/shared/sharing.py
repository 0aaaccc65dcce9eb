"""Operations on shared libraries: set up, connect, members, adding files, reading the queue, following changes."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from workbench.errors import DocumentError, LibraryError, NotFound, WorkbenchError
from workbench.language import mark
from workbench.model.egress import AllowedHost
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.model.shared_library import (
    SharedBase,
    SharedLibraryChanged,
    SharedLibraryState,
    SharedMember,
    SharedReadingStarted,
)
from workbench.operations.imports.path_expansion import PathPatterns
from workbench.operations.imports.source_files import find_sources
from workbench.operations.imports.source_files import refusal as file_refusal
from workbench.operations.imports.source_files import stamp as file_stamp
from workbench.operations.library.credentials import store_secret
from workbench.operations.library.library import Library
from workbench.operations.shared.federated_ids import local_id
from workbench.operations.shared.shared_library import SharedLibrary, key_name, location_of
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:
    from workbench.operations.shared.shared_tables import SharedTables
    from workbench.store.postgres.members import AccessLevel

FIRST_BASE = "documents"
"""Knowledge base that a new shared library begins with."""


def list_shared_libraries(library: Library) -> Operation[list[SharedLibraryState]]:
    """Return the connected shared libraries with their state, those included that cannot be reached."""

    async def operation(_context: JobContext) -> list[SharedLibraryState]:
        return await library.on_search(lambda: [_state_of(one) for one in library.shared])

    return operation


def create_shared_library(library: Library, url: str, key: str = "") -> Operation[None]:
    """Set up a shared library in a PostgreSQL database, for the embedding model of this library.

    Args:
        library: The open library.
        url: Address of the database; the user must be allowed to create a schema in it.
        key: Password; empty for the stored one, or for none.

    Raises:
        SharedLibraryUnreachable: The server cannot be reached.
        LibraryError: The database contains a shared library already, or lacks pgvector.
        EmbeddingError: The embedder of this library cannot be loaded.
    """

    def create() -> None:
        from workbench.store.postgres.members import SharedKnowledgeBases
        from workbench.store.postgres.postgres_database import PostgresDatabase

        embedder = library.models.embedder()
        current = library.embedders.current
        model = current.choice.model if current is not None else library.settings.embedder
        location = location_of(url, library.gate, key)
        request = location.request
        allowed = AllowedHost(frozenset({request.purpose}), request.host, request.port)
        location = replace(location, gate=library.gate.allowing([allowed]))

        def complete(connection: Any) -> None:
            _complete_schema(connection, embedder.id, model)

        PostgresDatabase.create(location, complete)
        database = PostgresDatabase.open(location)
        try:
            SharedKnowledgeBases(database).create(FIRST_BASE)
        finally:
            database.close()

    async def operation(_context: JobContext) -> None:
        await library.on_embedding(create)

    return operation


def _complete_schema(connection: Any, embedder_id: str, model: str) -> None:
    """Record the embedder of a new shared library."""
    for name, value in (("embedder", embedder_id), ("embedder_model", model)):
        connection.execute("INSERT INTO workbench.remembered VALUES ('state', %s, %s)", (name, value))


def connect_shared_library(library: Library, name: str, url: str, key: str = "") -> Operation[SharedLibraryState]:
    """Connect to a shared library, whose knowledge bases then stand beside those of this library.

    Args:
        library: The open library.
        name: Name for it, by which its knowledge bases begin: "team/contracts".
        url: Its address; a password in it is stored in the keyring instead.
        key: Password; empty for none.

    Raises:
        LibraryError: The name is taken, or the database is no shared library.
        SharedLibraryUnreachable: It cannot be reached.
    """

    def connect() -> SharedLibrary:
        inside = location_of(url.strip(), library.gate, key).address.password
        return library.shared.connect(name, url, key or unquote(inside or ""))

    async def operation(context: JobContext) -> SharedLibraryState:
        connected = await library.on_search(connect)
        context.emit(SharedLibraryChanged(connected.name))
        return await library.on_search(_state_of, connected)

    return operation


def disconnect_shared_library(library: Library, name: str) -> Operation[None]:
    """Remove the connection to a shared library, which is not changed itself.

    Raises:
        NotFound: There is none of that name.
    """

    async def operation(context: JobContext) -> None:
        await library.on_search(library.shared.disconnect, name)
        context.emit(SharedLibraryChanged(name))

    return operation


def put_shared_key(library: Library, name: str, key: str) -> Operation[bool]:
    """Store the password for a shared library; return True if it is kept after the program ends.

    Raises:
        NotFound: There is none of that name.
    """

    def put() -> bool:
        shared = library.shared.named(name)
        is_kept = store_secret(key_name(shared.connection.url), key)
        shared.close()
        shared.try_again()
        return is_kept

    async def operation(_context: JobContext) -> bool:
        return await library.on_store(put)

    return operation


def add_shared_base(library: Library, knowledge_base: str) -> Operation[None]:
    """Create a knowledge base in a shared library; its name begins with that of the library: "team/contracts".

    Raises:
        NotFound: There is no such shared library.
        LibraryError: The name is taken.
        SharedAccessDenied: The user may not create any.
    """

    def add() -> SharedLibrary:
        shared, local = _shared_base(library, knowledge_base)
        shared.tables().knowledge_bases.create(local)
        return shared

    async def operation(context: JobContext) -> None:
        shared = await library.on_search(add)
        context.emit(SharedLibraryChanged(shared.name))

    return operation


def list_shared_members(library: Library, knowledge_base: str) -> Operation[list[SharedMember]]:
    """Return the members of a shared knowledge base in alphabetical order.

    Raises:
        NotFound: There is no such knowledge base.
    """

    def members() -> list[SharedMember]:
        shared, local = _shared_base(library, knowledge_base)
        return [SharedMember(one.name, one.access.word) for one in shared.tables().knowledge_bases.members(local)]

    async def operation(_context: JobContext) -> list[SharedMember]:
        return await library.on_search(members)

    return operation


def put_shared_member(library: Library, knowledge_base: str, name: str, access: str) -> Operation[None]:
    """Set the access of a user to a shared knowledge base: "read", "write", "manage", or "none" to remove them.

    Raises:
        NotFound: There is no such knowledge base, or no such user at the server.
        SharedAccessDenied: The user of this library is no manager.
        LibraryError: It would be left without a manager, or there is no such access.
    """

    def put() -> None:
        shared, local = _shared_base(library, knowledge_base)
        shared.tables().knowledge_bases.put_member(local, name, _access_of(access))

    async def operation(_context: JobContext) -> None:
        await library.on_search(put)

    return operation


def share_files(
    library: Library, paths: Sequence[Path], knowledge_base: str, *, folder: str = "", patterns: PathPatterns
) -> Operation[list[FileFinished]]:
    """Copy files and folders to a shared knowledge base, whose workers read them.

    Emits DocumentChanged and FileFinished. A file is safe in the shared library when its FileFinished is emitted.

    Args:
        library: The open library.
        paths: Files and folders.
        knowledge_base: Full name of the knowledge base.
        folder: Folder in the tree of the knowledge base.
        patterns: Which files are wanted.

    Raises:
        NotFound: There is no such knowledge base.
        SharedAccessDenied: The user may only read it.
        SharedLibraryUnreachable: The server cannot be reached; files that were finished are safe.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        shared, local = await library.on_search(_shared_base, library, knowledge_base)
        tables = await library.on_search(shared.tables)
        await library.on_search(tables.knowledge_bases.require, local)
        finished: list[FileFinished] = []
        sources = await library.on_store(
            lambda: list(find_sources(paths, follow_links=bool(patterns.follow_links), found_in=paths))
        )
        for source in sources:
            if not source.explicit and not patterns.admits(source.path):
                continue
            began = time.perf_counter()
            place = "/".join(part for part in (folder, source.folder) if part)
            result = await library.on_store(
                _share_file, shared, tables, source.path, source.problem, local, place, source.explicit, began
            )
            if result is None:
                continue
            if result.document is not None:
                context.emit(DocumentChanged(await library.on_store(library.documents.get, result.document)))
            context.emit(result)
            finished.append(result)
        context.emit(SharedLibraryChanged(shared.name))
        return finished

    return operation


def _share_file(
    shared: SharedLibrary,
    tables: "SharedTables",
    path: Path,
    problem: str,
    knowledge_base: str,
    folder: str,
    explicit: bool,
    began: float,
) -> FileFinished | None:
    """Copy one file; None for one that was found in a folder and is no document."""

    def result(outcome: FileOutcome, document: int | None, reason: str) -> FileFinished:
        return FileFinished(str(path), outcome, document, reason, 0, 0, time.perf_counter() - began)

    if problem:
        return result(FileOutcome.SKIPPED, None, problem)
    try:
        if not explicit and file_refusal(path, file_stamp(path)):
            return None
        before = tables.documents.by_hash(knowledge_base, _hash_of(path))
        document = tables.jobs.add(knowledge_base, path, folder=folder)
    except (OSError, DocumentError) as error:
        return result(FileOutcome.FAILED, None, str(error))
    number = shared.ids.number(document.id)
    if before is not None:
        return result(FileOutcome.UNCHANGED, number, mark("The shared knowledge base has this file already."))
    return result(FileOutcome.SHARED, number, mark("It was copied to the shared library; a worker reads it."))


def _hash_of(path: Path) -> str:
    from workbench.operations.imports.source_files import digest

    return digest(path).sha256


def read_shared_documents(library: Library, name: str, *, until_empty: bool = True) -> Operation[int]:
    """Read the documents that wait in a shared library, as a worker does; return their number.

    Emits SharedReadingStarted and SharedImportProgress. Any number of programs can do so at the same time.

    Args:
        library: The open library.
        name: Name of the shared library.
        until_empty: End when no document is waiting; otherwise wait for further ones until cancelled.

    Raises:
        NotFound: There is none of that name.
        EmbeddingError: Its embedding model cannot be loaded here.
        SharedLibraryUnreachable: The server cannot be reached.
    """

    async def operation(context: JobContext) -> int:
        from workbench.operations.shared.import_worker import ImportWorker, WorkerLibrary

        shared = await library.on_search(library.shared.named, name)
        await library.on_search(shared.tables)
        context.emit(SharedReadingStarted(name))
        made = await library.on_embedding(WorkerLibrary, shared)
        try:
            return await ImportWorker(shared, made.library, context).serve(until_empty=until_empty)
        finally:
            await finish_despite_cancel(asyncio.to_thread(made.close))

    return operation


def watch_shared_libraries(library: Library) -> Operation[None]:
    """Follow the changes of the connected shared libraries until cancelled; emits SharedLibraryChanged.

    It follows those that are connected when it starts: start it again after connecting to another one. One that cannot
    be reached is tried again and again, also if it could not be reached when this was started.
    """

    async def operation(context: JobContext) -> None:
        shared = await library.on_search(lambda: list(library.shared))
        async with contextlib.AsyncExitStack() as stack:
            for one in shared:
                await stack.enter_async_context(_listening(one, context))
            if shared:
                await asyncio.Event().wait()

    return operation


@contextlib.asynccontextmanager
async def _listening(shared: SharedLibrary, context: JobContext) -> AsyncIterator[None]:
    from workbench.store.postgres.notifications import ChangeListener

    def changed() -> None:
        context.emit(SharedLibraryChanged(shared.name))

    def connection(is_there: bool) -> None:
        if is_there:
            shared.try_again()
        context.emit(SharedLibraryChanged(shared.name, is_there))

    listener = ChangeListener(lambda: shared.reach().database, changed, connection)
    try:
        yield
    finally:
        await finish_despite_cancel(asyncio.to_thread(listener.close))


def reread_shared(library: Library, documents: Sequence[int]) -> Operation[None]:
    """Queue documents of shared libraries, to be read again by their workers.

    Raises:
        NotFound: One of them does not exist.
        SharedAccessDenied: The user may only read one of their knowledge bases.
    """

    def queue(number: int) -> None:
        shared = library.shared.of_number(number)
        if shared is not None:
            shared.tables().jobs.add_again(local_id(number))

    async def operation(context: JobContext) -> None:
        for number in documents:
            await library.on_store(queue, number)
            context.emit(DocumentChanged(await library.on_store(library.documents.get, number)))

    return operation


def _shared_base(library: Library, name: str) -> tuple[SharedLibrary, str]:
    found = library.shared.of_knowledge_base(name)
    if found is None:
        raise NotFound(
            mark(f"There is no shared knowledge base “{name}”."),
            mark("“workbench shared list” shows those that you may read."),
        )
    return found


def _access_of(word: str) -> "AccessLevel":
    from workbench.store.postgres.members import AccessLevel

    for one in AccessLevel:
        if one.word == word:
            return one
    raise LibraryError(mark(f"There is no access right “{word}”."), mark("Choose read, write, manage or none."))


def _state_of(shared: SharedLibrary) -> SharedLibraryState:
    connection = shared.connection
    try:
        tables = shared.tables()
        bases = tuple(
            SharedBase(shared.ids.knowledge_base(name), access.word) for name, access in tables.knowledge_bases.list()
        )
        return SharedLibraryState(
            connection.name,
            connection.url,
            tables.database.user,
            bases,
            len(shared.documents()),
            tables.jobs.waiting(),
            tables.jobs.workers(),
        )
    except WorkbenchError as error:
        return SharedLibraryState(connection.name, connection.url, problem=str(error))
