"""Progress and results of an import: its events, and what a drop of files holds before anything is added."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.document import Document


class FileOutcome(StrEnum):
    """What became of a file that was to be added."""

    READY = "ready"
    FAILED = "failed"
    UNCHANGED = "unchanged"
    LOCKED = "locked"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """A document was added or changed its status; the library pane redraws one row."""

    document: Document


@dataclass(frozen=True, slots=True)
class DocumentsRemoved:
    """These documents are gone."""

    documents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IndexRepaired:
    """The search index was damaged and was made anew; message says so to the user."""

    message: str


@dataclass(frozen=True, slots=True)
class FileDivided:
    """A file is too long for one document and is read in parts; message says how, to the user."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class FileFinished:
    """A file is done with: the line that the command line prints.

    Attributes:
        document: The document's id; None when there is none.
        reason: Why it failed or was skipped; of one that is ready, what of it was not read, else empty.
        seconds: From the start of its parsing to its last vector.
        can_pass: It failed for a reason that may be gone later, although the file did not change.
        closed_hosts: Of a page that the air gap kept from being fetched: the hosts that its address led to, the last
            of which was not asked; of a query on a database, its servers. As allow_hosts of add_urls, add_query and
            refetch takes them.
    """

    path: str
    outcome: FileOutcome
    document: int | None
    reason: str
    pages: int
    chunks: int
    seconds: float
    can_pass: bool = False
    closed_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is.

    Attributes:
        files_done: Files that have come to their end.
        files: All of them.
        chunks_done: Chunks that were embedded.
        chunks: Those of the files that were read so far.
        seconds_left: What is left to do; None until it can be told.
        files_read: Files that can be found by keyword, or have come to their end.
    """

    files_done: int
    files: int
    chunks_done: int
    chunks: int
    seconds_left: float | None
    files_read: int = 0


@dataclass(frozen=True, slots=True)
class PagesRead:
    """So many pages of a file of `total` pages were read; nothing is stored of them yet.

    document is the document's id, 0 where a reader says it, which does not know it.
    """

    done: int
    total: int
    document: int = 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page of a stored document was read by OCR, or could not be: `done` of `total` pages that are to be read.

    Or, where it says tables, the layout model looked for tables on it.
    """

    document: int
    page: int
    done: int
    total: int
    tables: bool = False


@dataclass(frozen=True, slots=True)
class QueuePaused:
    """Imports of the library pause now, or go on."""

    paused: bool


BIG_FILES = 50
BIG_BYTES = 200 * 2**20


@dataclass(frozen=True, slots=True)
class FileKind:
    """Files with one ending: ".pdf", or nothing for files without."""

    ending: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A file that holds the same as another of the drop, or as a document of the library."""

    path: str
    same_as: str
    in_library: bool


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """How far the looking is: files found, then files compared of those that must be."""

    found: int
    compared: int = 0
    to_compare: int = 0

    @property
    def is_big(self) -> bool:
        """Whether it takes so long that a person should see it."""
        return self.found > BIG_FILES or self.to_compare > 0


@dataclass(frozen=True, slots=True)
class Review:
    """What would be added.

    Attributes:
        files: Files that can be read.
        size: Their bytes.
        kinds: They by ending, the most frequent first.
        unsupported: The other files by ending.
        unreadable: Paths that cannot be read at all.
        duplicates: Readable files whose content is there already; empty for a small drop, which is not compared.
        links: Links to files that may be documents; they are left out unless they are to be followed.
    """

    files: int
    size: int
    kinds: tuple[FileKind, ...]
    unsupported: tuple[FileKind, ...]
    unreadable: tuple[str, ...]
    duplicates: tuple[Duplicate, ...]
    links: int = 0

    @property
    def is_big(self) -> bool:
        """Whether a person should see it before it is added."""
        everything = self.files + sum(kind.files for kind in self.unsupported)
        return everything > BIG_FILES or self.size > BIG_BYTES

    @property
    def asks(self) -> bool:
        """Whether there is something to decide: it is big, or there are links that could be followed."""
        return self.is_big or self.links > 0
