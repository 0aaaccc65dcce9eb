"""Sessions with their runs and events.

Storage, pinning, search, import, maintenance, and the answers that cite a document.
"""

import logging
import math
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from workbench.errors import LibraryDamaged, NotFound
from workbench.model.chunk import ChunkUse
from workbench.model.hit import Citation
from workbench.model.memory import DEFAULT_USER
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    Run,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStatus,
    TimedEvent,
)
from workbench.model.session import RunInfo, Session, SessionInfo, SessionMatch
from workbench.model.visible import visible_name
from workbench.store.database import Database
from workbench.store.session_rows import OWN_RUNS, OWN_SESSIONS, RUNS, USERS, info_of, own_info, run_info, run_of
from workbench.store.stored_values import encode_value, is_row_number, loaded_text, now, stored_json, stored_text

# The method list() hides the type inside the class.
Infos = list[SessionInfo]
RunInfos = list[RunInfo]


class SessionStore:
    """Store of the sessions of one user; those of other users are invisible.

    A removed session is hidden and can be restored with restore() until SessionMaintenance.purge_removed().
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create a store for the sessions of one user."""
        self._database = database
        self._user = stored_text(user)

    def transaction(self) -> AbstractContextManager[object]:
        """Return a context whose writes are committed together: each commit waits for the disk, 1 to 2 ms."""
        return self._database.write(documents=False)

    def create(self, title: str = "") -> SessionInfo:
        """Create a session and return it; without a title, its first question becomes the title."""
        time = now()
        with self._database.write(documents=False) as connection:
            number = connection.execute(
                "INSERT INTO sessions (title, started, changed, user) VALUES (?, ?, ?, ?)",
                (stored_text(title), time, time, self._user),
            ).lastrowid
            return self._info(connection, number)

    def list(self) -> Infos:
        """Return the sessions, including archived ones: pinned first, then by last change, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{OWN_SESSIONS} ORDER BY s.pinned DESC, s.changed DESC, s.id DESC", (self._user,)
            ).fetchall()
        return [info_of(row) for row in rows]

    def get(self, id: int) -> Session:
        """Return a session with its runs, oldest first.

        Raises:
            NotFound: No session has that number.
        """
        with self._database.read() as connection:
            info = self._info(connection, id)
            rows = connection.execute(f"{OWN_RUNS} WHERE r.session = ? ORDER BY r.id", (self._user, id)).fetchall()
            return Session(info, tuple(run_of(connection, row) for row in rows))

    def run(self, id: int, *, events: Sequence[TimedEvent] | None = None) -> Run:
        """Return a run.

        Args:
            id: Number of the run.
            events: All events of the run, if the caller has them: reading them back took 2 % of an offline answer.

        Raises:
            NotFound: No run has that number.
        """
        with self._database.read() as connection:
            return run_of(connection, self._run(connection, id), events)

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
        """Rename a session and return it; its place in the list is unchanged.

        Raises:
            NotFound: No session has that number.
        """
        with self._database.write(documents=False) as connection:
            connection.execute(
                "UPDATE sessions SET title = ? WHERE id = ? AND user = ?", (stored_text(title), id, self._user)
            )
            return self._info(connection, id)

    def mark_removed(self, id: int) -> None:
        """Hide a session from the list."""
        with self._database.write(documents=False) as connection:
            connection.execute("UPDATE sessions SET removed = 1 WHERE id = ? AND user = ?", (id, self._user))

    def restore(self, id: int) -> None:
        """Undo mark_removed."""
        with self._database.write(documents=False) as connection:
            connection.execute("UPDATE sessions SET removed = 0 WHERE id = ? AND user = ?", (id, self._user))

    def start_run(
        self, session: int, question: str, profile: str, mode: str, *, parent: tuple[int, int | None] | None = None
    ) -> int:
        """Start a RUNNING run and return its number; parent is the run and the event that it continues.

        Raises:
            NotFound: There is no such session, or no such parent run.
        """
        time = now()
        with self._database.write(documents=False) as connection:
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
        """Store an event."""
        self.append_events(run, [event])

    def append_events(self, run: int, events: Sequence[TimedEvent]) -> None:
        """Store events in one transaction, replacing existing events with the same number.

        Raises:
            NotFound: There is no such run.
        """
        rows = [
            (run, event.number, event.seconds, type(event.event).__name__, stored_json(encode_value(event.event)))
            for event in events
        ]
        with self._database.write(documents=False) as connection:
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
        """Store the outcome of a run.

        Raises:
            NotFound: There is no such run.
        """
        with self._database.write(documents=False) as connection:
            _, session, *_ = self._run(connection, run)
            connection.execute(
                "UPDATE runs SET status = ?, answer = ?, citations = ?, refused = ?, seconds = ?, error = ?, hint = ?"
                " WHERE id = ?",
                (
                    status.value,
                    stored_text(answer),
                    stored_json([encode_value(citation) for citation in citations]),
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
        """Return the row of a run, as in RUNS.

        Raises:
            NotFound: No run has that number, or it belongs to another user; the error does not say which.
        """
        row: tuple[Any, ...] | None = None
        if is_row_number(id):
            row = connection.execute(f"{OWN_RUNS} WHERE r.id = ?", (self._user, id)).fetchone()
        if row is None:
            raise NotFound(f"There is no answer number {id}.", "Open the session again.")
        return row


logger = logging.getLogger(__name__)


class SessionMaintenance:
    """Maintenance of the sessions of all users; SessionStore covers one user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def users(self) -> tuple[str, ...]:
        """Return the users with stored data, by name; the default user (no name) comes first."""
        with self._database.read() as connection:
            rows = connection.execute(USERS).fetchall()
        return tuple(sorted(loaded_text(row[0]) for row in rows))

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all sessions that are not removed."""
        with self._database.read() as connection:
            return tuple(row[0] for row in connection.execute("SELECT id FROM sessions WHERE removed = 0"))

    def is_readable(self, run: int) -> bool:
        """Return whether an existing run can be read with every event."""
        try:
            # SQLite itself fails for invalid text; that becomes LibraryDamaged when the read block ends.
            with self._database.read() as connection:
                run_of(connection, connection.execute(f"{RUNS} WHERE r.id = ?", (run,)).fetchone())
        except LibraryDamaged:
            return False
        return True

    def purge_removed(self) -> int:
        """Delete removed sessions permanently with all their content; return their number."""
        with self._database.write(documents=False) as connection:
            return connection.execute("DELETE FROM sessions WHERE removed = 1").rowcount

    def interrupt_unfinished(self) -> int:
        """Cancel the runs left running by a kill, keeping the text so far; return the count."""
        with self._database.write(documents=False) as connection:
            unfinished = connection.execute(
                "SELECT r.id, s.user FROM runs r LEFT JOIN sessions s ON s.id = r.session WHERE r.status = 'running'"
            ).fetchall()
            for number, user in unfinished:
                try:
                    # On this connection: a cursor on another one, kept alive by an error, would hold its state.
                    run = run_of(connection, connection.execute(f"{RUNS} WHERE r.id = ?", (number,)).fetchone())
                    _interrupt(SessionStore(self._database, loaded_text(user or "")), run)
                except (LibraryDamaged, NotFound) as error:
                    # The library is opened nevertheless; recovering the readable part of the answer is left to a
                    # repair, as is an answer without a session.
                    logger.warning("Answer %s was interrupted and cannot be read: %s", number, error)
                    connection.execute("UPDATE runs SET status = ? WHERE id = ?", (RunStatus.CANCELLED.value, number))
        return len(unfinished)


def _interrupt(store: SessionStore, run: Run) -> None:
    last = run.events[-1] if run.events else None
    end = last.event if last is not None else None
    if isinstance(end, RunCompleted):
        # The kill came between the last event and the storing of its outcome: nothing was interrupted.
        store.finish_run(
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
        store.append_event(run.id, TimedEvent(number, seconds, end))
    is_failed = isinstance(end, RunFailed)
    store.finish_run(
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


# Number of characters before and after the match in an excerpt.
_BEFORE, _BEHIND = 40, 120


class SessionOrganizer:
    """Pins, archives, drafts and search of sessions; sessions that the user does not have are ignored."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create an organizer for the sessions of one user."""
        self._database = database
        self._user = stored_text(user)

    def pin(self, id: int, pinned: bool) -> None:
        """Pin a session to the top of the list, or unpin it."""
        self._set("pinned", id, int(pinned))

    def archive(self, id: int, archived: bool) -> None:
        """Archive a session, or restore it from the archive."""
        self._set("archived", id, int(archived))

    def draft(self, id: int) -> str:
        """Return the text typed in a session but not sent; empty if there is none."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT draft FROM sessions WHERE id = ? AND user = ?", (id, self._user)
            ).fetchone()
        return loaded_text(row[0]) if row is not None else ""

    def put_draft(self, id: int, text: str) -> None:
        """Store the text typed in a session but not sent."""
        self._set("draft", id, stored_text(text))

    def find(self, words: str) -> list[SessionMatch]:
        """Return the sessions that contain all words, ignoring case, in the title, a question or an answer.

        Archived sessions are included; the most recently changed comes first. All texts are scanned: 5,000 answers of
        2,000 characters take 40 ms, which does not justify an index that must be kept in sync.
        """
        wanted = words.casefold().split()
        if not wanted:
            return []
        found: dict[int, SessionMatch] = {}
        with self._database.read() as connection:
            cursor = connection.execute(
                "SELECT s.id, s.title, r.id, r.question, r.answer FROM sessions s LEFT JOIN runs r ON r.session = s.id"
                " WHERE s.removed = 0 AND s.user = ? ORDER BY s.changed DESC, s.id DESC, r.id DESC",
                (self._user,),
            )
            for session, title, run, *texts in cursor:
                if session in found:
                    continue
                whole = "\n".join(loaded_text(text) for text in (*texts, title) if text is not None)
                # Case folding may lengthen a text (ß): the position only approximates the start of an excerpt.
                folded = whole.casefold()
                if all(word in folded for word in wanted):
                    found[session] = SessionMatch(session, run, _excerpt(whole, folded.index(wanted[0])))
        return list(found.values())

    def _set(self, column: str, id: int, value: object) -> None:
        with self._database.write(documents=False) as connection:
            connection.execute(f"UPDATE sessions SET {column} = ? WHERE id = ? AND user = ?", (value, id, self._user))


def _excerpt(text: str, place: int) -> str:
    """Return the text around a position, on one line, cut at words."""
    start, end = max(0, place - _BEFORE), min(len(text), place + _BEHIND)
    start = text.find(" ", start, place) + 1 or start if start else 0
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


_RUN = (
    "INSERT INTO runs (session, question, profile, mode, status, answer, refused, started, seconds, citations, error,"
    " hint, parent, parent_event) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NUMBERS = range(1 << 31)
_EVENT = "INSERT INTO run_events (run, number, seconds, type, fields) VALUES (?, ?, ?, ?, ?)"


class StoredSessionIntake:
    """Importer that assigns new numbers, because numbers of another library have no meaning here."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create an importer for sessions of one user."""
        self._database = database
        self._user = stored_text(user)

    def put(self, session: Session) -> SessionInfo:
        """Store a session and return it; it becomes the most recently changed one."""
        changed, title = now(), visible_name(session.info.title.strip()) or "Session"
        with self._database.write(documents=False) as connection:
            number = connection.execute(
                "INSERT INTO sessions (title, started, changed, user) VALUES (?, ?, ?, ?)",
                (stored_text(title), _plain(session.info.started), changed, self._user),
            ).lastrowid
            assert number is not None
            numbers: dict[int, int] = {}
            for run in session.runs:
                numbers[run.id] = _put_run(connection, number, run, numbers)
        return SessionInfo(number, title, session.info.started, changed, len(session.runs))


def _put_run(connection: sqlite3.Connection, session: int, run: Run, numbers: dict[int, int]) -> int:
    parent = numbers.get(run.parent) if run.parent is not None else None
    parent_event = run.parent_event if parent is not None and run.parent_event in _NUMBERS else None
    number = connection.execute(
        _RUN,
        (
            session,
            stored_text(run.question),
            _plain(run.profile),
            _plain(run.mode),
            # An imported run cannot continue here.
            (RunStatus.CANCELLED if run.status is RunStatus.RUNNING else run.status).value,
            stored_text(run.answer),
            int(run.refused),
            _plain(run.started),
            _finite(run.seconds),
            stored_json([encode_value(citation) for citation in run.citations]),
            stored_text(run.error),
            stored_text(run.hint),
            parent,
            parent_event,
        ),
    ).lastrowid
    assert number is not None
    rows = [
        (number, place, _finite(timed.seconds), type(timed.event).__name__, stored_json(encode_value(timed.event)))
        for place, timed in _number_events(run)
    ]
    connection.executemany(_EVENT, rows)
    return number


def _number_events(run: Run) -> list[tuple[int, TimedEvent]]:
    """Return the events with their numbers, to which steps of the run refer; renumbered if these are invalid."""
    numbers = [timed.number for timed in run.events]
    if len(set(numbers)) == len(numbers) and all(number in _NUMBERS for number in numbers):
        return list(zip(numbers, run.events, strict=True))
    return list(enumerate(run.events))


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _finite(seconds: float) -> float:
    return seconds if math.isfinite(seconds) else 0.0


Uses = list[ChunkUse]

# The citations of a run are one JSON value. 10,000 runs with six citations each take 60 ms.
_CITATIONS = """
    SELECT s.id, s.title, r.id, r.question, json_extract(c.value, '$.start'), json_extract(c.value, '$.end')
    FROM runs r CROSS JOIN sessions s ON s.id = r.session AND s.removed = 0 AND s.user = ?
        CROSS JOIN json_each(CAST(r.citations AS TEXT)) c
    WHERE r.citations <> '[]' AND json_extract(c.value, '$.document') = ? AND json_extract(c.value, '$.valid')
    ORDER BY r.id DESC
"""


class ChunkUseStore:
    """Finds the answers to one user that cite a document."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create a store for the answers to one user."""
        self._database = database
        self._user = stored_text(user)

    def of(self, document: int) -> Uses:
        """Return each citation of a document in a session that is not removed, latest answers first."""
        with self._database.read() as connection:
            rows = connection.execute(_CITATIONS, (self._user, document)).fetchall()
        return [
            ChunkUse(session, loaded_text(title), run, loaded_text(question), start, end)
            for session, title, run, question, start, end in rows
        ]
