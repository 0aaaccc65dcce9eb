"""Compressed token vectors in the library: stored and deleted together with their vectors."""

import numpy as np
import pytest
from numpy.typing import NDArray
from store_content import Add

from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.knowledge_bases import KnowledgeBaseStore
from workbench.store.vectors import CodedTokens, TokenCodeTable, VectorTable

ROWS = np.eye(2, dtype=np.float32)


@pytest.fixture
def codes(database: Database) -> TokenCodeTable:
    return TokenCodeTable(database)


@pytest.fixture
def ids(documents: DocumentStore, vectors: VectorTable, add: Add) -> NDArray[np.int64]:
    """Return two chunks with vectors and codes."""
    ids = np.array([chunk.id for chunk in documents.chunks(add("a\nb\n").id)], np.int64)
    vectors.put("e", ids, ROWS, CodedTokens(b"codec", [b"of a", b"of b"]))
    return ids


def test_codes_are_read_back_with_their_vectors(codes: TokenCodeTable, ids: NDArray[np.int64]) -> None:
    (found, rows), stored = codes.get("e", [int(ids[1]), 999, int(ids[0])])
    assert (found.tolist(), rows.tolist(), stored) == ([ids[1], ids[0]], ROWS[::-1].tolist(), [b"of b", b"of a"])
    assert (codes.codec("e"), codes.codec("other")) == (b"codec", None)
    assert codes.size() == (2, 8)


def test_a_vector_that_is_replaced_takes_its_codes_along(
    codes: TokenCodeTable, vectors: VectorTable, ids: NDArray[np.int64]
) -> None:
    vectors.put("e", ids[:1], ROWS[:1])
    assert codes.get("e", ids.tolist())[1] == [b"of b"]
    vectors.put("e", ids[:1], ROWS[:1], CodedTokens(b"codec", [b"new"]))
    assert codes.get("e", ids.tolist())[1] == [b"new", b"of b"]


def test_codes_of_another_codec_than_the_library_s_are_not_kept(
    codes: TokenCodeTable, vectors: VectorTable, ids: NDArray[np.int64]
) -> None:
    vectors.put("e", ids, ROWS, CodedTokens(b"another", [b"x", b"y"]))
    assert codes.get("e", ids.tolist())[1] == []
    assert [chunk.id for chunk in codes.lacking("e", 10)] == ids.tolist()


def test_codes_go_with_an_edited_chunk(codes: TokenCodeTable, ids: NDArray[np.int64], add: Add) -> None:
    add("a\nB!\n")
    assert codes.get("e", ids.tolist())[1] == [b"of a"]


def test_a_copied_document_has_the_codes_too(
    codes: TokenCodeTable, database: Database, documents: DocumentStore, ids: NDArray[np.int64]
) -> None:
    bases = KnowledgeBaseStore(database)
    bases.add("other")
    (document,) = documents.list()
    bases.copy([document.id], "other")
    copied = [chunk.id for one in documents.list() if one.id != document.id for chunk in documents.chunks(one.id)]
    assert codes.get("e", copied)[1] == [b"of a", b"of b"]


def test_codes_that_were_lacking_are_added_unless_the_vector_is_another_by_now(
    codes: TokenCodeTable, vectors: VectorTable, ids: NDArray[np.int64]
) -> None:
    vectors.put("e", ids, ROWS)
    assert [chunk.text for chunk in codes.lacking("e", 1)] == ["a\n"]
    stale = np.stack([ROWS[0], ROWS[0]])
    codes.add("e", ids, stale, CodedTokens(b"codec", [b"of a", b"of b"]))
    assert [chunk.id for chunk in codes.lacking("e", 10)] == [ids[1]]


def test_codes_are_deleted_and_the_vectors_stay(
    codes: TokenCodeTable, vectors: VectorTable, ids: NDArray[np.int64]
) -> None:
    assert codes.delete_all() == 2
    assert (codes.size(), codes.codec("e")) == ((0, 0), None)
    assert len(vectors.all("e")[0]) == 2
