"""A copy of the library's database that can take its place again."""

from dataclasses import dataclass
from enum import StrEnum


class BackupReason(StrEnum):
    """Why a backup was made; each reason has a number of backups of its own that are kept."""

    MIGRATION = "migration"
    """Before a later version of the program brought the database up to date."""
    REPAIR = "repair"
    """Before a repair."""
    RESTORE = "restore"
    """What was in use before another backup took its place."""
    WEEKLY = "weekly"
    """By itself, after the whole library was found sound."""
    BY_HAND = "by hand"
    """Because the user wanted one; kept until the user deletes it."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup as it lies in the library folder.

    Attributes:
        name: Its file name; what “restore” is told.
        reason: Why it was made.
        made: ISO 8601, UTC; by the clock of that moment.
        size: Bytes.
        schema: The number of its schema.
        users: Whose sessions, memories, readings and questions it holds, "" for the one who gives no name; all of them
            are put in use again.
    """

    name: str
    reason: BackupReason
    made: str
    size: int
    schema: int
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackupProgress:
    """How far the copying of a database is: pages of its file."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup is in use again.

    Attributes:
        backup: Which.
        kept: Name of the backup of what was in use before; empty where that could not be read.
        aside: Folder that holds what was in use before where it is damaged; else empty.
        absent: Files of documents that are in the library folder and not in the backup: a repair adds them again.
    """

    backup: Backup
    kept: str
    aside: str
    absent: int
