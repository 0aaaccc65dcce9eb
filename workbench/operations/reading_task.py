"""One file on its way through an import: the task of reading it, or the verdict on it."""

from dataclasses import dataclass, field
from pathlib import Path

from workbench.language import mark
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import FileOutcome
from workbench.operations.sources import Digest
from workbench.store.intake import Stamp

BUSY = mark("It is being added already.")


@dataclass(slots=True)
class ReadingTask:
    """A document to be read from file; path is where the user has it.

    Attributes:
        file: The library's own copy; the user's file until it is identified.
        digest: Of the bytes; until the file is identified, what the document's row holds.
        replaces: The library holds earlier content of it, which stays searchable until the new is stored.
        stamp: Of the user's file when its bytes were hashed; None when the library's copy is read again.
        identified: The bytes are known and copied.
        started: When its reading began, for the report.
        root: The folder in which the file was found, below which no link is followed; None for one that was named.
        held: Hashes of the copies that were held for it; let go when it ends.
    """

    path: Path
    document: Document
    file: Path
    digest: Digest
    replaces: bool
    stamp: Stamp | None = None
    identified: bool = True
    started: float = 0.0
    root: Path | None = None
    held: list[str] = field(default_factory=list)

    @property
    def is_same_content(self) -> bool:
        """True where the file is read again unchanged."""
        return self.digest.sha256 == self.document.sha256

    @property
    def needs_only_vectors(self) -> bool:
        """True where its text was stored before a stop, so that only vectors are missing."""
        stored = self.document.status in (DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)
        stored = stored and not self.document.pages_of_file
        return self.stamp is not None and self.replaces and stored and self.is_same_content


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a file: what came of it and why, which documents went for it, whether the reason can pass.

    moved says that its document stands in another folder now.
    """

    path: Path
    outcome: FileOutcome
    document: Document | None
    reason: str
    removed: tuple[int, ...] = ()
    can_pass: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Busy:
    """The document that holds the same bytes is being read: what becomes of the file can be told afterwards."""

    document: Document


def task_of(document: Document, file: Path, *, identified: bool = True) -> ReadingTask:
    """Return the task of reading a document of the library."""
    content = Digest(document.sha256, document.size)
    return ReadingTask(
        Path(document.path),
        document,
        file,
        content,
        document.chunks > 0,
        None if identified else Stamp(0, 0),
        identified,
    )
