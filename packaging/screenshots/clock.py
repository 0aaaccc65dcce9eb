"""A standing clock, fixed durations and no motion: two runs of make screenshots show the same."""

import datetime
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

_Real = datetime.datetime
_NOW = _Real(2026, 11, 20, 14, 5, tzinfo=datetime.UTC)
_SECONDS, _MILLISECONDS = 2.4, 38.0
"""Duration that is shown for every answer, and for every step and search."""
_SHARE = 0.3
"""Share of every import that its bar shows as done."""


class _AnyDatetime(type):
    """Type of the class in place of datetime, of which moments that were made by other code are instances too."""

    def __instancecheck__(cls, moment: object) -> bool:
        return isinstance(moment, _Real)


class _Datetime(_Real, metaclass=_AnyDatetime):
    """A datetime whose present is always the same minute, each time a microsecond later, so that rows have an order."""

    _calls = itertools.count()

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "_Datetime":
        moment = _NOW + datetime.timedelta(microseconds=next(cls._calls))
        return cls.fromtimestamp(moment.timestamp(), tz)


def stop_clock() -> None:
    """Let the clock stand; to be called before anything is imported that may import datetime by name."""
    # Moments are passed between processes by the name of their class.
    _Datetime.__module__, _Datetime.__name__, _Datetime.__qualname__ = "datetime", "datetime", "datetime"
    datetime.datetime = _Datetime  # type: ignore[misc]


def fix_durations() -> None:
    """Show the same durations and progress always; to be called before the modules that show them are imported."""
    from workbench.ui.chat import run_progress, run_wording

    duration, milliseconds = run_wording.duration, run_wording.milliseconds
    run_wording.duration = lambda _seconds: duration(_SECONDS)
    run_wording.milliseconds = lambda _value: milliseconds(_MILLISECONDS)
    run_progress.RunSpending._passed = lambda *_: _SECONDS  # type: ignore[method-assign]
    from workbench.ui.evaluation import result_summary
    from workbench.ui.exhaustive import presenter
    from workbench.ui.library import document_wording, imports
    from workbench.ui.theme import Theme

    def speed(*metrics: Any) -> Any:
        return figure(*(replace(one, p50=_MILLISECONDS, p95=2 * _MILLISECONDS) for one in metrics[:2]), *metrics[2:])

    figure = result_summary._speed_figure
    result_summary._speed_figure = speed
    time_left = document_wording.time_left
    document_wording.time_left = lambda _seconds: time_left(_SECONDS)
    # It is measured by the time that each part takes.
    imports.share_done = lambda _progress: _SHARE
    Theme.reduces_motion = property(lambda _theme: True, lambda _theme, _wanted: None)  # type: ignore[assignment]
    presenter.status_line = _with_seconds(presenter.status_line)


def _with_seconds(line: Callable[..., str]) -> Callable[..., str]:
    return lambda info, **more: line(replace(info, seconds=_SECONDS), **more)
