"""A library in a temporary folder, and documents created without a parser."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_content import Add, chunked, parsed

from workbench.model.document import Document
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.recycle_bin import RecycleBin
from workbench.store.stored_values import absolute_path
from workbench.store.vectors import VectorTable


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path / "library")
    yield database
    database.close()


@pytest.fixture
def documents(database: Database) -> DocumentStore:
    return DocumentStore(database)


@pytest.fixture
def keywords(database: Database) -> KeywordIndex:
    return KeywordIndex(database)


@pytest.fixture
def vectors(database: Database) -> VectorTable:
    return VectorTable(database)


@pytest.fixture
def bin(database: Database) -> RecycleBin:
    return RecycleBin(database)


@pytest.fixture
def add(documents: DocumentStore) -> Add:
    def add_document(
        text: str, *, path: str = "notes.txt", knowledge_base: str = "default", title: str = "A title"
    ) -> Document:
        documents.ensure_knowledge_base(knowledge_base)
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        there = (one for one in documents.list(knowledge_base) if one.path == absolute_path(path))
        document = next(there, None) or documents.queue(
            Path(path), knowledge_base=knowledge_base, sha256=sha256, size=len(text), format="text"
        )
        return documents.put_content(
            document.id, parsed(text, title=title), chunked(text), sha256=sha256, size=len(text)
        )

    return add_document
