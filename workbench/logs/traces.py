"""An exception without what it says: types, places, causes.

What an exception of somebody else's code says may quote a document, a question, a name or a key. So of those that the
interpreter makes itself the words are kept as long as they can quote nothing of the sort; of ours, the sentence without
what stands in it in quotation marks or behind a colon, as a name, for it may hold a path; of all others, the type.
"""

import re
import traceback
from collections.abc import Iterator
from itertools import groupby
from types import TracebackType

from workbench.logs.masking import masked
from workbench.logs.places import in_code, named

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
