"""A program whose index files are damaged by another program while threads search them; SIGBUS would end it.

python damaged_index.py FOLDER DAMAGE
"""

import os
import sys
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.indexing import faiss_store, ivf, segment
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.saved_index import SelfRepairingIndex, follow

COUNT, DIM = 6000, 32
IDS = np.arange(COUNT, dtype=np.int64)
ROWS = np.random.default_rng(0).standard_normal((COUNT, DIM)).astype(np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)
SEARCHES = 30
"""Searches of each thread after a damage."""


def damage(path: Path, how: str) -> None:
    """Damage a file as a sync client, a restore or a full disk does; the name keeps the same inode."""
    size = path.stat().st_size
    if how in ("emptied", "halved"):
        os.truncate(path, size // 2 if how == "halved" else 0)
        return
    with path.open("r+b") as file:
        file.write(bytes(size) if how == "zeros" else os.urandom(size))


class Searching(threading.Thread):
    """Searches until stopped, and fails if a result is not the library's."""

    def __init__(self, index: SelfRepairingIndex, first: int) -> None:
        super().__init__(daemon=True)  # an error in one thread ends the program
        self._index, self._row = index, first
        self.fault = ""
        self.enough = threading.Semaphore(0)
        self.ending = False

    def run(self) -> None:
        try:
            while not self.ending:
                self._row = (self._row + 101) % COUNT
                ids, products = self._index.search(ROWS[self._row], 10)
                assert ids[0] == self._row
                np.testing.assert_allclose(products, ROWS[ids] @ ROWS[self._row], atol=1e-5)
                self.enough.release()
        except BaseException as error:
            self.fault = repr(error)
            self.ending = True
            self.enough.release(SEARCHES)
            raise


def fetch(ids: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    return np.array(ids, np.int64), ROWS[ids]


def main(folder: Path, how: str, least: int) -> None:
    """Damage each kind of file in turn; searches and later saves must still contain the original vectors."""
    segment.LEAST, faiss_store.LEAST, segment._FEW, ivf._PROBES = least, 1000, 100, 8
    store = FaissStore(DIM, folder)
    store.upsert(IDS, ROWS)
    mending = threading.Lock()

    def mend() -> None:
        with mending:
            follow(store, IDS, fetch)

    for kind in ("*.vectors", "*.lists", "*"):
        store.save(folder, generation=1)
        store.maintain(lambda: False)
        store = FaissStore.load(folder)
        threads = [Searching(SelfRepairingIndex(store, mend), first) for first in (1, 2, 3)]
        for thread in threads:
            thread.start()
            thread.enough.acquire()
        for path in folder.glob(kind):
            damage(path, how)
        for thread in threads:
            for _ in range(SEARCHES):
                thread.enough.acquire()
            thread.ending = True
            thread.join()
            assert not thread.fault, thread.fault
        store.maintain(lambda: False)
        mend()
        store.save(folder, generation=1)
        assert FaissStore.load(folder).count == COUNT


if __name__ == "__main__":
    # With a limit of 1, the rows stay in their file; with the program's own, those of a small index are in memory.
    for rows, limit in (("in the file", 1), ("in memory", segment.LEAST)):
        main(Path(sys.argv[1]) / rows, sys.argv[2], limit)
    sys.stdout.write("right to the end")
