"""Thread-safe positional reads of a file without mapping it into memory.

Accessing a page of a mapped file kills the process with SIGBUS if another program has truncated the file, or if the
disk fails or is removed. With reads, the first is a short read and the second an OSError.
"""

import os
import threading
import weakref
from pathlib import Path
from typing import NamedTuple


class ContentStamp(NamedTuple):
    """Stamp of a file's content from the file system; it changes with every write and every change of length.

    It includes the inode change time, because a program that restores a file may reset its modification time. That time
    also changes with permissions and names, so a different stamp only means that the content must be checked.
    """

    size: int
    written: int
    changed: int


class PositionalFile:
    """File that is open for reading; closed at the latest when the object is garbage-collected.

    Attributes:
        path: Path by which it was opened.
    """

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            OSError: It cannot be opened.
        """
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.close = weakref.finalize(self, os.close, self._descriptor)
        self._seek_lock = threading.Lock()

    def stamp(self) -> ContentStamp:
        """Return the current stamp of the file; takes 1 microsecond.

        Raises:
            OSError: The file's status cannot be read.
        """
        facts = os.fstat(self._descriptor)
        return ContentStamp(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)

    @property
    def is_in_place(self) -> bool:
        """True if the path still refers to this file."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._descriptor))
        except OSError:
            return False

    def read(self, start: int, length: int) -> bytes:
        """Return length bytes from offset start, fewer at the end of the file.

        Raises:
            OSError: It cannot be read.
        """
        buffer = bytearray(length)
        return bytes(memoryview(buffer)[: self.read_into(memoryview(buffer), start)])

    def read_into(self, buffer: memoryview, start: int) -> int:
        """Fill a buffer from offset start; return the number of bytes, fewer than its size at the end of the file.

        Raises:
            OSError: It cannot be read.
        """
        # One read is usually enough: 1 microsecond for 1.5 KB; slicing the buffer would take as long again.
        done = self.read_some(buffer, start)
        while 0 < done < len(buffer) and (more := self.read_some(buffer[done:], start + done)):
            done += more
        return done

    def read_some(self, buffer: memoryview, start: int) -> int:
        """Fill all or part of a buffer from offset start; return the number of bytes, 0 at the end of the file.

        Raises:
            OSError: It cannot be read.
        """
        if hasattr(os, "preadv"):
            return os.preadv(self._descriptor, [buffer], start)
        with self._seek_lock:  # Windows
            os.lseek(self._descriptor, start, os.SEEK_SET)
            data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)
