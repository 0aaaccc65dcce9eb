"""Atomic writing of files, with errors for the user."""

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


def write_atomically(path: Path, content: bytes, unfinished: TempFiles) -> None:
    """Write a file atomically, replacing an existing one, and create the folders above it.

    Args:
        path: The file.
        content: The new content.
        unfinished: Temporary files of the library; the file is written there first.

    Raises:
        ExportError: The file cannot be written; an existing file stays.
    """
    with atomic_file(path, unfinished) as partial:
        partial.write_bytes(content)


@contextmanager
def atomic_file(path: Path, unfinished: TempFiles) -> Iterator[Path]:
    """Yield the path of a temporary file that replaces the file on success and is deleted on failure.

    The temporary file is flushed to the disk first, so that after a power cut either the old or the new file is there.

    Args:
        path: The file.
        unfinished: Temporary files of the library, one of which is yielded.

    Raises:
        ExportError: The file cannot be written; an existing file stays.
    """
    try:
        make_folder(path.parent)
        with unfinished.partial_file(path) as partial:
            yield partial
            fsync_file(partial)
            replace_chosen_file(partial, path)
            fsync_folder(path.parent)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = mark("the disk is full") if full else (error.strerror or str(error))
        raise ExportError(f"“{path}” cannot be written: {reason}.", "Choose another place.") from error
