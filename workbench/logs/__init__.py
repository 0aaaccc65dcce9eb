"""What the program writes of itself, for the day something goes wrong: one log, and never what is private in it.

redaction.py     Redaction of keys, user names and paths in anything that is logged or shown to others
formatting.py    Formatting of log records and of exceptions: nothing private in the file, a short line for the
                 terminal
log_file.py      The log: one rotated file for the window, for commands and for their children
crash_marker.py  How runs of the program ended: what the system's own end of a process leaves behind, found by the
                 next start

What is written down: times, numbers, types of errors and the places in the code that they came from, host names, paths
(the user's folder is “~”). What is not: keys, questions, answers, the text of documents; nor what an exception of
somebody else's code says, for it may quote any of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.logs.formatting import trace
    from workbench.logs.redaction import keep_secret, masked, without_secrets

__all__ = ["keep_secret", "masked", "trace", "without_secrets"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: the window comes up without any of this."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"workbench.logs.{'formatting' if name == 'trace' else 'redaction'}"), name)
