"""The streams of a compound file (OLE), as old office programs and Outlook write it."""

from collections.abc import Sequence
from typing import Any


def ole_stream(ole: Any, name: str | Sequence[str], most: int) -> bytes | None:
    """Return a stream; None for one that says to be longer than the whole file: its sectors lead in a circle.

    Args:
        ole: olefile's reader.
        name: Of the stream, with those of the storages that it lies in.
        most: Bytes of the file.

    Raises:
        OSError: There is no such stream, or it is damaged.
    """
    if ole.get_size(name) > most:
        return None
    with ole.openstream(name) as stream:
        return bytes(stream.read())
