"""Where something stands on its way into the library: a folder of its own, gone when it is in."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import DiskFull, LibraryUnwritable
from workbench.operations.library import Library

OLD = 24 * 3600.0
"""Seconds after which a folder cannot belong to anything still on its way: a kill left it."""


@contextlib.contextmanager
def staging_folder(library: Library) -> Iterator[Path]:
    """Make a folder below the library; it goes with everything in it. Blocking.

    Raises:
        LibraryError: The library cannot be written.
    """
    base = library.folder / "staging"
    try:
        base.mkdir(exist_ok=True)
        _drop_old(base)
        folder = Path(tempfile.mkdtemp(dir=base))
    except OSError as error:
        raise LibraryUnwritable("The library's folder cannot be written.", "Check its permissions.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_staged(file: Path, data: bytes) -> Path:
    """Write a staged file; blocking.

    Raises:
        DiskFull: There is no room for it.
    """
    try:
        file.write_bytes(data)
    except OSError as error:
        raise DiskFull("The disk is full: nothing was added.", "Free some space, then try again.") from error
    return file


def _drop_old(base: Path) -> None:
    for folder in base.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > OLD:
                shutil.rmtree(folder, ignore_errors=True)
