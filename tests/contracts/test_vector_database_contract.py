"""Contract of vector stores, run on every real vector database that is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from vector_databases import discard, loaded, location_of, opened, require, server_location
from vector_store import DIM, VectorStoreContract

from workbench.indexing.base import VectorStore


class VectorDatabaseContract(VectorStoreContract):
    name: str
    url = ""
    key = ""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        require(self.name)
        self.root, self.stores = tmp_path, list[VectorStore]()
        yield
        for store in self.stores:
            discard(store)

    def make(self) -> VectorStore:
        folder = self.root / ("index" if not self.stores else f"index-{len(self.stores)}")
        self.stores.append(opened(self.name, location_of(folder, self.url, self.key), DIM))
        return self.stores[-1]

    def load(self, path: Path) -> VectorStore:
        self.stores[-1].close()  # an embedded database can be opened by one program at a time
        self.stores.append(loaded(self.name, location_of(path, self.url, self.key)))
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


class ServerContract(VectorDatabaseContract):
    """Contract of a store on a server; see vector_databases.py."""

    @pytest.fixture(autouse=True)
    def _server(self, tmp_path: Path) -> None:
        place = server_location(self.name, tmp_path)
        self.url, self.key = place.url, place.key


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
class TestQdrantServer(ServerContract):
    name = "qdrant server"


class TestMilvusServer(ServerContract):
    name = "milvus server"
