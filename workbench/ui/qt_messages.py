"""What Qt says of itself, for the log: a plug-in that is not there, a platform that fails, a widget used wrongly."""

from __future__ import annotations

import logging
import re
import sys

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from workbench.logs import masked

logger = logging.getLogger(__name__)

_LEVELS = {
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_QUOTED = re.compile(r"\"[^\"]*\"?|'[^']*'|\S+://\S+")
_LONGEST = 300
_MOST = 200

_heard: set[tuple[str, str]] = set()
"""What was written already: a widget that is drawn wrongly is drawn sixty times a second."""


def listen() -> None:
    """Have warnings of Qt written into the log from now on, each once; they stand on stderr as before."""
    _heard.clear()
    qInstallMessageHandler(_on_message)


def no_longer() -> None:
    """Leave them to Qt again: at its own end it may speak when there is no Python any more."""
    qInstallMessageHandler(None)


def _on_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Write one down, on whatever thread it is said. What stands in quotes may be a text of the user's."""
    level = _LEVELS.get(kind)
    if level is None:
        return
    if sys.stderr is not None:  # there is none in a program without a console on Windows
        sys.stderr.write(f"{message}\n")
    category = str(context.category or "qt")
    said = (category, _QUOTED.sub("…", masked(message))[:_LONGEST])
    if said not in _heard and len(_heard) < _MOST:
        _heard.add(said)
        logger.log(level, "%s: %s", *said)
