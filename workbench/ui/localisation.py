"""Language of the window and of Qt, and the formatting of dates, times and remaining days."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QObject, QTime

from workbench.language import LANGUAGES, language, read_catalogue, speak, tr, trn

SYSTEM = "system"
_QT_TEXTS = "qt texts"
"""Object name, among the application's children, of the translator of Qt's own buttons and menus."""


def language_of(choice: str) -> str:
    """Return the language code of a choice; "system" is the system's language if it is available, otherwise English."""
    if choice in LANGUAGES:
        return choice
    name = QLocale.system().name()
    return next((code for code in LANGUAGES if name == code), "en")


def install_window_language(choice: str) -> None:
    """Set the language of all texts created from now on: "system", or a code."""
    code = language_of(choice)
    if code == language():
        return
    speak(None if code == "en" else read_catalogue(code))
    # If the system's language is the chosen one, its regional variant determines the date formats.
    own = QLocale.system()
    QLocale.setDefault(own if own.name().startswith(code) else QLocale(code))
    _speak_qt(code)


def _speak_qt(code: str) -> None:
    # Imported here, because only other languages need a translator: Qt's own texts are English.
    from PySide6.QtCore import QLibraryInfo, QTranslator

    application = QCoreApplication.instance()
    assert application is not None
    before = application.findChild(QObject, _QT_TEXTS)
    if isinstance(before, QTranslator):
        application.removeTranslator(before)
        before.setParent(None)
    translator = QTranslator(application)
    translator.setObjectName(_QT_TEXTS)
    if code != "en" and translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)


_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def day(moment: str | datetime) -> str:
    """Return the day of a moment (ISO 8601, UTC without an offset): "22 Nov 2026"."""
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
    """Return a moment in relative words: "today 14:05", "yesterday 09:10", "3 March", "3 March 2024".

    Args:
        moment: ISO 8601; anything else is returned unchanged.
        now: The current time; None uses the clock.
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
    """Return the time since a moment: "just now", "5 minutes ago", "3 days ago"."""
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
    # Not the system's locale: months are named in the language of the surrounding text.
    return QLocale(language()).toString(QDateTime(date, QTime(local.hour, local.minute, local.second)), form)


def _local(moment: str | datetime) -> datetime | None:
    try:
        parsed = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone()


_TIMES_DAY = 86_400


def days_left(time: str, days: int) -> int:
    """Return how many of the given days since an ISO 8601 time remain, at least 0."""
    passed = (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds() / _TIMES_DAY
    return max(0, int(days - passed + 0.999))
