"""Chunk edits in the database: everything that refers to chunk ids is updated."""

from dataclasses import replace

import numpy as np
import pytest
from store_content import Add
from test_store_chunk_owners import ids, passing
from test_store_common_words import WORDS, is_same, papers  # noqa: F401 - a fixture

from workbench.errors import ChunkError, NotFound
from workbench.model.chunk import ChunkChange, EditKind
from workbench.store import common_words
from workbench.store.chunk_edits import ChunkEditStore, NewVectors
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.recycle_bin import RecycleBin
from workbench.store.vectors import VectorTable

EMBEDDER = "small/2/x/fp32"


@pytest.fixture
def edits(database: Database, vectors: VectorTable) -> ChunkEditStore:
    return ChunkEditStore(database, vectors)


def of_text(documents: DocumentStore, document: int, place: int, text: str) -> ChunkChange:
    old = documents.chunks(document)[place]
    new = replace(old, id=0, text=text, source=old.text)
    return ChunkChange(document, EditKind.TEXT, (old,), (new,))


def test_words_that_are_kept_beside_the_index_follow_an_edit_and_its_undo(
    papers: None,  # noqa: F811
    database: Database,
    documents: DocumentStore,
    keywords: KeywordIndex,
    edits: ChunkEditStore,
) -> None:
    document = documents.list()[0]
    keywords.keep_common_words(lambda: False)
    before = keywords.search("heron ferry", 700)
    edit = edits.make(of_text(documents, document.id, 5, "heron heron heron"))
    assert edit.after[0].id in dict(keywords.search("heron", 700))
    assert edit.before[0].id not in documents.chunks_by_id([edit.before[0].id])
    keywords.keep_common_words(lambda: False)  # rebuilt while the chunk is disabled
    with database.write() as connection:
        common_words.forget(connection)
    keywords.keep_common_words(lambda: False)
    edits.go_back(edit, edits.way_back(edit))
    assert is_same([keywords.search("heron ferry", 700)], [before])


def test_a_disabled_chunk_is_not_among_the_words_that_are_kept(
    papers: None,  # noqa: F811
    documents: DocumentStore,
    keywords: KeywordIndex,
    edits: ChunkEditStore,
) -> None:
    keywords.keep_common_words(lambda: False)
    one = next(chunk for chunk in documents.chunks(1) if "heron" in chunk.text)
    edits.make(ChunkChange(1, EditKind.DISABLE, (one,), (replace(one, disabled=True),)))
    assert one.id not in dict(keywords.search("heron", 700))


def test_filters_on_documents_know_a_chunk_that_comes_back(
    add: Add, documents: DocumentStore, edits: ChunkEditStore
) -> None:
    document = add("a b\nc d\n", path="same.txt")
    add("e f\n", path="other.txt")
    edit = edits.make(of_text(documents, document.id, 0, "x"))
    assert passing(documents, "same.txt") == sorted(ids(documents, document.id))
    edits.go_back(edit, edits.way_back(edit))
    assert passing(documents, "same.txt") == sorted(ids(documents, document.id))


def test_a_change_of_chunks_that_are_others_by_now_changes_nothing(
    add: Add, documents: DocumentStore, edits: ChunkEditStore
) -> None:
    document = add("a b\nc d\n")
    change = of_text(documents, document.id, 0, "x")
    edits.make(change)
    with pytest.raises(ChunkError, match="changed meanwhile"):
        edits.make(change)
    assert len(edits.list(document.id)) == 1


def test_a_document_in_the_bin_is_left_alone(add: Add, documents: DocumentStore, edits: ChunkEditStore) -> None:
    document = add("a b\n")
    change = of_text(documents, document.id, 0, "x")
    documents.mark_removed([document.id])
    with pytest.raises(NotFound):
        edits.make(change)


def test_vectors_go_with_the_change(
    add: Add, documents: DocumentStore, edits: ChunkEditStore, vectors: VectorTable
) -> None:
    document = add("a b\nc d\n")
    vectors.put(EMBEDDER, np.array(ids(documents, document.id)), np.eye(2, dtype=np.float32))
    generation = vectors.generation(EMBEDDER)
    change = of_text(documents, document.id, 0, "x")
    edit = edits.make(change, NewVectors(EMBEDDER, (0,), np.array([[0.6, 0.8]], np.float32)))
    assert documents.get(document.id).embedded == 2
    assert vectors.generation(EMBEDDER) > generation
    assert vectors.get(EMBEDDER, [edit.after[0].id])[1].tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    assert sorted(vectors.ids(EMBEDDER).tolist()) == sorted(ids(documents, document.id))


def test_vectors_of_disabled_chunks_are_kept_but_not_searched(
    add: Add, documents: DocumentStore, edits: ChunkEditStore, vectors: VectorTable
) -> None:
    document = add("a b\nc d\n")
    both = np.array(ids(documents, document.id))
    vectors.put(EMBEDDER, both, np.eye(2, dtype=np.float32))
    one = documents.chunks(document.id)[0]
    edits.make(ChunkChange(document.id, EditKind.DISABLE, (one,), (replace(one, disabled=True),)))
    other = [int(both[1])]
    assert vectors.ids(EMBEDDER).tolist() == vectors.all(EMBEDDER)[0].tolist() == other
    assert vectors.beginnings(EMBEDDER)[0].tolist() == other
    assert vectors.put(EMBEDDER, both, np.eye(2, dtype=np.float32)).tolist() == other
    assert documents.get(document.id).embedded == 2


def test_a_document_that_is_deleted_for_good_takes_its_edits_along(
    add: Add, database: Database, documents: DocumentStore, edits: ChunkEditStore, bin: RecycleBin
) -> None:
    document = add("a b\n")
    edits.make(of_text(documents, document.id, 0, WORDS[0]))
    documents.mark_removed([document.id])
    assert bin.purge([document.id]) == 1
    assert edits.list(document.id) == []
    assert database.integrity_problem() == ""


def test_chunks_of_equal_text_keep_which_of_them_was_tagged(
    add: Add, documents: DocumentStore, edits: ChunkEditStore
) -> None:
    document = add("same\nsame\nsame\n")
    one = documents.chunks(document.id)[1]
    edits.make(ChunkChange(document.id, EditKind.TAG, (one,), (replace(one, tags=("key",)),)))
    add("same\nsame\nsame\n")
    assert [chunk.tags for chunk in documents.chunks(document.id)] == [(), ("key",), ()]
    assert documents.chunks(document.id)[1].id == one.id
