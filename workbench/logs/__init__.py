"""What the program writes of itself, for the day something goes wrong: one log, and never what is private in it.

masking.py    The one place that takes keys out of a text: those that the program knows, and whatever
              looks like one
places.py     A path, a name and a line of code as they may be shown to others: no user's name, nothing
              of a machine's folders
traces.py     An exception without what it says: types, places, causes
lines.py      A log record -> the line that is written: for the file, where nothing private may stand,
              and for the terminal
log_file.py   The log: one file for the window, for commands and for their children; four older ones
              beside it, and no more
endings.py    How runs of the program ended: what the system's own end of a process leaves behind, found
              by the next start
beginning.py  Sets up what a program writes of itself: once, at its start

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
