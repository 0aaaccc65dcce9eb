"""Row checksums: added in idle time, removed by each change, and changes made without the program are found."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from store_content import Add

from workbench.model.agent import Agent
from workbench.store.checksums import RowChecksums, accept_changes, changed_rows
from workbench.store.configuration import AgentStore
from workbench.store.database import Database
from workbench.store.database_check import DatabaseCheck
from workbench.store.migration import MigrationStep, shipped_steps

COUNT = "SELECT COUNT(*) FROM row_checksums"


@pytest.fixture
def checksums(database: Database, add: Add) -> RowChecksums:
    """Return the checksums of a library with a document and an agent."""
    add("A text.\n")
    AgentStore(database).put(Agent("helper"))
    checksums = RowChecksums(database)
    checksums.add(lambda: False)
    return checksums


@contextmanager
def _disk(database: Database) -> Iterator[sqlite3.Connection]:
    """Yield a connection that changes the file without triggers."""
    with closing(sqlite3.connect(database.path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)


def _changed(database: Database) -> list[tuple[str, str]]:
    with database.read() as connection:
        return [(row.table, row.name) for row in changed_rows(connection)]


def _lacking(database: Database) -> int:
    """Return the number of rows that lost their checksums."""
    with database.read() as connection:
        before = connection.execute(COUNT).fetchone()[0]
    RowChecksums(database).add(lambda: False)
    with database.read() as connection:
        return int(connection.execute(COUNT).fetchone()[0]) - int(before)


def test_rows_changed_by_the_program_are_not_reported_as_damaged(database: Database, checksums: RowChecksums) -> None:
    AgentStore(database).put(Agent("helper", instructions=("Be brief.",)))
    assert _changed(database) == []
    assert _lacking(database) == 1
    AgentStore(database).remove("helper")
    assert _changed(database) == []


def test_rows_changed_or_lost_on_the_disk_are_found_by_name_and_can_be_accepted(
    database: Database, checksums: RowChecksums
) -> None:
    with _disk(database) as connection:
        connection.execute("UPDATE documents SET author = 'Nobody'")
        connection.execute("UPDATE agents SET name = 'helqer'")
    assert _changed(database) == [("documents", "notes.txt"), ("agents", "helper")]
    with database.write() as connection:
        kept: list[str] = []
        accept_changes(connection, lambda table, _row: kept.append(table))
    assert (kept, _changed(database)) == (["documents"], [])


def test_rows_are_given_checksums_piece_by_piece(database: Database, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.store.checksums._ROW_CHECKSUMS_PIECE", 2)
    for number in range(5):
        add(f"Text {number}.\n", path=f"{number}.txt")
    RowChecksums(database).add(lambda: False)
    with database.read() as connection:
        (many,) = connection.execute(f"{COUNT} WHERE holder = 'documents'").fetchone()
    assert many == 5
    with _disk(database) as connection:
        connection.execute("UPDATE documents SET size = size + 1")
    assert len(_changed(database)) == 5


def test_no_rows_are_read_for_checksums_when_nothing_was_written(
    database: Database, checksums: RowChecksums, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Database, "read", lambda _self: pytest.fail("it read"))
    checksums.add(lambda: False)


def test_a_new_schema_leaves_no_checksum_of_rows_that_have_other_columns(
    database: Database, checksums: RowChecksums
) -> None:
    folder = database.folder
    database.close()
    next_step = MigrationStep(
        shipped_steps()[-1].number + 1, "ALTER TABLE documents ADD COLUMN colour TEXT NOT NULL DEFAULT '';"
    )
    migrated = Database.open(folder, steps=(*shipped_steps(), next_step))
    assert _changed(migrated) == []
    RowChecksums(migrated).add(lambda: False)
    assert DatabaseCheck(migrated).changed() == []
    migrated.close()
