"""The database: opening, locking, migration and failures."""

import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workbench.errors import (
    DiskFull,
    LibraryDamaged,
    LibraryError,
    LibraryLocked,
    LibraryTooNew,
    LibraryUnwritable,
)
from workbench.model.integrity_report import BackupReason
from workbench.store.backups import list_backups
from workbench.store.configuration import SettingStore
from workbench.store.database import FILE_NAME, Database
from workbench.store.documents import DocumentStore
from workbench.store.failures import library_error
from workbench.store.migration import MigrationStep, shipped_steps

NEWEST = shipped_steps()[-1].number
FAILURE_KINDS = 27
"""Number of the step that introduced the kind of a failure."""
NEXT = MigrationStep(
    NEWEST + 1, "CREATE TABLE later (id INTEGER PRIMARY KEY);\nALTER TABLE sessions ADD COLUMN colour TEXT;\n"
)
PAGE = 8192
"""Size of a database page in bytes; its first byte is the page type."""

TABLES = {
    "abbreviations",
    "agents",
    "tool_servers",
    "document_name_words",
    "document_metadata",
    "document_names",
    "chunk_changes",
    "chunk_edits",
    "chunks",
    "common_words",
    "contents",
    "documents",
    "embedders",
    "evaluations",
    "folder_metadata",
    "golden_questions",
    "keyword_index",
    "keyword_occurrences",
    "keyword_terms",
    "knowledge_bases",
    "linked_folders",
    "memories",
    "network_requests",
    "pages",
    "partial_readings",
    "profiles",
    "reading_documents",
    "reading_passages",
    "readings",
    "remembered",
    "row_checksums",
    "run_events",
    "runs",
    "search_configurations",
    "sessions",
    "source_lines",
    "token_codecs",
    "token_codes",
    "vectors",
}


def tables(folder: Path) -> set[str]:
    connection = sqlite3.connect(folder / FILE_NAME)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    return {name for name in names if not name.startswith(("sqlite_", "keyword_index_", "document_names_"))}


def sessions(database: Database) -> list[str]:
    with database.read() as connection:
        return [row[0] for row in connection.execute("SELECT title FROM sessions ORDER BY id")]


def add_session(connection: sqlite3.Connection, title: str) -> None:
    connection.execute("INSERT INTO sessions (title, started, changed) VALUES (?, '', '')", (title,))


def test_a_new_library_has_the_schema_and_its_version(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    assert tables(tmp_path) == TABLES
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    assert connection.execute("PRAGMA user_version").fetchone() == (NEWEST,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_second_window_is_refused_with_the_holder_named(tmp_path: Path) -> None:
    first = Database.open(tmp_path)
    with pytest.raises(LibraryLocked, match=r"open in another window \(process \d+\)"):
        Database.open(tmp_path)
    first.close()
    Database.open(tmp_path).close()


def test_a_killed_program_leaves_no_lock(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib, workbench.store.database as d\n"
        "held = d.Database.open(pathlib.Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(LibraryLocked, match=f"process {process.pid}"):
            Database.open(tmp_path)
        process.kill()
    Database.open(tmp_path).close()


def test_a_newer_library_is_refused_and_untouched(tmp_path: Path) -> None:
    Database.open(tmp_path, steps=(*shipped_steps(), NEXT)).close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(LibraryTooNew, match="later version"):
        Database.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_an_older_library_is_copied_and_then_migrated(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    with database.write() as connection:
        add_session(connection, "kept")
    database.close()
    migrated = Database.open(tmp_path, steps=(*shipped_steps(), NEXT))
    assert sessions(migrated) == ["kept"]
    migrated.close()
    assert tables(tmp_path) == TABLES | {"later"}
    (backup,) = list_backups(tmp_path)
    assert (backup.reason, backup.schema) == (BackupReason.MIGRATION, NEWEST)
    assert f"-migration-schema-{NEWEST:04}-" in backup.name
    copy = sqlite3.connect(tmp_path / "backups" / backup.name)
    assert copy.execute("PRAGMA user_version").fetchone() == (NEWEST,)
    assert copy.execute("SELECT title FROM sessions").fetchall() == [("kept",)]
    copy.close()


@pytest.mark.parametrize(
    ("status", "reason", "failure"),
    [
        ("ready", "", ""),
        ("ready", "Only its first 8 of 9 pages are searched: Reading the file made no progress for 2 minutes.", "time"),
        ("failed", "LibreOffice took longer than 100 seconds to convert the file.", "time"),
        ("failed", "Cancelled before it was read.", "cancelled"),
        ("failed", "The file is protected by a password.", "password"),
        ("locked", "The file is encrypted.", "password"),
        ("failed", "The file is damaged.", "other"),
    ],
)
def test_failures_in_a_library_of_an_earlier_version_get_their_kind(
    tmp_path: Path, status: str, reason: str, failure: str
) -> None:
    older = Database.open(tmp_path, steps=[step for step in shipped_steps() if step.number < FAILURE_KINDS])
    with older.write() as connection:
        connection.execute(
            "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, title, reason, added)"
            " VALUES (1, '/a', 'a', 'a', 1, 'pdf', ?, 'a', ?, '')",
            (status, reason),
        )
    older.close()
    database = Database.open(tmp_path)
    (document,) = DocumentStore(database).list()
    assert document.failure.value == failure
    database.close()


def test_a_migration_that_fails_leaves_the_old_library(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    broken = MigrationStep(NEWEST + 1, "CREATE TABLE later (id INTEGER);\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(sqlite3.OperationalError):
        Database.open(tmp_path, steps=(*shipped_steps(), broken))
    assert tables(tmp_path) == TABLES
    Database.open(tmp_path).close()


def test_a_migration_of_several_steps_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    broken = MigrationStep(NEXT.number + 1, "INSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(sqlite3.OperationalError):
        Database.open(tmp_path, steps=(*shipped_steps(), NEXT, broken))
    assert tables(tmp_path) == TABLES
    Database.open(tmp_path).close()


def test_a_file_that_is_no_database_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"These are my notes, not a database." * 50)
    with pytest.raises(LibraryDamaged):
        Database.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes().startswith(b"These are my notes")


@pytest.mark.parametrize("found", [b"x", b"\0", b"\0" * 8192, b"SQLite format 2\0" * 64, b"SQLite format 3"])
def test_a_file_without_the_head_of_a_database_is_refused_and_untouched(tmp_path: Path, found: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(found)
    with pytest.raises(LibraryDamaged, match="not a library"):
        Database.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == found


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("CREATE TABLE theirs (id INTEGER)")
    connection.close()
    with pytest.raises(LibraryDamaged, match="not a library"):
        Database.open(tmp_path)
    assert tables(tmp_path) == {"theirs"}


@pytest.mark.parametrize("place", ["file.txt", "file.txt/below", "/proc/nowhere"])
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file.txt").write_text("a file")
    with pytest.raises(LibraryUnwritable, match="cannot be written"):
        Database.open(tmp_path / place)


def test_a_read_only_database_is_refused(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    with pytest.raises(LibraryUnwritable), database.read() as connection:
        connection.execute("DELETE FROM sessions")
    database.close()


def test_a_full_disk_is_reported_and_no_partial_data_is_written(database: Database) -> None:
    with database.write() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DiskFull, match="no room"), database.write() as connection:
        add_session(connection, "x" * 500_000)
    assert sessions(database) == []


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_IOERR, LibraryError),
        (sqlite3.SQLITE_IOERR | 3 << 8, LibraryError),
        (sqlite3.SQLITE_CORRUPT, LibraryDamaged),
        (sqlite3.SQLITE_BUSY, LibraryLocked),
        (sqlite3.SQLITE_READONLY, LibraryUnwritable),
        (sqlite3.SQLITE_FULL, DiskFull),
        (sqlite3.SQLITE_CONSTRAINT, type(None)),
    ],
)
def test_each_error_of_sqlite_has_one_meaning(code: int, kind: type) -> None:
    error = sqlite3.OperationalError("whatever it says")
    error.sqlite_errorcode = code
    assert type(library_error(error, Path("/library"))) is kind


def test_an_exception_undoes_the_whole_write(database: Database) -> None:
    def write() -> None:
        with database.write() as connection:
            add_session(connection, "lost")
            with database.write() as same:
                add_session(same, "lost too")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert sessions(database) == []


def test_a_reader_sees_one_state_while_another_thread_writes(database: Database) -> None:
    def write() -> None:
        with database.write() as connection:
            add_session(connection, "new")

    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM sessions").fetchone() == (0,)
        writer = threading.Thread(target=write)
        writer.start()
        writer.join(10)
        assert not writer.is_alive()
        assert connection.execute("SELECT COUNT(*) FROM sessions").fetchone() == (0,)
    assert sessions(database) == ["new"]


def test_a_read_after_a_failed_one_sees_the_newest_state_although_the_error_keeps_a_cursor(database: Database) -> None:
    with database.write() as connection:
        for name in ("first", "second", "third"):
            add_session(connection, name)
    unfinished = []

    def fail() -> None:
        with database.read() as connection:
            unfinished.append(connection.execute("SELECT title FROM sessions"))
            unfinished[0].fetchone()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.write() as connection:
        add_session(connection, "fourth")
    assert sessions(database) == ["first", "second", "third", "fourth"]


def test_a_closed_library_raises_an_error_that_reports_it_as_closed(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    database.close()
    with pytest.raises(LibraryError, match="closed"), database.read():
        pass
    with pytest.raises(LibraryError, match="closed"), database.write():
        pass


def test_closing_does_not_wait_for_a_reader_that_stays_and_keeps_what_was_written(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    with database.write() as connection:
        add_session(connection, "first")
    reader = sqlite3.connect(database.path, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT title FROM sessions").fetchall() == [("first",)]
    with database.write() as connection:
        add_session(connection, "second")
    began = time.monotonic()
    database.close()
    assert time.monotonic() - began < 5  # SQLite would wait for 10 seconds
    reader.close()
    again = Database.open(tmp_path)
    assert sessions(again) == ["first", "second"]
    again.close()


def test_integrity_is_checked(database: Database) -> None:
    assert database.integrity_problem() == ""
    careless = sqlite3.connect(database.path, isolation_level=None)
    careless.execute("INSERT INTO run_events (run, number, seconds, type, fields) VALUES (99, 0, 0, '', '')")
    careless.close()
    assert database.integrity_problem() == "rows without an owner in run_events"


def test_a_damaged_page_is_found(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    with database.write() as connection:
        for _ in range(3000):
            add_session(connection, "x" * 500)
    database.close()
    data = bytearray((tmp_path / FILE_NAME).read_bytes())
    # Not at the end, where the last page of the schema is.
    for start in range(len(data) // 2 // PAGE * PAGE, len(data) * 3 // 4, PAGE):
        data[start : start + 64] = b"\xff" * 64
    (tmp_path / FILE_NAME).write_bytes(data)
    database = Database.open(tmp_path)
    assert database.integrity_problem() != ""
    database.close()


def test_a_database_that_rests_is_read_and_written_as_before(database: Database) -> None:
    with database.read() as one, database.read() as other:
        before = [connection.execute("SELECT COUNT(*) FROM documents").fetchone() for connection in (one, other)]
    database.rest()
    with database.read() as connection:
        assert [connection.execute("SELECT COUNT(*) FROM documents").fetchone()] * 2 == before


def test_the_setting_offline_mode_keeps_the_value_that_was_stored_under_its_former_key(tmp_path: Path) -> None:
    before = Database.open(tmp_path, steps=shipped_steps()[:24])
    with before.write() as connection:
        connection.execute("INSERT INTO remembered VALUES ('setting', 'air_gap', '\"on\"')")
    before.close()
    database = Database.open(tmp_path)
    assert SettingStore(database).load().offline_mode == "on"
    database.close()
