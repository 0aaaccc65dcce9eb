"""Detection of crashes in native code at the next start.

Each process of the program has a marker file in the log folder while it runs. When native code crashes the process,
Python's faulthandler writes the stack of every thread to it; a process that exits normally deletes its file.
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
"""Name of a child process in the log."""
_SUFFIX = ".running"
_FATAL = ("Fatal Python error", "Windows fatal exception")
_MOST_CHARACTERS = 20_000
_KEPT_SECONDS = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class CrashReport:
    """Crash of a process in native code.

    Attributes:
        program: Name of the process: “window”, the name of a command, “child”.
        at: Time of the crash, as in time.time().
        trace: Stacks of its threads, with files as in redaction.in_code().
    """

    program: str
    at: float
    trace: str


class CrashWatch:
    """Marker file of this process, which exists while the process runs."""

    def __init__(self, program: str) -> None:
        """Create the marker file and enable faulthandler; does nothing if the folder is not writable.

        Args:
            program: Name of this process, in letters, digits and “-”.
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
        """Delete the marker file, because this process exits normally."""
        if self._file is None:
            return
        faulthandler.disable()
        self._file.close()
        self._file = None
        with suppress(OSError):
            delete_file(self._path, within=self._path.parent)


def crash_of(process: int) -> CrashReport | None:
    """Return the crash of an ended child and delete its file; None if it did not crash in native code."""
    found = [_read(path) for path in log_folder().glob(f"*-{process}{_SUFFIX}")]
    return next((crash for crash in found if crash is not None), None)


def last_crash() -> CrashReport | None:
    """Return the newest crash of an ended program and delete the files of all; None if there was none.

    Crashes of children are ignored: each affects only one document, and the parent reports it.
    """
    try:
        paths = list(log_folder().glob(f"*{_SUFFIX}"))
    except OSError:
        return None
    found = [_read(path) for path in paths if not _is_running(path)]
    crashes = [crash for crash in found if crash is not None and time.time() - crash.at < _KEPT_SECONDS]
    return max((one for one in crashes if one.program != CHILD), key=lambda crash: crash.at, default=None)


def log_last_crash() -> CrashReport | None:
    """Return last_crash() and write it to the log."""
    crash = last_crash()
    if crash is not None:
        logger.error("The last run as %s was ended by native code", crash.program, extra={TRACE: crash.trace})
    return crash


def _read(path: Path) -> CrashReport | None:
    """Return the crash in a marker file, None if there is none, and delete the file."""
    try:
        text = path.read_bytes()[:_MOST_CHARACTERS].decode("utf-8", "replace")
        at = path.stat().st_mtime
        delete_file(path, within=log_folder())
    except OSError:
        return None
    if not any(word in text for word in _FATAL):
        return None
    return CrashReport(path.name.rpartition("-")[0], at, "\n".join(_redact_line(line) for line in text.splitlines()))


def _redact_line(line: str) -> str:
    """Return a line of a trace without the names of this machine's folders."""
    before, mark, rest = line.partition('File "')
    file, end, behind = rest.partition('"')
    return f"{before}{mark}{in_code(file)}{end}{behind}" if mark else shortened(line)


def _is_running(path: Path) -> bool:
    number = path.stem.rpartition("-")[2]
    if not number.isdecimal():
        return False
    # psutil is used because Windows has no harmless signal such as 0.
    import psutil

    return psutil.pid_exists(int(number))
