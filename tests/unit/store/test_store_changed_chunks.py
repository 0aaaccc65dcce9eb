"""Changed chunks: the search index is informed of every write."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from store_content import Add

from workbench.store import changed_chunks
from workbench.store.database import Access, Database
from workbench.store.documents import DocumentStore
from workbench.store.recycle_bin import RecycleBin
from workbench.store.vectors import VectorTable

Taken = Callable[[], list[int] | None]


@pytest.fixture
def taken(database: Database) -> Taken:
    """Return the changes since the previous call."""
    database.changed_chunks.take()

    def take() -> list[int] | None:
        found = database.changed_chunks.take()
        return None if found is None else found.tolist()

    return take


def embedded(documents: DocumentStore, vectors: VectorTable, document: int) -> list[int]:
    ids = [chunk.id for chunk in documents.chunks(document)]
    vectors.put("e", np.array(ids), np.ones((len(ids), 2), np.float32))
    return ids


def test_of_a_library_that_was_just_opened_nothing_is_known(database: Database) -> None:
    assert database.changed_chunks.take() is None
    assert database.changed_chunks.take().tolist() == []


def test_a_document_that_comes_goes_and_comes_back_is_noted(
    documents: DocumentStore, vectors: VectorTable, bin: RecycleBin, add: Add, taken: Taken
) -> None:
    document = add("a\nb\n").id
    assert taken() == []  # without a vector it is in no index
    ids = embedded(documents, vectors, document)
    assert taken() == ids
    documents.mark_removed([document])
    assert taken() == ids
    documents.restore([document])
    assert taken() == ids
    documents.mark_removed([document])
    bin.purge([document])
    assert taken() == ids


def test_chunks_that_are_cut_again_or_disabled_are_recorded(
    database: Database, documents: DocumentStore, vectors: VectorTable, add: Add, taken: Taken
) -> None:
    first, second = embedded(documents, vectors, add("a\nb\n").id)
    taken()
    add("a\nB\n")
    assert taken() == [second]
    with database.write() as connection:
        connection.execute("UPDATE chunks SET disabled = 1 WHERE id = ?", (first,))
    assert taken() == [first]


def test_vectors_that_go_with_their_chunk_or_embedder_are_noted(
    database: Database, documents: DocumentStore, vectors: VectorTable, add: Add, taken: Taken
) -> None:
    first, second = embedded(documents, vectors, add("a\nb\n").id)
    taken()
    with database.write() as connection:
        connection.execute("DELETE FROM chunks WHERE id = ?", (first,))
    assert taken() == [first]
    with database.write() as connection:
        connection.execute("DELETE FROM embedders")
    assert taken() == [second]


def test_many_changes_are_all_that_there_is(
    documents: DocumentStore, vectors: VectorTable, add: Add, taken: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changed_chunks, "MOST", 1)
    embedded(documents, vectors, add("a\nb\n").id)
    assert taken() is None
    assert taken() == []


def test_changes_are_recorded_after_the_write_ahead_log_was_deleted_and_recreated(
    database: Database, documents: DocumentStore, vectors: VectorTable, add: Add, taken: Taken
) -> None:
    document = add("a\nb\n").id
    Path(f"{database.path}-wal").unlink()
    assert embedded(documents, vectors, document) == taken()


def test_of_a_library_that_is_read_nothing_is_ever_known(database: Database, vectors: VectorTable) -> None:
    reading = Database.open(database.folder, access=Access.READ)
    reading.changed_chunks.take()
    assert reading.changed_chunks.take() is None
    reading.close()


def test_a_few_chunks_are_found_among_all_as_all_are(
    documents: DocumentStore, vectors: VectorTable, add: Add, database: Database
) -> None:
    kept = embedded(documents, vectors, add("a\nb\n").id)
    gone = embedded(documents, vectors, add("c\n", path="other.txt").id)
    documents.mark_removed([documents.list()[-1].id])
    with database.write() as connection:
        connection.execute("UPDATE chunks SET disabled = 1 WHERE id = ?", (kept[0],))
    asked = np.array([*kept, *gone, 77])
    assert vectors.found_among("e", asked).tolist() == vectors.ids("e").tolist()
    assert vectors.found_among("none", asked).tolist() == []


Since = Callable[[], list[int] | None]


@pytest.fixture
def since(vectors: VectorTable) -> Since:
    """Return the changes for a reader that has followed until the previous call; None if it must compare everything."""
    position = vectors.changes_since(None)[0]

    def ask() -> list[int] | None:
        nonlocal position
        position, found = vectors.changes_since(position)
        return None if found is None else found.tolist()

    return ask


def test_a_reader_that_has_followed_nothing_looks_at_all(vectors: VectorTable) -> None:
    assert vectors.changes_since(None)[1] is None


def test_a_reader_receives_the_changes_since_its_last_position(
    documents: DocumentStore, vectors: VectorTable, bin: RecycleBin, add: Add, since: Since
) -> None:
    first = embedded(documents, vectors, add("a\nb\n").id)
    assert (since(), since()) == (first, [])
    second = embedded(documents, vectors, add("c\n", path="other.txt").id)
    vectors.put("e", np.array(first[:1]), np.zeros((1, 2), np.float32))
    documents.mark_removed([documents.list()[0].id])
    assert since() == sorted({*first, *second})


def test_a_rolled_back_change_is_not_reported(database: Database, vectors: VectorTable, add: Add, since: Since) -> None:
    add("a\n")

    def switch_off(*, fail: bool) -> None:
        with database.write() as connection:
            connection.execute("UPDATE chunks SET disabled = 1 - disabled")
            if fail:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        switch_off(fail=True)
    assert since() == []
    switch_off(fail=False)
    assert since() == [1]


def test_a_reader_looks_at_all_after_more_than_is_kept(
    documents: DocumentStore, vectors: VectorTable, add: Add, since: Since, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changed_chunks, "_KEPT", 3)
    document = add("a\nb\n").id
    embedded(documents, vectors, document)
    assert since() is not None
    for _ in range(3):
        embedded(documents, vectors, document)
    assert since() is None
    embedded(documents, vectors, document)
    assert since() is not None
    monkeypatch.setattr(changed_chunks, "MOST", 1)
    embedded(documents, vectors, document)
    assert since() is None


def test_a_reader_looks_at_all_where_the_library_is_another_one_now(
    database: Database, documents: DocumentStore, vectors: VectorTable, add: Add, since: Since
) -> None:
    document = add("a\n").id
    embedded(documents, vectors, document)
    since()
    with database.write() as connection:
        connection.execute("UPDATE chunk_changes SET token = token + 1")
    embedded(documents, vectors, document)
    assert since() is None


def test_a_reader_looks_at_all_where_a_bit_of_the_changes_has_flipped(
    database: Database, documents: DocumentStore, vectors: VectorTable, add: Add, since: Since
) -> None:
    document = add("a\n").id
    embedded(documents, vectors, document)
    since()
    embedded(documents, vectors, document)
    with database.write() as connection:
        connection.execute("UPDATE chunk_changes SET chunks = CAST(chunks || x'01' AS BLOB) WHERE chunks IS NOT NULL")
    assert since() is None
