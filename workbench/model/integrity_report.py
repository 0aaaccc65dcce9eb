"""Integrity of a library: what a check found, what repair did and what was lost; backups of the database."""

from dataclasses import dataclass
from enum import StrEnum


class LibraryPart(StrEnum):
    """A part of a library that is looked through, in this order."""

    DATABASE = "database"
    TEXTS = "texts"
    KEYWORDS = "keyword index"
    VECTORS = "vectors"
    INDEX = "search index"
    FILES = "files"
    SESSIONS = "sessions"
    SETTINGS = "settings"


class Cure(StrEnum):
    """What a repair does about a fault."""

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
    """One thing that is not as it should be.

    Attributes:
        part: Where.
        message: What is wrong, one sentence.
        remedy: What repair would do about it, one sentence.
        cure: The same for the program.
        documents: The documents concerned.
        keys: What else is concerned, by what it is called in the database: rows, settings, runs.
        is_loss: Something is gone that the program cannot make anew.
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
    """How much of a part was looked through."""

    part: LibraryPart
    count: int


@dataclass(frozen=True, slots=True)
class Soundness:
    """What a look through a library found.

    Attributes:
        faults: What is wrong, in the order of the parts.
        looked: How much was looked through.
        seconds: How long it took.
    """

    faults: tuple[Fault, ...]
    looked: tuple[CheckedAmount, ...] = ()
    seconds: float = 0.0

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """How far a check or a repair is; total is 0 where that cannot be told."""

    part: LibraryPart
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LibraryUnsound:
    """The look through the library that is taken by itself found something; message says so to the user."""

    message: str
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did.

    Attributes:
        done: What was mended, a sentence each; for a trial run what would be.
        lost: What could not be had back, by name, a sentence each.
        backup: Name of the backup that was made before; empty where the database could not be read.
        aside: Folder with what was set aside; empty where nothing was.
        left: What is still wrong.
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
    """A line of what the doctor says of machine and library; ok is None where nothing can be right or wrong."""

    check: str
    result: str
    ok: bool | None = None


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
