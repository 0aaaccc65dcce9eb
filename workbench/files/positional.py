"""A file read at places, by several threads at once, and never mapped: one cut short ends a read, not a program.

A page of a mapped file that another program cut off kills the process that looks at it with SIGBUS, and so does a disk
that fails or is pulled out; here the first is a short read and the second an OSError.
"""

import os
import threading
import weakref
from pathlib import Path
from typing import NamedTuple


class ContentStamp(NamedTuple):
    """What a file system says of the content of a file: every write and every change of length makes another one.

    The time of the last change of the inode is in it, since a program that restores a file may set the time of its
    content back. It changes with permissions and names too, so that another stamp is a reason to look, not a fault.
    """

    size: int
    written: int
    changed: int


class PositionalFile:
    """A file that is open to be read; closed with the last reference to it at the latest.

    Attributes:
        path: Where it was opened.
    """

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            OSError: It cannot be opened.
        """
        self.path = path
        self._number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.close = weakref.finalize(self, os.close, self._number)
        self._seeking = threading.Lock()

    def stamp(self) -> ContentStamp:
        """Return what the file system says of it now: 1 microsecond.

        Raises:
            OSError: It says nothing.
        """
        facts = os.fstat(self._number)
        return ContentStamp(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)

    @property
    def is_in_place(self) -> bool:
        """Whether its path still leads to it, and not to nothing or to another file."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._number))
        except OSError:
            return False

    def read(self, start: int, length: int) -> bytes:
        """Return bytes from a place on, fewer where the file ends before.

        Raises:
            OSError: It cannot be read.
        """
        buffer = bytearray(length)
        return bytes(memoryview(buffer)[: self.read_into(memoryview(buffer), start)])

    def read_into(self, buffer: memoryview, start: int) -> int:
        """Fill a buffer of bytes from a place on; returns how many there were, fewer where the file ends before.

        Raises:
            OSError: It cannot be read.
        """
        # All at once mostly: 1 microsecond for 1.5 KB, and as long again for each look at the buffer.
        done = self.read_some(buffer, start)
        while 0 < done < len(buffer) and (more := self.read_some(buffer[done:], start + done)):
            done += more
        return done

    def read_some(self, buffer: memoryview, start: int) -> int:
        """Fill a buffer, or some of it, from a place on; returns how many bytes, 0 at the end.

        Raises:
            OSError: It cannot be read.
        """
        if hasattr(os, "preadv"):
            return os.preadv(self._number, [buffer], start)
        with self._seeking:  # Windows
            os.lseek(self._number, start, os.SEEK_SET)
            data = os.read(self._number, len(buffer))
        buffer[: len(data)] = data
        return len(data)
