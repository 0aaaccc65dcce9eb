"""Sessions with their runs, every event of them included: what was shown can be shown again, and exported."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from workbench.errors import NotFound
from workbench.model.hit import Citation
from workbench.model.run import Run, RunStatus, TimedEvent
from workbench.model.session import RunInfo, Session, SessionInfo
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.event_codec import encoded
from workbench.store.session_rows import OWN_RUNS, OWN_SESSIONS, info_of, own_info, run_info, run_of
from workbench.store.values import is_row_number, now, stored_json, stored_text

# The method list() hides the type inside the class.
Infos = list[SessionInfo]
RunInfos = list[RunInfo]


class SessionStore:
    """The sessions of one user; those of others are as if they were not there.

    A removed session is out of the list and comes back with restore() until SessionUpkeep.purge_removed().
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose sessions it is about."""
        self._database = database
        self._user = stored_text(user)

    def create(self, title: str = "") -> SessionInfo:
        """Return a new session; without a title its first question becomes it."""
        time = now()
        with self._database.write() as connection:
            number = connection.execute(
                "INSERT INTO sessions (title, started, changed, user) VALUES (?, ?, ?, ?)",
                (stored_text(title), time, time, self._user),
            ).lastrowid
            return self._info(connection, number)

    def list(self) -> Infos:
        """Return the sessions, archived ones too: the pinned first, and then the one changed last."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{OWN_SESSIONS} ORDER BY s.pinned DESC, s.changed DESC, s.id DESC", (self._user,)
            ).fetchall()
        return [info_of(row) for row in rows]

    def get(self, id: int) -> Session:
        """Return a session with its runs, oldest first.

        Raises:
            NotFound: There is none of that number.
        """
        with self._database.read() as connection:
            info = self._info(connection, id)
            rows = connection.execute(f"{OWN_RUNS} WHERE r.session = ? ORDER BY r.id", (self._user, id)).fetchall()
            return Session(info, tuple(run_of(connection, row) for row in rows))

    def run(self, id: int) -> Run:
        """Return one run.

        Raises:
            NotFound: There is none of that number.
        """
        with self._database.read() as connection:
            return run_of(connection, self._run(connection, id))

    def runs(self, session: int | None = None) -> RunInfos:
        """Return the runs of a session, or of all that are not removed, newest first, without their events.

        Raises:
            NotFound: There is no such session.
        """
        with self._database.read() as connection:
            if session is not None:
                self._info(connection, session)
            rows = connection.execute(
                "SELECT r.id, r.session, r.question, r.profile, r.status, r.started, r.seconds, r.parent"
                " FROM runs r JOIN sessions s ON s.id = r.session"
                " WHERE s.removed = 0 AND s.user = ?2 AND (?1 IS NULL OR r.session = ?1) ORDER BY r.id DESC",
                (session, self._user),
            ).fetchall()
        return [run_info(row) for row in rows]

    def rename(self, id: int, title: str) -> SessionInfo:
        """Return the session with another title; its place in the list stays.

        Raises:
            NotFound: There is none of that number.
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE sessions SET title = ? WHERE id = ? AND user = ?", (stored_text(title), id, self._user)
            )
            return self._info(connection, id)

    def mark_removed(self, id: int) -> None:
        """Take a session out of the list."""
        with self._database.write() as connection:
            connection.execute("UPDATE sessions SET removed = 1 WHERE id = ? AND user = ?", (id, self._user))

    def restore(self, id: int) -> None:
        """Undo mark_removed."""
        with self._database.write() as connection:
            connection.execute("UPDATE sessions SET removed = 0 WHERE id = ? AND user = ?", (id, self._user))

    def start_run(
        self, session: int, question: str, profile: str, mode: str, *, parent: tuple[int, int | None] | None = None
    ) -> int:
        """Return the number of a new RUNNING run; parent is the run and the event that it goes on from.

        Raises:
            NotFound: There is no such session, or no such run to go on from.
        """
        time = now()
        with self._database.write() as connection:
            info = self._info(connection, session)
            if parent is not None:
                self._run(connection, parent[0])
            connection.execute(
                "UPDATE sessions SET changed = ?, title = ? WHERE id = ? AND user = ?",
                (time, stored_text(info.title or question), session, self._user),
            )
            number = connection.execute(
                "INSERT INTO runs (session, question, profile, mode, status, started, parent, parent_event)"
                " VALUES (?, ?, ?, ?, 'running', ?, ?, ?)",
                (session, stored_text(question), profile, mode, time, *(parent or (None, None))),
            ).lastrowid
        assert number is not None
        return number

    def append_event(self, run: int, event: TimedEvent) -> None:
        """Keep one event."""
        self.append_events(run, [event])

    def append_events(self, run: int, events: Sequence[TimedEvent]) -> None:
        """Keep events in one transaction; one of a number that is there already replaces it.

        Raises:
            NotFound: There is no such run.
        """
        rows = [
            (run, event.number, event.seconds, type(event.event).__name__, stored_json(encoded(event.event)))
            for event in events
        ]
        with self._database.write() as connection:
            self._run(connection, run)
            connection.executemany(
                "INSERT OR REPLACE INTO run_events (run, number, seconds, type, fields) VALUES (?, ?, ?, ?, ?)", rows
            )

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
        """Write down how a run ended.

        Raises:
            NotFound: There is no such run.
        """
        with self._database.write() as connection:
            _, session, *_ = self._run(connection, run)
            connection.execute(
                "UPDATE runs SET status = ?, answer = ?, citations = ?, refused = ?, seconds = ?, error = ?, hint = ?"
                " WHERE id = ?",
                (
                    status.value,
                    stored_text(answer),
                    stored_json([encoded(citation) for citation in citations]),
                    int(refused),
                    seconds,
                    stored_text(error),
                    stored_text(hint),
                    run,
                ),
            )
            connection.execute(
                "UPDATE sessions SET changed = ? WHERE id = ? AND user = ?", (now(), session, self._user)
            )

    def _info(self, connection: sqlite3.Connection, id: int | None) -> SessionInfo:
        return own_info(connection, self._user, id)

    def _run(self, connection: sqlite3.Connection, id: int) -> tuple[Any, ...]:
        """Return the row of a run, as one of RUNS.

        Raises:
            NotFound: There is none of that number, or it is another user's: nobody is told which.
        """
        row: tuple[Any, ...] | None = None
        if is_row_number(id):
            row = connection.execute(f"{OWN_RUNS} WHERE r.id = ?", (self._user, id)).fetchone()
        if row is None:
            raise NotFound(f"There is no answer of number {id}.", "Open the session again.")
        return row
