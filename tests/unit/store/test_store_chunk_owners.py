"""Chunks of documents that pass a filter, without a query for each, after documents were added, deleted, rechunked."""

import numpy as np
import pytest
from store_content import Add

from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.store import bulk_reads
from workbench.store.bulk_reads import columns
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.recycle_bin import RecycleBin


def passing(documents: DocumentStore, name: str) -> list[int]:
    found = documents.searchable_chunks(ChunkFilter(where=(Condition("name", Operator.EQ, (name,)),)))
    assert found is not None
    assert np.all(np.diff(found) > 0)
    return [int(id) for id in found]


def ids(documents: DocumentStore, document: int) -> list[int]:
    return [chunk.id for chunk in documents.chunks(document)]


def test_chunks_that_come_later_are_known(documents: DocumentStore, add: Add) -> None:
    add("a\nb\n", path="other.txt")
    first = add("c\nd\n", path="one/same.txt")
    assert passing(documents, "same.txt") == ids(documents, first.id)
    second = add("e\nf\ng\n", path="two/same.txt")
    assert passing(documents, "same.txt") == ids(documents, first.id) + ids(documents, second.id)


def test_many_that_come_at_once_are_known(documents: DocumentStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_reads, "_FEW", 2)
    add("a\n", path="other.txt")
    document = add("b\nc\nd\n", path="same.txt")
    assert passing(documents, "same.txt") == ids(documents, document.id)


def test_a_rechunked_document_returns_its_new_chunks(documents: DocumentStore, add: Add) -> None:
    add("a\n", path="other.txt")
    document = add("b\nc\nd\n", path="same.txt")
    before = passing(documents, "same.txt")
    add("b\nchanged\n", path="same.txt")
    after = passing(documents, "same.txt")
    assert after == sorted(ids(documents, document.id))
    assert after != before


def test_those_in_the_bin_do_not_pass_and_come_back(documents: DocumentStore, bin: RecycleBin, add: Add) -> None:
    add("a\n", path="other.txt")
    one, two = add("b\n", path="one/same.txt"), add("c\n", path="two/same.txt")
    documents.mark_removed([one.id])
    assert passing(documents, "same.txt") == ids(documents, two.id)
    documents.restore([one.id])
    assert passing(documents, "same.txt") == ids(documents, one.id) + ids(documents, two.id)
    documents.mark_removed([one.id])
    bin.purge([one.id])
    assert passing(documents, "same.txt") == ids(documents, two.id)


def test_columns_come_in_the_order_of_the_query(database: Database, add: Add) -> None:
    add("a\nb\nc\n")
    with database.read() as connection:
        query = "SELECT id, ordinal FROM chunks WHERE id >= ? ORDER BY id DESC"
        found = columns(connection, ("id", "ordinal"), query, (2,))
        assert [column.tolist() for column in found] == [[3, 2], [2, 1]]
        assert [column.tolist() for column in columns(connection, ("id",), query, (9,))] == [[]]
