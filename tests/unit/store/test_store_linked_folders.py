"""Linked folders and their files in the database."""

import pytest
from store_content import Add

from workbench.errors import LibraryError, NotFound
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.intake import FileStamp
from workbench.store.linked_folders import LinkedFilePlace, LinkedFolderStore


@pytest.fixture
def linked(database: Database) -> LinkedFolderStore:
    return LinkedFolderStore(database)


def test_a_folder_is_linked_once_to_each_knowledge_base(linked: LinkedFolderStore, documents: DocumentStore) -> None:
    documents.ensure_knowledge_base("law")
    first = linked.add("/docs", "default")
    assert linked.add("/docs/", "default").id == first.id
    assert [(one.path, one.knowledge_base) for one in (*linked.list(), linked.add("/docs", "law"))] == [
        ("/docs", "default"),
        ("/docs", "law"),
    ]


@pytest.mark.parametrize("path", ["/docs/inner", "/"])
def test_linked_folders_of_one_knowledge_base_cannot_contain_each_other(linked: LinkedFolderStore, path: str) -> None:
    linked.add("/docs", "default")
    with pytest.raises(LibraryError, match="or is inside it"):
        linked.add(path, "default")
    linked.add("/docs2", "default")


def test_only_files_below_the_folder_are_its_own(linked: LinkedFolderStore, add: Add) -> None:
    folder = linked.add("/docs", "default")
    names = ["/docs/a.txt", "/docs/sub/b.txt", "/docs/odd \udcff.txt"]
    for number, name in enumerate([*names, "/docs2/c.txt", "/doc", "/docs.txt"]):
        add(f"text {number}\n", path=name)
    assert sorted(one.path for one in linked.known(folder)) == sorted(names)
    assert linked.get(folder.id).documents == 3
    assert (linked.covers("default", "/docs/x"), linked.covers("default", "/docs2/x")) == (True, False)


def test_places_and_stamps_are_noted(linked: LinkedFolderStore, documents: DocumentStore, add: Add) -> None:
    folder, document = linked.add("/docs", "default"), add("a\n", path="/docs/a.txt")
    linked.place([LinkedFilePlace(document.id, "/docs/new/b.txt", FileStamp(2, 77), "docs/new")])
    (known,) = linked.known(folder)
    assert (known.path, known.stamp, known.removal) == ("/docs/new/b.txt", FileStamp(2, 77), None)
    now = documents.get(document.id)
    assert (now.name, now.folder) == ("b.txt", "docs/new")


def test_an_unknown_linked_folder_is_reported(linked: LinkedFolderStore) -> None:
    with pytest.raises(NotFound, match="no linked folder 5"):
        linked.get(5)
