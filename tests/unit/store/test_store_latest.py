"""Cached counts: valid until the next write, and not longer."""

import pytest
from store_content import Add

from workbench.model.document import DocumentStatus
from workbench.store.bulk_reads import WriteInvalidatedCache
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.intake import Intake
from workbench.store.sessions import SessionStore


def test_a_cached_count_is_not_recomputed_while_nothing_is_written(
    database: Database, documents: DocumentStore
) -> None:
    counted: list[int] = []
    latest = WriteInvalidatedCache[str, int](database)

    def count() -> int:
        counted.append(1)
        return len(counted)

    assert [latest.get("a", count), latest.get("a", count), latest.get("b", count)] == [1, 1, 2]
    documents.ensure_knowledge_base("more")
    assert latest.get("a", count) == 3


def test_counts_stay_valid_while_only_sessions_are_written(database: Database, documents: DocumentStore) -> None:
    latest = WriteInvalidatedCache[str, int](database)
    assert latest.get("a", lambda: 1) == 1
    SessionStore(database).create("About bridges")
    assert latest.get("a", lambda: 2) == 1
    with database.write(documents=False):
        documents.ensure_knowledge_base("more")
    assert latest.get("a", lambda: 3) == 3


def test_a_rolled_back_write_changes_no_count(database: Database, documents: DocumentStore, add: Add) -> None:
    add("a\nb\n")
    assert documents.counts() == (2, 0)

    def undone() -> None:
        with database.write():
            documents.mark_removed([1])
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        undone()
    assert documents.counts() == (2, 0)


def test_counts_follow_every_write(database: Database, documents: DocumentStore, add: Add) -> None:
    intake = Intake(database)
    assert (documents.counts(), intake.visible(), intake.not_read()) == ((0, 0), (0, 0), {})
    document = add("a\nb\n")
    assert (documents.counts("default"), documents.counts(), intake.visible()) == ((2, 0), (2, 0), (1, 1))
    documents.mark_removed([document.id])
    assert (documents.counts(), intake.visible()) == ((0, 0), (0, 0))
    intake.not_read()[DocumentStatus.FAILED] = 7
    assert intake.not_read() == {}
