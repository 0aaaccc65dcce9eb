"""Rotated log file of the window, commands and their children, and its set-up.

Each record is one appending write, which the system keeps atomic even with several writing processes. The first process
that finds the file too large rotates it, under a lock, so that no two do it at once.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from workbench.files.changes import move_into_place
from workbench.files.modes import make_folder
from workbench.system import current

NAME = "workbench.log"
MOST_BYTES = 1_000_000
"""Maximum size of one file; some thousand lines, weeks of normal use."""
OLDER = 4
"""Number of older files that are kept: 5 MB in all."""
_FAR_TOO_MANY = 4
_LONGEST_RECORD = 20_000
_CUT = b"\n    [cut]\n"


@cache
def log_folder() -> Path:
    """Return the log folder in the system's standard place; it may not exist yet."""
    import platformdirs  # imported here, because a start without log records can save 15 ms

    return Path(platformdirs.user_log_dir("knowledge-workbench", appauthor=False))


def log_path() -> Path:
    """Return the path of the current log file."""
    return log_folder() / NAME


class _LogLineHandler(logging.Handler):
    """Base class of log handlers; a record that cannot be written is dropped, and the program continues."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self._program = program

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return _lines(self._program, record)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record if possible."""
        if not _is_loggable(record):
            return
        try:
            self._put(f"{self.format(record)}\n".encode("utf-8", "replace"))
        # The log cannot be written (no space, no permission, no folder), so the error cannot be logged either.
        except (OSError, RuntimeError):
            pass
        except Exception:  # noqa: BLE001 - a record's arguments may raise anything; the program continues
            self.handleError(record)

    def _put(self, data: bytes) -> None:
        """Write the encoded lines of a record."""
        raise NotImplementedError


class LogFile(_LogLineHandler):
    """Handler that writes records to the log file."""

    def __init__(
        self, program: str, folder: Path | None = None, *, most_bytes: int = MOST_BYTES, older: int = OLDER
    ) -> None:
        """Create a handler without opening the file.

        Args:
            program: Name of this process in the lines.
            folder: Folder of the log; None for the system's standard place.
            most_bytes: Maximum size of the file.
            older: Number of older files that are kept.
        """
        super().__init__(program)
        self._folder = folder
        self._most_bytes = most_bytes
        self._older = older

    def write(self, data: bytes) -> None:
        """Append lines to the file, which is rotated first if it would become too large.

        Raises:
            OSError: It cannot be written.
        """
        folder = self._folder or log_folder()
        path = folder / NAME
        descriptor = _open_log(path)
        try:
            if os.fstat(descriptor).st_size + len(data) > self._most_bytes:
                os.close(descriptor)
                descriptor = -1  # so that it is not closed twice if reopening fails
                with suppress(OSError):
                    # Windows cannot move a file that a child of some program has open; then a later write rotates it.
                    self._rotate(folder, len(data))
                descriptor = _open_log(path)
            if os.fstat(descriptor).st_size < _FAR_TOO_MANY * self._most_bytes:
                os.write(descriptor, data)
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _put(self, data: bytes) -> None:
        self.write(data if len(data) <= _LONGEST_RECORD else data[:_LONGEST_RECORD] + _CUT)

    def _rotate(self, folder: Path, coming: int) -> None:
        with _folder_lock(folder) as is_held:
            path = folder / NAME
            # Another process may have rotated the file in the meantime.
            if not is_held or path.stat().st_size + coming <= self._most_bytes:
                return
            for number in range(self._older - 1, 0, -1):
                with suppress(FileNotFoundError):
                    older = folder / f"{NAME}.{number + 1}"
                    move_into_place(folder / f"{NAME}.{number}", older, within=folder)
            move_into_place(path, folder / f"{NAME}.1", within=folder)


class InheritedLog(_LogLineHandler):
    """Handler with a log file opened before its process gave up the right to open files, as in a child process."""

    def __init__(self, program: str) -> None:
        """Open the log.

        Args:
            program: Name of this process in the lines.

        Raises:
            OSError: The log cannot be opened for writing.
        """
        super().__init__(program)
        self._descriptor = _open_log(log_path())

    def _put(self, data: bytes) -> None:
        os.write(self._descriptor, data[:_LONGEST_RECORD])


def last_lines(number: int, folder: Path | None = None) -> list[str]:
    """Return the last lines of the log, the newest last; empty if there is no log."""
    folder = folder or log_folder()
    lines: list[str] = []
    for name in (NAME, f"{NAME}.1"):
        if len(lines) >= number:
            break
        try:
            with (folder / name).open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - number * 400))
                lines = file.read().decode("utf-8", "replace").splitlines() + lines
        except OSError:
            break
    return lines[-number:]


def _is_loggable(record: logging.LogRecord) -> bool:
    """Return True for our own records and for warnings.

    Other packages' debug output, which environment variables can enable, may contain everything that they send.
    """
    return record.levelno >= logging.WARNING or record.name.partition(".")[0] == "workbench"


def _lines(program: str, record: logging.LogRecord) -> str:
    # Imported at the first record, because the window's start does not need it.
    from workbench.logs.formatting import FileLines

    return FileLines(program).format(record)


def _open_log(path: Path) -> int:
    # Binary mode, because in text mode Windows writes two characters for a line end.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folder(path.parent)
        return os.open(path, flags, 0o600)


@contextmanager
def _folder_lock(folder: Path) -> Iterator[bool]:
    """Hold the lock of the folder; yields False if another process holds it, which then rotates the file."""
    descriptor = os.open(folder / f"{NAME}.lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        current().lock(descriptor)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(descriptor)


logger = logging.getLogger(__name__)

OURS = "workbench"

_terminal_handlers: list[logging.Handler] = []


class _Terminal(logging.Handler):
    """Handler that writes to the current sys.stderr."""

    def format(self, record: logging.LogRecord) -> str:
        from workbench.logs.formatting import TerminalLines  # imported here: the window's start does not need it

        return TerminalLines().format(record)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass  # closed, or None in a window without a terminal


def set_up_log(program: str) -> None:
    """Set up logging: records go to the log file, warnings also to the terminal.

    Args:
        program: Name of this process in the lines: “window”, or the name of a command.
    """
    root = logging.getLogger()
    # A program with its own handlers, such as the test runner, keeps them.
    if not root.handlers:
        terminal = _Terminal(logging.WARNING)
        root.addHandler(terminal)
        _terminal_handlers.append(terminal)
    for handler in list(root.handlers):
        if isinstance(handler, LogFile):
            root.removeHandler(handler)
    root.addHandler(LogFile(program))
    set_detail(more=False)


def start_crash_watch(program: str) -> None:
    """Start recording a crash of this process in native code, for the next start."""
    from workbench.logs.crash_marker import CrashWatch  # imported here: the window's start does not need it

    CrashWatch(program)
    logger.info("Started, with Python %d.%d.%d", *sys.version_info[:3])


def set_up_child_log() -> None:
    """Set up log and crash watch of a child process, before it gives up the right to open files.

    If the log cannot be opened, the child runs without both.
    """
    from workbench.logs.crash_marker import CHILD, CrashWatch

    try:
        logging.getLogger().addHandler(InheritedLog(CHILD))
    except (OSError, RuntimeError):
        return
    set_detail(more=False)
    CrashWatch(CHILD)


def log_to_terminal() -> None:
    """Write INFO records to the terminal, too."""
    for handler in _terminal_handlers:
        handler.setLevel(logging.INFO)


def set_detail(*, more: bool) -> None:
    """Set our own loggers to DEBUG or back to INFO; other packages' loggers stay at WARNING.

    At INFO an HTTP client logs the addresses that it requests, which can contain the question.
    """
    logging.getLogger(OURS).setLevel(logging.DEBUG if more else logging.INFO)
