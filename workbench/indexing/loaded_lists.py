"""Inverted lists that are loaded from their file when a search first needs them."""

import threading
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.index_file import IndexFile
from workbench.system import current

# The type stubs of FAISS cover only the C++ names, not what its Python layer adds.
_FAISS: Any = faiss

_ID_BYTES = 8

MOST_BYTES = 32 << 20
"""Limit for lists kept in memory after a search: 20 searches that read 1.6 MB each and share no list."""


class OnDemandLists:
    """IVF whose memory has the layout of the file and is filled list by list; safe to use from several threads.

    FAISS gets the whole memory at once; the system allocates only pages that are written to. A list that was read is
    never written again, so that searches read it without a lock, even if the file changes.

    Attributes:
        bytes: Number of bytes of the loaded lists.
    """

    def __init__(self, file: IndexFile, start: int, head: bytes | NDArray[np.uint8], owner: NDArray[np.uint16]) -> None:
        """Read the index data that precedes the lists.

        Args:
            file: File with the lists.
            start: Offset of FAISS's index in it.
            head: The data of that index before the lists.
            owner: uint16 [vectors], number of the list of each vector.

        Raises:
            IndexUnavailable: The length of the file does not match the lists.
        """
        self._file, self._start, self._length, self._owner = file, start, len(head), owner
        self._memory = _untouched(file.size - start)
        self._memory[: len(head)] = np.frombuffer(head, np.uint8)
        self._reader = _FAISS.ZeroCopyIOReader(_FAISS.swig_ptr(self._memory), len(self._memory))
        self._index = _FAISS.read_index(self._reader, _FAISS.IO_FLAG_MMAP_IFC)
        sizes = np.bincount(owner, minlength=self._index.nlist)
        lengths = sizes * (self._index.code_size + _ID_BYTES)
        self._ends = len(head) + np.cumsum(lengths)
        self._begins = self._ends - lengths
        if len(sizes) != self._index.nlist or self._ends[-1] != len(self._memory):
            raise IndexUnavailable("The lists of the search index are damaged.")
        self._is_read = np.zeros(len(sizes), np.bool_)
        self._reading = threading.Lock()
        self.bytes = 0

    @property
    def centres(self) -> NDArray[np.float32]:
        """Centroids of the lists, float32 [lists, dim]."""
        centres: NDArray[np.float32] = self._index.quantizer.reconstruct_n(0, self._index.nlist)
        return centres

    def search(
        self, query: NDArray[np.float32], k: int, probes: int, selector: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return ids (-1 for missing results) and approximate inner products of the k nearest, best first.

        Raises:
            IndexFileChanged: The file was changed.
        """
        rows = query.reshape(1, -1)
        products, numbers = self._index.quantizer.search(rows, probes)
        self._read(numbers[0])
        parameters = _FAISS.SearchParametersIVF(nprobe=probes, sel=selector)
        ids, scores = np.empty(k, np.int64), np.empty(k, np.float32)
        pointers = [_FAISS.swig_ptr(array) for array in (rows, numbers, products, scores, ids)]
        # search_preassigned() of the Python layer does not accept search parameters.
        self._index.search_preassigned_c(1, pointers[0], k, *pointers[1:], False, parameters)
        return ids, scores

    def emptied(self) -> "OnDemandLists":
        """Return a copy with no list in memory; running searches continue in this one."""
        return OnDemandLists(self._file, self._start, self._memory[: self._length], self._owner)

    def _read(self, numbers: NDArray[np.int64]) -> None:
        with self._reading:
            lacking = np.sort(numbers[~self._is_read[numbers]])
            if not len(lacking):
                return
            spans = zip(self._begins[lacking].tolist(), self._ends[lacking].tolist(), strict=True)
            view = self._memory.data
            self._file.fill((view[begin:end], self._start + begin) for begin, end in spans if end > begin)
            self._is_read[lacking] = True
            self.bytes += int((self._ends[lacking] - self._begins[lacking]).sum())


def _untouched(size: int) -> NDArray[np.uint8]:
    """Return a byte array whose pages are allocated when they are first written.

    NumPy's own arrays are allocated 2 MB at a time: a first search took 101 ms and 36 MB for its 3 MB of lists.
    """
    memory = current().untouched_memory(size)
    return np.empty(size, np.uint8) if memory is None else np.frombuffer(memory, np.uint8)
