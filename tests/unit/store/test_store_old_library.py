"""Libraries of earlier schemas, written by programs of that time: they open with all their data."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.model.run import RunCompleted
from workbench.store.checksums import fill_in_checksums
from workbench.store.database import FILE_NAME, Database
from workbench.store.database_check import DatabaseCheck
from workbench.store.documents import DocumentStore
from workbench.store.evaluations import GoldenQuestionStore
from workbench.store.exhaustive import ReadingStore
from workbench.store.keywords import KeywordIndex
from workbench.store.migration import shipped_steps
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


def test_what_was_read_and_measured_before_users_had_their_own_is_of_who_gives_no_name(tmp_path: Path) -> None:
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
