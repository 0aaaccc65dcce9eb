"""An open index file whose reads return the checked content or raise an error.

Index files are not mapped: a sync client, a restore or another program that cuts one short killed the process with
SIGBUS at the next search. They are read into memory of the process instead, and the stamp of the file is compared after
each read: a write whose data a read has seen came before the end of that read, and has changed the stamp.
"""

import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from workbench.errors import IndexUnavailable
from workbench.files.positional import ContentStamp, PositionalFile
from workbench.indexing.base import DAMAGED, REBUILT_FROM_LIBRARY

Stop = Callable[[], bool]
"""Callback that returns True when background work should stop."""

_PIECE = 1 << 20

# Nanoseconds: a file that was written within this time may still be being written.
_RECENT = 1_000_000_000
# Seconds: far longer than one write call takes to replace what it has announced by the stamp.
_A_WRITE = 0.05

# A stamp that no file has; set after a read error.
_FAILED = ContentStamp(-1, -1, -1)


class IndexFileChanged(IndexUnavailable):
    """A file of the index was changed or cut short since it was checked, or cannot be read any more.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(DAMAGED, REBUILT_FROM_LIBRARY)
        self.path = path


class IndexFile:
    """An open file of the index; safe to read from several threads.

    Attributes:
        path: Path that was opened.
        size: Size in bytes at that time.
    """

    def __init__(self, path: Path) -> None:
        """Open the file in its current state.

        Raises:
            OSError: It cannot be opened.
        """
        self.path = path
        self._file = PositionalFile(path)
        self._stamp = self._file.stamp()
        self.size = self._stamp.size

    @property
    def is_changed(self) -> bool:
        """True if the file was changed since it was opened or last verified, or cannot be read."""
        try:
            return self._file.stamp() != self._stamp
        except OSError:
            return True

    @property
    def is_in_place(self) -> bool:
        """True if the path still refers to this file."""
        return self._file.is_in_place

    def read(self, start: int, length: int) -> bytes:
        """Return bytes starting at an offset.

        Raises:
            IndexFileChanged: The file was changed since it was opened or last verified.
        """
        data = bytearray(length)
        self.fill([(memoryview(data), start)])
        return bytes(data)

    def fill(self, pieces: Iterable[tuple[memoryview, int]]) -> None:
        """Fill byte buffers, each starting at an offset.

        Raises:
            IndexFileChanged: The file was changed since it was opened or last verified.
        """
        try:
            for buffer, start in pieces:
                if self._file.read_into(buffer, start) != len(buffer):
                    raise IndexFileChanged(self.path)
            if self._file.stamp() != self._stamp:
                raise IndexFileChanged(self.path)
        except OSError as error:
            self._stamp = _FAILED
            raise IndexFileChanged(self.path) from error

    def is_sound(self, start: int, checksum: int, stop: Stop) -> bool:
        """Return whether the content from an offset on matches the checksum; if so, reads accept the current state.

        The file is read in blocks: 0.1 s for 100 MB. Returns True if it was stopped before the end.

        A write changes the stamp before it changes the content, and stamps have the resolution of the kernel's clock,
        so that the stamp of a moment ago can belong to content that is still being replaced: a recent one is accepted
        only if the content is the same a little later.
        """
        try:
            stamp = self._file.stamp()
            is_recent = abs(time.time_ns() - max(stamp.written, stamp.changed)) < _RECENT
            found = self._checksum(start, stop)
            if is_recent and found == checksum:
                time.sleep(_A_WRITE)
                found = self._checksum(start, stop)
        except OSError:
            return False
        if found == checksum:
            self._stamp = stamp
        return found in (None, checksum)

    def _checksum(self, start: int, stop: Stop) -> int | None:
        """Return the checksum of the content from an offset on; None if it was stopped before the end."""
        found, buffer = 0, memoryview(bytearray(_PIECE))
        while length := self._file.read_into(buffer, start):
            if stop():
                return None
            found, start = zlib.crc32(buffer[:length], found), start + length
        return found
