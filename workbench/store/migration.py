"""Bring a database to the newest schema: numbered SQL files, applied in one transaction."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from workbench.errors import DiskFull, LibraryDamaged, LibraryTooNew
from workbench.model.backup import BackupReason
from workbench.store.backups import APPLICATION_ID, back_up
from workbench.store.row_checksums import forget_row_checksums

ROW_CHECKSUMS = 15
"""The step since which rows have checksums."""


@dataclass(frozen=True, slots=True)
class Step:
    """One schema file; number is the user_version of a database after it."""

    number: int
    sql: str


def shipped_steps() -> tuple[Step, ...]:
    """Return the schema files of this program, oldest first."""
    folder = resources.files("workbench.store") / "schema"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple(Step(int(name[:4]), (folder / name).read_text("utf-8")) for name in names)


def found_version(connection: sqlite3.Connection, path: Path, steps: Sequence[Step]) -> int | None:
    """Return the schema number of the file, None for a new one; writes nothing.

    Raises:
        LibraryTooNew: A later version of the program wrote it.
        LibraryDamaged: The file is a database, but not a library.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version == 0 and connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0:
        return None
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise LibraryDamaged(f"{path} is not a library of this program.", "Choose another library folder.")
    if version > steps[-1].number:
        raise LibraryTooNew(
            f"The library in {path.parent} was written by a later version of this program.",
            "Update the program, or choose another library folder.",
        )
    return version


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Step], version: int | None) -> None:
    """Apply the steps that a database of that version lacks; an older library is backed up first.

    Raises:
        DiskFull: There is no room for the backup; the library is as it was.
        LibraryDamaged: The backup is not sound, since the library is not; it is as it was.
    """
    missing = [step for step in steps if step.number > (version or 0)]
    if missing and version is not None:
        try:
            back_up(connection, path.parent, BackupReason.MIGRATION)
        except DiskFull as error:
            raise DiskFull(
                f"The library in {path.parent} is of an earlier version of this program and is backed up before it is"
                f" brought up to date. {error.message}",
                error.hint,
            ) from error
    _apply(connection, missing)


def _apply(connection: sqlite3.Connection, steps: Sequence[Step]) -> None:
    """Take all steps or none: a kill between two of them would have the next start back up what is half new."""
    if not steps:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps:
            for statement in _statements(step.sql):
                connection.execute(statement)
        if steps[-1].number >= ROW_CHECKSUMS:
            forget_row_checksums(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {steps[-1].number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(sql: str) -> Iterator[str]:
    # executescript would commit first; sqlite3 itself knows where a statement (or a trigger) ends.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
