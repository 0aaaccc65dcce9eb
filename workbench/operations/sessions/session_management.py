"""Sessions and their stored runs: list, find, open, rename, pin, archive, remove, restore, compare."""

import asyncio

from workbench.agent.run_log import differences
from workbench.model.run import Run
from workbench.model.session import RunDifference, RunInfo, Session, SessionInfo, SessionMatch
from workbench.model.text_diff import DiffStretch, text_diff
from workbench.operations.library.library import Library
from workbench.operations.sessions.session_import import with_added_documents
from workbench.worker.job import JobContext, Operation


def list_sessions(library: Library) -> Operation[list[SessionInfo]]:
    """Return the sessions, archived ones included: pinned ones first, then the most recently changed."""

    async def operation(_context: JobContext) -> list[SessionInfo]:
        return await library.on_store(library.sessions.list)

    return operation


def list_users(library: Library) -> Operation[tuple[str, ...]]:
    """Return the names of users with sessions, memories, readings, golden questions or evaluations, sorted.

    "" is the user without a name.
    """

    async def operation(_context: JobContext) -> tuple[str, ...]:
        return await library.on_store(library.session_upkeep.users)

    return operation


def open_session(library: Library, session: int) -> Operation[Session]:
    """Return a session with every run, event, reference and citation.

    Raises:
        NotFound: No session has that number.
    """

    async def operation(_context: JobContext) -> Session:
        kept = await library.on_store(library.sessions.get, session)
        return await library.on_store(with_added_documents, library, kept)

    return operation


def rename_session(library: Library, session: int, title: str) -> Operation[None]:
    """Change the title of a session."""

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


def find_sessions(library: Library, words: str) -> Operation[list[SessionMatch]]:
    """Return the sessions that contain all these words, archived ones included, most recently changed first."""

    async def operation(_context: JobContext) -> list[SessionMatch]:
        return await library.on_store(library.session_shelf.find, words)

    return operation


def pin_session(library: Library, session: int, *, pinned: bool = True) -> Operation[None]:
    """Pin a session to the top of the list, or unpin it."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.session_shelf.pin, session, pinned)

    return operation


def archive_session(library: Library, session: int, *, archived: bool = True) -> Operation[None]:
    """Archive a session, or list it among the active ones again."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.session_shelf.archive, session, archived)

    return operation


def session_draft(library: Library, session: int) -> Operation[str]:
    """Return the draft of a session's next question; empty if there is none."""

    async def operation(_context: JobContext) -> str:
        return await library.on_store(library.session_shelf.draft, session)

    return operation


def keep_draft(library: Library, session: int, text: str) -> Operation[None]:
    """Store the draft of a session's next question."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.session_shelf.put_draft, session, text)

    return operation


def list_runs(library: Library, session: int | None = None) -> Operation[list[RunInfo]]:
    """Return the runs of a session, or of all sessions, newest first.

    Raises:
        NotFound: No session has that number.
    """

    async def operation(_context: JobContext) -> list[RunInfo]:
        return await library.on_store(library.sessions.runs, session)

    return operation


def open_run(library: Library, run: int) -> Operation[Run]:
    """Return a run with every event.

    Raises:
        NotFound: No run has that number.
    """

    async def operation(_context: JobContext) -> Run:
        return await library.on_store(library.sessions.run, run)

    return operation


def diff_runs(library: Library, first: int, second: int) -> Operation[list[RunDifference]]:
    """Return the differences of two runs, part by part, from the question to the answer; empty if they are equal.

    Raises:
        NotFound: No run has one of the numbers.
    """

    async def operation(_context: JobContext) -> list[RunDifference]:
        runs = [await library.on_store(library.sessions.run, number) for number in (first, second)]
        return differences(*runs)

    return operation


def compare_texts(first: str, second: str) -> Operation[tuple[DiffStretch, ...]]:
    """Return a word-by-word diff of two texts, such as displayed answers; takes seconds for very long ones."""

    async def operation(_context: JobContext) -> tuple[DiffStretch, ...]:
        return await asyncio.to_thread(text_diff, first, second)

    return operation
