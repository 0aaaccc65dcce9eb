"""Bring a database to the newest schema: numbered SQL files, each applied in one transaction."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from workbench.errors import LibraryDamaged, LibraryTooNew

logger = logging.getLogger(__name__)

# Marks the file as ours ("KnWb"): another program's database is refused instead of migrated.
APPLICATION_ID = 0x4B6E5762


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
    """Apply the steps that a database of that version lacks; an older library is copied beside itself first."""
    missing = [step for step in steps if step.number > (version or 0)]
    if missing and version is not None:
        _back_up(connection, path.with_name(f"{path.stem}-before-{steps[-1].number:04}.sqlite3"))
    for step in missing:
        _apply(connection, step)


def _back_up(connection: sqlite3.Connection, target: Path) -> None:
    unfinished = target.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    copy = sqlite3.connect(unfinished)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    unfinished.replace(target)
    logger.info("Copied the older library to %s", target)


def _apply(connection: sqlite3.Connection, step: Step) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in _statements(step.sql):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {step.number}")
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
