"""Where something stands on its way into the library: a folder of its own, gone when it is in."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import DiskFull, LibraryUnwritable
from workbench.files.changes import delete_folder
from workbench.files.modes import make_folder

if TYPE_CHECKING:
    from workbench.operations.library import Library


def staging_of(library: "Library") -> Path:
    """Return where all of it stands; the next start empties it (tidying.py)."""
    return library.folder / "staging"


@contextlib.contextmanager
def staging_folder(library: "Library") -> Iterator[Path]:
    """Make a folder below the library; it goes with everything in it. Blocking.

    Raises:
        LibraryError: The library cannot be written.
    """
    base = staging_of(library)
    try:
        make_folder(base, inherit=True)
        folder = Path(tempfile.mkdtemp(dir=base))
    except OSError as error:
        raise LibraryUnwritable("The library's folder cannot be written.", "Check its permissions.") from error
    try:
        yield folder
    finally:
        delete_folder(folder, within=library.folder)


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
