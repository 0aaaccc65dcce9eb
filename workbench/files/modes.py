"""What new files and folders let others do: nothing, but where the user chose a folder that a group shares.

Modes are given when something is made, not by the umask of the process: that is somebody else's where a script imports
workbench. Where others may come in, the umask decides as for every program. Windows has no such modes.

    a folder of the user's choice  -> shared, where the group may write there or new files get its group: as the umask
                                      says; else for the user alone
    a folder of ours (inherit)     -> no more than that folder itself lets others do
"""

import contextlib
import os
import stat
from itertools import takewhile
from pathlib import Path

LOCK_NAME = "library.lock"
"""Lies in the folder that a person chose for a library; those in it were made by the program."""

_OTHERS = 0o077


def is_shared(folder: Path) -> bool:
    """Whether a folder is one of a group: it may write there, or new files get its group.

    Raises:
        OSError: It cannot be looked at.
    """
    found = folder.stat()
    mode = found.st_mode
    # The system's temporary folder is everybody's, and what lies in it is not.
    if mode & stat.S_ISVTX and mode & stat.S_IWOTH:
        return False
    return bool(mode & stat.S_ISGID) or (bool(mode & stat.S_IWGRP) and not is_own_group(found.st_gid))


def is_own_group(number: int) -> bool:
    """Whether a group is that of this user alone: there folders are 0775 without anybody having shared them.

    Debian and its kin make such a group, of the user's name, for each user.
    """
    try:
        import grp
        import pwd

        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except (ImportError, KeyError):
        return False
    return group.gr_name == user.pw_name and group.gr_gid == user.pw_gid and set(group.gr_mem) <= {user.pw_name}


def make_folder(folder: Path, *, inherit: bool = False) -> list[Path]:
    """Make a folder with those above it that are lacking, and return them, lowest first; one that is there stays.

    Args:
        folder: The folder.
        inherit: It is to lie in a folder of ours.

    Raises:
        OSError: It cannot be made.
    """
    missing = list(takewhile(lambda one: not one.exists(), (folder, *folder.parents)))
    if not missing:
        folder.mkdir(exist_ok=True)  # which refuses a file of that name
        return []
    mode = 0o700 | others_may(missing[-1].parent, inherit=inherit)
    for one in reversed(missing):
        one.mkdir(mode, exist_ok=True)
    return missing


def new_file(path: Path, *, inherit: bool = False) -> None:
    """Make an empty file, for whoever opens it by its name then; one that is there stays as it is.

    Args:
        path: The file.
        inherit: It lies in a folder of ours.

    Raises:
        OSError: It cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        os.close(_open_new(path, others_may(path.parent, inherit=inherit)))


def write_new_file(path: Path, content: bytes, others: int) -> None:
    """Make a file that holds this.

    Args:
        path: The file.
        content: What it is to hold.
        others: What others_may() gives for its folder: asked once for many files.

    Raises:
        FileExistsError: There is one; it stays as it is.
        OSError: It cannot be made or written.
    """
    with os.fdopen(_open_new(path, others), "wb") as file:
        file.write(content)


def _open_new(path: Path, others: int) -> int:
    mode = 0o600 | (0o666 & others)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def others_may(folder: Path, *, inherit: bool) -> int:
    """Return the most that something new in a folder lets others do, as the bits of a mode.

    Raises:
        OSError: It cannot be looked at.
    """
    if os.name != "posix" or is_shared(folder):
        return _OTHERS
    found = folder.stat()
    is_made_by_us = inherit and found.st_uid == os.getuid() and not (folder / LOCK_NAME).exists()
    return found.st_mode & _OTHERS if is_made_by_us else 0
