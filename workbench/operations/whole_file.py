"""Writes a file that is there whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.errors import ExportError
from workbench.language import mark


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in the place of what is there, and the folders above it.

    Raises:
        ExportError: It cannot be written; what was there stays.
    """
    with whole(path) as partial:
        partial.write_bytes(content)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Lend the path of a file that takes the place of another once it is written; if it is not, nothing is left of it.

    Raises:
        ExportError: It cannot be written; what was there stays.
    """
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        os.replace(partial, path)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = mark("the disk is full") if full else (error.strerror or str(error))
        raise ExportError(f"“{path}” cannot be written: {reason}.", "Choose another place.") from error
    finally:
        with suppress(OSError):  # where a folder of the path is a file, there is nothing to take away either
            partial.unlink(missing_ok=True)
