"""What is done to the sessions of all users when a library is opened or checked: nobody is shown what it reads."""

import logging
from collections.abc import Sequence

from workbench.errors import LibraryDamaged, NotFound
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
from workbench.store.database import Database
from workbench.store.session_rows import RUNS, USERS, run_of
from workbench.store.sessions import SessionStore
from workbench.store.values import loaded_text

logger = logging.getLogger(__name__)


class SessionUpkeep:
    """The sessions of everybody; SessionStore gives those of one user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def users(self) -> tuple[str, ...]:
        """Return whose anything is that is one user's own, by name: the one who gives none first."""
        with self._database.read() as connection:
            rows = connection.execute(USERS).fetchall()
        return tuple(sorted(loaded_text(row[0]) for row in rows))

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all sessions that are not removed."""
        with self._database.read() as connection:
            return tuple(row[0] for row in connection.execute("SELECT id FROM sessions WHERE removed = 0"))

    def is_readable(self, run: int) -> bool:
        """Return whether a run that there is can be read with every event."""
        try:
            # SQLite itself fails for what is no text; that becomes LibraryDamaged where the reading ends.
            with self._database.read() as connection:
                run_of(connection, connection.execute(f"{RUNS} WHERE r.id = ?", (run,)).fetchone())
        except LibraryDamaged:
            return False
        return True

    def purge_removed(self) -> int:
        """Delete removed sessions for good with all that was said in them; returns how many."""
        with self._database.write() as connection:
            return connection.execute("DELETE FROM sessions WHERE removed = 1").rowcount

    def interrupt_unfinished(self) -> int:
        """End the runs that a kill left running, as cancelled with the text so far; returns how many."""
        with self._database.write() as connection:
            owned = connection.execute(
                "SELECT r.id, s.user FROM runs r LEFT JOIN sessions s ON s.id = r.session WHERE r.status = 'running'"
            ).fetchall()
            for number, user in owned:
                try:
                    # On this connection: a cursor of another one, which an error keeps, would hold its state there.
                    run = run_of(connection, connection.execute(f"{RUNS} WHERE r.id = ?", (number,)).fetchone())
                    _interrupt(SessionStore(self._database, loaded_text(user or "")), run)
                except (LibraryDamaged, NotFound) as error:
                    # The library opens all the same; what can be read of the answer is a matter for a repair, and so is
                    # an answer without a session.
                    logger.warning("Answer %s was interrupted and cannot be read: %s", number, error)
                    connection.execute("UPDATE runs SET status = ? WHERE id = ?", (RunStatus.CANCELLED.value, number))
        return len(owned)


def _interrupt(store: SessionStore, run: Run) -> None:
    last = run.events[-1] if run.events else None
    end = last.event if last is not None else None
    if isinstance(end, RunCompleted):
        # The kill came between the last event and its outcome: nothing was interrupted.
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
