"""Lock for the single writer of a library folder, held by the operating system, so a killed program leaves none."""

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DiskFull, LibraryError, LibraryLocked, LibraryUnwritable
from workbench.files.modes import LOCK_NAME, new_file
from workbench.language import mark
from workbench.system import current

# Windows locks byte ranges; a byte far after the process number leaves the number readable for other programs.
_LOCKED_BYTE = 0x40000000

# Line below the process number until the library is closed properly.
_OPEN = "open"
_LONGEST = 64
WINDOW = "window"
"""Name of the window in the lock file; a command uses its own name, a script PYTHON."""
PYTHON = "python"
# Errors of file systems without locks; a lock that is held causes another error.
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
# The drive is disconnected or broken: this is not a matter of permissions.
_BROKEN = {errno.EIO, errno.ENXIO, errno.ENODEV, errno.ESTALE}


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Program that has a library open to write.

    Attributes:
        process: Its process number.
        program: WINDOW, PYTHON, or the name of a command; empty for an earlier version.
    """

    process: int
    program: str

    def __str__(self) -> str:
        if self.program in (WINDOW, ""):
            return f"another window (process {self.process})"
        if self.program == PYTHON:
            return f"another program (process {self.process})"
        return f"“workbench {self.program}” (process {self.process})"


class LibraryLock:
    """Lock on library.lock until close(); the file contains the holder's process number for messages of other programs.

    Attributes:
        was_left: The program that last had the library open was killed, or the computer stopped.
    """

    def __init__(self, folder: Path, program: str = WINDOW) -> None:
        """Acquire the lock.

        Args:
            folder: The library folder.
            program: Name of the holder, one word: WINDOW, PYTHON, or the name of a command.

        Raises:
            LibraryLocked: Another window or program has it.
            LibraryUnwritable: The file cannot be created.
        """
        self._path = folder / LOCK_NAME
        self._program = program
        try:
            new_file(self._path)
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            holder = _holder(_lines_of(self._descriptor))
            os.close(self._descriptor)
            if error.errno in _NO_LOCKS:
                raise LibraryUnwritable(
                    f"The disk that holds the library {folder} cannot keep two programs from writing at once.",
                    "Choose a folder on a disk of this computer.",
                ) from error
            raise locked_by(folder, holder, mark("Close it there first, or choose another library folder.")) from error
        self.was_left = _OPEN in self._lines()
        self._write_holder(is_open=self.was_left)

    def note_open(self) -> None:
        """Record that a log next to the database must be closed."""
        self._write_holder(is_open=True)

    def note_closed(self) -> None:
        """Record that everything is written; a kill from now on interrupts nothing."""
        self._write_holder(is_open=False)

    def is_in_place(self) -> bool:
        """Return whether the locked file is still the one at its path in the folder.

        Raises:
            OSError: The path cannot be accessed.
        """
        return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))

    def close(self, *, is_clean: bool = True) -> None:
        """Release the lock; is_clean states that the library was closed properly.

        The file stays: deleting it would let two programs lock two different files of the same name.
        """
        if self._descriptor >= 0:
            if is_clean or not self.was_left:
                with contextlib.suppress(OSError):
                    self._put("")
            os.close(self._descriptor)
            self._descriptor = -1

    def _lines(self) -> list[str]:
        return _lines_of(self._descriptor)

    def _write_holder(self, *, is_open: bool) -> None:
        # The content is only needed for messages and as an aid, so a full disk must not block the library.
        with contextlib.suppress(OSError):
            open_line = f"{_OPEN}\n" if is_open else ""
            self._put(f"{os.getpid()}\n{open_line}{self._program}\n")

    def _put(self, text: str) -> None:
        # Truncate last: another program that reads meanwhile must not find an empty file without a holder.
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text.encode())
        os.ftruncate(self._descriptor, len(text.encode()))


def locked_by(folder: Path, holder: LockHolder | None, hint: str) -> LibraryLocked:
    """Return the error for a library that another program has open; its sentences are translated as a whole."""
    if holder is None:
        return LibraryLocked(f"The library {folder} is open in another window.", hint)
    process = holder.process
    if holder.program in (WINDOW, ""):
        return LibraryLocked(f"The library {folder} is open in another window (process {process}).", hint)
    if holder.program == PYTHON:
        return LibraryLocked(f"The library {folder} is open in another program (process {process}).", hint)
    return LibraryLocked(f"The library {folder} is open in “workbench {holder.program}” (process {process}).", hint)


def holder_of(folder: Path) -> LockHolder | None:
    """Return the program named in the lock file as having the library open to write; None if there is none.

    The lock itself is not tried, because that would deny it to a program that starts at this moment.
    """
    holder = _holder(_lines_in(folder))
    if holder is None:
        return None
    import psutil  # takes 20 ms, needed only if a change is refused

    # A killed program leaves the number of a process that no longer exists.
    return holder if psutil.pid_exists(holder.process) else None


def is_open_noted(folder: Path) -> bool:
    """Return whether a program has the library in a folder open to write, or was killed while it had."""
    return _OPEN in _lines_in(folder)


def shared_lock(folder: Path) -> int | None:
    """Return a descriptor that blocks the lock while it is open; None if it is held, missing or unsupported.

    It is for libraries that the reader cannot write, but other programs perhaps can.
    """
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY)
    except OSError:
        return None
    if current().lock_shared(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _lines_in(folder: Path) -> list[str]:
    with contextlib.suppress(OSError):
        descriptor = os.open(folder / LOCK_NAME, os.O_RDONLY)
        try:
            return _lines_of(descriptor)
        finally:
            os.close(descriptor)
    return []


def _lines_of(descriptor: int) -> list[str]:
    with contextlib.suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        return os.read(descriptor, _LONGEST).decode("ascii", "ignore").split()
    return []


def _holder(lines: list[str]) -> LockHolder | None:
    process, *more = lines or [""]
    if not process.isdigit():
        return None
    return LockHolder(int(process), next((one for one in more if one != _OPEN), ""))


def unwritable(folder: Path, error: OSError) -> LibraryError:
    """Return the error for a folder that cannot be created or written."""
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
    current().lock(descriptor, _LOCKED_BYTE)
