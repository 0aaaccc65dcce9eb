"""The log: one rotated file for the window, for commands and for their children, and its set-up.

Each record is one write at the end of the file, which the system keeps whole however many programs write. Where the
file has become too large, whoever sees it first moves it aside, under a lock, so that no two do it at once.
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

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NAME = "workbench.log"
MOST_BYTES = 1_000_000
"""Of one file; some thousand lines, weeks of quiet use."""
OLDER = 4
"""How many files are kept beside it: 5 MB in all."""
_FAR_TOO_MANY = 4
_LONGEST_RECORD = 20_000
_CUT = b"\n    [cut]\n"


@cache
def log_folder() -> Path:
    """Return the folder of the log, as the system has one for such files; it need not be there."""
    import platformdirs  # 15 ms that a start without anything to say need not take

    return Path(platformdirs.user_log_dir("knowledge-workbench", appauthor=False))


def log_path() -> Path:
    """Return the file that is written to."""
    return log_folder() / NAME


class _LogLineHandler(logging.Handler):
    """Makes bytes of records; one that cannot be written is left out: nothing stops for the log's sake."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self._program = program

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return _lines(self._program, record)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, as far as that is possible."""
        if not _is_worth_it(record):
            return
        try:
            self._put(f"{self.format(record)}\n".encode("utf-8", "replace"))
        # A log that cannot be written: no room, no permission, no folder. There is nowhere left to say so.
        except (OSError, RuntimeError):
            pass
        except Exception:  # noqa: BLE001 - whatever a record's arguments do, the program goes on
            self.handleError(record)

    def _put(self, data: bytes) -> None:
        """Put the lines of a record where they belong."""
        raise NotImplementedError


class LogFile(_LogLineHandler):
    """Writes records into the log."""

    def __init__(
        self, program: str, folder: Path | None = None, *, most_bytes: int = MOST_BYTES, older: int = OLDER
    ) -> None:
        """Open nothing yet.

        Args:
            program: Who writes, as its lines say it.
            folder: Where the file is; None for the system's own place.
            most_bytes: How large it may become.
            older: How many older ones are kept.
        """
        super().__init__(program)
        self._folder = folder
        self._most_bytes = most_bytes
        self._older = older

    def write(self, data: bytes) -> None:
        """Put lines at the end of the file, which is moved aside first where it has become too large.

        Raises:
            OSError: It cannot be written.
        """
        folder = self._folder or log_folder()
        path = folder / NAME
        descriptor = _opened(path)
        try:
            if os.fstat(descriptor).st_size + len(data) > self._most_bytes:
                os.close(descriptor)
                descriptor = -1  # closed, should opening it anew fail
                with suppress(OSError):
                    # Windows moves no file that a child of some program holds open; it is moved the next time.
                    self._move_aside(folder, len(data))
                descriptor = _opened(path)
            if os.fstat(descriptor).st_size < _FAR_TOO_MANY * self._most_bytes:
                os.write(descriptor, data)
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _put(self, data: bytes) -> None:
        self.write(data if len(data) <= _LONGEST_RECORD else data[:_LONGEST_RECORD] + _CUT)

    def _move_aside(self, folder: Path, coming: int) -> None:
        with _alone(folder) as is_mine:
            path = folder / NAME
            # Another program may have done it while this one waited.
            if not is_mine or path.stat().st_size + coming <= self._most_bytes:
                return
            for number in range(self._older - 1, 0, -1):
                with suppress(FileNotFoundError):
                    older = folder / f"{NAME}.{number + 1}"
                    move_into_place(folder / f"{NAME}.{number}", older, within=folder)
            move_into_place(path, folder / f"{NAME}.1", within=folder)


class InheritedLog(_LogLineHandler):
    """Writes into a log that was opened before its process gave up the right to open files, as a reader's does."""

    def __init__(self, program: str) -> None:
        """Open the log.

        Args:
            program: Who writes, as its lines say it.

        Raises:
            OSError: It cannot be written.
        """
        super().__init__(program)
        self._descriptor = _opened(log_path())

    def _put(self, data: bytes) -> None:
        os.write(self._descriptor, data[:_LONGEST_RECORD])


def last_lines(number: int, folder: Path | None = None) -> list[str]:
    """Return the last lines of the log, the newest last; none where there is no log."""
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


def _is_worth_it(record: logging.LogRecord) -> bool:
    """Whether a record is ours, or a warning: the environment can have other packages tell all that they send."""
    return record.levelno >= logging.WARNING or record.name.partition(".")[0] == "workbench"


def _lines(program: str, record: logging.LogRecord) -> str:
    # Not on the way to the window: only where there is something to say.
    from workbench.logs.formatting import FileLines

    return FileLines(program).format(record)


def _opened(path: Path) -> int:
    # Binary: Windows would write two characters for the end of a line.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folder(path.parent)
        return os.open(path, flags, 0o600)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Hold the lock of the folder; False where another program has it, which then does what there is to do."""
    descriptor = os.open(folder / f"{NAME}.lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(descriptor)


logger = logging.getLogger(__name__)

OURS = "workbench"

_begun: list[logging.Handler] = []


class _Terminal(logging.Handler):
    """Writes to whatever the standard error is by then."""

    def format(self, record: logging.LogRecord) -> str:
        from workbench.logs.formatting import TerminalLines  # not on the way to the window

        return TerminalLines().format(record)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass  # closed, or a window without a terminal, which has none


def set_up_log(program: str) -> None:
    """Write records into the log from now on, and warnings to the terminal as well.

    Args:
        program: What this process is, as its lines say it: “window”, or the name of a command.
    """
    root = logging.getLogger()
    # A program that has set up its own, as that of the tests, keeps it.
    if not root.handlers:
        terminal = _Terminal(logging.WARNING)
        root.addHandler(terminal)
        _begun.append(terminal)
    for handler in list(root.handlers):
        if isinstance(handler, LogFile):
            root.removeHandler(handler)
    root.addHandler(LogFile(program))
    set_detail(more=False)


def start_crash_watch(program: str) -> None:
    """Have a native crash of this process leave its trace for the next start."""
    from workbench.logs.crash_marker import CrashWatch  # not on the way to the window

    CrashWatch(program)
    logger.info("Started, with Python %d.%d.%d", *sys.version_info[:3])


def set_up_child_log() -> None:
    """Do both for a child process, before it gives up the right to open files; what cannot be done is left out."""
    from workbench.logs.crash_marker import CHILD, CrashWatch

    try:
        logging.getLogger().addHandler(InheritedLog(CHILD))
    except (OSError, RuntimeError):
        return
    set_detail(more=False)
    CrashWatch(CHILD)


def log_to_terminal() -> None:
    """Write to the terminal what goes into the log."""
    for handler in _begun:
        handler.setLevel(logging.INFO)


def set_detail(*, more: bool) -> None:
    """Write down more, or the usual again; other packages' loggers stay at warnings whatever is chosen.

    At INFO an HTTP client names the addresses that it asks, with the question in them.
    """
    logging.getLogger(OURS).setLevel(logging.DEBUG if more else logging.INFO)
