"""What a library that is opened to read cannot keep: answers and requests of this process, in a database beside it.

    ask -> a session and its runs -> a database in a folder for what is temporary -> gone when the library is closed

What was in the library before is read there: a session that is gone on with is copied first.
"""

import threading
from collections.abc import Sequence
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

# A session with all that was said in it, in the order in which rows refer to one another.
_COPIED = (
    ("sessions", "id = ?"),
    ("runs", "session = ?"),
    ("run_events", "run IN (SELECT id FROM runs WHERE session = ?)"),
)


class TemporaryDatabase:
    """A database for as long as the library is open, made when something is first put into it."""

    def __init__(self, library: Database) -> None:
        self._library = library
        self._making = threading.RLock()
        self._folder: Path | None = None
        self._database: Database | None = None

    @property
    def database(self) -> Database:
        """The database; blocking, 0.1 s the first time.

        Raises:
            LibraryError: There is no room for it.
        """
        with self._making:
            if self._database is None:
                self._database = Database.open(self.folder)
                self._go_on_counting(self._database)
            return self._database

    @property
    def folder(self) -> Path:
        """A folder for what is temporary; made when it is first asked for.

        Raises:
            OSError: It cannot be made.
        """
        with self._making:
            if self._folder is None:
                self._folder = new_scratch()
            return self._folder

    @property
    def made(self) -> Database | None:
        """The database; None before anything was put into it."""
        return self._database

    def copy_session(self, session: int, user: str) -> None:
        """Copy a session of the library, unless that was done before or the user has none of that number."""
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
        """Delete it."""
        if self._database is not None:
            self._database.close()
        if self._folder is not None:
            drop_scratch(self._folder)

    def _go_on_counting(self, database: Database) -> None:
        """Let no number stand for two sessions or two answers."""
        with self._library.read() as connection:
            last = connection.execute("SELECT name, seq FROM sqlite_sequence WHERE name IN ('sessions', 'runs')")
            used = last.fetchall()
        with database.write() as connection:
            connection.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", used)


class TemporarySessions(SessionStore):
    """The sessions of a library that is opened to read; what is asked meanwhile is kept until it is closed."""

    def __init__(self, library: Database, unstored: TemporaryDatabase, user: str = DEFAULT_USER) -> None:
        super().__init__(library, user)
        self._unstored = unstored
        self._name = user

    def list(self) -> Infos:
        """Return the sessions as SessionStore does, with those of this process and what was asked in others here."""
        here = self._here()
        known = {info.id: info for info in (*super().list(), *(here.list() if here is not None else ()))}
        return sorted(known.values(), key=lambda info: (info.pinned, info.changed, info.id), reverse=True)

    def get(self, id: int) -> Session:
        """Return a session with its runs, oldest first; one that was gone on with, with what was asked here.

        Raises:
            NotFound: There is none of that number.
        """
        if (here := self._here()) is not None:
            try:
                return here.get(id)
            except NotFound:
                pass
        return super().get(id)

    def run(self, id: int) -> Run:
        """Return one run.

        Raises:
            NotFound: There is none of that number.
        """
        if (here := self._here()) is not None:
            try:
                return here.run(id)
            except NotFound:
                pass
        return super().run(id)

    def create(self, title: str = "") -> SessionInfo:
        """Return a new session that is kept until the library is closed."""
        return self._new().create(title)

    def start_run(
        self, session: int, question: str, profile: str, mode: str, *, parent: tuple[int, int | None] | None = None
    ) -> int:
        """Return the number of a new RUNNING run that is kept until the library is closed.

        Raises:
            NotFound: There is no such session.
        """
        self._unstored.copy_session(session, self._name)
        return self._new().start_run(session, question, profile, mode, parent=parent)

    def append_events(self, run: int, events: Sequence[TimedEvent]) -> None:
        """Keep events of a run that was started here."""
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
        """Note how a run ended that was started here."""
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
    """The network ledger of a library that is opened to read; what this process asks is kept until it is closed."""

    def __init__(self, library: Database, unstored: TemporaryDatabase, user: str = DEFAULT_USER) -> None:
        super().__init__(library, user)
        self._unstored = unstored

    def begin(self, request: NetworkRequest) -> int:
        """Keep a request that is about to be sent, or was refused, and return its number."""
        return EgressLedger(self._unstored.database).begin(request)

    def end(self, request: NetworkRequest) -> None:
        """Keep what became of a request."""
        EgressLedger(self._unstored.database).end(request)
