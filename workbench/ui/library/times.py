"""Times in words."""

from datetime import UTC, datetime

from workbench.ui.library.wording import count

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def ago(time: str) -> str:
    """Return how long ago an ISO 8601 time was: "just now", "5 minutes ago", "3 days ago"."""
    seconds = (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds()
    if seconds < _MINUTE:
        return "just now"
    for unit, name in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= unit:
            return f"{count(int(seconds // unit), name)} ago"
    return "just now"


def days_left(time: str, days: int) -> int:
    """Return how many of so many days since an ISO 8601 time are left, never less than 0."""
    passed = (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds() / _DAY
    return max(0, int(days - passed + 0.999))
