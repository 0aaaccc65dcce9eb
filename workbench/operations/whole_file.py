"""Writes a file that is there whole or not at all."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from workbench.errors import ExportError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in the place of what is there, and the folders above it.

    Raises:
        ExportError: It cannot be written; what was there stays.
    """
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        with suppress(OSError):  # where a folder of the path is a file, there is nothing to take away either
            partial.unlink(missing_ok=True)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else (error.strerror or str(error))
        raise ExportError(f"“{path}” cannot be written: {reason}.", "Choose another place.") from error
