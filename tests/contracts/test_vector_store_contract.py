"""Every vector store of the program, run through the contract."""

from pathlib import Path

from vector_store import DIM, VectorStoreContract

from workbench.indexing.base import VectorStore
from workbench.indexing.faiss_store import FaissStore


class TestFaissStore(VectorStoreContract):
    def make(self) -> VectorStore:
        return FaissStore(DIM)

    def load(self, path: Path) -> VectorStore:
        return FaissStore.load(path)
