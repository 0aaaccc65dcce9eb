"""Formatting of log records and exceptions without private text.

The message of an exception may quote a document, a question, a name or a key. So messages of exceptions of the
interpreter are kept only if they cannot quote such text. Messages of our own exceptions are written in ‹ ›, because
they may contain a path, and without quoted text and the part after a colon. Of all other exceptions, only the type is
logged.
"""

import logging
import os
import re
import time
import traceback
from collections.abc import Iterator
from enum import Enum
from itertools import groupby
from pathlib import PurePath
from types import TracebackType
from typing import Any

from workbench.logs.log_file import OURS
from workbench.logs.redaction import in_code, masked, named

TRACE = "workbench_trace"
"""Key in a record's extra for a trace from another process: of a child, or of the last run."""

_LONGEST = 2000


class FileLines(logging.Formatter):
    """Formatter for the log file.

    Messages of our own loggers are written with redacted arguments: exceptions as type and place, keys masked, paths
    shortened, names in ‹ ›, and no line breaks, which could forge a line of the log. For other loggers, only the place
    of the call is written.
    """

    def __init__(self, program: str) -> None:
        """Create a formatter whose lines contain the name of the process: “window”, the command's name, “child”."""
        super().__init__()
        self._program = program

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record; those of a trace are indented."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        head = f"{at}.{int(record.msecs):03d}Z {os.getpid()} {self._program} {record.levelname} {record.name}"
        lines = [f"{head}: {message(record)[:_LONGEST]}"]
        error = record.exc_info[1] if record.exc_info else None
        details = trace(error) if error is not None else getattr(record, TRACE, "")
        lines += [f"    {line}" for line in details.splitlines()]
        return "\n".join(lines)


class TerminalLines(logging.Formatter):
    """Formatter for the terminal of the user: full messages with keys masked."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record in Python's format, with keys masked."""
        return masked(super().format(record))


def message(record: logging.LogRecord) -> str:
    """Return the redacted message of a record, for the log file."""
    if not is_ours(record.name):
        text = f"something was said at {in_code(record.pathname)}:{record.lineno}"
        return f"{text} ({type(record.exc_info[1]).__name__})" if record.exc_info and record.exc_info[1] else text
    if not isinstance(record.msg, str):
        return _redact_value(record.msg)
    arguments: Any = record.args or ()
    if isinstance(arguments, dict):
        arguments = {name: _redact_argument(value) for name, value in arguments.items()}
    else:
        arguments = tuple(_redact_argument(value) for value in arguments)
    try:
        text = record.msg % arguments if arguments else record.msg
    except (TypeError, ValueError, KeyError):
        text = record.msg
    return text


def is_ours(logger: str) -> bool:
    """Return True if a logger belongs to the program."""
    return logger == OURS or logger.startswith(f"{OURS}.")


def _redact_argument(value: Any) -> Any:
    return value if isinstance(value, int | float) or value is None else _redact_value(value)


def _redact_value(value: Any) -> str:
    """Return a value in redacted form: a summary of an exception, a text as a name, else the type."""
    if isinstance(value, BaseException):
        return summary(value)
    if isinstance(value, Enum):
        return str(value.value)  # values of enumerations are not private
    return named(masked(str(value))) if isinstance(value, str | PurePath) else type(value).__name__


_INTERPRETER_ERRORS = (AttributeError, ImportError, IndexError, NameError, RecursionError, TypeError, ZeroDivisionError)
_HARMLESS = re.compile(r"[A-Za-z0-9_ '.,()\[\]:*+\-]{1,200}", re.ASCII)
_TYPE_ERROR_MESSAGE = re.compile(
    r"object is not|object does not|takes \d+|takes from|takes no|missing \d+ required|unexpected keyword"
    r"|unsupported operand|multiple values for|must be|expected \w+ instance|not supported between"
)
_QT_ERROR_MESSAGE = re.compile(r"(?:Internal C\+\+ object|wrapped C/C\+\+ object)[\w ().]{1,120}", re.ASCII)
_QUOTED = re.compile(r"[“\"][^“”\"]*[”\"]")
_FOREIGN_MESSAGES = frozenset(("ModelError", "ToolError", "QueryFailed"))
"""Errors whose messages may contain text from a server, a tool or a database."""
_MOST_FRAMES = 60
_MOST_CAUSES = 6


def trace(error: BaseException) -> str:
    """Return the redacted traceback of an exception and its causes, the first cause first, as in Python's order."""
    parts = []
    for one, link in reversed(list(_causes(error))):
        parts.append(
            "\n".join([*_merge_repeated_lines(_places(one.__traceback__)), summary(one), *([link] if link else [])])
        )
    return "\n".join(parts)


def summary(error: BaseException) -> str:
    """Return an exception in one line: its type, and the part of its message that cannot be private."""
    kind = type(error).__name__
    words = _words(error)
    return f"{kind}: {words}" if words else kind


def _words(error: BaseException) -> str:
    message = getattr(error, "message", None)
    if isinstance(message, str) and hasattr(error, "hint"):
        return _own_message(error, message)
    name = getattr(error, "sqlite_errorname", None)
    if isinstance(name, str):
        return name
    if isinstance(error, OSError) and error.errno is not None:
        place = f" {named(masked(str(error.filename)))}" if isinstance(error.filename, str | bytes) else ""
        return f"[{error.errno}] {' '.join(str(error.strerror).split())}{place}"
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(dict.fromkeys(type(one).__name__ for one in error.exceptions))
    return _interpreter_message(error)


def _interpreter_message(error: BaseException) -> str:
    if not isinstance(error, (*_INTERPRETER_ERRORS, RuntimeError)):
        return ""
    text = str(error)
    if isinstance(error, RuntimeError) and not isinstance(error, RecursionError):
        return text if _QT_ERROR_MESSAGE.fullmatch(text) else ""
    if isinstance(error, TypeError) and not _TYPE_ERROR_MESSAGE.search(text):
        return ""
    return masked(text) if _HARMLESS.fullmatch(text) else ""


def _own_message(error: BaseException, message: str) -> str:
    """Return our own message without quoted names and the reason; empty if it may contain foreign text."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & _FOREIGN_MESSAGES:
        return ""
    words = _QUOTED.sub("“…”", message)
    # The reason of a plug-in's failure is only a type and a line (plugins/retriever_results.py).
    return named(masked(words if "RetrieverFailed" in kinds else words.partition(": ")[0]))


def _causes(error: BaseException) -> Iterator[tuple[BaseException, str]]:
    """Yield an exception and its chain of causes, each with the line that connects it to the previous one."""
    seen: set[int] = set()
    one: BaseException | None = error
    link = ""
    while one is not None and id(one) not in seen and len(seen) < _MOST_CAUSES:
        seen.add(id(one))
        yield one, link
        if isinstance(one, BaseExceptionGroup) and one.__cause__ is None:
            one, link = one.exceptions[0], "which was one of:"
        elif one.__cause__ is not None:
            one, link = one.__cause__, "which was the cause of:"
        else:
            one, link = (None if one.__suppress_context__ else one.__context__), "and while that was handled:"


def _places(trace: TracebackType | None) -> list[str]:
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(trace)][-_MOST_FRAMES:]
    return [f"  {in_code(code.co_filename)}:{line} in {code.co_qualname}" for code, line in frames]


def _merge_repeated_lines(lines: list[str]) -> list[str]:
    """Return the lines with consecutive repetitions, as in an endless recursion, merged and counted."""
    joined = []
    for line, same in groupby(lines):
        number = sum(1 for _ in same)
        joined.append(line if number == 1 else f"{line} ({number} times)")
    return joined
