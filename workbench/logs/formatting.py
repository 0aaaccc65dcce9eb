"""Formatting of log records and of exceptions: nothing private in the file, a short line for the terminal.

What an exception of somebody else's code says may quote a document, a question, a name or a key. So of those that the
interpreter makes itself the words are kept as long as they can quote nothing of the sort; of ours, the sentence without
what stands in it in quotation marks or behind a colon, as a name, for it may hold a path; of all others, the type.
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


_OF_THE_INTERPRETER = (AttributeError, ImportError, IndexError, NameError, RecursionError, TypeError, ZeroDivisionError)
_HARMLESS = re.compile(r"[A-Za-z0-9_ '.,()\[\]:*+\-]{1,200}", re.ASCII)
_OF_TYPES = re.compile(
    r"object is not|object does not|takes \d+|takes from|takes no|missing \d+ required|unexpected keyword"
    r"|unsupported operand|multiple values for|must be|expected \w+ instance|not supported between"
)
_OF_QT = re.compile(r"(?:Internal C\+\+ object|wrapped C/C\+\+ object)[\w ().]{1,120}", re.ASCII)
_QUOTED = re.compile(r"[“\"][^“”\"]*[”\"]")
_PASSING_ON = frozenset(("ModelError", "ToolError", "QueryFailed"))
"""Errors in whose words those of a server, a tool or a database may stand."""
_MOST_FRAMES = 60
_MOST_CAUSES = 6


def trace(error: BaseException) -> str:
    """Return where an exception came from and what it was caused by, the cause first, as Python writes it."""
    parts = []
    for one, said in reversed(list(_causes(error))):
        parts.append("\n".join([*_joined(_places(one.__traceback__)), summary(one), *([said] if said else [])]))
    return "\n".join(parts)


def summary(error: BaseException) -> str:
    """Return an exception in one line: its type, and as much of its words as is nobody's secret."""
    kind = type(error).__name__
    words = _words(error)
    return f"{kind}: {words}" if words else kind


def _words(error: BaseException) -> str:
    message = getattr(error, "message", None)
    if isinstance(message, str) and hasattr(error, "hint"):
        return _own(error, message)
    name = getattr(error, "sqlite_errorname", None)
    if isinstance(name, str):
        return name
    if isinstance(error, OSError) and error.errno is not None:
        place = f" {named(masked(str(error.filename)))}" if isinstance(error.filename, str | bytes) else ""
        return f"[{error.errno}] {' '.join(str(error.strerror).split())}{place}"
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(dict.fromkeys(type(one).__name__ for one in error.exceptions))
    return _of_python(error)


def _of_python(error: BaseException) -> str:
    if not isinstance(error, (*_OF_THE_INTERPRETER, RuntimeError)):
        return ""
    text = str(error)
    if isinstance(error, RuntimeError) and not isinstance(error, RecursionError):
        return text if _OF_QT.fullmatch(text) else ""
    if isinstance(error, TypeError) and not _OF_TYPES.search(text):
        return ""
    return masked(text) if _HARMLESS.fullmatch(text) else ""


def _own(error: BaseException, message: str) -> str:
    """Return a sentence of ours without the names and the reasons in it; nothing where it may pass on others' words."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & _PASSING_ON:
        return ""
    words = _QUOTED.sub("“…”", message)
    # Of a plug-in's error the reason is a type and a line (plugins/faults.py).
    return named(masked(words if "RetrieverFailed" in kinds else words.partition(": ")[0]))


def _causes(error: BaseException) -> Iterator[tuple[BaseException, str]]:
    """Yield an exception and what led to it, with what stands between them in a traceback."""
    seen: set[int] = set()
    one: BaseException | None = error
    said = ""
    while one is not None and id(one) not in seen and len(seen) < _MOST_CAUSES:
        seen.add(id(one))
        yield one, said
        if isinstance(one, BaseExceptionGroup) and one.__cause__ is None:
            one, said = one.exceptions[0], "which was one of:"
        elif one.__cause__ is not None:
            one, said = one.__cause__, "which was the cause of:"
        else:
            one, said = (None if one.__suppress_context__ else one.__context__), "and while that was handled:"


def _places(trace: TracebackType | None) -> list[str]:
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(trace)][-_MOST_FRAMES:]
    return [f"  {in_code(code.co_filename)}:{line} in {code.co_qualname}" for code, line in frames]


def _joined(lines: list[str]) -> list[str]:
    """Return the lines with those that repeat, as in an endless recursion, counted."""
    joined = []
    for line, same in groupby(lines):
        number = sum(1 for _ in same)
        joined.append(line if number == 1 else f"{line} ({number} times)")
    return joined
