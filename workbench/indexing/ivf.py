"""Inverted lists (IVF) over one segment: approximate search in rows with 8-bit values, loaded when first needed.

The results are candidates; the segment's own rows give the exact order.
"""

import struct
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.atomic_files import atomic_rewrite
from workbench.indexing.base import REBUILT_FROM_LIBRARY
from workbench.indexing.centres import centres_of, some_of
from workbench.indexing.file_rows import FileRows
from workbench.indexing.flat import Places, Rows, best
from workbench.indexing.index_file import IndexFile, Stop
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


LEAST = 16_384
"""Minimum number of vectors of a segment with lists: comparing this many one by one takes 4 ms."""

# Average vectors per list, and lists that a search reads. Synthetic neighbours of 2,500 real paragraphs,
# 200 real questions, recall@10 and processor time: 65,536 vectors 0.998 and 0.41 ms (16 lists 0.986, 48 lists 0.998 and
# 0.62 ms; 256 vectors a list and 32 of them 0.990 and 0.65 ms); all of them compared exactly take 16 ms.
_EACH, _PROBES = 128, 32
# With a filter, the share of its rows that is read is larger by this factor. 131,072 rows, filtered to one topic of
# eight, which most questions are not about:
# recall@10 0.953, 0.981, 0.990 for 2, 4, 6 in 0.8, 0.9, 1.2 ms; any third of the rows 0.9995.
_WIDER = 4.0
_MOST_LISTS = 1024
_SAMPLE = 48
_PIECE = 8192
_BLOCK = 1 << 22

# Magic with format number, checksum of the segment, number of its vectors; length and checksum of the data before the
# codes, and checksum of everything.
_HEAD = struct.Struct("<8sIQQII")
_MAGIC = b"KWLISTS1"
_START = 64
_OWNER = np.dtype("<u2")


@dataclass(slots=True, eq=False)
class InvertedLists:
    """Inverted lists in an open file, loaded when a search needs them.

    Attributes:
        path: The file.
        file: The open file.
    """

    path: Path
    file: IndexFile
    _owner: NDArray[np.uint16]
    _centres: Rows
    _checksum: int
    _loaded: OnDemandLists

    def nearest(
        self,
        query: NDArray[np.float32],
        k: int,
        *,
        chosen: Places | None = None,
        dead: NDArray[np.bool_] | None = None,
    ) -> tuple[Places, NDArray[np.float32]]:
        """Return the positions and approximate inner products of approximately the k nearest rows, best first.

        Args:
            query: float32 [dim].
            k: Number of rows.
            chosen: Search these rows only; more lists are read so that the recall is as good as without.
            dead: Deleted rows to exclude, if chosen is None.

        Raises:
            IndexFileChanged: The file was changed.
        """
        probes = min(_PROBES, len(self._centres)) if chosen is None else self._probes(query, k, chosen)
        held = ~dead if dead is not None else None
        if chosen is not None:
            held = np.zeros(len(self._owner), np.bool_)
            held[chosen] = True
        selector = None
        if held is not None:
            packed = np.packbits(held, bitorder="little")
            selector = _FAISS.IDSelectorBitmap(len(held), _FAISS.swig_ptr(packed))
        loaded = self._loaded
        places, scores = loaded.search(query, k, probes, selector)
        if loaded.bytes > MOST_BYTES:
            self.release()
        real = (places >= 0) & (places < len(self._owner))
        return places[real], scores[real]

    def is_sound(self, stop: Stop) -> bool:
        """Return whether the whole file matches its checksum; True if it was stopped before the end."""
        return self.file.is_sound(_START, self._checksum, stop)

    def release(self) -> None:
        """Release the memory of the loaded lists."""
        if self._loaded.bytes:
            self._loaded = self._loaded.emptied()

    def _probes(self, query: NDArray[np.float32], k: int, chosen: Places) -> int:
        """Return the number of nearest lists that contain _WIDER times the usual share of the chosen rows."""
        held = np.bincount(self._owner[chosen], minlength=len(self._centres))
        nearest = best(self._centres @ query, len(self._centres))
        share = max(k, len(chosen) * min(1.0, _WIDER * _PROBES / len(self._centres)))
        enough = int(np.searchsorted(np.cumsum(held[nearest]), share)) + 1
        return min(max(enough, _PROBES), len(self._centres))

    @classmethod
    def open(cls, path: Path, *, count: int, checksum: int) -> "InvertedLists":
        """Open a file and check everything except its codes.

        Args:
            path: The file.
            count: Number of vectors in the segment.
            checksum: Checksum of the segment's rows.

        Raises:
            IndexUnavailable: The file is absent, cut short, damaged, or made from another segment.
        """
        try:
            file = IndexFile(path)
            magic, of_segment, vectors, length, of_start, of_all = _HEAD.unpack(file.read(0, _HEAD.size))
        except OSError as error:
            raise IndexUnavailable("The lists of the search index cannot be read.", REBUILT_FROM_LIBRARY) from error
        if magic != _MAGIC or (of_segment, vectors) != (checksum, count):
            raise IndexUnavailable("The lists belong to another search index.", REBUILT_FROM_LIBRARY)
        of_owners = count * _OWNER.itemsize
        if not of_owners <= length <= file.size - _START or zlib.crc32(start := file.read(_START, length)) != of_start:
            raise IndexUnavailable("The lists of the search index are damaged.", REBUILT_FROM_LIBRARY)
        owner = np.frombuffer(start, _OWNER, count).copy()
        try:
            loaded = OnDemandLists(file, _START + of_owners, start[of_owners:], owner)
        except RuntimeError as error:
            raise IndexUnavailable("The lists of the search index are damaged.", REBUILT_FROM_LIBRARY) from error
        return cls(path, file, owner, loaded.centres, of_all, loaded)


def make_lists(path: Path, rows: Rows | FileRows, *, checksum: int, stop: Stop) -> Callable[[], None] | None:
    """Sort the rows of a segment into lists; return a function that writes them to path, None if stopped.

    262,144 vectors take 6 s of one processor; stop() is called every second.
    """
    faiss.omp_set_num_threads(1)
    centres = _centres(rows, stop)
    if centres is None:
        return None
    quantizer = _FAISS.IndexFlatIP(rows.shape[1])
    quantizer.add(centres)
    kind = _FAISS.ScalarQuantizer.QT_8bit
    index = _FAISS.IndexIVFScalarQuantizer(
        quantizer, rows.shape[1], len(centres), kind, _FAISS.METRIC_INNER_PRODUCT, False
    )
    index.train(some_of(rows, _PIECE))
    for start in range(0, len(rows), _PIECE):
        if stop():
            return None
        index.add(rows[start : start + _PIECE])
    owner = np.empty(len(rows), _OWNER)
    for number in range(len(centres)):
        size = index.invlists.list_size(number)
        if size:
            owner[_FAISS.rev_swig_ptr(index.invlists.get_ids(number), size)] = number
    return lambda: _write(path, index, owner, checksum)


def _write(path: Path, index: Any, owner: NDArray[np.uint16], checksum: int) -> None:
    """Write the file so that a kill at any moment leaves no file or a complete one."""
    with atomic_rewrite(path) as file:
        file.write(bytes(_START))
        file.write(owner.data)
        _FAISS.write_index(index, _FAISS.PyCallbackIOWriter(file.write))
        length = file.tell() - _START - len(owner) * (index.code_size + 8)
        file.seek(_START)
        of_start = zlib.crc32(file.read(length))
        of_all = of_start
        while data := file.read(_BLOCK):
            of_all = zlib.crc32(data, of_all)
        file.seek(0)
        file.write(_HEAD.pack(_MAGIC, checksum, len(owner), length, of_start, of_all))


def _centres(rows: Rows | FileRows, stop: Stop) -> Rows | None:
    """Return the centroid of each list, float32 [lists, dim], computed from a sample of the rows."""
    count = 1 << max(1, round(np.log2(len(rows) / _EACH)))
    count = min(count, _MOST_LISTS)
    return centres_of(some_of(rows, _SAMPLE * count), count, stop)
