"""What the program writes of itself, for the day something goes wrong: one log, and never what is private in it.

masking.py   the one place that takes keys out of a text: those that are known, and what looks like one
places.py    a path or a line of code as it may be shown: no name of a user
traces.py    an exception without what it says: its type, where it came from, what it was caused by
lines.py     a log record -> the line that is written
log_file.py  the file: every program and child writes into it, and it stays small
endings.py   how the last run ended; a native crash leaves its trace in the folder of the log
beginning.py sets all of it up, once a program

What is written down: times, numbers, types of errors and the places in the code that they came from, host names, paths
(the user's folder is “~”). What is not: keys, questions, answers, the text of documents; nor what an exception of
somebody else's code says, for it may quote any of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.logs.masking import keep_secret, masked, without_secrets
    from workbench.logs.traces import trace

__all__ = ["keep_secret", "masked", "trace", "without_secrets"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: the window comes up without any of this."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"workbench.logs.{'traces' if name == 'trace' else 'masking'}"), name)
