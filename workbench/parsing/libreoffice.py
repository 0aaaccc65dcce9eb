"""Conversion by LibreOffice, if installed, in a separate process that reads a copy and ends with ours."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import DamagedDocument, ParserTimedOut
from workbench.files.changes import move_into_place, temporary_folder
from workbench.language import in_seconds
from workbench.system import current, existing
from workbench.worker.programs import ProgramTimedOut, run_program

SHARE = 5 / 6
"""Share of the time limit of the parser process that a conversion may take, so that the reason can still be reported.
"""

SECONDS = SHARE * 120
"""Maximum time of a conversion unless allow_seconds() sets another one."""

_allowed = [SECONDS]

_ONCE_MORE = 81
"""Exit code with which it requests a restart after creating its profile."""
_MOST_STARTS = 3

NAMES = ("soffice", "libreoffice")
"""Names of the program."""


def find_libreoffice() -> Path | None:
    """Return the path of the program, or None if it is not installed."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    place = existing(current().libreoffice)
    return Path(place) if place is not None else None


@contextmanager
def allow_seconds(seconds: float) -> Iterator[None]:
    """Adapt the maximum time of conversions inside this context to the time limit of this parser process."""
    before, _allowed[0] = _allowed[0], SHARE * seconds
    try:
        yield
    finally:
        _allowed[0] = before


@contextmanager
def converted(program: Path, path: Path, suffix: str, *, seconds: float | None = None) -> Iterator[Path]:
    """Yield a file converted to another format; it is deleted at the end.

    Args:
        program: Result of find_libreoffice().
        path: The file.
        suffix: Suffix of the new format, without the dot.
        seconds: Maximum time of the conversion; that of allow_seconds() if None.

    Raises:
        ParserTimedOut: It took longer.
        DamagedDocument: There is no output.
    """
    seconds = _allowed[0] if seconds is None else seconds
    with temporary_folder("workbench-") as folder:
        source = folder / f"source{path.suffix.lower()}"
        shutil.copyfile(path, source)
        try:
            _convert(program, source, suffix, seconds)
        except ProgramTimedOut as error:
            raise ParserTimedOut(
                f"LibreOffice took longer than {in_seconds(seconds)} to convert the file.",
                "Try it again with more time, as its menu offers, or save it as .docx, .pptx or .xlsx and add that.",
            ) from error
        target = folder / f"source.{suffix}"
        if not target.is_file() or not target.stat().st_size:
            raise DamagedDocument(
                "LibreOffice cannot read the file: it is damaged.",
                "Try to open it in its own program and save it again.",
            )
        yield target


def _convert(program: Path, source: Path, suffix: str, seconds: float) -> None:
    folder = source.parent
    options = ("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard")
    until = time.monotonic() + seconds
    for start in range(_MOST_STARTS):
        # A separate profile: with the user's, a window that is open already would receive the request and never answer.
        profile = folder / f"profile{start}"
        if start:
            # A new name each time: the lock is named after the profile and is not released in a parser process.
            move_into_place(folder / f"profile{start - 1}", profile, within=folder)
        own = f"-env:UserInstallation={profile.as_uri()}"
        name = str(current().direct_program(program))
        command = [name, own, *options, "--convert-to", suffix, "--outdir", str(folder), str(source)]
        left = max(0.1, until - time.monotonic())
        ran = run_program(command, folder, seconds=left, environment=_environment(str(folder)))
        if ran.code != _ONCE_MORE or not profile.is_dir():
            return


def _environment(folder: str) -> dict[str, str]:
    """Return variables that prevent the use of a display and of the user's own folders."""
    own = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), folder)
    return {"SAL_USE_VCLPLUGIN": "svp", **own}
