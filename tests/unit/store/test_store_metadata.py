"""Edited metadata and tags: kept when a file is read again, searchable, undone."""

import numpy as np
import pytest
from store_content import Add, chunked, parsed

from workbench.errors import MetadataError, RetrievalError
from workbench.model.document import DocumentStatus
from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.store.database import Database
from workbench.store.document_writes import MetadataStore
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.vectors import VectorTable


@pytest.fixture
def metadata(database: Database) -> MetadataStore:
    return MetadataStore(database)


def test_metadata_edited_by_the_user_is_kept_when_the_file_is_read_again(
    documents: DocumentStore, metadata: MetadataStore, keywords: KeywordIndex, add: Add
) -> None:
    document = metadata.edit(add("apples\n"), {"title": "Orchard", "author": " Ada  Lovelace "})
    assert (document.metadata.author, document.edited) == ("Ada Lovelace", ("title", "author"))
    again = documents.put_content(
        document.id, parsed("pears\n", title="From the file"), chunked("pears\n"), sha256="b", size=6
    )
    assert (again.metadata.title, again.edited) == ("Orchard", ("title", "author"))
    assert len(keywords.search("orchard", 5)) == 1


def test_another_title_is_found_by_keyword_at_once_and_the_old_one_no_longer(
    metadata: MetadataStore, keywords: KeywordIndex, database: Database, add: Add
) -> None:
    metadata.edit(add("apples\n", title="Orchard"), {"title": "Harbour"})
    assert (len(keywords.search("harbour", 5)), len(keywords.search("orchard", 5))) == (1, 0)
    assert database.integrity_problem() == ""


def test_another_title_or_author_leaves_the_vectors_which_contain_neither(
    documents: DocumentStore, metadata: MetadataStore, vectors: VectorTable, add: Add
) -> None:
    document = add("apples\n")
    numbers = np.array([chunk.id for chunk in documents.chunks(document.id)], np.int64)
    vectors.put("test/2", numbers, np.eye(1, 2, dtype=np.float32))
    documents.set_status(document.id, DocumentStatus.READY)
    edited = metadata.edit(documents.get(document.id), {"title": "Harbour", "author": "Ada"})
    assert (edited.embedded, edited.status) == (1, DocumentStatus.READY)
    assert vectors.missing("test/2", document.id) == []


def test_undo_puts_the_fields_back_as_if_they_had_never_been_written(metadata: MetadataStore, add: Add) -> None:
    before = add("apples\n", title="Orchard")
    metadata.edit(before, {"title": "Harbour", "created": "2024-05", "keywords": "a, b ,a"})
    assert metadata.put_back(before) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"title": " "},
        {"created": "last May"},
        {"created": "2024-13"},
        {"knowledge_base": "yours"},
        {"sha256": "0"},
        {"author": "x" * 1001},
    ],
)
def test_a_field_that_cannot_be_that_changes_nothing(
    documents: DocumentStore, metadata: MetadataStore, add: Add, fields: dict[str, object]
) -> None:
    before = add("apples\n")
    with pytest.raises(MetadataError):
        metadata.edit(before, {"language": "en", **fields})
    assert documents.get(before.id) == before


def test_tags_keep_their_order_and_are_stored_once_regardless_of_case(metadata: MetadataStore, add: Add) -> None:
    document = add("apples\n")
    (tagged,) = metadata.put_tags({document.id: ["Law", " urgent ", "law"]})
    assert tagged.tags == ("Law", "urgent")
    assert metadata.tags() == [("Law", 1), ("urgent", 1)]


@pytest.mark.parametrize("tag", ["", " ", "a,b", "x" * 61, "a\x07"])
def test_a_tag_that_could_not_be_typed_again_is_refused(metadata: MetadataStore, add: Add, tag: str) -> None:
    document = add("apples\n")
    with pytest.raises(MetadataError):
        metadata.put_tags({document.id: ["good", tag]})
    assert metadata.tags() == []


@pytest.mark.parametrize(
    ("key", "value", "passes"),
    [
        ("tag", "LAW", True),
        ("tag", "la", False),
        ("keyword", "Fruit", True),
        ("keyword", "fruits", False),
        ("modified", "2024", True),
        ("modified", "2023", False),
        ("folder", "Contracts", True),
        ("folder", "Contracts/2024/", True),
        ("folder", "Contract", False),
        ("folder", "2024", False),
        ("origin", "FILE", True),
        ("origin", "url", False),
    ],
)
def test_b22_documents_are_filtered_by_what_is_known_of_them(
    metadata: MetadataStore, keywords: KeywordIndex, database: Database, add: Add, key: str, value: str, passes: bool
) -> None:
    document = metadata.edit(add("apples\n"), {"keywords": ["fruit"], "modified": "2024-05-31"})
    metadata.put_tags({document.id: ["law"]})
    with database.write() as connection:
        connection.execute("UPDATE documents SET folder = 'Contracts/2024'")
    chosen = ChunkFilter(where=(Condition(key, Operator.EQ, (value,)),))
    assert bool(keywords.search("apples", 5, filter=chosen)) is passes


def test_b26_an_origin_that_there_is_not_is_an_error() -> None:
    with pytest.raises(RetrievalError, match="no origin"):
        Condition("origin", Operator.EQ, ("heaven",))
