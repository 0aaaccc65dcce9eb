"""A log record -> the line that is written: for the file, where nothing private may stand, and for the terminal."""

import logging
import os
import time
from enum import Enum
from pathlib import PurePath
from typing import Any

from workbench.logs.beginning import OURS
from workbench.logs.masking import masked
from workbench.logs.places import in_code, named
from workbench.logs.traces import summary, trace

TRACE = "workbench_trace"
"""Under this name a record's extra holds a trace that was made elsewhere: of a child, or of the last run."""

_LONGEST = 2000


class FileLines(logging.Formatter):
    """Of our own records the words, which never hold what is private; of others' only that and where something is said.

    Our words are written with what stands in them brought into a harmless form: exceptions as type and place, keys
    masked, paths shortened, names in ‹ ›, and no line breaks, by which one could pretend to be a line of the log.
    """

    def __init__(self, program: str) -> None:
        """Take what the lines say of who wrote them: “window”, the command's name, “reader”."""
        super().__init__()
        self._program = program

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record; those of a trace are indented."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        head = f"{at}.{int(record.msecs):03d}Z {os.getpid()} {self._program} {record.levelname} {record.name}"
        lines = [f"{head}: {message(record)[:_LONGEST]}"]
        error = record.exc_info[1] if record.exc_info else None
        told = trace(error) if error is not None else getattr(record, TRACE, "")
        lines += [f"    {line}" for line in told.splitlines()]
        return "\n".join(lines)


class TerminalLines(logging.Formatter):
    """For the terminal of whoever typed the command: all that is said, but for keys."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as Python writes it, without keys."""
        return masked(super().format(record))


def message(record: logging.LogRecord) -> str:
    """Return what a record says, fit for the file."""
    if not is_ours(record.name):
        said = f"something was said at {in_code(record.pathname)}:{record.lineno}"
        return f"{said} ({type(record.exc_info[1]).__name__})" if record.exc_info and record.exc_info[1] else said
    if not isinstance(record.msg, str):
        return _fit(record.msg)
    arguments: Any = record.args or ()
    if isinstance(arguments, dict):
        arguments = {name: _harmless(value) for name, value in arguments.items()}
    else:
        arguments = tuple(_harmless(value) for value in arguments)
    try:
        text = record.msg % arguments if arguments else record.msg
    except (TypeError, ValueError, KeyError):
        text = record.msg
    return text


def is_ours(logger: str) -> bool:
    """Whether a logger is one of the program's own."""
    return logger == OURS or logger.startswith(f"{OURS}.")


def _harmless(value: Any) -> Any:
    return value if isinstance(value, int | float) or value is None else _fit(value)


def _fit(value: Any) -> str:
    """Return what a record speaks of: errors without their words, the rest as a name."""
    if isinstance(value, BaseException):
        return summary(value)
    if isinstance(value, Enum):
        return str(value.value)  # a word of ours
    return named(masked(str(value))) if isinstance(value, str | PurePath) else type(value).__name__
