"""Knowledge bases, the folders that are linked to them, and the bin of removed documents."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import PurePath

from workbench.language import mark
from workbench.model.document import Document
from workbench.model.metadata import CustomFields

DEFAULT = "default"
"""Name of the knowledge base that always exists."""


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """Knowledge base with counts of its contents.

    Attributes:
        name: As written by the user; unique.
        documents: Number of documents.
        chunks: Number of searchable chunks.
        embedded: Number of chunks that have their vector.
        failed: Number of documents that could not be read.
        size: Bytes of the source files.
    """

    name: str
    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    failed: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class RemovedBase:
    """Data needed to restore a removed knowledge base.

    Attributes:
        number: Its number in the library.
        name: Its name.
        documents: The documents that were moved to the bin with it.
        folders: The folders that were linked to it.
    """

    number: int
    name: str
    documents: tuple[int, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedDocument:
    """Document that was not moved or copied, and the reason."""

    document: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """Result of moving or copying documents to another knowledge base.

    Attributes:
        target: The knowledge base.
        documents: Ids of those that are there now; for copies, the new ones.
        refused: Those that were not moved or copied.
        sources: Former knowledge base of each document.
    """

    target: str
    documents: tuple[int, ...]
    refused: tuple[RefusedDocument, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBasesChanged:
    """Event: knowledge bases were added, removed or changed; names, oldest first."""

    names: tuple[str, ...]


NOT_REACHABLE = mark("It cannot be reached now. Its documents stay as they are.")
"""Reason for an unavailable folder: a drive that was unplugged, a share without its network."""

NOW_EMPTY = mark("It is empty now, so nothing was removed. If that is intended, unlink it and remove its documents.")
"""Reason for a folder without any files: mostly the mount point of a missing drive."""

NOT_WATCHED = mark("The system does not report changes in this folder, so it is checked every 30 seconds.")
"""Reason for a folder beyond the number that the system watches at once."""


class FolderState(StrEnum):
    """State of a linked folder."""

    FOLLOWED = "followed"
    NOT_REACHABLE = "not reachable"
    NOTE = "note"
    """It is followed, and there is a message about it."""


@dataclass(frozen=True, slots=True)
class LinkedFolder:
    """Linked folder as stored.

    Attributes:
        id: The library's own number.
        knowledge_base: Name of the knowledge base that its documents belong to.
        path: Absolute path.
        added: ISO 8601, UTC.
        checked: Time of the last check of its files, ISO 8601, UTC; empty before the first check.
        reason: Message about it, one sentence; empty if there are no problems.
        documents: Number of searchable documents from it.
        metadata: Metadata given to each of its documents, including future ones.
    """

    id: int
    knowledge_base: str
    path: str
    added: str
    checked: str = ""
    reason: str = ""
    documents: int = 0
    metadata: CustomFields = ()

    @property
    def name(self) -> str:
        """Last component of its path, for users."""
        return PurePath(self.path).name or self.path

    @property
    def state(self) -> FolderState:
        """State of the folder."""
        if self.reason in (NOT_REACHABLE, NOW_EMPTY):
            return FolderState.NOT_REACHABLE
        return FolderState.NOTE if self.reason else FolderState.FOLLOWED


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """Result of a check of a linked folder.

    Attributes:
        folder: The folder after the check.
        added: Number of files that became documents.
        edited: Number of documents whose file had changed and was read again.
        moved: Number of documents whose file was renamed or moved.
        removed: Number of documents moved to the bin because their file was deleted.
        restored: Number of documents restored from the bin with their file.
        failed: Number of files that could not be read.
        unsteady: Number of files that were still being written, left for the next check.
    """

    folder: LinkedFolder
    added: int = 0
    edited: int = 0
    moved: int = 0
    removed: int = 0
    restored: int = 0
    failed: int = 0
    unsteady: int = 0

    @property
    def changed(self) -> int:
        """Number of files that differed from the library's records."""
        return self.added + self.edited + self.moved + self.removed + self.restored + self.failed


@dataclass(frozen=True, slots=True)
class FoldersChecked:
    """Event: linked folders were checked."""

    checks: tuple[FolderCheck, ...]


class Removal(IntEnum):
    """Reason why a document is in the bin; the numbers are those of documents.removed in the database."""

    BY_USER = 1
    WITH_FILE = 2
    """Its file in a linked folder was deleted; if the file comes back, the document is restored."""
    FOR_GOOD = 3
    """Its content is deleted. Only its name is kept, so that its file in a linked folder is not added again."""


@dataclass(frozen=True, slots=True)
class BinnedDocument:
    """Document in the bin.

    Attributes:
        document: The document before its removal.
        removal: Reason: BY_USER or WITH_FILE.
        removed_at: ISO 8601, UTC.
    """

    document: Document
    removal: Removal
    removed_at: str
