"""Contract of vector stores, run on every store of the program."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from vector_store import DIM, VectorStoreContract, ids

from workbench.indexing.base import VectorStore
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.partitioned_store import Partition, PartitionedStore
from workbench.indexing.saved_index import OpenedIndex


class TestFaissStore(VectorStoreContract):
    def make(self) -> VectorStore:
        return FaissStore(DIM)

    def load(self, path: Path) -> VectorStore:
        return FaissStore.load(path)


class TestFaissStoreOfManyParts(TestFaissStore):
    room = 7
    many = 1_500  # in 200 parts; 10,000 would be 1,400, each of which is searched after each of the others: 30 s

    @pytest.fixture(autouse=True)
    def _small_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("workbench.indexing.segment.WriteBuffer.ROOM", self.room)
        monkeypatch.setattr("workbench.indexing.segment._LEAST", 1)
        monkeypatch.setattr("workbench.indexing.segment.PIECE", 5)


class TestFaissStoreThatMovesToItsFolder(TestFaissStoreOfManyParts):
    room = 200
    many = 10_000

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "index"

    def make(self) -> VectorStore:
        return FaissStore(DIM, self.folder)


class TestFaissStoreWithLists(TestFaissStoreThatMovesToItsFolder):
    """Store with lists for everything in a segment, as far as they are built."""

    @pytest.fixture(autouse=True)
    def _lists(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("workbench.indexing.faiss_store.LEAST", 32)
        monkeypatch.setattr("workbench.indexing.segment._SEARCHING_FEW", 4)

    def filled(self, count: int) -> tuple[VectorStore, NDArray[np.float32]]:
        store, rows = super().filled(count)
        store.save(self.folder, generation=1)
        store.maintain(lambda: False)
        return store, rows


class TestPartitionedStore(VectorStoreContract):
    """A store whose vectors lie in three stores, by the remainder of their id."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "partitions"

    def make(self) -> VectorStore:
        return self.of(FaissStore(DIM), [FaissStore(DIM), FaissStore(DIM)])

    def load(self, path: Path) -> VectorStore:
        return self.of(FaissStore.load(path), [FaissStore.load(self.folder / str(base)) for base in (1, 2)])

    def of(self, main: VectorStore, stores: list[VectorStore]) -> VectorStore:
        parts = [
            Partition(base, self.folder / str(base), never, lambda: ids(), store=store)
            for base, store in enumerate(stores, 1)
        ]
        return PartitionedStore(main, parts, lambda numbers: numbers % 3)


def never() -> OpenedIndex:
    raise AssertionError("a store that is open was opened")
