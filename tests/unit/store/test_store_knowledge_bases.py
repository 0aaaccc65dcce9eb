"""Knowledge bases: isolated on search, write and delete; removed and restored; documents moved and copied."""

from pathlib import Path

import numpy as np
import pytest
from store_content import Add

from workbench.errors import LibraryError, NotFound
from workbench.model.filter import ChunkFilter
from workbench.store.database import Database
from workbench.store.document_writes import MetadataStore
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.knowledge_bases import KnowledgeBaseStore
from workbench.store.vectors import VectorTable


@pytest.fixture
def bases(database: Database) -> KnowledgeBaseStore:
    return KnowledgeBaseStore(database)


@pytest.fixture
def metadata(database: Database) -> MetadataStore:
    return MetadataStore(database)


def found(keywords: KeywordIndex, question: str, knowledge_base: str | None) -> int:
    return len(keywords.search(question, 5, filter=ChunkFilter(knowledge_base)))


def test_e22_each_knowledge_base_counts_its_own_documents(bases: KnowledgeBaseStore, add: Add) -> None:
    add("one\ntwo\n", path="a.txt", knowledge_base="work")
    assert [(base.name, base.documents, base.chunks) for base in bases.list()] == [("default", 0, 0), ("work", 1, 2)]


def test_b28_a_search_in_one_knowledge_base_never_sees_another(keywords: KeywordIndex, add: Add) -> None:
    add("apples\n", knowledge_base="mine")
    add("apples and pears\n", knowledge_base="yours")
    assert [found(keywords, "apples", base) for base in ("mine", "yours", None)] == [1, 1, 2]
    assert found(keywords, "pears", "mine") == 0


def test_b29_neither_metadata_nor_tags_can_make_a_document_appear_elsewhere(
    documents: DocumentStore, metadata: MetadataStore, keywords: KeywordIndex, add: Add
) -> None:
    mine = add("apples\n", knowledge_base="mine", title="knowledge_base: yours")
    add("pears\n", knowledge_base="yours")
    metadata.put_tags({mine.id: ["linked_to:yours", "yours"]})
    metadata.edit(documents.get(mine.id), {"keywords": ["yours"], "author": "yours"})
    assert found(keywords, "apples", "yours") == 0
    assert [document.name for document in documents.list("yours")] == ["notes.txt"]


def test_removing_a_knowledge_base_takes_everything_in_it_and_undo_brings_it_back(
    bases: KnowledgeBaseStore, documents: DocumentStore, keywords: KeywordIndex, add: Add
) -> None:
    add("apples\n", knowledge_base="work")
    removed = bases.remove("work")
    assert [base.name for base in bases.list()] == documents.knowledge_bases() == ["default"]
    assert documents.list() == []
    with pytest.raises(NotFound):
        keywords.search("apples", 5, filter=ChunkFilter("work"))
    bases.restore(removed)
    assert found(keywords, "apples", "work") == 1


def test_a_name_is_free_again_after_removal_and_the_old_content_does_not_come_with_it(
    bases: KnowledgeBaseStore, documents: DocumentStore, add: Add
) -> None:
    add("apples\n", knowledge_base="work")
    bases.remove("work")
    assert bases.add(" work ") == "work"
    assert documents.list("work") == []


def test_undo_reports_an_error_when_the_name_is_already_in_use_again(bases: KnowledgeBaseStore, add: Add) -> None:
    add("apples\n", knowledge_base="work")
    removed = bases.remove("work")
    bases.add("other")
    bases.rename("other", "work")
    with pytest.raises(LibraryError, match="already"):
        bases.restore(removed)


def test_a_document_restored_from_the_bin_brings_its_knowledge_base_back(
    bases: KnowledgeBaseStore, documents: DocumentStore, add: Add
) -> None:
    document = add("apples\n", knowledge_base="work")
    bases.remove("work")
    documents.restore([document.id])
    assert documents.knowledge_bases() == ["default", "work"]


def test_a_removed_knowledge_base_is_forgotten_when_its_last_document_is_purged(
    bases: KnowledgeBaseStore, database: Database, add: Add
) -> None:
    add("apples\n", knowledge_base="work")
    bases.remove("work")
    bases.purge_removed()
    with database.write() as connection:
        assert connection.execute("SELECT COUNT(*) FROM knowledge_bases").fetchone()[0] == 2
        connection.execute("DELETE FROM documents")
    bases.purge_removed()
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM knowledge_bases").fetchone()[0] == 1


def test_the_default_one_stays(bases: KnowledgeBaseStore) -> None:
    for change in (lambda: bases.remove("default"), lambda: bases.rename("default", "mine")):
        with pytest.raises(LibraryError, match="cannot be renamed or removed"):
            change()


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\x00b", "Work"])
def test_invalid_names_of_knowledge_bases_are_rejected(bases: KnowledgeBaseStore, name: str) -> None:
    bases.add("work")
    with pytest.raises(LibraryError):
        bases.add(name)


def test_e27_moving_a_document_takes_it_out_of_one_search_and_into_another(
    bases: KnowledgeBaseStore, keywords: KeywordIndex, add: Add
) -> None:
    document = add("apples\n", knowledge_base="mine")
    bases.add("yours")
    assert bases.move([document.id], "yours").documents == (document.id,)
    assert (found(keywords, "apples", "mine"), found(keywords, "apples", "yours")) == (0, 1)


def test_moving_rejects_documents_that_already_exist_in_the_target_and_reports_why(
    bases: KnowledgeBaseStore, add: Add
) -> None:
    mine = add("apples\n", path="a.txt", knowledge_base="mine")
    older = add("pears\n", path="b.txt", knowledge_base="mine")
    add("apples\n", path="c.txt", knowledge_base="yours")
    add("plums\n", path="b.txt", knowledge_base="yours")
    transfer = bases.move([mine.id, older.id], "yours")
    assert transfer.documents == ()
    assert [refusal.reason for refusal in transfer.refused] == [
        "“yours” holds the same content already, as “c.txt”.",
        "“yours” holds another version of the same file.",
    ]


def test_no_document_is_moved_when_one_of_them_is_missing(bases: KnowledgeBaseStore, add: Add) -> None:
    document = add("apples\n", knowledge_base="mine")
    bases.add("yours")
    with pytest.raises(NotFound):
        bases.move([document.id, 999], "yours")
    assert [base.documents for base in bases.list()] == [0, 1, 0]


def test_a_copy_has_chunks_and_vectors_of_its_own_and_outlives_the_original(
    bases: KnowledgeBaseStore, documents: DocumentStore, vectors: VectorTable, keywords: KeywordIndex, add: Add
) -> None:
    original = add("apples\npears\n", knowledge_base="mine")
    numbers = np.array([chunk.id for chunk in documents.chunks(original.id)], np.int64)
    vectors.put("test/2", numbers, np.eye(2, dtype=np.float32))
    bases.add("yours")
    generation = vectors.generation("test/2")
    (copy,) = bases.copy([original.id], "yours").documents
    ids = [chunk.id for chunk in documents.chunks(copy)]
    assert not set(ids) & set(numbers.tolist())
    assert vectors.get("test/2", ids)[1].tolist() == [[1, 0], [0, 1]]
    assert vectors.generation("test/2") > generation
    documents.mark_removed([original.id])
    assert documents.text(copy) == "apples\npears\n"
    assert found(keywords, "pears", "yours") == 1
    assert documents.find("notes.txt").path == str(Path("notes.txt").absolute())
