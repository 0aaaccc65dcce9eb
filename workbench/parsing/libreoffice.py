"""Conversion by LibreOffice, where it is installed: a process of its own that sees a copy and ends with ours."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import DamagedDocument, ParserTimedOut
from workbench.files.changes import move_into_place, temporary_folder
from workbench.language import in_seconds
from workbench.worker.programs import ProgramTimedOut, run_program

SECONDS = 100.0
"""Below the usual limit of the child process (120 s), so that the reason can still be said."""

_ONCE_MORE = 81
"""The exit code with which it asks to be started again: it has made its profile."""
_MOST_STARTS = 3

NAMES = ("soffice", "libreoffice")
"""Of the program."""

_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.exe",
    r"C:\Program Files (x86)\LibreOffice\program\soffice.exe",
)


def find_libreoffice() -> Path | None:
    """Return the program that converts, or None where it is not installed."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    return next((Path(place) for place in _PLACES if Path(place).is_file()), None)


@contextmanager
def converted(program: Path, path: Path, suffix: str, *, seconds: float = SECONDS) -> Iterator[Path]:
    """Give a file converted to another format; it is deleted at the end.

    Args:
        program: As find_libreoffice returns it.
        path: The file.
        suffix: Of the new format, without the dot.
        seconds: How long the conversion may take.

    Raises:
        ParserTimedOut: It took longer.
        DamagedDocument: Nothing came of it.
    """
    with temporary_folder("workbench-") as folder:
        source = folder / f"source{path.suffix.lower()}"
        shutil.copyfile(path, source)
        try:
            _convert(program, source, suffix, seconds)
        except ProgramTimedOut as error:
            raise ParserTimedOut(
                f"LibreOffice took longer than {in_seconds(seconds)} to convert the file.",
                "Save it in the format of today, as .docx or .pptx, and add that.",
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
        # A profile of its own: with the user's, a window that is open already would take the order and never answer.
        profile = folder / f"profile{start}"
        if start:
            # By another name each time: what is named after it was locked, and is not given free in a reader.
            move_into_place(folder / f"profile{start - 1}", profile, within=folder)
        own = f"-env:UserInstallation={profile.as_uri()}"
        command = [str(_itself(program)), own, *options, "--convert-to", suffix, "--outdir", str(folder), str(source)]
        left = max(0.1, until - time.monotonic())
        ran = run_program(command, folder, seconds=left, environment=_environment(str(folder)))
        if ran.code != _ONCE_MORE or not profile.is_dir():
            return


def _itself(program: Path) -> Path:
    """Return the program that its starter starts, where it is: the starter would start it anew under the same lock."""
    real = program.resolve().with_name("soffice.bin")
    return real if sys.platform == "linux" and real.is_file() else program


def _environment(folder: str) -> dict[str, str]:
    """Return what keeps it from a display, and from the user's own folders."""
    own = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), folder)
    return {"SAL_USE_VCLPLUGIN": "svp", **own}
