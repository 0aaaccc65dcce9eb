"""How runs of the program ended: what the system's own end of a process leaves behind, found by the next start.

Each program and child has a file in the folder of the log while it runs. When native code ends the process, Python's
faulthandler writes there what every thread was doing; a program that ends by itself takes its file away.
"""

import atexit
import faulthandler
import logging
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workbench.files.changes import delete_file
from workbench.files.modes import make_folder, new_file
from workbench.logs.formatting import TRACE
from workbench.logs.log_file import log_folder
from workbench.logs.redaction import in_code, shortened

logger = logging.getLogger(__name__)

CHILD = "child"
"""What a child process is called in the log."""
_SUFFIX = ".running"
_FATAL = ("Fatal Python error", "Windows fatal exception")
_MOST_CHARACTERS = 20_000
_KEPT_SECONDS = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class CrashReport:
    """A run that native code ended.

    Attributes:
        program: What it was: “window”, the name of a command, “reader”.
        at: When, as time.time() counts.
        trace: What its threads were doing, with files as places.in_code() names them.
    """

    program: str
    at: float
    trace: str


class CrashWatch:
    """Keeps the file of this process while it runs."""

    def __init__(self, program: str) -> None:
        """Begin; nothing is watched where the folder cannot be written.

        Args:
            program: What this process is, in letters, digits and “-”.
        """
        self._file: IO[str] | None = None
        path = log_folder() / f"{program}-{os.getpid()}{_SUFFIX}"
        try:
            make_folder(path.parent)
            new_file(path)
            self._file = path.open("w", encoding="utf-8")
        except OSError:
            return
        self._path = path
        faulthandler.enable(self._file)
        atexit.register(self.end)

    def end(self) -> None:
        """Say that this process ends by itself."""
        if self._file is None:
            return
        faulthandler.disable()
        self._file.close()
        self._file = None
        with suppress(OSError):
            delete_file(self._path, within=self._path.parent)


def crash_of(process: int) -> CrashReport | None:
    """Return how a child ended that is no more, and forget it; None where native code did not end it."""
    found = [_read(path) for path in log_folder().glob(f"*-{process}{_SUFFIX}")]
    return next((crash for crash in found if crash is not None), None)


def last_crash() -> CrashReport | None:
    """Return the newest crash of a program that is no more, and forget all of them; None where there was none.

    That of a child is its parent's to tell: it ended one document, and nothing else.
    """
    try:
        paths = list(log_folder().glob(f"*{_SUFFIX}"))
    except OSError:
        return None
    found = [_read(path) for path in paths if not _is_running(path)]
    crashes = [crash for crash in found if crash is not None and time.time() - crash.at < _KEPT_SECONDS]
    return max((one for one in crashes if one.program != CHILD), key=lambda crash: crash.at, default=None)


def log_last_crash() -> CrashReport | None:
    """Return what last_crash() does, written into the log as well."""
    crash = last_crash()
    if crash is not None:
        logger.error("The last run as %s was ended by native code", crash.program, extra={TRACE: crash.trace})
    return crash


def _read(path: Path) -> CrashReport | None:
    """Return what a file tells, and delete it."""
    try:
        text = path.read_bytes()[:_MOST_CHARACTERS].decode("utf-8", "replace")
        at = path.stat().st_mtime
        delete_file(path, within=log_folder())
    except OSError:
        return None
    if not any(word in text for word in _FATAL):
        return None
    return CrashReport(path.name.rpartition("-")[0], at, "\n".join(_line(line) for line in text.splitlines()))


def _line(line: str) -> str:
    """Return a line of a trace without how the machine's folders are called."""
    before, mark, rest = line.partition('File "')
    file, end, behind = rest.partition('"')
    return f"{before}{mark}{in_code(file)}{end}{behind}" if mark else shortened(line)


def _is_running(path: Path) -> bool:
    number = path.stem.rpartition("-")[2]
    if not number.isdecimal():
        return False
    # Windows has no harmless signal to ask with.
    import psutil

    return psutil.pid_exists(int(number))
