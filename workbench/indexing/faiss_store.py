"""Exact inner-product search with FAISS, kept in a file that is checked before it is believed."""

import contextlib
import logging
import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable

logger = logging.getLogger(__name__)

# Its type stubs know the C++ names only, not what its Python layer adds.
_FAISS: Any = faiss

Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]

# Magic with format number, width, generation, length and checksum of what follows.
_HEADER = struct.Struct("<8sIQQI")
_MAGIC = b"KWFAISS1"
_HINT = "The program makes the index anew from the library on its next start."


class FaissStore:
    """VectorStore over a flat index: no training, no recall lost, 5,000 vectors of 384 in 0.35 ms, 100,000 in 20 ms.

    Searches run side by side; a change waits for them and they for it.
    """

    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._index: Any = faiss.IndexIDMap2(faiss.IndexFlatIP(dim))
        self._held: set[int] = set()
        self._generation = 0
        self._lock = _ReadWriteLock()

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return self._dim

    @property
    def count(self) -> int:
        """How many vectors are held."""
        return len(self._held)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids that are held, in no order."""
        with self._lock.reading():
            return np.fromiter(self._held, np.int64, len(self._held))

    @property
    def generation(self) -> int:
        """The number of the library state that the store agreed with when it was saved."""
        return self._generation

    def upsert(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add vectors float32 [n, dim]; an id that is held already is replaced, of one given twice the last counts.

        Raises:
            IndexUnavailable: A wrong width, not one vector an id, or FAISS failed.
        """
        numbers = np.ascontiguousarray(ids, np.int64)
        rows = np.ascontiguousarray(vectors, np.float32)
        if not len(numbers) and not len(rows):
            return
        if rows.ndim != 2 or rows.shape != (len(numbers), self._dim):
            raise IndexUnavailable(
                f"The search index holds vectors of width {self._dim}, not {rows.shape[-1] if rows.ndim else 0}.",
                "Index the documents again with the present embedding model.",
            )
        # np.unique of the reversed ids gives the last place of each.
        _, last = np.unique(numbers[::-1], return_index=True)
        chosen = np.sort(len(numbers) - 1 - last)
        numbers, rows = numbers[chosen], rows[chosen]
        with self._lock.writing(), _translated():
            self._forget(numbers)
            self._index.add_with_ids(rows, numbers)
            self._held.update(numbers.tolist())

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Forget these ids; those not held are ignored."""
        with self._lock.writing(), _translated():
            self._forget(np.ascontiguousarray(ids, np.int64))

    def search(
        self, vector: NDArray[np.float32], k: int, *, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest, best first.

        Raises:
            IndexUnavailable: A wrong width, or FAISS failed.
        """
        query = np.ascontiguousarray(vector, np.float32).reshape(1, -1)
        if query.shape[1] != self._dim:
            raise IndexUnavailable(
                f"The search index holds vectors of width {self._dim}, not {query.shape[1]}.",
                "Index the documents again with the present embedding model.",
            )
        # A setting of the calling thread. Two threads on a busy machine: 12 ms for 5,000 vectors instead of 0.35 ms.
        faiss.omp_set_num_threads(1)
        with self._lock.reading(), _translated():
            # FAISS pads with -1 beyond what it holds, and wants k > 0.
            limit = min(k, self.count if allowed is None else min(self.count, len(allowed)))
            if limit < 1:
                return np.empty(0, np.int64), np.empty(0, np.float32)
            parameters = None
            if allowed is not None:
                wanted = np.ascontiguousarray(allowed, np.int64)
                selector = faiss.IDSelectorBatch(wanted)
                parameters = _FAISS.SearchParameters(sel=selector)
            scores, found = self._index.search(query, limit, params=parameters)
        is_real = found[0] >= 0
        return found[0][is_real], scores[0][is_real]

    def save(self, path: Path, *, generation: int) -> None:
        """Write to path so that a kill at any moment leaves the old file or the new one.

        Raises:
            IndexUnavailable: The file cannot be written.
        """
        with self._lock.reading(), _translated():
            payload = faiss.serialize_index(self._index).tobytes()
        header = _HEADER.pack(_MAGIC, self._dim, generation, len(payload), zlib.crc32(payload))
        unfinished = path.with_name(path.name + ".new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with unfinished.open("wb") as file:
                file.write(header)
                file.write(payload)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                unfinished.unlink()
            raise IndexUnavailable(
                "The search index could not be saved.", "Free some space; it is made anew on the next start."
            ) from error
        self._generation = generation

    @classmethod
    def load(cls, path: Path) -> "FaissStore":
        """Return the store that was saved to path.

        Raises:
            IndexUnavailable: It is absent, cut short, damaged, or not such a file.
        """
        try:
            data = path.read_bytes()
            magic, dim, generation, length, checksum = _HEADER.unpack_from(data)
        except (OSError, struct.error) as error:
            raise IndexUnavailable("The search index cannot be read.", _HINT) from error
        payload = memoryview(data)[_HEADER.size :]
        if magic != _MAGIC or len(payload) != length or zlib.crc32(payload) != checksum:
            raise IndexUnavailable("The search index is damaged.", _HINT)
        with _translated():
            index = _FAISS.deserialize_index(np.frombuffer(payload, np.uint8))
            store = cls(dim)
            store._index = index
            store._held = set(_FAISS.vector_to_array(index.id_map).tolist())
        store._generation = generation
        return store

    def _forget(self, ids: NDArray[np.int64]) -> None:
        gone = self._held.intersection(ids.tolist())
        if gone:
            self._index.remove_ids(np.fromiter(gone, np.int64, len(gone)))
            self._held -= gone


def open_index(path: Path, *, dim: int, generation: int, rebuild: Callable[[], Vectors]) -> FaissStore:
    """Return the saved index where it agrees with the library, else one made anew and saved.

    Args:
        path: The cache file.
        dim: Width of the embedder's vectors.
        generation: The library's own count of changes to them.
        rebuild: Gives all ids and vectors of the library.

    Raises:
        IndexUnavailable: The vectors of the library do not fit the embedder.
    """
    try:
        store = FaissStore.load(path)
        if store.dim == dim and store.generation == generation:
            return store
        logger.info("The search index is behind the library and is made anew")
    except IndexUnavailable as error:
        logger.info("The search index is made anew: %s", error.message)
    store = FaissStore(dim)
    store.upsert(*rebuild())
    try:
        store.save(path, generation=generation)
    except IndexUnavailable as error:
        # It is only the cache that is missing next time.
        logger.warning("%s", error)
    return store


class _ReadWriteLock:
    """Many readers or one writer; a waiting writer keeps new readers out."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writers_waiting = 0
        self._is_writing = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock beside other readers."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_writing and not self._writers_waiting)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        with self._changed:
            self._writers_waiting += 1
            self._changed.wait_for(lambda: not self._is_writing and not self._readers)
            self._writers_waiting -= 1
            self._is_writing = True
        try:
            yield
        finally:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, MemoryError, AssertionError) as error:
        # FAISS throws RuntimeError from C++ and asserts on shapes in Python.
        raise IndexUnavailable("The search index failed.", _HINT) from error
