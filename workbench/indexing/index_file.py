"""A file of the index that is open: what is read of it is what was in it when it was checked, or an error.

Index files are not mapped: a sync client, a restore or another program that cuts one short killed the process with
SIGBUS at the next search. They are read into memory of the process instead, and each read is followed by a look at the
file's stamp: a write that a read has seen anything of came before the end of that read, and has changed the stamp.
"""

import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from workbench.errors import IndexUnavailable
from workbench.files.positional import ContentStamp, PositionalFile

Stop = Callable[[], bool]
"""Whether work in the background is to end now."""

_PIECE = 1 << 20

# A stamp that no file has: a disk failed.
_FAILED = ContentStamp(-1, -1, -1)


class IndexFileChanged(IndexUnavailable):
    """A file of the index was changed or cut short since it was checked, or cannot be read any more.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__("The search index is damaged.", "The program makes the index anew from the library.")
        self.path = path


class IndexFile:
    """An open file of the index; safe to read from several threads.

    Attributes:
        path: Where it was opened.
        size: Bytes that it had then.
    """

    def __init__(self, path: Path) -> None:
        """Open it, as it is now.

        Raises:
            OSError: It cannot be opened.
        """
        self.path = path
        self._file = PositionalFile(path)
        self._stamp = self._file.stamp()
        self.size = self._stamp.size

    @property
    def is_changed(self) -> bool:
        """Whether anything was done to it since it was opened or last found to be sound."""
        try:
            return self._file.stamp() != self._stamp
        except OSError:
            return True

    @property
    def is_in_place(self) -> bool:
        """Whether its path still leads to it, and not to nothing or to another file."""
        return self._file.is_in_place

    def read(self, start: int, length: int) -> bytes:
        """Return bytes from a place on.

        Raises:
            IndexFileChanged: They are not what was there when the file was opened or last found to be sound.
        """
        data = bytearray(length)
        self.fill([(memoryview(data), start)])
        return bytes(data)

    def fill(self, pieces: Iterable[tuple[memoryview, int]]) -> None:
        """Fill buffers of bytes, each from a place on.

        Raises:
            IndexFileChanged: They are not what was there when the file was opened or last found to be sound.
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
        """Read the whole file; whether the checksum from a place on is what it was. Then reads believe it as it is now.

        Some megabytes are read at a time: 0.1 s for 100 MB. True where it was to stop before it knew.
        """
        try:
            stamp = self._file.stamp()
            found, buffer = 0, memoryview(bytearray(_PIECE))
            while length := self._file.read_into(buffer, start):
                if stop():
                    return True
                found, start = zlib.crc32(buffer[:length], found), start + length
        except OSError:
            return False
        if found == checksum:
            self._stamp = stamp
        return found == checksum
