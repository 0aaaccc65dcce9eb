"""The bin: documents kept for a while, listed, restored, permanently deleted."""

import pytest
from store_content import Add

from workbench.model.knowledge_base import LinkedFolder, Removal
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.linked_folders import LinkedFolderStore
from workbench.store.recycle_bin import RecycleBin


def _age(database: Database, document: int, time: str) -> None:
    with database.write() as connection:
        connection.execute("UPDATE documents SET removed_at = ? WHERE id = ?", (time, document))


def test_the_bin_lists_the_latest_first_and_why(documents: DocumentStore, bin: RecycleBin, add: Add) -> None:
    first, second = add("a\n", path="a"), add("b\n", path="b")
    assert documents.mark_removed([first.id, 999]) == [first.id]
    documents.mark_removed([second.id, first.id], Removal.WITH_FILE)
    assert [(one.document.id, one.removal) for one in bin.list()] == [
        (second.id, Removal.WITH_FILE),
        (first.id, Removal.BY_USER),
    ]


def test_only_documents_in_the_bin_longer_than_allowed_expire(
    database: Database, documents: DocumentStore, bin: RecycleBin, add: Add
) -> None:
    old, new = add("a\n", path="a"), add("b\n", path="b")
    documents.mark_removed([old.id, new.id])
    _age(database, old.id, "2020-01-01T00:00:00.000000+00:00")
    assert bin.expired(30) == []  # the first reading of the clock, which may be wrong (library_state.py)
    assert bin.expired(30) == [old.id]
    assert bin.purge(bin.expired(30)) == 1
    assert [one.document.id for one in bin.list()] == [new.id]


def test_a_document_outside_the_bin_is_never_deleted(documents: DocumentStore, bin: RecycleBin, add: Add) -> None:
    document = add("a\n")
    assert bin.purge([document.id]) == 0
    assert documents.list() == [document]


def test_the_hashes_of_the_bin_are_still_needed(documents: DocumentStore, bin: RecycleBin, add: Add) -> None:
    document = add("a\n")
    documents.mark_removed([document.id])
    assert bin.hashes() == {document.sha256}
    bin.purge([document.id])
    assert bin.hashes() == set()


@pytest.mark.parametrize(("removal", "kept"), [(Removal.BY_USER, True), (Removal.WITH_FILE, False)])
def test_the_name_of_what_the_user_took_out_of_a_linked_folder_is_kept(
    database: Database, documents: DocumentStore, bin: RecycleBin, add: Add, removal: Removal, *, kept: bool
) -> None:
    linked = LinkedFolderStore(database)
    folder: LinkedFolder = linked.add("/docs", "default")
    document = add("a\n", path="/docs/a.txt")
    documents.mark_removed([document.id], removal)
    bin.purge([document.id])
    assert ([one.removal for one in linked.known(folder)], bin.list()) == ([Removal.FOR_GOOD] * kept, [])
    assert (documents.restore([document.id]), documents.chunks(document.id)) == ([], [])
    linked.remove(folder)
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM documents").fetchone() == (0,)
