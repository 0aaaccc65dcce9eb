"""Temporary store for a library opened to read: answers and requests of this process, in a separate database.

    ask -> a session and its runs -> a database in a temporary folder -> deleted when the library is closed

Existing sessions are read from the library; a session that is continued is copied first.
"""

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from workbench.errors import NotFound
from workbench.model.egress import NetworkRequest
from workbench.model.hit import Citation
from workbench.model.memory import DEFAULT_USER
from workbench.model.run import Run, RunStatus, TimedEvent
from workbench.model.session import Session, SessionInfo
from workbench.store.database import Database
from workbench.store.egress_ledger import EgressLedger
from workbench.store.sessions import Infos, SessionStore
from workbench.store.stored_values import stored_text
from workbench.worker.scratch import drop_scratch, new_scratch

# Tables of a session with all its content, in the order of their references.
_COPIED = (
    ("sessions", "id = ?"),
    ("runs", "session = ?"),
    ("run_events", "run IN (SELECT id FROM runs WHERE session = ?)"),
)


class TemporaryDatabase:
    """Database that exists as long as the library is open, created when something is first stored in it."""

    def __init__(self, library: Database) -> None:
        self._library = library
        self._making = threading.RLock()
        self._folder: Path | None = None
        self._database: Database | None = None

    @property
    def database(self) -> Database:
        """The database; blocking, 0.1 s the first time.

        Raises:
            LibraryError: There is not enough space for it.
        """
        with self._making:
            if self._database is None:
                self._database = Database.open(self.folder)
                self._continue_numbering(self._database)
            return self._database

    @property
    def folder(self) -> Path:
        """The temporary folder, created on first use.

        Raises:
            OSError: It cannot be created.
        """
        with self._making:
            if self._folder is None:
                self._folder = new_scratch()
            return self._folder

    @property
    def made(self) -> Database | None:
        """The database; None before anything was stored in it."""
        return self._database

    def copy_session(self, session: int, user: str) -> None:
        """Copy a session of the library, unless it was copied before or the user has none of that number."""
        with self.database.write() as to, self._library.read() as connection:
            if to.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone():
                return
            if not connection.execute(
                "SELECT 1 FROM sessions WHERE id = ? AND user = ?", (session, stored_text(user))
            ).fetchone():
                return
            to.execute("PRAGMA defer_foreign_keys = ON")
            for table, condition in _COPIED:
                cursor = connection.execute(f"SELECT * FROM {table} WHERE {condition}", (session,))
                names = [column[0] for column in cursor.description]
                places = ", ".join("?" * len(names))
                to.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", cursor.fetchall())

    def close(self) -> None:
        """Delete the database and its folder."""
        if self._database is not None:
            self._database.close()
        if self._folder is not None:
            drop_scratch(self._folder)

    def _continue_numbering(self, database: Database) -> None:
        """Continue the library's numbering, so that no number denotes two sessions or two answers."""
        with self._library.read() as connection:
            last = connection.execute("SELECT name, seq FROM sqlite_sequence WHERE name IN ('sessions', 'runs')")
            used = last.fetchall()
        with database.write() as connection:
            connection.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", used)


class TemporarySessions(SessionStore):
    """Sessions of a library opened to read; new questions are kept until it is closed."""

    def __init__(self, library: Database, unstored: TemporaryDatabase, user: str = DEFAULT_USER) -> None:
        super().__init__(library, user)
        self._unstored = unstored
        self._name = user

    def transaction(self) -> AbstractContextManager[object]:
        """Return a context whose writes are committed together."""
        return self._unstored.database.write(documents=False)

    def list(self) -> Infos:
        """Return the sessions of the library together with the new or continued sessions of this process."""
        here = self._here()
        known = {info.id: info for info in (*super().list(), *(here.list() if here is not None else ()))}
        return sorted(known.values(), key=lambda info: (info.pinned, info.changed, info.id), reverse=True)

    def get(self, id: int) -> Session:
        """Return a session with its runs, oldest first, including those of this process if it was continued.

        Raises:
            NotFound: No session has that number.
        """
        if (here := self._here()) is not None:
            try:
                return here.get(id)
            except NotFound:
                pass
        return super().get(id)

    def run(self, id: int, *, events: Sequence[TimedEvent] | None = None) -> Run:
        """Return one run; its events are read unless they are given.

        Raises:
            NotFound: No run has that number.
        """
        if (here := self._here()) is not None:
            try:
                return here.run(id, events=events)
            except NotFound:
                pass
        return super().run(id, events=events)

    def create(self, title: str = "") -> SessionInfo:
        """Return a new session that is kept until the library is closed."""
        return self._new().create(title)

    def start_run(
        self, session: int, question: str, profile: str, mode: str, *, parent: tuple[int, int | None] | None = None
    ) -> int:
        """Start a RUNNING run that is kept until the library is closed, and return its number.

        Raises:
            NotFound: There is no such session.
        """
        self._unstored.copy_session(session, self._name)
        return self._new().start_run(session, question, profile, mode, parent=parent)

    def append_events(self, run: int, events: Sequence[TimedEvent]) -> None:
        """Store events of a run that was started in this process."""
        self._new().append_events(run, events)

    def finish_run(
        self,
        run: int,
        status: RunStatus,
        *,
        answer: str,
        citations: Sequence[Citation],
        refused: bool,
        seconds: float,
        error: str = "",
        hint: str = "",
    ) -> None:
        """Store the outcome of a run that was started in this process."""
        self._new().finish_run(
            run,
            status,
            answer=answer,
            citations=citations,
            refused=refused,
            seconds=seconds,
            error=error,
            hint=hint,
        )

    def _new(self) -> SessionStore:
        return SessionStore(self._unstored.database, self._name)

    def _here(self) -> SessionStore | None:
        made = self._unstored.made
        return SessionStore(made, self._name) if made is not None else None


class TemporaryLedger(EgressLedger):
    """Network ledger of a library opened to read; the requests of this process are kept until it is closed."""

    def __init__(self, library: Database, unstored: TemporaryDatabase, user: str = DEFAULT_USER) -> None:
        super().__init__(library, user)
        self._unstored = unstored

    def begin(self, request: NetworkRequest) -> int:
        """Store a request that is about to be sent, or was refused, and return its number."""
        return EgressLedger(self._unstored.database).begin(request)

    def end(self, request: NetworkRequest) -> None:
        """Store the outcome of a request."""
        EgressLedger(self._unstored.database).end(request)
