"""Conversion by LibreOffice, where it is installed: in a process of its own that ends with ours."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from workbench.errors import DamagedDocument, ParserTimedOut

SECONDS = 100.0
"""Below the usual limit of the child process (120 s), so that the reason can still be said."""

_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.exe",
    r"C:\Program Files (x86)\LibreOffice\program\soffice.exe",
)

_GUARDED = 'exec 3<&0; { read -r _ <&3; kill -KILL 0; } & exec "$@" </dev/null 3<&-'
"""A shell that runs the converter and kills the whole group when the pipe to us closes: when our process was killed
there is nobody else to do it."""


def find_libreoffice() -> Path | None:
    """Return the program that converts, or None where it is not installed."""
    for name in ("soffice", "libreoffice"):
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
    with tempfile.TemporaryDirectory(prefix="workbench-", ignore_cleanup_errors=True) as folder:
        # A profile of its own: with the user's, a window that is open already would take the order and never answer.
        profile = Path(folder, "profile")
        source = Path(folder, f"source{path.suffix.lower()}")
        shutil.copyfile(path, source)
        options = ("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard")
        command = [str(program), f"-env:UserInstallation={profile.as_uri()}", *options]
        _run([*command, "--convert-to", suffix, "--outdir", folder, str(source)], seconds)
        target = Path(folder, f"source.{suffix}")
        if not target.is_file() or not target.stat().st_size:
            raise DamagedDocument(
                "LibreOffice cannot read the file: it is damaged.",
                "Try to open it in its own program and save it again.",
            )
        yield target


def _run(command: list[str], seconds: float) -> None:
    guarded = command if sys.platform == "win32" else ["/bin/sh", "-c", _GUARDED, "sh", *command]
    process = subprocess.Popen(
        guarded,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "SAL_USE_VCLPLUGIN": "svp"},
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired as error:
        raise ParserTimedOut(
            f"LibreOffice took longer than {seconds:g} seconds to convert the file.",
            "Save it in the format of today, as .docx or .pptx, and add that.",
        ) from error
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the converter with everything it started."""
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    if process.stdin is not None:
        process.stdin.close()
    process.kill()
    process.wait()
