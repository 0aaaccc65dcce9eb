"""Writes a file that is there whole or not at all."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import ExportError
from workbench.files.changes import replace_chosen_file
from workbench.files.modes import make_folder
from workbench.indexing.atomic_files import fsync_file, fsync_folder
from workbench.language import mark
from workbench.operations.imports.temp_files import TempFiles


def write_whole(path: Path, content: bytes, unfinished: TempFiles) -> None:
    """Write a file in the place of what is there, and the folders above it.

    Args:
        path: The file.
        content: What it is to hold.
        unfinished: The library's, which lends the place where it is written.

    Raises:
        ExportError: It cannot be written; what was there stays.
    """
    with whole(path, unfinished) as partial:
        partial.write_bytes(content)


@contextmanager
def whole(path: Path, unfinished: TempFiles) -> Iterator[Path]:
    """Lend the path of a file that takes the place of another once it is written; if it is not, nothing is left of it.

    What was written is on the disk before it takes that place, so that a power cut leaves the one or the other.

    Args:
        path: The file.
        unfinished: The library's, which lends the place where it is written.

    Raises:
        ExportError: It cannot be written; what was there stays.
    """
    try:
        make_folder(path.parent)
        with unfinished.beside(path) as partial:
            yield partial
            fsync_file(partial)
            replace_chosen_file(partial, path)
            fsync_folder(path.parent)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = mark("the disk is full") if full else (error.strerror or str(error))
        raise ExportError(f"“{path}” cannot be written: {reason}.", "Choose another place.") from error
