"""Every vector store of the program, run through the contract."""

from pathlib import Path

import pytest
from vector_store import DIM, VectorStoreContract

from workbench.indexing.base import VectorStore
from workbench.indexing.faiss_store import FaissStore


class TestFaissStore(VectorStoreContract):
    def make(self) -> VectorStore:
        return FaissStore(DIM)

    def load(self, path: Path) -> VectorStore:
        return FaissStore.load(path)


class TestFaissStoreOfManyParts(TestFaissStore):
    @pytest.fixture(autouse=True)
    def _small_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("workbench.indexing.faiss_store._PART", 7)
        monkeypatch.setattr("workbench.indexing.index_file.PIECE", 5)
