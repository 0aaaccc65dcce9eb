"""Sessions that come from elsewhere: put into the library whole, with every run and event, or not at all."""

import math
import sqlite3

from workbench.model.run import Run, RunStatus, TimedEvent
from workbench.model.session import Session, SessionInfo
from workbench.model.user import DEFAULT_USER
from workbench.model.visible import visible_name
from workbench.store.database import Database
from workbench.store.event_codec import encoded
from workbench.store.values import now, stored_json, stored_text

_RUN = (
    "INSERT INTO runs (session, question, profile, mode, status, answer, refused, started, seconds, citations, error,"
    " hint, parent, parent_event) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NUMBERS = range(1 << 31)
_EVENT = "INSERT INTO run_events (run, number, seconds, type, fields) VALUES (?, ?, ?, ?, ?)"


class SessionIntake:
    """Gives what it puts in numbers of its own: those of another library mean nothing here."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose the sessions become."""
        self._database = database
        self._user = stored_text(user)

    def put(self, session: Session) -> SessionInfo:
        """Return the new session; it stands on top of the list, as one that was changed just now."""
        changed, title = now(), visible_name(session.info.title.strip()) or "Session"
        with self._database.write() as connection:
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
            # Nobody goes on with it here.
            (RunStatus.CANCELLED if run.status is RunStatus.RUNNING else run.status).value,
            stored_text(run.answer),
            int(run.refused),
            _plain(run.started),
            _finite(run.seconds),
            stored_json([encoded(citation) for citation in run.citations]),
            stored_text(run.error),
            stored_text(run.hint),
            parent,
            parent_event,
        ),
    ).lastrowid
    assert number is not None
    rows = [
        (number, place, _finite(timed.seconds), type(timed.event).__name__, stored_json(encoded(timed.event)))
        for place, timed in _numbered(run)
    ]
    connection.executemany(_EVENT, rows)
    return number


def _numbered(run: Run) -> list[tuple[int, TimedEvent]]:
    """Return the events with their numbers, to which steps of the run refer; counted anew where those cannot be."""
    numbers = [timed.number for timed in run.events]
    if len(set(numbers)) == len(numbers) and all(number in _NUMBERS for number in numbers):
        return list(zip(numbers, run.events, strict=True))
    return list(enumerate(run.events))


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _finite(seconds: float) -> float:
    return seconds if math.isfinite(seconds) else 0.0
