"""Integrity of a library: results of checks and repairs, and backups of the database."""

from dataclasses import dataclass
from enum import StrEnum


class LibraryPart(StrEnum):
    """Part of a library that is checked, in this order."""

    DATABASE = "database"
    TEXTS = "texts"
    KEYWORDS = "keyword index"
    VECTORS = "vectors"
    INDEX = "search index"
    FILES = "files"
    SESSIONS = "sessions"
    SETTINGS = "settings"


class Cure(StrEnum):
    """Action of a repair for a fault."""

    REBUILD_DATABASE = "rebuild the database"
    SET_ROWS_ASIDE = "set rows aside"
    REBUILD_KEYWORDS = "rebuild the keyword index"
    COUNT_AGAIN = "count again"
    READ_AGAIN = "read again"
    EMBED_AGAIN = "embed again"
    CODE_AGAIN = "make token vectors again"
    REBUILD_INDEX = "rebuild the search index"
    COPY_FILE = "copy the file again"
    SET_FILE_ASIDE = "set the file aside"
    ADD_FILES = "add files again"
    SET_SESSION_ASIDE = "set answers aside"
    RESET = "give the default back"
    ACCEPT = "take it as it is"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault found by a check.

    Attributes:
        part: The part of the library.
        message: Description of the fault, one sentence.
        remedy: Description of the repair, one sentence.
        cure: The action of the repair.
        documents: The documents concerned.
        keys: Other database objects concerned, by key: rows, settings, runs.
        is_loss: Something was lost that the program cannot restore.
    """

    part: LibraryPart
    message: str
    remedy: str
    cure: Cure
    documents: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()
    is_loss: bool = False


@dataclass(frozen=True, slots=True)
class CheckedAmount:
    """Number of items checked in a part."""

    part: LibraryPart
    count: int


@dataclass(frozen=True, slots=True)
class Soundness:
    """Result of a check of a library.

    Attributes:
        faults: The faults, in the order of the parts.
        looked: Number of items checked in each part.
        seconds: Duration.
    """

    faults: tuple[Fault, ...]
    looked: tuple[CheckedAmount, ...] = ()
    seconds: float = 0.0

    @property
    def is_sound(self) -> bool:
        """True if there are no faults."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """Progress of a check or a repair; total is 0 if unknown."""

    part: LibraryPart
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LibraryUnsound:
    """Event: the automatic check of the library found faults; message informs the user."""

    message: str
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """Result of a repair.

    Attributes:
        done: Completed repairs, a sentence each; for a trial run the planned ones.
        lost: Losses that could not be repaired, by name, a sentence each.
        backup: Name of the backup that was made before; empty if the database could not be read.
        aside: Folder with quarantined data; empty if there is none.
        left: Remaining faults.
        is_trial: Nothing was changed.
    """

    done: tuple[str, ...]
    lost: tuple[str, ...] = ()
    backup: str = ""
    aside: str = ""
    left: tuple[Fault, ...] = ()
    is_trial: bool = False


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Line of the doctor's report on machine and library; ok is None if it is information only."""

    check: str
    result: str
    ok: bool | None = None


class BackupReason(StrEnum):
    """Reason for a backup; the number of backups kept is limited per reason."""

    MIGRATION = "migration"
    """Before a later version of the program migrated the database."""
    REPAIR = "repair"
    """Before a repair."""
    RESTORE = "restore"
    """The database in use before another backup replaced it."""
    WEEKLY = "weekly"
    """Automatically, after a check found the whole library sound."""
    BY_HAND = "by hand"
    """Requested by the user; kept until the user deletes it."""


@dataclass(frozen=True, slots=True)
class Backup:
    """Backup in the library folder.

    Attributes:
        name: Its file name, as passed to “restore”.
        reason: Reason for the backup.
        made: Creation time, ISO 8601, UTC; by the clock of that moment.
        size: Bytes.
        schema: Number of its schema.
        users: Users whose sessions, memories, readings and questions it contains, "" for the default user; all of them
            are restored.
    """

    name: str
    reason: BackupReason
    made: str
    size: int
    schema: int
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackupProgress:
    """Progress of copying a database, in pages of its file."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Restored:
    """Event: a backup was restored.

    Attributes:
        backup: The backup.
        kept: Name of the backup of the replaced database; empty if that could not be read.
        aside: Folder with the replaced database if it is damaged; else empty.
        absent: Number of files of documents that are in the library folder but not in the backup: a repair adds them
            again.
    """

    backup: Backup
    kept: str
    aside: str
    absent: int
