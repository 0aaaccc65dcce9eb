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

# Stands below the process number until the library is closed as it should be.
_OPEN = "open"
_LONGEST = 32
# Of file systems that know no locks; of one that is held, the system says something else.
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
# The drive is gone or broken: it is not a question of permissions.
_BROKEN = {errno.EIO, errno.ENXIO, errno.ENODEV, errno.ESTALE}


class LibraryLock:
    """Holds library.lock until close(); the file keeps the holder's process number for the others' message.

    Attributes:
        was_left: The program that had the library last was killed, or the computer stopped.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            LibraryLocked: Another window or program has it.
            LibraryUnwritable: The file cannot be made.
        """
        self._path = folder / "library.lock"
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            process, *_ = self._lines() or [""]
            os.close(self._descriptor)
            if error.errno in _NO_LOCKS:
                raise LibraryUnwritable(
                    f"The disk that holds the library {folder} cannot keep two programs from writing at once.",
                    "Choose a folder on a disk of this computer.",
                ) from error
            raise LibraryLocked(
                f"The library {folder} is open in another window (process {process})."
                if process
                else f"The library {folder} is open in another window.",
                "Close it there first, or choose another library folder.",
            ) from error
        self.was_left = _OPEN in self._lines()
        self._say(is_open=self.was_left)

    def note_open(self) -> None:
        """Note that there is something to be closed: a log beside the database."""
        self._say(is_open=True)

    def note_closed(self) -> None:
        """Note that everything is written; from now on a kill finds nothing to interrupt."""
        self._say(is_open=False)

    def is_in_place(self) -> bool:
        """Return whether the file that is locked is the one that everybody else finds in the folder.

        Raises:
            OSError: It cannot be looked for.
        """
        return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))

    def close(self, *, is_clean: bool = True) -> None:
        """Give the lock back; is_clean says that all that was open was closed as it should be.

        The file stays: removing it would let two programs lock two files of one name.
        """
        if self._descriptor >= 0:
            if is_clean or not self.was_left:
                with contextlib.suppress(OSError):
                    self._put("")
            os.close(self._descriptor)
            self._descriptor = -1

    def _lines(self) -> list[str]:
        with contextlib.suppress(OSError):
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            return os.read(self._descriptor, _LONGEST).decode("ascii", "ignore").split()
        return []

    def _say(self, *, is_open: bool) -> None:
        # The number is for the other's message, and the rest is an aid: a full disk must not keep the library shut.
        with contextlib.suppress(OSError):
            self._put(f"{os.getpid()}\n{_OPEN}\n" if is_open else f"{os.getpid()}\n")

    def _put(self, text: str) -> None:
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text.encode())


def unwritable(folder: Path, error: OSError) -> LibraryError:
    """Return the error for a folder that cannot be made or written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            f"There is no room left on the disk that should hold the library {folder}.",
            "Free some space and try again; nothing that was saved before is lost.",
        )
    if error.errno in _BROKEN:
        return LibraryError(
            f"The disk that holds the library {folder} failed to read or write.",
            "Check that the drive is connected and has room, then try again.",
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
