"""What a retriever raised -> the name of its type and the line of its author's file: never what it says.

The text of an exception may hold a path, a password or somebody's data; it goes to the terminal of its author and
nowhere else, not even into the log.
"""

import re
import traceback
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong in somebody else's code.

    Attributes:
        kind: The name of the exception's type.
        place: File and line where it came from; empty where that is unknown.
        details: The whole traceback, for the author of the code.
    """

    kind: str
    place: str = ""
    details: str = ""

    @property
    def sentence(self) -> str:
        """Type and place, to end a sentence with."""
        return f"{self.kind} in {self.place}" if self.place else self.kind


def fault_of(error: BaseException, file: str = "") -> Fault:
    """Return what an exception says without its text.

    Args:
        error: What was raised.
        file: The file whose line is of interest; the innermost line if empty, or if that file has no part in it.
    """
    details = "".join(traceback.format_exception(error))
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return Fault(type(error).__name__, f"{PurePath(error.filename).name}, line {error.lineno}", details)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if file and frame.filename == file]
    theirs = [frame for frame in frames if f"workbench{_SEPARATOR}plugins{_SEPARATOR}" not in frame.filename]
    place = next((f"{PurePath(one.filename).name}, line {one.lineno}" for one in reversed(ours or theirs)), "")
    return Fault(type(error).__name__, f"{place}{_missing(error)}", details)


def _missing(error: BaseException) -> str:
    """Return which module is not there: a name and nobody's secret, and what the author has to know."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    return f": there is no module “{name}”" if name and _MODULE.fullmatch(name) else ""


_MODULE = re.compile(r"[\w.]{1,100}")


_SEPARATOR = "/" if "/" in __file__ else "\\"
