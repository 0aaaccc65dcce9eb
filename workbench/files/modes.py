"""Permissions of new files and folders.

New files and folders are private to the user, except in a folder of the user's choice that a group shares. Modes are
set at creation and not by changing the umask of the process, which may belong to a script that imports workbench. In
shared folders, the umask applies as in every program. Windows has no such modes.

    folder chosen by the user           -> shared if the group can write to it or new files inherit its group: mode as
                                           by the umask; else private
    folder of the program (inherit)     -> at most the permissions of that folder
"""

import contextlib
import os
import stat
from itertools import takewhile
from pathlib import Path

from workbench.system import current

LOCK_NAME = "library.lock"
"""File in the folder that the user chose for a library; the folders in it were created by the program."""

_OTHERS = 0o077


def is_shared(folder: Path) -> bool:
    """Return True if a group shares a folder: the group can write to it, or new files inherit its group.

    Raises:
        OSError: The folder's status cannot be read.
    """
    found = folder.stat()
    mode = found.st_mode
    # Everybody can write to the system's temporary folder, but the files in it are private.
    if mode & stat.S_ISVTX and mode & stat.S_IWOTH:
        return False
    return bool(mode & stat.S_ISGID) or (bool(mode & stat.S_IWGRP) and not is_own_group(found.st_gid))


def is_own_group(number: int) -> bool:
    """Return True for the private group of this user, with which folders are 0775 without being shared.

    Debian and similar systems create such a group, with the user's name, for each user.
    """
    try:
        import grp
        import pwd

        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except (ImportError, KeyError):
        return False
    return group.gr_name == user.pw_name and group.gr_gid == user.pw_gid and set(group.gr_mem) <= {user.pw_name}


def make_folder(folder: Path, *, inherit: bool = False) -> list[Path]:
    """Create a folder with its missing parents and return them, lowest first; an existing folder is unchanged.

    Args:
        folder: The folder.
        inherit: True if it is inside a folder of the program.

    Raises:
        OSError: It cannot be created.
    """
    missing = list(takewhile(lambda one: not one.exists(), (folder, *folder.parents)))
    if not missing:
        folder.mkdir(exist_ok=True)  # raises if it is a file
        return []
    mode = 0o700 | others_may(missing[-1].parent, inherit=inherit)
    for one in reversed(missing):
        one.mkdir(mode, exist_ok=True)
    return missing


def new_file(path: Path, *, inherit: bool = False) -> None:
    """Create an empty file, to be opened by its name afterwards; an existing file is unchanged.

    Args:
        path: The file.
        inherit: True if it is inside a folder of the program.

    Raises:
        OSError: It cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(_open_new(path, others_may(path.parent, inherit=inherit)))


def write_new_file(path: Path, content: bytes, others: int) -> None:
    """Create a file with the given content.

    Args:
        path: The file.
        content: Content of the file.
        others: Result of others_may() for its folder, which the caller computes once for many files.

    Raises:
        FileExistsError: The file exists; it is unchanged.
        OSError: It cannot be created or written.
    """
    with os.fdopen(_open_new(path, others), "wb") as file:
        file.write(content)


def _open_new(path: Path, others: int) -> int:
    mode = 0o600 | (0o666 & others)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def others_may(folder: Path, *, inherit: bool) -> int:
    """Return the maximum permissions of group and others for new files in a folder, as mode bits.

    Raises:
        OSError: The folder's status cannot be read.
    """
    if not current().has_modes or is_shared(folder):
        return _OTHERS
    found = folder.stat()
    is_made_by_us = inherit and found.st_uid == os.getuid() and not (folder / LOCK_NAME).exists()
    return found.st_mode & _OTHERS if is_made_by_us else 0
