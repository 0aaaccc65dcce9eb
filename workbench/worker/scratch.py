"""Scratch folders of child processes."""

import contextlib
import os
import socket
import tempfile
from pathlib import Path

import psutil

from workbench.files.changes import delete_file, delete_folder, empty_folder
from workbench.system import current

_PREFIX = "workbench-scratch-"


def new_scratch() -> Path:
    """Create a folder that only this user can access; its name contains the id of this process.

    Raises:
        OSError: It cannot be created.
    """
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def drop_scratch(folder: Path) -> None:
    """Delete a scratch folder with its contents, whatever permissions a child has set; never raises.

    Nothing outside of the folder is changed, even if it is already deleted or contains links.
    """
    if folder.name.startswith(_PREFIX):
        delete_folder(folder, within=folder.parent)


def empty_scratch(folder: Path) -> None:
    """Delete the contents of a folder as drop_scratch does, and keep the folder; never raises."""
    empty_folder(folder)


def drop_abandoned() -> None:
    """Delete the scratch folders of killed processes, because they contain private data of documents."""
    with contextlib.suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
            owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
            if owner.isdecimal() and int(owner) != os.getpid() and not psutil.pid_exists(int(owner)):
                drop_scratch(folder)


def scratch_size(folder: Path, most_files: int) -> int:
    """Return the bytes in a folder; an impossibly large number if it has more than most_files entries."""
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
                    total += current().disk_bytes(found)
    return total


def drop_dead_sockets(since: float) -> None:
    """Delete lock sockets of LibreOffice outside of the scratch folder, where it may create but not delete them.

    Args:
        since: Wall clock time; older sockets belong to other programs. Sockets with a listener are kept, too.
    """
    for folder in current().socket_folders:
        for path in Path(folder).glob(f"OSL_PIPE_{os.getuid()}_*"):
            with contextlib.suppress(OSError):
                if path.is_socket() and path.stat().st_mtime >= since and not _is_heard(path):
                    delete_file(path, within=folder)


def _is_heard(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True
