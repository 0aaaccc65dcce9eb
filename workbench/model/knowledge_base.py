"""Knowledge bases, the folders that are linked to them, and the bin of removed documents."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import PurePath

from workbench.language import mark
from workbench.model.document import Document
from workbench.model.metadata import CustomFields

DEFAULT = "default"
"""The knowledge base that is always there."""


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A knowledge base with what it holds.

    Attributes:
        name: As the user wrote it; no two have the same.
        documents: How many documents.
        chunks: How many chunks can be searched.
        embedded: How many of them have their vector.
        failed: How many documents could not be read.
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
    """What it takes to bring a removed knowledge base back.

    Attributes:
        number: Its own in the library.
        name: Its name.
        documents: The documents that went into the bin with it.
        folders: The folders that were linked to it.
    """

    number: int
    name: str
    documents: tuple[int, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedDocument:
    """A document that was not moved or copied, and why."""

    document: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """What became of documents that were to go to another knowledge base.

    Attributes:
        target: The knowledge base.
        documents: Ids of those that are there now; of copies, the new ones.
        refused: Those that stayed where they were.
        sources: Where each of the documents was before.
    """

    target: str
    documents: tuple[int, ...]
    refused: tuple[RefusedDocument, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBasesChanged:
    """There are others now, or they hold something else; names, oldest first."""

    names: tuple[str, ...]


NOT_REACHABLE = mark("It cannot be reached now. Its documents stay as they are.")
"""The reason of a folder that is not there: a drive that was unplugged, a share without its network."""

NOW_EMPTY = mark("It is empty now, so nothing was removed. If that is meant, unlink it and remove its documents.")
"""The reason of a folder without a single file: mostly the place where a drive should be mounted."""

NOT_WATCHED = mark("The system does not tell of changes in it: it is looked at every half minute instead.")
"""The reason of a folder beyond the number that the system watches at once."""


class FolderState(StrEnum):
    """How a linked folder stands."""

    FOLLOWED = "followed"
    NOT_REACHABLE = "not reachable"
    NOTE = "note"
    """It is followed, and there is something to know about it."""


@dataclass(frozen=True, slots=True)
class LinkedFolder:
    """A linked folder as the library keeps it.

    Attributes:
        id: The library's own number.
        knowledge_base: Name of the knowledge base that its documents belong to.
        path: Absolute.
        added: ISO 8601, UTC.
        checked: When its files were last looked at, ISO 8601, UTC; empty before the first time.
        reason: What there is to know, one sentence; empty when all is well.
        documents: How many documents of it can be searched.
        metadata: What each of its documents is given, those to come too.
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
        """Its last part, for people."""
        return PurePath(self.path).name or self.path

    @property
    def state(self) -> FolderState:
        """How it stands."""
        if self.reason in (NOT_REACHABLE, NOW_EMPTY):
            return FolderState.NOT_REACHABLE
        return FolderState.NOTE if self.reason else FolderState.FOLLOWED


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """What a look at a linked folder came to.

    Attributes:
        folder: The folder as it stands afterwards.
        added: Files that became documents.
        edited: Documents whose file had changed and was read again.
        moved: Documents whose file has another name or place now.
        removed: Documents that went to the bin because their file is gone.
        restored: Documents that came back from the bin with their file.
        failed: Files that could not be read.
        unsteady: Files that were still being written, left for the next look.
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
        """How many files were not as the library knew them."""
        return self.added + self.edited + self.moved + self.removed + self.restored + self.failed


@dataclass(frozen=True, slots=True)
class FoldersChecked:
    """Linked folders were looked at; an event."""

    checks: tuple[FolderCheck, ...]


class Removal(IntEnum):
    """Why a document is in the bin; the numbers are those of documents.removed in the database."""

    BY_USER = 1
    WITH_FILE = 2
    """Its file in a linked folder is gone; when the file comes back, so does the document."""
    FOR_GOOD = 3
    """Its content is deleted. Only its name is kept, so that its file in a linked folder is not added anew."""


@dataclass(frozen=True, slots=True)
class BinnedDocument:
    """A document in the bin.

    Attributes:
        document: As it was.
        removal: Why it is here: BY_USER or WITH_FILE.
        removed_at: ISO 8601, UTC.
    """

    document: Document
    removal: Removal
    removed_at: str
