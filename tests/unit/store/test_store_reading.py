"""Read-only opening of a database, while a program writes it or after one was killed."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_content import Add

from workbench.errors import LibraryError, LibraryLocked, LibraryMissing, LibraryMoved, LibraryOutdated, LibraryTooNew
from workbench.store.database import FILE_NAME, Access, Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.lock import LibraryLock, holder_of
from workbench.store.migration import MigrationStep, shipped_steps

NEXT = MigrationStep(shipped_steps()[-1].number + 1, "CREATE TABLE later (id INTEGER PRIMARY KEY);\n")
KILLED = """
import os, pathlib, sys
from workbench.store.database import Database
with Database.open(pathlib.Path(sys.argv[1])).write() as connection:
    connection.execute("INSERT INTO knowledge_bases (name) VALUES ('written')")
os._exit(1)
"""


def files(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM knowledge_bases ORDER BY name")]


@pytest.fixture
def reader(database: Database) -> Iterator[Database]:
    reader = Database.open(database.folder, access=Access.READ)
    yield reader
    reader.close()


def test_uncommitted_data_is_not_read_and_committed_data_is_read(database: Database, reader: Database) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO knowledge_bases (name) VALUES ('new')")
        assert names(reader) == ["default"]
    assert names(reader) == ["default", "new"]


def test_counts_that_are_kept_are_those_after_the_last_commit(database: Database, reader: Database, add: Add) -> None:
    KeywordIndex(database)
    add("The ferry was late.")
    keywords, documents = KeywordIndex(reader), DocumentStore(reader)
    assert (keywords.count, [id for id, _ in keywords.search("ferry", 5)]) == (1, [1])
    add("The ferry was early.", path="other.txt")
    assert (keywords.count, len(keywords.search("ferry", 5)), len(documents.list())) == (2, 2, 2)


def test_a_revision_grows_only_when_something_was_written(database: Database, reader: Database) -> None:
    before = reader.revision
    assert (reader.revision, reader.writes) == (before, before)
    with database.write() as connection:
        connection.execute("INSERT INTO knowledge_bases (name) VALUES ('new')")
    assert reader.revision > before


def test_a_change_is_refused_with_the_name_of_the_program_that_has_the_library(tmp_path: Path) -> None:
    writer = Database.open(tmp_path, program="add")
    reader = Database.open(tmp_path, access=Access.READ)
    with pytest.raises(LibraryLocked, match=rf"“workbench add” \(process {os.getpid()}\)"), reader.write():
        pass
    writer.close()
    with pytest.raises(LibraryError, match="opened read-only"), reader.write():
        pass
    reader.close()


@pytest.mark.parametrize("name", ["100 % & more?#1", "文档库", os.fsdecode(b"of \xff another encoding")])
def test_a_folder_of_any_name_is_read(tmp_path: Path, name: str) -> None:
    Database.open(tmp_path / name).close()
    reader = Database.open(tmp_path / name, access=Access.READ)
    assert names(reader) == ["default"]
    reader.close()
    assert not list((tmp_path / name).glob("*-wal"))


def test_opening_and_closing_leaves_a_closed_library_as_it_was(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    before = files(tmp_path)
    Database.open(tmp_path, access=Access.READ).close()
    assert files(tmp_path) == before


def test_the_log_of_a_killed_program_is_read_and_left_to_the_next_one(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    before = files(tmp_path)
    reader = Database.open(tmp_path, access=Access.READ)
    assert names(reader) == ["default", "written"]
    reader.close()
    assert holder_of(tmp_path) is None
    assert {name: hash for name, hash in files(tmp_path).items() if not name.endswith("-shm")} == {
        name: hash for name, hash in before.items() if not name.endswith("-shm")
    }
    writer = Database.open(tmp_path)
    assert (writer.was_left, writer.lost_log, names(writer)) == (True, False, ["default", "written"])
    writer.close()


@pytest.mark.parametrize(("steps", "error"), [(shipped_steps()[:-1], LibraryOutdated), ((), LibraryMissing)])
def test_an_outdated_or_missing_library_is_neither_read_nor_changed(
    tmp_path: Path, steps: tuple[MigrationStep, ...], error: type[LibraryError]
) -> None:
    if steps:
        Database.open(tmp_path, steps=steps).close()
    before = files(tmp_path)
    with pytest.raises(error):
        Database.open(tmp_path, access=Access.READ)
    assert files(tmp_path) == before


def test_a_library_of_a_later_version_is_refused(tmp_path: Path) -> None:
    Database.open(tmp_path, steps=(*shipped_steps(), NEXT)).close()
    with pytest.raises(LibraryTooNew):
        Database.open(tmp_path, access=Access.READ)


def test_a_library_that_is_brought_up_to_date_meanwhile_is_read_no_more(database: Database, reader: Database) -> None:
    database.close()
    Database.open(database.folder, steps=(*shipped_steps(), NEXT)).close()
    with pytest.raises(LibraryError, match="brought up to date by another version"):
        assert reader.revision


def test_a_database_that_replaces_the_one_being_read_is_reported(database: Database, reader: Database) -> None:
    assert names(reader) == ["default"]
    copy = database.folder / "copy"
    with sqlite3.connect(copy) as connection:
        connection.execute("CREATE TABLE other (id INTEGER)")
    connection.close()
    database.close()
    copy.replace(database.folder / FILE_NAME)
    with pytest.raises(LibraryMoved):
        names(reader)


def test_a_library_that_waits_for_a_backup_to_take_its_place_is_not_read(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    (tmp_path / f"{FILE_NAME}.next").touch()
    with pytest.raises(LibraryOutdated):
        Database.open(tmp_path, access=Access.READ)


@pytest.mark.parametrize(
    ("program", "said"), [("window", "another window"), ("python", "another program"), ("mcp", "“workbench mcp”")]
)
def test_a_holder_is_named_as_people_know_it(tmp_path: Path, program: str, said: str) -> None:
    lock = LibraryLock(tmp_path, program)
    with pytest.raises(LibraryLocked, match=said):
        LibraryLock(tmp_path)
    assert str(holder_of(tmp_path)) == f"{said} (process {os.getpid()})"
    lock.close()
    assert holder_of(tmp_path) is None
