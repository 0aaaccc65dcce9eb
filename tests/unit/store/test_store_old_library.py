"""Libraries of earlier schemas, written by programs of that time: they open with all their data."""

import gzip
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.model.integrity_report import BackupReason
from workbench.model.run import RunCompleted
from workbench.store.backups import list_backups
from workbench.store.checksums import fill_in_checksums
from workbench.store.configuration import SettingStore
from workbench.store.database import FILE_NAME, Database
from workbench.store.database_check import DatabaseCheck
from workbench.store.documents import DocumentStore
from workbench.store.evaluations import GoldenQuestionStore
from workbench.store.keywords import KeywordIndex
from workbench.store.migration import shipped_steps
from workbench.store.readings import ReadingStore
from workbench.store.sessions import SessionStore

KEPT = Path(__file__).parents[2] / "data" / "library_0001.sqlite3.gz"


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / FILE_NAME).write_bytes(gzip.decompress(KEPT.read_bytes()))
    database = Database.open(tmp_path)
    yield database
    database.close()


def test_the_documents_of_an_old_library_are_there_and_found(migrated: Database) -> None:
    (document,) = DocumentStore(migrated).list()
    assert (document.name, document.page_kind, document.tags) == ("tidal.md", "page", ())
    ((chunk, _score),) = KeywordIndex(migrated).search("barrage", 5)
    assert "opened in 1966" in DocumentStore(migrated).chunks_by_id([chunk])[chunk][0].text


def test_the_sessions_of_an_old_library_read_as_they_were(migrated: Database) -> None:
    (session,) = SessionStore(migrated).list()
    assert SessionStore(migrated, "Ann").list() == []
    (run,) = SessionStore(migrated).get(session.id).runs
    assert run.citations[0].quote == "The barrage at Rance was opened in 1966."
    assert any(isinstance(timed.event, RunCompleted) for timed in run.events)


def test_the_vectors_of_an_old_library_get_checksums_in_idle_time(migrated: Database) -> None:
    lacking = "SELECT COUNT(*) FROM vectors WHERE checksum IS NULL"
    with migrated.read() as connection:
        assert connection.execute(lacking).fetchone()[0] > 0
    fill_in_checksums(migrated, lambda: False)
    with migrated.read() as connection:
        assert connection.execute(lacking).fetchone()[0] == 0
    assert DatabaseCheck(migrated).vectors()[0] == []


def test_readings_golden_questions_and_evaluations_from_before_users_belong_to_the_unnamed_user(tmp_path: Path) -> None:
    before = Database.open(tmp_path, steps=[step for step in shipped_steps() if step.number < 19])
    with before.write() as connection:
        connection.execute(
            "INSERT INTO readings (name, question, filter, profile, model, mode, status, created, changed)"
            " VALUES ('n', 'q?', '', 'offline', '', '', 'complete', '2026', '2026')"
        )
        connection.execute("INSERT INTO golden_questions (set_name, question, judgements) VALUES ('marks', 'q?', '[]')")
        connection.execute(
            "INSERT INTO evaluations (set_name, began, seconds, name, as_searched, configuration, metrics,"
            " circumstances, lost, unmeasured, told, outcomes)"
            " VALUES ('marks', '', 1.0, '', 1, '', '', '', 0, 0, '', x'')"
        )
    before.close()
    database = Database.open(tmp_path)
    try:
        for user, many in (("", 1), ("Ann", 0)):
            assert len(ReadingStore(database, user).list()) == many
            assert len(GoldenQuestionStore(database, user).questions("marks")) == many
        with database.read() as connection:
            assert connection.execute("SELECT user FROM evaluations").fetchall() == [("",)]
    finally:
        database.close()


EVERY_EARLIER_SCHEMA = range(1, shipped_steps()[-1].number)


def _old_library(folder: Path, schema: int) -> None:
    """Make a library as a program of that schema did, with a row in two tables that every schema has."""
    old = Database.open(folder, steps=[step for step in shipped_steps() if step.number <= schema])
    with old.write() as connection:
        connection.execute("INSERT INTO sessions (title, started, changed) VALUES ('kept', '2026', '2026')")
        connection.execute("INSERT INTO remembered (scope, key, value) VALUES ('setting', 'search_results', '7')")
    old.close()


@pytest.mark.parametrize("schema", EVERY_EARLIER_SCHEMA)
def test_a_library_of_every_schema_opens_with_its_data_and_a_backup_from_before_the_migration(
    tmp_path: Path, schema: int
) -> None:
    _old_library(tmp_path, schema)
    database = Database.open(tmp_path)
    try:
        assert [session.title for session in SessionStore(database).list()] == ["kept"]
        assert SettingStore(database).load().search_results == 7
        assert database.integrity_problem() == ""
        (backup,) = list_backups(tmp_path)
        assert (backup.reason, backup.schema) == (BackupReason.MIGRATION, schema)
    finally:
        database.close()


@pytest.mark.parametrize("schema", EVERY_EARLIER_SCHEMA)
def test_a_library_of_every_schema_ends_with_the_tables_of_a_new_one(tmp_path: Path, schema: int) -> None:
    _old_library(tmp_path / "old", schema)
    for folder in (tmp_path / "old", tmp_path / "new"):
        Database.open(folder).close()
    assert _columns(tmp_path / "old") == _columns(tmp_path / "new")


def test_the_two_newest_backups_from_before_a_migration_are_kept(tmp_path: Path) -> None:
    steps = shipped_steps()
    for most in (1, 2, 3, 4):
        Database.open(tmp_path, steps=steps[:most]).close()
    assert [(backup.schema, f"schema-{backup.schema:04}" in backup.name) for backup in list_backups(tmp_path)] == [
        (3, True),
        (2, True),
    ]


def _columns(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return names and types of the columns of each table."""
    connection = sqlite3.connect(folder / FILE_NAME)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        infos = {name: connection.execute(f"PRAGMA table_info('{name}')").fetchall() for name in names}
        return {name: sorted((column[1], column[2]) for column in columns) for name, columns in infos.items()}
    finally:
        connection.close()
