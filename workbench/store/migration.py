"""Migration of older libraries.

Numbered SQL files are applied in one transaction, and file permissions are restricted to the owner.
"""

import contextlib
import os
import re
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from workbench.errors import DiskFull, LibraryDamaged, LibraryTooNew
from workbench.files.changes import close_to_others
from workbench.files.modes import is_shared
from workbench.model.integrity_report import BackupReason
from workbench.store.backups import APPLICATION_ID, back_up
from workbench.store.checksums import forget_row_checksums
from workbench.system import current

ROW_CHECKSUMS = 15
"""Number of the step that introduced row checksums."""


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """Schema file; number is the user_version of a database after it."""

    number: int
    sql: str


@cache
def shipped_steps() -> tuple[MigrationStep, ...]:
    """Return the schema files of this program, oldest first; cached, since reading them takes 3 ms of each opening."""
    folder = resources.files("workbench.store") / "schema"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple(MigrationStep(int(name[:4]), (folder / name).read_text("utf-8")) for name in names)


def found_version(connection: sqlite3.Connection, path: Path, steps: Sequence[MigrationStep]) -> int | None:
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


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[MigrationStep], version: int | None) -> None:
    """Apply the steps that a database of the given version lacks; an older library is backed up first.

    Raises:
        DiskFull: There is no space for the backup; the library is unchanged.
        LibraryDamaged: The backup is not sound, because the library is not; the library is unchanged.
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


def _apply(connection: sqlite3.Connection, steps: Sequence[MigrationStep]) -> None:
    """Apply all steps or none: after a kill between two steps, the next start would back up a half-migrated library."""
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
    # executescript would commit first; sqlite3 itself detects the end of a statement (or a trigger).
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


_OURS = re.compile(
    r"library\.(sqlite3(-wal|-shm|-journal)?|lock)|library-before-\d{4}\.sqlite3|window\.ini"
    r"|originals|index|map|backups|damaged|staging|unpacked|unfinished|kept-pages|kept-originals"
)
"""Names of files and folders that the program creates in a library folder."""


def is_open(database: Path) -> bool:
    """Return whether other users may read a database, or it does not exist yet.

    Raises:
        OSError: It cannot be accessed.
    """
    try:
        return bool(stat.S_IMODE(database.stat().st_mode) & 0o077)
    except FileNotFoundError:
        return True


def close_library(folder: Path) -> None:
    """Restrict a library folder, and the program's files in it, to the owner, unless it is shared; never raises.

    The folder itself stays unchanged if it contains other files of the user, which are not ours to restrict.
    """
    with contextlib.suppress(OSError):
        if not current().has_modes or is_shared(folder):
            return
        real = folder.resolve()
        names = [entry.name for entry in os.scandir(real)]
        for name in filter(_OURS.fullmatch, names):
            with contextlib.suppress(OSError):
                close_to_others(real / name, within=real)
        # Hidden files are notes of file managers.
        if all(_OURS.fullmatch(name) or name.startswith(".") for name in names):
            close_to_others(real, within=real.parent)
