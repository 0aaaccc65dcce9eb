"""Logging without private data: one rotated log file, redaction, and crash reports.

redaction.py     Redaction of keys, user names and paths in anything that is logged or shown to others
formatting.py    Formatting of log records and exceptions without private text
log_file.py      Rotated log file of the window, commands and their children, and its set-up
crash_marker.py  Detection of crashes in native code at the next start

Logged are times, numbers, types of errors and their places in the code, host names, and paths (the user's folder is
“~”). Not logged are keys, questions, answers, the text of documents, and the messages of exceptions of foreign code,
which may quote any of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.logs.formatting import trace
    from workbench.logs.redaction import keep_secret, masked, without_secrets

__all__ = ["keep_secret", "masked", "trace", "without_secrets"]


def __getattr__(name: str) -> Any:
    """Import a name at its first use, because the window's start does not need these modules."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"workbench.logs.{'formatting' if name == 'trace' else 'redaction'}"), name)
