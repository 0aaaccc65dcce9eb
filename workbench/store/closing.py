"""A library that an earlier version left open to everybody on the computer -> one for its user alone, once."""

import contextlib
import os
import re
import stat
from pathlib import Path

from workbench.files.changes import close_to_others
from workbench.files.modes import is_shared

_OURS = re.compile(
    r"library\.(sqlite3(-wal|-shm|-journal)?|lock)|library-before-\d{4}\.sqlite3|window\.ini"
    r"|originals|index|map|backups|damaged|staging|unpacked|unfinished|kept-pages|kept-originals"
)
"""What the program makes in a library folder."""


def is_open(database: Path) -> bool:
    """Whether a database lets others read it, or is not there yet.

    Raises:
        OSError: It cannot be looked at.
    """
    try:
        return bool(stat.S_IMODE(database.stat().st_mode) & 0o077)
    except FileNotFoundError:
        return True


def close_library(folder: Path) -> None:
    """Close a library folder, and what the program made in it, to others, unless it is shared; never raises.

    The folder itself stays as it is where the user keeps other things in it: those are not ours to close.
    """
    with contextlib.suppress(OSError):
        if os.name != "posix" or is_shared(folder):
            return
        real = folder.resolve()
        names = [entry.name for entry in os.scandir(real)]
        for name in filter(_OURS.fullmatch, names):
            with contextlib.suppress(OSError):
                close_to_others(real / name, within=real)
        # Hidden ones are notes of file managers.
        if all(_OURS.fullmatch(name) or name.startswith(".") for name in names):
            close_to_others(real, within=real.parent)
