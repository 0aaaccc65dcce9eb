"""Queries and row conversion for sessions and runs, by user."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from workbench.errors import NotFound
from workbench.model.hit import Citation
from workbench.model.run import ReferencesFound, Run, RunStatus, TimedEvent
from workbench.model.session import RunInfo, SessionInfo
from workbench.store.stored_values import (
    decode_value,
    decoded_event,
    is_row_number,
    loaded_json,
    loaded_text,
    raise_damaged,
)

USERS_BEFORE_READINGS = "SELECT user FROM sessions WHERE removed = 0 UNION SELECT user FROM memories"
"""USERS for a library of schema 17 or 18, in which readings and evaluations had no user."""
USERS = (
    f"{USERS_BEFORE_READINGS} UNION SELECT user FROM readings WHERE removed = 0"
    " UNION SELECT user FROM golden_questions UNION SELECT user FROM evaluations"
)
"""Users with sessions, memories, readings, golden questions or evaluations in a library, as stored."""
OWN_SESSIONS = (
    "SELECT s.id, s.title, s.started, s.changed, (SELECT COUNT(*) FROM runs r WHERE r.session = s.id), s.pinned,"
    " s.archived"
    " FROM sessions s WHERE s.removed = 0 AND s.user = ?"
)
"""Rows for info_of; the parameter is the user as stored."""
RUNS = (
    "SELECT r.id, r.session, r.question, r.profile, r.mode, r.status, r.answer, r.refused, r.started, r.seconds,"
    " r.citations, r.error, r.hint, r.parent, r.parent_event FROM runs r"
)
"""Rows for run_of, of all users."""
OWN_RUNS = f"{RUNS} JOIN sessions s ON s.id = r.session AND s.user = ?"
"""Rows for run_of; the parameter is the user as stored."""


def own_info(connection: sqlite3.Connection, user: str | bytes, id: int | None) -> SessionInfo:
    """Return a session of a user; user is the name as stored.

    Raises:
        NotFound: No session has that number, or it belongs to another user; the error does not say which.
    """
    is_possible = id is not None and is_row_number(id)
    row = connection.execute(f"{OWN_SESSIONS} AND s.id = ?", (user, id)).fetchone() if is_possible else None
    if row is None:
        raise NotFound(f"There is no session {id}.", "“sessions” lists those there are.")
    return info_of(row)


def info_of(row: tuple[Any, ...]) -> SessionInfo:
    """Return the session of a row of OWN_SESSIONS."""
    number, title, started, changed, runs, pinned, archived = row
    return SessionInfo(number, loaded_text(title), started, changed, runs, bool(pinned), bool(archived))


def run_info(row: tuple[Any, ...]) -> RunInfo:
    """Return the description of a run from a row of the list of runs."""
    number, session, question, profile, status, started, seconds, parent = row
    return RunInfo(number, session, loaded_text(question), profile, RunStatus(status), started, seconds, parent)


def run_of(connection: sqlite3.Connection, row: tuple[Any, ...], events: Sequence[TimedEvent] | None = None) -> Run:
    """Return the run of a row of RUNS with its events, which are read unless they are given.

    Raises:
        LibraryDamaged: The row was not written by the program.
    """
    try:
        return _run(row, _read_events(connection, row[0]) if events is None else tuple(events))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise_damaged(error)


def _read_events(connection: sqlite3.Connection, run: int) -> tuple[TimedEvent, ...]:
    return tuple(
        TimedEvent(place, at, decoded_event(kind, loaded_json(values)))
        for place, at, kind, values in connection.execute(
            "SELECT number, seconds, type, fields FROM run_events WHERE run = ? ORDER BY number", (run,)
        )
    )


def _run(row: tuple[Any, ...], events: tuple[TimedEvent, ...]) -> Run:
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
        citations=tuple(decode_value(Citation, citation) for citation in loaded_json(citations)),
        references=tuple(timed.event.reference for timed in events if isinstance(timed.event, ReferencesFound)),
        events=events,
        error=loaded_text(error),
        hint=loaded_text(hint),
        parent=parent[0],
        parent_event=parent[1],
    )
