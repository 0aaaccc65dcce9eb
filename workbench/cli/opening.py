"""Files and links that the window is started with: “open with” of a file manager, a link given by a browser."""

import os
from urllib.parse import unquote, urlsplit

_WEB = ("http", "https")
_FILE = "file"


def is_source(typed: str) -> bool:
    """Return whether what was typed is a link, or a file that is there; no command looks like either."""
    if typed.startswith("-"):
        return False
    if "://" in typed:
        return urlsplit(typed).scheme in (*_WEB, _FILE)
    return ("." in typed or os.sep in typed) and os.path.exists(typed)


def source_of(typed: str) -> str:
    """Return a link as it is and a file by its whole path: the window it goes to may stand in another folder."""
    parts = urlsplit(typed) if "://" in typed else None
    if parts is not None and parts.scheme in _WEB:
        return typed
    return os.path.abspath(unquote(parts.path) if parts is not None else typed)
