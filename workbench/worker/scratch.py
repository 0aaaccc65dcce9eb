"""Scratch folders: where a child process may write, one for each, gone with it."""

import contextlib
import os
import socket
import sys
import tempfile
from pathlib import Path

import psutil

from workbench.files.changes import delete_file, delete_folder, empty_folder
from workbench.worker.confinement import SOCKET_FOLDERS

_PREFIX = "workbench-scratch-"


def new_scratch() -> Path:
    """Make a folder that only this user can look into; its name says which process it belongs to.

    Raises:
        OSError: There is no room for it.
    """
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def drop_scratch(folder: Path) -> None:
    """Delete a folder with all that a child left in it, whatever rights it left it with; never raises.

    Nothing outside of the folder is touched: not where it is gone already, nor what a link in it leads to.
    """
    if folder.name.startswith(_PREFIX):
        delete_folder(folder, within=folder.parent)


def empty_scratch(folder: Path) -> None:
    """Delete what a call left in a folder, as drop_scratch, and keep the folder; never raises."""
    empty_folder(folder)


def drop_abandoned() -> None:
    """Delete the folders of programs that were killed: what is in them is of documents, and nobody else's business."""
    with contextlib.suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
            owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
            if owner.isdecimal() and int(owner) != os.getpid() and not psutil.pid_exists(int(owner)):
                drop_scratch(folder)


def scratch_size(folder: Path, most_files: int) -> int:
    """Return how many bytes lie in a folder; more than there can be where it holds more than so many files."""
    total, left, waiting = 0, most_files, [folder]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        left -= len(entries)
        if left < 0:
            return 1 << 62
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                else:
                    found = entry.stat(follow_symlinks=False)
                    # What it takes on the disk; a file with holes may claim to be far larger.
                    total += found.st_blocks * 512 if sys.platform != "win32" else found.st_size
    return total


def drop_dead_sockets(since: float) -> None:
    """Delete what LibreOffice left of its locks outside of the scratch folder, which it may make there but not delete.

    Args:
        since: Wall clock; older ones are none of ours, and neither are those that somebody listens on.
    """
    for folder in SOCKET_FOLDERS if sys.platform == "linux" else ():
        for path in Path(folder).glob(f"OSL_PIPE_{os.getuid()}_*"):
            with contextlib.suppress(OSError):
                if path.is_socket() and path.stat().st_mtime >= since and not _is_heard(path):
                    delete_file(path, within=folder)


def _is_heard(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True
