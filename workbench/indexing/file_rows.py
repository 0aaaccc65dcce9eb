"""Vectors that stay in their file and are read when a search needs them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.index_file import IndexFile

_VALUE = np.dtype("<f4")

# If positions are farther apart than this on average, each row is read separately: 2 microseconds for 1.5 KB.
_NEAR = 4
_PIECE = 2048


class FileRows:
    """Rows of a file, indexed like an array: by a slice or by ascending positions.

    Attributes:
        shape: Number of rows and their width.
    """

    def __init__(self, file: IndexFile, start: int, shape: tuple[int, int]) -> None:
        """Take the file, the offset of the first row in it, and the shape."""
        self.shape = shape
        self._file = file
        self._start = start
        self._bytes = shape[1] * _VALUE.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, wanted: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the selected rows, float32 [n, width].

        Args:
            wanted: A slice without a step, or positions int64 [n], ascending.

        Raises:
            IndexFileChanged: The file was changed.
        """
        if isinstance(wanted, slice):
            first, last, _ = wanted.indices(len(self))
            return self._between(first, max(first, last))
        if not len(wanted):
            return self._between(0, 0)
        first, last = int(wanted[0]), int(wanted[-1]) + 1
        if last - first == len(wanted):
            return self._between(first, last)
        rows = np.empty((len(wanted), self.shape[1]), _VALUE)
        for start in range(0, len(wanted), _PIECE):
            some, piece = wanted[start : start + _PIECE], rows[start : start + _PIECE]
            first, last = int(some[0]), int(some[-1]) + 1
            if last - first < len(some) * _NEAR:
                piece[:] = self._between(first, last)[some - first]
            else:
                self._file.fill(self._runs(some, piece))
        return rows

    def _between(self, first: int, last: int) -> NDArray[np.float32]:
        rows = np.empty((last - first, self.shape[1]), _VALUE)
        if len(rows):
            self._file.fill([(rows.data.cast("B"), self._start + first * self._bytes)])
        return rows

    def _runs(self, wanted: NDArray[np.int64], rows: NDArray[np.float32]) -> Iterator[tuple[memoryview, int]]:
        """Yield the buffer and the file offset of each run of consecutive rows."""
        size, view = self._bytes, rows.data.cast("B")
        begins = np.flatnonzero(np.diff(wanted, prepend=-2) != 1)
        ends = np.append(begins[1:], len(wanted))
        starts = self._start + wanted[begins] * size
        for begin, end, start in zip((begins * size).tolist(), (ends * size).tolist(), starts.tolist(), strict=True):
            yield view[begin:end], start
