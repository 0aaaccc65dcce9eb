"""Progress and results of an import: its events, and a review of dropped files before they are added."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.document import Document


class FileOutcome(StrEnum):
    """Outcome for a file that was to be added."""

    READY = "ready"
    FAILED = "failed"
    UNCHANGED = "unchanged"
    LOCKED = "locked"
    SKIPPED = "skipped"
    SHARED = "shared"
    """It was copied to a shared library, whose workers read it."""


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """Event: a document was added or changed its status; the library pane redraws one row."""

    document: Document


@dataclass(frozen=True, slots=True)
class DocumentsRemoved:
    """Event: documents were removed."""

    documents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IndexRepaired:
    """Event: the search index was damaged and rebuilt; message informs the user."""

    message: str


@dataclass(frozen=True, slots=True)
class FileDivided:
    """Event: a file is too long for one document and is read in parts; message describes them to the user."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class FileFinished:
    """Event: processing of a file ended; the command line prints a line for it.

    Attributes:
        document: The document's id; None if there is none.
        reason: Reason of a failure or skip; for a ready document, the parts that were not read, or empty.
        seconds: From the start of its parsing to its last vector.
        can_pass: It failed for a reason that may be temporary, although the file did not change.
        closed_hosts: For a page that offline mode kept from being fetched: the hosts that its address led to, the last
            of which was not contacted; for a query on a database, its servers. In the form for allow_hosts of add_urls,
            add_query and refetch.
        by_keyword: It failed only because the embedder did: the document is found by keyword, like every other one.
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
    by_keyword: bool = False


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """Event: progress of an import.

    Attributes:
        files_done: Number of files that are finished.
        files: Number of all files.
        chunks_done: Number of chunks embedded.
        chunks: Number of chunks of the files read so far.
        seconds_left: Estimated remaining time; None until it can be estimated.
        files_read: Number of files that can be found by keyword, or are finished.
        share: Share of the work of all stages that is done, 0 to 1, by time; 0 until it can be estimated.
    """

    files_done: int
    files: int
    chunks_done: int
    chunks: int
    seconds_left: float | None
    files_read: int = 0
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class PagesRead:
    """Event: `done` of the `total` pages of a file were parsed; none of them is stored yet.

    document is the document's id, 0 if the event comes from a reader, which does not know it.
    """

    done: int
    total: int
    document: int = 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """Event: a page of a stored document was processed by OCR, successfully or not: `done` of `total` pages.

    If tables is set, the layout model searched it for tables instead.
    """

    document: int
    page: int
    done: int
    total: int
    tables: bool = False


@dataclass(frozen=True, slots=True)
class QueuePaused:
    """Event: imports of the library were paused or resumed."""

    paused: bool


BIG_FILES = 50
BIG_BYTES = 200 * 2**20


@dataclass(frozen=True, slots=True)
class FileKind:
    """Files with one extension: ".pdf", or empty for files without."""

    ending: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """File with the same content as another of the drop, or as a document of the library."""

    path: str
    same_as: str
    in_library: bool


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """Progress of a review: number of files found, then number of files compared of those to compare."""

    found: int
    compared: int = 0
    to_compare: int = 0

    @property
    def is_big(self) -> bool:
        """True if it takes long enough to show progress."""
        return self.found > BIG_FILES or self.to_compare > 0


@dataclass(frozen=True, slots=True)
class Review:
    """Review of the files to be added.

    Attributes:
        files: Number of files that can be read.
        size: Their total size in bytes.
        kinds: These files by extension, the most frequent first.
        unsupported: The other files by extension.
        unreadable: Paths that cannot be read at all.
        duplicates: Readable files whose content already exists; empty for a small drop, which is not compared.
        links: Number of links to files that may be documents; they are left out unless links are followed.
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
        """True if a person should confirm it before it is added."""
        everything = self.files + sum(kind.files for kind in self.unsupported)
        return everything > BIG_FILES or self.size > BIG_BYTES

    @property
    def asks(self) -> bool:
        """True if there is something to decide: it is big, or there are links that could be followed."""
        return self.is_big or self.links > 0
