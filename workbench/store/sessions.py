"""Sessions with their runs, every event of them included: what was shown can be shown again, and exported."""

import logging
import sqlite3
from collections.abc import Sequence
from typing import Any

from workbench.errors import LibraryDamaged, NotFound
from workbench.model.hit import Citation
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ReferencesFound,
    Run,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStatus,
    TimedEvent,
)
from workbench.model.session import RunInfo, Session, SessionInfo
from workbench.store.database import Database
from workbench.store.event_codec import decoded, decoded_event, encoded
from workbench.store.values import damaged, is_row_number, loaded_json, loaded_text, now, stored_json, stored_text

logger = logging.getLogger(__name__)

_INFO = (
    "SELECT s.id, s.title, s.started, s.changed, (SELECT COUNT(*) FROM runs r WHERE r.session = s.id), s.pinned,"
    " s.archived"
    " FROM sessions s WHERE s.removed = 0"
)
_RUN = (
    "SELECT id, session, question, profile, mode, status, answer, refused, started, seconds, citations, error, hint,"
    " parent, parent_event FROM runs"
)
# The method list() hides the type inside the class.
Infos = list[SessionInfo]
RunInfos = list[RunInfo]


class SessionStore:
    """A removed session is out of the list and comes back with restore() until purge_removed()."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, title: str = "") -> SessionInfo:
        """Return a new session; without a title its first question becomes it."""
        time = now()
        with self._database.write() as connection:
            number = connection.execute(
                "INSERT INTO sessions (title, started, changed) VALUES (?, ?, ?)", (stored_text(title), time, time)
            ).lastrowid
            return _info(connection, number)

    def list(self) -> Infos:
        """Return the sessions, archived ones too: the pinned first, and then the one changed last."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_INFO} ORDER BY s.pinned DESC, s.changed DESC, s.id DESC").fetchall()
        return [_info_of(row) for row in rows]

    def get(self, id: int) -> Session:
        """Return a session with its runs, oldest first.

        Raises:
            NotFound: There is none of that number.
        """
        with self._database.read() as connection:
            info = _info(connection, id)
            rows = connection.execute(f"{_RUN} WHERE session = ? ORDER BY id", (id,)).fetchall()
            return Session(info, tuple(_run_of(connection, row) for row in rows))

    def run(self, id: int) -> Run:
        """Return one run.

        Raises:
            NotFound: There is none of that number.
        """
        with self._database.read() as connection:
            row = connection.execute(f"{_RUN} WHERE id = ?", (id,)).fetchone()
            if row is None:
                raise NotFound(f"There is no answer of number {id}.", "Open the session again.")
            return _run_of(connection, row)

    def runs(self, session: int | None = None) -> RunInfos:
        """Return the runs of a session, or of all that are not removed, newest first, without their events.

        Raises:
            NotFound: There is no such session.
        """
        with self._database.read() as connection:
            if session is not None:
                _info(connection, session)
            rows = connection.execute(
                "SELECT r.id, r.session, r.question, r.profile, r.status, r.started, r.seconds, r.parent"
                " FROM runs r JOIN sessions s ON s.id = r.session"
                " WHERE s.removed = 0 AND (?1 IS NULL OR r.session = ?1) ORDER BY r.id DESC",
                (session,),
            ).fetchall()
        return [_run_info(row) for row in rows]

    def rename(self, id: int, title: str) -> SessionInfo:
        """Return the session with another title; its place in the list stays.

        Raises:
            NotFound: There is none of that number.
        """
        with self._database.write() as connection:
            connection.execute("UPDATE sessions SET title = ? WHERE id = ?", (stored_text(title), id))
            return _info(connection, id)

    def mark_removed(self, id: int) -> None:
        """Take a session out of the list."""
        with self._database.write() as connection:
            connection.execute("UPDATE sessions SET removed = 1 WHERE id = ?", (id,))

    def restore(self, id: int) -> None:
        """Undo mark_removed."""
        with self._database.write() as connection:
            connection.execute("UPDATE sessions SET removed = 0 WHERE id = ?", (id,))

    def purge_removed(self) -> int:
        """Delete removed sessions for good with all that was said in them; returns how many."""
        with self._database.write() as connection:
            return connection.execute("DELETE FROM sessions WHERE removed = 1").rowcount

    def start_run(
        self, session: int, question: str, profile: str, mode: str, *, parent: tuple[int, int | None] | None = None
    ) -> int:
        """Return the number of a new RUNNING run; parent is the run and the event that it goes on from.

        Raises:
            NotFound: There is no such session.
        """
        time = now()
        with self._database.write() as connection:
            info = _info(connection, session)
            connection.execute(
                "UPDATE sessions SET changed = ?, title = ? WHERE id = ?",
                (time, stored_text(info.title or question), session),
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
        """Keep events in one transaction; one of a number that is there already replaces it."""
        rows = [
            (run, event.number, event.seconds, type(event.event).__name__, stored_json(encoded(event.event)))
            for event in events
        ]
        with self._database.write() as connection:
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
        """Write down how a run ended."""
        with self._database.write() as connection:
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
                "UPDATE sessions SET changed = ? WHERE id = (SELECT session FROM runs WHERE id = ?)", (now(), run)
            )

    def interrupt_unfinished(self) -> int:
        """End the runs that a kill left running, as cancelled with the text so far; returns how many."""
        with self._database.write() as connection:
            rows = connection.execute(f"{_RUN} WHERE status = 'running'").fetchall()
            for row in rows:
                try:
                    self._interrupt(_run_of(connection, row))
                except LibraryDamaged as error:
                    # The library opens all the same; what can be read of the answer is a matter for a repair.
                    logger.warning("Answer %s was interrupted and cannot be read: %s", row[0], error)
                    connection.execute("UPDATE runs SET status = ? WHERE id = ?", (RunStatus.CANCELLED.value, row[0]))
        return len(rows)

    def _interrupt(self, run: Run) -> None:
        last = run.events[-1] if run.events else None
        end = last.event if last is not None else None
        if isinstance(end, RunCompleted):
            # The kill came between the last event and its outcome: nothing was interrupted.
            self.finish_run(
                run.id,
                RunStatus.COMPLETED,
                answer=end.answer,
                citations=end.citations,
                refused=end.refused,
                seconds=end.seconds,
            )
            return
        seconds = last.seconds if last is not None else 0.0
        if not isinstance(end, RunCancelled | RunFailed):
            number = last.number + 1 if last is not None else 0
            end = RunCancelled(_answer_so_far(run.events), (), seconds)
            self.append_event(run.id, TimedEvent(number, seconds, end))
        is_failed = isinstance(end, RunFailed)
        self.finish_run(
            run.id,
            RunStatus.FAILED if is_failed else RunStatus.CANCELLED,
            answer=end.answer,
            citations=end.citations,
            refused=False,
            seconds=end.seconds,
            error=end.message if isinstance(end, RunFailed) else "",
            hint=end.hint if isinstance(end, RunFailed) else "",
        )


def _answer_so_far(events: Sequence[TimedEvent]) -> str:
    answer = ""
    for timed in events:
        if isinstance(timed.event, AnswerDelta):
            answer += timed.event.text
        elif isinstance(timed.event, AnswerDiscarded):
            answer = ""
    return answer


def _info(connection: sqlite3.Connection, id: int | None) -> SessionInfo:
    is_possible = id is not None and is_row_number(id)
    row = connection.execute(f"{_INFO} AND s.id = ?", (id,)).fetchone() if is_possible else None
    if row is None:
        raise NotFound(f"There is no session {id}.", "“sessions” lists those there are.")
    return _info_of(row)


def _info_of(row: tuple[Any, ...]) -> SessionInfo:
    number, title, started, changed, runs, pinned, archived = row
    return SessionInfo(number, loaded_text(title), started, changed, runs, bool(pinned), bool(archived))


def _run_info(row: tuple[Any, ...]) -> RunInfo:
    number, session, question, profile, status, started, seconds, parent = row
    return RunInfo(number, session, loaded_text(question), profile, RunStatus(status), started, seconds, parent)


def _run_of(connection: sqlite3.Connection, row: tuple[Any, ...]) -> Run:
    """Return the run of a row of _RUN with its events.

    Raises:
        LibraryDamaged: It is not one that the program wrote.
    """
    try:
        return _run(connection, row)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        damaged(error)


def _run(connection: sqlite3.Connection, row: tuple[Any, ...]) -> Run:
    (
        number,
        session,
        question,
        profile,
        mode,
        status,
        answer,
        refused,
        started,
        seconds,
        citations,
        error,
        hint,
        *parent,
    ) = row
    events = tuple(
        TimedEvent(place, at, decoded_event(kind, loaded_json(values)))
        for place, at, kind, values in connection.execute(
            "SELECT number, seconds, type, fields FROM run_events WHERE run = ? ORDER BY number", (number,)
        )
    )
    return Run(
        id=number,
        session=session,
        question=loaded_text(question),
        profile=profile,
        mode=mode,
        status=RunStatus(status),
        answer=loaded_text(answer),
        refused=bool(refused),
        started=started,
        seconds=seconds,
        citations=tuple(decoded(Citation, citation) for citation in loaded_json(citations)),
        references=tuple(timed.event.reference for timed in events if isinstance(timed.event, ReferencesFound)),
        events=events,
        error=loaded_text(error),
        hint=loaded_text(hint),
        parent=parent[0],
        parent_event=parent[1],
    )
