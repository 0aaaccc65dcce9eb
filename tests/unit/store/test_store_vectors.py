"""Vectors by embedder, and the generation by which a cache detects that it is outdated."""

import numpy as np
import pytest
from store_content import Add

from workbench.errors import EmbeddingError
from workbench.store.documents import DocumentStore
from workbench.store.recycle_bin import RecycleBin
from workbench.store.vectors import VectorTable


def ids_of(documents: DocumentStore, document: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array([chunk.id for chunk in documents.chunks(document)], np.int64)


def test_vectors_are_read_back_exactly(documents: DocumentStore, vectors: VectorTable, add: Add) -> None:
    ids = ids_of(documents, add("a\nb\nc\n").id)
    matrix = np.random.default_rng(1).standard_normal((3, 5)).astype(np.float32)
    assert vectors.put("e", ids, matrix).tolist() == ids.tolist()
    found, rows = vectors.all("e")
    assert (found.tolist(), rows.tolist()) == (ids.tolist(), matrix.tolist())
    found, rows = vectors.get("e", [int(ids[2]), 999, int(ids[0])])
    assert (found.tolist(), rows.tolist()) == ([ids[2], ids[0]], matrix[[2, 0]].tolist())


def test_beginnings_are_the_first_values_by_ascending_id(
    documents: DocumentStore, vectors: VectorTable, add: Add
) -> None:
    ids = ids_of(documents, add("a\nb\nc\n").id)
    matrix = np.random.default_rng(1).standard_normal((3, 5)).astype(np.float32)
    vectors.put("e", ids[::-1], matrix[::-1])
    found, values = vectors.beginnings("e")
    assert (found.tolist(), values.tolist()) == (ids.tolist(), matrix[:, :2].tolist())
    assert len(vectors.beginnings("none")[0]) == 0


def test_chunks_without_a_vector_are_returned_for_each_requested_document(
    documents: DocumentStore, vectors: VectorTable, add: Add
) -> None:
    first, second = add("a\nb\n", path="first.txt").id, add("c\n", path="second.txt").id
    gone = add("d\n", path="gone.txt").id
    documents.mark_removed([gone])
    vectors.put("e", ids_of(documents, first)[:1], np.ones((1, 2), np.float32))
    found = vectors.missing_of("e", [second, gone, first])
    assert {number: [chunk.text for chunk in chunks] for number, chunks in found.items()} == {
        second: ["c\n"],
        gone: [],
        first: ["b\n"],
    }


def test_vectors_of_two_embedders_never_meet(documents: DocumentStore, vectors: VectorTable, add: Add) -> None:
    document = add("a\n")
    ids = ids_of(documents, document.id)
    vectors.put("wide", ids, np.ones((1, 8), np.float32))
    assert len(vectors.missing("narrow")) == 1
    assert len(vectors.all("narrow")[0]) == 0
    assert documents.get(document.id).embedded == 1
    vectors.use("narrow")
    assert documents.get(document.id).embedded == 0
    vectors.use("wide")
    assert (documents.get(document.id).embedded, vectors.embedder) == (1, "wide")


def test_only_what_was_edited_has_to_be_embedded_again(
    documents: DocumentStore, vectors: VectorTable, add: Add
) -> None:
    document = add("a\nb\nc\n")
    vectors.put("e", ids_of(documents, document.id), np.ones((3, 2), np.float32))
    edited = add("a\nB!\nc\n")
    assert edited.embedded == 2
    assert [chunk.text for chunk in vectors.missing("e", document.id)] == ["B!\n"]
    assert len(vectors.all("e")[0]) == 2


def test_generation_changes_with_every_change_of_the_set(
    documents: DocumentStore, vectors: VectorTable, bin: RecycleBin, add: Add
) -> None:
    document = add("a\nb\n")
    seen = [vectors.generation("e")]
    vectors.put("e", ids_of(documents, document.id), np.ones((2, 2), np.float32))
    seen.append(vectors.generation("e"))
    add("a\n")
    seen.append(vectors.generation("e"))
    documents.mark_removed([document.id])
    bin.purge([document.id])
    seen.append(vectors.generation("e"))
    assert seen == sorted(set(seen))
    assert vectors.generation("e") == seen[-1]


def test_a_vector_that_comes_too_late_is_left_out(documents: DocumentStore, vectors: VectorTable, add: Add) -> None:
    ids = ids_of(documents, add("a\nb\n").id)
    add("b\n")
    assert vectors.put("e", ids, np.ones((2, 2), np.float32)).tolist() == [ids[1]]


def test_missing_chunks_come_in_order_and_without_removed_documents(
    documents: DocumentStore, vectors: VectorTable, add: Add
) -> None:
    gone, kept = add("x\n", path="x"), add("a\nb\n", path="a")
    documents.mark_removed([gone.id])
    missing = vectors.missing("e")
    assert [(chunk.document, chunk.text) for chunk in missing] == [(kept.id, "a\n"), (kept.id, "b\n")]


@pytest.mark.parametrize(
    "matrix", [np.ones((1, 2)), np.ones((2, 0)), np.ones(2), np.array([[1, np.nan], [1, 1]]), np.ones((2, 3))]
)
def test_b15_unusable_vectors_are_refused(
    documents: DocumentStore,
    vectors: VectorTable,
    add: Add,
    matrix: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]",
) -> None:
    ids = ids_of(documents, add("a\nb\n").id)
    vectors.put("e", ids[:1], np.ones((1, 2), np.float32))
    with pytest.raises(EmbeddingError):
        vectors.put("e", ids, matrix.astype(np.float32))
    assert len(vectors.all("e")[0]) == 1
