"""The embedder of a library, and the swap between two sets of vectors."""

import numpy as np
import pytest
from store_content import Add

from workbench.model.embedder import BoundEmbedder, EmbedderChoice
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.embedders import EmbedderStore
from workbench.store.vectors import VectorTable

OLD, NEW = EmbedderChoice("old", "int8"), EmbedderChoice("new", "fp32")


@pytest.fixture
def embedders(database: Database, vectors: VectorTable) -> EmbedderStore:
    return EmbedderStore(database, vectors)


def _embed(documents: DocumentStore, vectors: VectorTable, document: int, embedder: str) -> None:
    ids = np.array([chunk.id for chunk in documents.chunks(document)], np.int64)
    vectors.put(embedder, ids, np.ones((len(ids), 2), np.float32))


def test_a_swap_waits_for_the_last_chunk(
    documents: DocumentStore, vectors: VectorTable, embedders: EmbedderStore, add: Add
) -> None:
    first, second = add("a\nb\n", path="a"), add("c\n", path="c")
    embedders.bind("old", OLD)
    for document in (first, second):
        _embed(documents, vectors, document.id, "old")
    _embed(documents, vectors, first.id, "new")
    assert (embedders.count_behind("new"), embedders.swap("new", NEW)) == (1, False)
    assert [chunk.text for chunk in embedders.behind("new", 10)] == ["c\n"]
    assert vectors.embedder == "old"
    _embed(documents, vectors, second.id, "new")
    assert documents.counts() == (3, 3)
    assert embedders.swap("new", NEW)
    assert (embedders.current, embedders.previous) == (BoundEmbedder("new", NEW), BoundEmbedder("old", OLD))
    assert documents.counts() == (3, 3)


def test_vectors_beside_those_in_use_are_not_counted(
    documents: DocumentStore, vectors: VectorTable, embedders: EmbedderStore, add: Add
) -> None:
    document = add("a\nb\n")
    embedders.bind("old", OLD)
    _embed(documents, vectors, document.id, "new")
    assert (documents.get(document.id).embedded, vectors.embedder) == (0, "old")


def test_documents_in_the_bin_do_not_delay_an_embedder_swap(
    documents: DocumentStore, vectors: VectorTable, embedders: EmbedderStore, add: Add
) -> None:
    gone = add("a\n")
    embedders.bind("old", OLD)
    _embed(documents, vectors, gone.id, "old")
    documents.mark_removed([gone.id])
    assert embedders.swap("new", NEW)
    documents.restore([gone.id])
    assert (documents.get(gone.id).embedded, documents.get(gone.id).chunks) == (0, 1)


def test_only_the_vectors_in_use_and_those_to_keep_stay(
    documents: DocumentStore, vectors: VectorTable, embedders: EmbedderStore, add: Add
) -> None:
    document = add("a\nb\n")
    embedders.bind("old", OLD)
    for name in ("old", "new", "third"):
        _embed(documents, vectors, document.id, name)
    embedders.swap("new", NEW)
    assert embedders.forget_others({"old"}) == 2
    assert (len(vectors.all("old")[0]), len(vectors.all("third")[0])) == (2, 0)
    assert embedders.forget_others(set()) == 2
    assert (embedders.previous, len(vectors.all("new")[0])) == (None, 2)


def test_a_note_that_does_not_fit_the_vectors_in_use_is_not_believed(
    vectors: VectorTable, embedders: EmbedderStore
) -> None:
    embedders.bind("old", OLD)
    vectors.use("another")
    assert embedders.current is None
