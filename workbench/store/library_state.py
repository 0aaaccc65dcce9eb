"""What the library remembers for later starts: the time that deletion goes by, and whether files need recovery.

A clock that jumps ahead by ten years, for an hour or at one start, must not empty the bin. So what is due is deleted
only when the clock already said so a day ago: whoever has a wrong clock sees it before. A clock that jumps back begins
anew.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from workbench.store.database import Database
from workbench.store.stored_values import FILES_WANTED, forget_state, put_state, state

APART = timedelta(days=1)
"""Between two looks at the clock of which the earlier one counts."""

_STATE = "clock"
_NEVER = datetime.fromtimestamp(0, UTC)


def _utc() -> datetime:
    return datetime.now(UTC)


def deletion_time(database: Database, clock: Callable[[], datetime] = _utc) -> datetime:
    """Return the time by which things are deleted, and note what the clock says now; long ago at the first look."""
    now = clock()
    with database.read() as connection:
        earlier, latest = _looks(state(connection, _STATE))
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


def _looks(kept: str | bytes | None) -> tuple[datetime | None, datetime | None]:
    try:
        earlier, latest = (datetime.fromisoformat(one) for one in json.loads(kept or ""))
    except (ValueError, TypeError):
        return None, None
    return earlier, latest


def files_wanted(database: Database) -> bool:
    """Return whether such files are to be kept, and added again by a repair."""
    with database.read() as connection:
        return state(connection, FILES_WANTED) is not None


def settle_files(database: Database) -> None:
    """Note that what was left of lost documents is in the library again."""
    with database.write() as connection:
        forget_state(connection, FILES_WANTED)
