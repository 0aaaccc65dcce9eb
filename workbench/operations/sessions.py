"""Sessions: list, open, rename, remove, restore."""

from workbench.model.session import Session, SessionInfo
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def list_sessions(library: Library) -> Operation[list[SessionInfo]]:
    """Return the sessions, newest first."""

    async def operation(_context: JobContext) -> list[SessionInfo]:
        return await library.on_store(library.sessions.list)

    return operation


def open_session(library: Library, session: int) -> Operation[Session]:
    """Return a session with every run, event, reference and citation.

    Raises:
        NotFound: There is none of that number.
    """

    async def operation(_context: JobContext) -> Session:
        return await library.on_store(library.sessions.get, session)

    return operation


def rename_session(library: Library, session: int, title: str) -> Operation[None]:
    """Give a session another title."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.sessions.rename, session, title)

    return operation


def remove_session(library: Library, session: int) -> Operation[None]:
    """Remove a session; restore_session brings it back until the library is closed."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.sessions.mark_removed, session)

    return operation


def restore_session(library: Library, session: int) -> Operation[None]:
    """Undo remove_session."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.sessions.restore, session)

    return operation
