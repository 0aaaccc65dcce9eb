"""The one-writer lock of a library folder: held by the operating system, so a killed program leaves none behind."""

import contextlib
import errno
import os
import sys
from pathlib import Path

from workbench.errors import DiskFull, LibraryError, LibraryLocked, LibraryUnwritable

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows locks byte ranges; one far behind the process number leaves the number readable for others.
_LOCKED_BYTE = 0x40000000


class LibraryLock:
    """Holds library.lock until close(); the file keeps the holder's process number for the others' message."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            LibraryLocked: Another window or program has it.
            LibraryUnwritable: The file cannot be made.
        """
        path = folder / "library.lock"
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            holder = os.pread(self._descriptor, 32, 0) if hasattr(os, "pread") else os.read(self._descriptor, 32)
            os.close(self._descriptor)
            process = holder.decode("ascii", "ignore").strip()
            raise LibraryLocked(
                f"The library {folder} is open in another window (process {process})."
                if process
                else f"The library {folder} is open in another window.",
                "Close it there first, or choose another library folder.",
            ) from error
        # The number is for the other's message only: a full disk must not keep the library shut.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def close(self) -> None:
        """Give the lock back. The file stays: removing it would let two programs lock two files of one name."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def unwritable(folder: Path, error: OSError) -> LibraryError:
    """Return the error for a folder that cannot be made or written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            f"There is no room left on the disk that should hold the library {folder}.",
            "Free some space and try again; nothing that was saved before is lost.",
        )
    if os.path.isfile(folder):
        return LibraryUnwritable(
            f"The library folder {folder} cannot be written: it is a file.", "Choose a folder for the library."
        )
    return LibraryUnwritable(
        f"The library folder {folder} cannot be written.",
        "Choose a folder you may write to, or change its permissions.",
    )


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
