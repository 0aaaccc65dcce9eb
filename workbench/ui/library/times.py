"""Times that are left."""

from datetime import UTC, datetime

_DAY = 86_400


def days_left(time: str, days: int) -> int:
    """Return how many of so many days since an ISO 8601 time are left, never less than 0."""
    passed = (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds() / _DAY
    return max(0, int(days - passed + 0.999))
