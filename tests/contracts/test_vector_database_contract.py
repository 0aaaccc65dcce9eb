"""Contract of vector stores, run on every real vector database that is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from vector_databases import loaded, location_of, opened, require
from vector_store import DIM, VectorStoreContract

from workbench.indexing.base import VectorStore


class VectorDatabaseContract(VectorStoreContract):
    name: str
    url = ""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        require(self.name)
        self.root, self.stores = tmp_path, list[VectorStore]()
        yield
        for store in self.stores:
            store.close()

    def make(self) -> VectorStore:
        folder = self.root / ("index" if not self.stores else f"index-{len(self.stores)}")
        self.stores.append(opened(self.name, location_of(folder, self.url), DIM))
        return self.stores[-1]

    def load(self, path: Path) -> VectorStore:
        self.stores[-1].close()  # an embedded database can be opened by one program at a time
        self.stores.append(loaded(self.name, location_of(path, self.url)))
        return self.stores[-1]


class TestLanceDB(VectorDatabaseContract):
    name = "lancedb"


class TestChroma(VectorDatabaseContract):
    name = "chroma"


class TestQdrant(VectorDatabaseContract):
    name = "qdrant"


class TestMilvus(VectorDatabaseContract):
    name = "milvus"


class TestPgvector(VectorDatabaseContract):
    name = "pgvector"

    @pytest.fixture(autouse=True)
    def _server(self, postgres_url: str) -> None:
        self.url = postgres_url
