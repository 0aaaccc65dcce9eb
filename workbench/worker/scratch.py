"""Scratch folders: where a child process may write, one for each, gone with it."""

import contextlib
import os
import shutil
import socket
import stat
import sys
import tempfile
from pathlib import Path

import psutil

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
    _delete(str(folder), within=str(folder))


def empty_scratch(folder: Path) -> None:
    """Delete what a call left in a folder, as drop_scratch, and keep the folder; never raises."""
    with contextlib.suppress(OSError):
        if _is_own_folder(str(folder)):
            os.chmod(folder, 0o700)
        for entry in list(os.scandir(folder)):
            _delete(entry.path, within=str(folder))


def _delete(path: str, *, within: str) -> None:
    """Delete a file, a link or a folder; modes are changed of folders within a certain one only."""
    opened: set[str] = set()

    def open_up(_function: object, failed: str, _error: object) -> None:
        """Make what could not be deleted, and the folder in which it stands, ours to change."""
        for folder in (os.path.dirname(failed), failed):
            if _is_within(folder, within) and folder not in opened and _is_own_folder(folder):
                opened.add(folder)
                with contextlib.suppress(OSError):
                    os.chmod(folder, 0o700)

    # A round opens the folders that it could not look into, and the next one deletes what is in them.
    while True:
        before = len(opened)
        try:
            if _is_own_folder(path):
                shutil.rmtree(path, onerror=open_up)
            else:
                os.unlink(path)
        except OSError as error:
            open_up(os.unlink, path, error)
        if len(opened) == before:
            return


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _is_own_folder(path: str) -> bool:
    """Tell a folder of this user's from a link to one, from a file, and from nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and (sys.platform == "win32" or found.st_uid == os.getuid())


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
                    path.unlink()


def _is_heard(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True
