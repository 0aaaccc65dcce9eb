"""Days and times of day as people write them, in the window's language and on this machine's clock."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QDate, QDateTime, QLocale, QTime

from workbench.language import language, tr, trn

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def day(moment: str | datetime) -> str:
    """Return the day of a moment (ISO 8601, UTC where it says nothing else): "22 Nov 2026"."""
    return _written(moment, tr("d MMM yyyy"))


def day_and_time(moment: str | datetime, *, year: bool = True) -> str:
    """Return a moment to the minute: "22 Nov 2026, 14:05", or "22 Nov 14:05" without its year."""
    return _written(moment, tr("d MMM yyyy, HH:mm") if year else tr("d MMM HH:mm"))


def time_of_day(moment: str | datetime) -> str:
    """Return the time of a moment: "14:05"."""
    return _written(moment, tr("HH:mm"))


def time_to_the_second(moment: str | datetime) -> str:
    """Return the time of a moment: "14:05:09"."""
    return _written(moment, tr("HH:mm:ss"))


def when(moment: str | datetime, now: datetime | None = None) -> str:
    """Return a moment as people say it: "today 14:05", "yesterday 09:10", "3 March", "3 March 2024".

    Args:
        moment: ISO 8601; what is no time comes back as it is.
        now: What today is measured by; the clock's time for None.
    """
    local = _local(moment)
    if local is None:
        return str(moment)
    today = (now or datetime.now(UTC)).astimezone()
    days = (today.date() - local.date()).days
    if days == 0:
        return tr("today {time}", time=time_of_day(local))
    if days == 1:
        return tr("yesterday {time}", time=time_of_day(local))
    return _written(local, tr("d MMMM") if local.year == today.year else tr("d MMMM yyyy"))


def ago(moment: str | datetime) -> str:
    """Return how long ago a moment was: "just now", "5 minutes ago", "3 days ago"."""
    local = _local(moment)
    if local is None:
        return str(moment)
    seconds = (datetime.now(UTC) - local).total_seconds()
    if seconds >= _DAY:
        return trn("{n:,} day ago", "{n:,} days ago", int(seconds // _DAY))
    if seconds >= _HOUR:
        return trn("{n:,} hour ago", "{n:,} hours ago", int(seconds // _HOUR))
    if seconds >= _MINUTE:
        return trn("{n:,} minute ago", "{n:,} minutes ago", int(seconds // _MINUTE))
    return tr("just now")


def _written(moment: str | datetime, form: str) -> str:
    local = _local(moment)
    if local is None:
        return str(moment)
    date = QDate(local.year, local.month, local.day)
    # Not the system's: months are named in the language of the words around them.
    return QLocale(language()).toString(QDateTime(date, QTime(local.hour, local.minute, local.second)), form)


def _local(moment: str | datetime) -> datetime | None:
    try:
        parsed = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone()
