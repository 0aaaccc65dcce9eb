"""State kept for later starts: the time used for deletions, and whether files need recovery.

A clock that jumps ahead by ten years, for an hour or at one start, must not empty the bin. Therefore due items are
deleted only if the clock already showed a due time a day ago, so that a user notices a wrong clock before. If the clock
jumps back, the wait starts again.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from workbench.store.database import Database
from workbench.store.stored_values import FILES_WANTED, forget_state, put_state, state

APART = timedelta(days=1)
"""Minimum time between two readings of the clock; the earlier one is used."""

_STATE = "clock"
_NEVER = datetime.fromtimestamp(0, UTC)


def _utc() -> datetime:
    return datetime.now(UTC)


def deletion_time(database: Database, clock: Callable[[], datetime] = _utc) -> datetime:
    """Return the time used for deletions, and record the current time; the epoch at the first call."""
    now = clock()
    with database.read() as connection:
        earlier, latest = _load_readings(state(connection, _STATE))
    if earlier is None or latest is None:
        looks = (now, now)
    elif now < latest:
        looks = (min(earlier, now), now)
    elif now - latest >= APART:
        looks = (latest, now)
    else:
        return earlier
    with database.write() as connection:
        put_state(connection, _STATE, json.dumps([look.isoformat() for look in looks]))
    return looks[0] if earlier is not None else _NEVER


def _load_readings(kept: str | bytes | None) -> tuple[datetime | None, datetime | None]:
    try:
        earlier, latest = (datetime.fromisoformat(one) for one in json.loads(kept or ""))
    except (ValueError, TypeError):
        return None, None
    return earlier, latest


def files_wanted(database: Database) -> bool:
    """Return whether files without documents are to be kept, and added again by a repair."""
    with database.read() as connection:
        return state(connection, FILES_WANTED) is not None


def settle_files(database: Database) -> None:
    """Record that the files of lost documents are in the library again."""
    with database.write() as connection:
        forget_state(connection, FILES_WANTED)
