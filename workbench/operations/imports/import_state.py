"""State of an import: its reading tasks, files in progress, files that wait for a duplicate, and outcomes."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from workbench.errors import (
    PASSING,
    DiskFull,
    DocumentError,
    EncryptedDocument,
    NotFound,
    ParserCrashed,
    ParserOutOfMemory,
    ParserTimedOut,
    WorkbenchError,
)
from workbench.language import mark
from workbench.model.document import NO_FAILURE, Document, DocumentStatus, FailureKind, PageFailure, not_read
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome
from workbench.operations.imports.embedding import REMOVED
from workbench.operations.imports.import_queue import DocumentQueue
from workbench.operations.imports.progress import Progress
from workbench.operations.imports.source_files import Digest
from workbench.operations.library.library import Library
from workbench.store.intake import TRY_AGAIN, FileStamp
from workbench.worker.job import JobContext

BUSY = mark("It is already being added.")


@dataclass(slots=True)
class ReadingTask:
    """A document to be read.

    Attributes:
        path: Path of the user's file.
        document: The document's row.
        file: File to read: the library's own copy, or the user's file until it is identified.
        digest: Hash and size of the bytes; those in the document's row until the file is identified.
        replaces: True if the library has earlier content, which stays searchable until the new content is stored.
        stamp: Stamp of the user's file when its bytes were hashed; None if the library's copy is read again.
        identified: True if the bytes are known and copied.
        started: Time at which the reading began, for the report.
        root: Folder in which the file was found, below which no link is followed; None if the user named the file.
        held: Hashes of the copies that are held for the task; released when it ends.
        page_facts: Pages as they were read, for the second pass (Prepared.page_facts); empty from then on.
        failure: Reason why only the first pages were read, which are embedded; None if there is none.
    """

    path: Path
    document: Document
    file: Path
    digest: Digest
    replaces: bool
    stamp: FileStamp | None = None
    identified: bool = True
    started: float = 0.0
    root: Path | None = None
    held: list[str] = field(default_factory=list)
    page_facts: bytes = b""
    failure: WorkbenchError | None = None

    @property
    def is_same_content(self) -> bool:
        """True if the file is read again unchanged."""
        return self.digest.sha256 == self.document.sha256

    @property
    def needs_only_vectors(self) -> bool:
        """True if the text was stored before the import was stopped, so that only vectors are missing."""
        stored = self.document.status in (DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)
        stored = stored and not self.document.pages_of_file
        return self.stamp is not None and self.replaces and stored and self.is_same_content


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The result for a file.

    Attributes:
        path: Path of the file.
        outcome: The outcome.
        document: The document of the file, if there is one.
        reason: Reason of the outcome; may be empty.
        removed: Ids of the documents that were removed because of it.
        can_pass: True if the reason may disappear without a change of the file.
        moved: True if the document is in another folder now.
        by_keyword: See FileFinished.by_keyword.
    """

    path: Path
    outcome: FileOutcome
    document: Document | None
    reason: str
    removed: tuple[int, ...] = ()
    can_pass: bool = False
    moved: bool = False
    by_keyword: bool = False


@dataclass(frozen=True, slots=True)
class DuplicateInProgress:
    """The document with the same bytes is being read; the verdict on the file is known only afterwards."""

    document: Document


def task_of(document: Document, file: Path, *, identified: bool = True) -> ReadingTask:
    """Return a task that reads a document of the library."""
    content = Digest(document.sha256, document.size)
    return ReadingTask(
        Path(document.path),
        document,
        file,
        content,
        document.chunks > 0,
        None if identified else FileStamp(0, 0),
        identified,
    )


_FAILURES: dict[type[WorkbenchError], FailureKind] = {
    ParserTimedOut: FailureKind.TIME,
    ParserOutOfMemory: FailureKind.MEMORY,
    ParserCrashed: FailureKind.CRASH,
    EncryptedDocument: FailureKind.PASSWORD,
}


def failure_of(error: WorkbenchError | None) -> FailureKind:
    """Return the kind of failure that an error is; NONE without an error."""
    if error is None:
        return FailureKind.NONE
    return next((failure for kind, failure in _FAILURES.items() if isinstance(error, kind)), FailureKind.OTHER)


def page_failure(error: DocumentError | None) -> PageFailure:
    """Return the reason why a page could not be read; NO_FAILURE without an error."""
    return PageFailure(str(error), failure_of(error)) if error is not None else NO_FAILURE


logger = logging.getLogger(__name__)
T = TypeVar("T")

UNLOCK_HINT = mark("Choose “Enter password…” in its menu, or type “workbench unlock”.")


class FileState:
    """State of the files of an import: which wait and which are in progress, and how each of them ends.

    Attributes:
        outcomes: The outcomes of the files that have ended.
        waiting: Queue of the files that wait to be read, by the ids of their documents.
        in_progress: Every file that has begun and not ended, by the id of its document.
        duplicate_waiters: Files that wait because another file of the same import has the same content.
    """

    def __init__(
        self, library: Library, context: JobContext, progress: Progress, embed: Callable[[ReadingTask], None]
    ) -> None:
        """Prepare the state of an import; embed continues with a file that needs only vectors now."""
        self._library = library
        self._context = context
        self._progress = progress
        self._embed = embed
        self.outcomes = Outcomes(context, progress)
        self.waiting: DocumentQueue[ReadingTask] = DocumentQueue()
        self.in_progress: dict[int, ReadingTask] = {}
        self.duplicate_waiters = DuplicateWaiters()
        self._under_way: set[asyncio.Future[Any]] = set()

    async def store(self, function: Callable[..., T], *args: object) -> T:
        """Run blocking work that changes the store; it is finished even if the import is cancelled."""
        work = asyncio.ensure_future(self._library.on_store(function, *args))
        self._under_way.add(work)
        work.add_done_callback(self._under_way.discard)
        return await asyncio.shield(work)

    async def set_status(
        self,
        task: ReadingTask,
        status: DocumentStatus,
        reason: str = "",
        hint: str = "",
        error: WorkbenchError | None = None,
    ) -> None:
        """Set the status of a file's document, with the reason and what the user can do, and report the change.

        Args:
            task: The file.
            status: The new status.
            reason: The reason, as a sentence; empty if there is none.
            hint: What the user can do.
            error: The error that the reason describes.

        Raises:
            NotFound: The document was removed meanwhile.
        """
        documents, failure = self._library.documents, failure_of(error)

        def change() -> Document:
            return documents.set_status(task.document.id, status, reason=reason, hint=hint, failure=failure)

        task.document = await self.store(change)
        self._context.emit(DocumentChanged(task.document))

    async def fail(self, task: ReadingTask, error: WorkbenchError) -> None:
        """End a file by an error; stored content stays searchable, and the part of a file that was read is embedded."""
        logger.info("Document %d could not be read: %s", task.document.id, error)
        outcome = FileOutcome.FAILED
        try:
            if task.document.pages_of_file:
                read, total = task.document.pages, task.document.pages_of_file
                several = mark(f"Only its first {read:,} of {total:,} pages are searched: {error.message}")
                one = mark(f"Only the first of its {total:,} pages is searched: {error.message}")
                reason = one if read == 1 else several
                await self.set_status(task, DocumentStatus.INDEXED, reason, error.hint, error)
                task.failure = error
                self._progress.leaves(str(task.path))
                self._embed(task)
                return
            if task.replaces:
                reason = (
                    mark(f"It could not be read again, the earlier version is still searched: {error.message}")
                    if task.is_same_content
                    else mark(
                        f"The changed file could not be read, the earlier version is still searched: {error.message}"
                    )
                )
                await self.set_status(task, task.document.status, reason, error.hint, error)
            elif isinstance(error, EncryptedDocument):
                outcome = FileOutcome.LOCKED
                await self.set_status(task, DocumentStatus.LOCKED, error.message, UNLOCK_HINT, error)
            else:
                await self.set_status(task, DocumentStatus.FAILED, error.message, error.hint, error)
        except NotFound:
            self.close(task, FileOutcome.SKIPPED, REMOVED)
        else:
            self.close(task, outcome, str(error), can_pass=isinstance(error, PASSING))

    def stop(self, task: ReadingTask) -> None:
        """End a file that the user cancelled; its row is updated in the background."""
        library = self._library

        def update_row() -> None:
            for document in settle(library, [task], None):
                self._context.emit(DocumentChanged(document))

        self.close(task, FileOutcome.SKIPPED, CANCELLED)
        updating = asyncio.ensure_future(library.on_store(update_row))
        self._under_way.add(updating)
        updating.add_done_callback(self._under_way.discard)

    def close(self, task: ReadingTask, outcome: FileOutcome, reason: str, *, can_pass: bool = False) -> None:
        """End a file with an outcome and its reason; see FileVerdict for can_pass."""
        self.end_with(task, FileVerdict(task.path, outcome, task.document, reason, can_pass=can_pass))

    def end_with(self, task: ReadingTask, verdict: FileVerdict) -> None:
        """End a file: release its document and its copies, and report the verdict."""
        self.in_progress.pop(task.document.id, None)
        self._release_copies(task)
        self.free(task.document.id)
        self._library.queue.urgent.discard(task.document.id)
        seconds = time.perf_counter() - task.started if task.started else 0.0
        self.outcomes.report(verdict, seconds)
        if verdict.removed:
            # Another import may still embed the earlier document at this path.
            self._library.queue.cancel(verdict.removed)

    def _release_copies(self, task: ReadingTask) -> None:
        """Release the copies that are held for a task: its document has its copy now, or will never have one."""
        self._library.held_copies.let_go(task.held)
        task.held = []

    def free(self, number: int, *, read_only: bool = False) -> None:
        """Release a document, and queue the files that wait for it as duplicates again."""
        self._library.release(number, read_only=read_only)
        for other in self.duplicate_waiters.loose(number):
            self.waiting.put_back(other.document.id, other)

    async def end(self, stopped_by: WorkbenchError | None) -> None:
        """End the import: finish the writes under way, and set the final status of the files still in progress."""
        # A thread finishes a write even after a cancel; the state of the documents is known only after that.
        if self._under_way:
            await asyncio.wait(self._under_way)
        unfinished = list(self.in_progress.values())
        self.in_progress.clear()
        for task in unfinished:
            self._release_copies(task)
        await self._library.on_store(self._library.archives.rest)
        for document in await self._library.on_store(settle, self._library, unfinished, stopped_by):
            self._context.emit(DocumentChanged(document))


class DuplicateWaiters:
    """Files that wait for the document of which they are duplicates."""

    def __init__(self) -> None:
        self._waits_for: dict[int, int] = {}
        self._waiting: dict[int, dict[int, ReadingTask]] = {}

    def is_circle(self, task: ReadingTask, other: int) -> bool:
        """Return True if the other document already waits for this one, as when two files swapped their names."""
        number: int | None = other
        while number is not None and number != task.document.id:
            number = self._waits_for.get(number)
        return number is not None

    def tie(self, task: ReadingTask, other: int) -> None:
        """Let a file wait for a document."""
        self._waits_for[task.document.id] = other
        self._waiting.setdefault(other, {})[task.document.id] = task

    def drop(self, number: int) -> bool:
        """Stop the waiting of a file; return False if it did not wait."""
        other = self._waits_for.pop(number, None)
        if other is not None:
            del self._waiting[other][number]
        return other is not None

    def loose(self, number: int) -> list[ReadingTask]:
        """Remove and return the files that waited for a document."""
        tasks = list(self._waiting.pop(number, {}).values())
        for task in tasks:
            del self._waits_for[task.document.id]
        return tasks


CANCELLED = mark("Cancelled before it was read.")
STOPPED = mark("Its reading was stopped; the pages that were read are searched.")
FAULT = mark("The program stopped before it was read, because of a bug.")
CANCELLED_HINT = mark("Choose Try again, or add it again.")


def is_own_fault(path: Path, error: Exception) -> DocumentError:
    """Log an unexpected exception and return the error to report for the file; the other files are still read."""
    logger.error("A fault while %s was read", path, exc_info=error)
    return DocumentError("The program failed while reading this file.", "Please report it; the log says more.")


class Outcomes:
    """Collects and reports the outcome of each file."""

    def __init__(self, context: JobContext, progress: Progress) -> None:
        self.results: list[FileFinished] = []
        self._context = context
        self._progress = progress

    def report(self, verdict: FileVerdict, seconds: float = 0.0) -> None:
        """Report the outcome of one file; seconds is the time since its reading began."""
        document = verdict.document
        cut = not_read(document.findings) if document is not None and verdict.outcome is FileOutcome.READY else ""
        result = FileFinished(
            path=str(verdict.path),
            outcome=verdict.outcome,
            document=document.id if document else None,
            reason=verdict.reason or cut,
            pages=document.pages if document else 0,
            chunks=document.chunks if document else 0,
            seconds=round(seconds, 3),
            can_pass=verdict.can_pass,
            by_keyword=verdict.by_keyword,
        )
        self.results.append(result)
        self._progress.files_done += 1
        self._progress.leaves(str(verdict.path))
        self._context.emit(result)
        if verdict.removed:
            self._context.emit(DocumentsRemoved(verdict.removed))
        is_news = verdict.reason or verdict.removed or verdict.moved
        if document is not None and verdict.outcome is FileOutcome.UNCHANGED and is_news:
            self._context.emit(DocumentChanged(document))
        self._progress.emit(self._context)


def settle(library: Library, unfinished: Sequence[ReadingTask], stopped_by: WorkbenchError | None) -> list[Document]:
    """Set the final status of the unfinished documents of a stopped import and return them; blocking.

    Unread files get the reason why they were not read. Read files, and the first pages of a long one, can still be
    found by keyword. If the library closes or the disk is full, unread files stay queued instead: resume_import reads
    them at the next start, or when there is space.
    """
    for task in unfinished:
        library.release(task.document.id)
    unread, read = [], []
    in_part: list[int] = []
    for task in unfinished:
        try:
            document = library.documents.get(task.document.id)
        except NotFound:
            continue
        if document.status is DocumentStatus.PARSING and document.pages_of_file:
            in_part.append(document.id)
        elif document.status in (DocumentStatus.QUEUED, DocumentStatus.PARSING):
            unread.append(document.id)
        elif document.status is DocumentStatus.EMBEDDING:
            read.append(document.id)
    settled = library.intake.set_status(read, DocumentStatus.INDEXED)
    if library.closing:
        return settled
    reason, hint = (stopped_by.message, stopped_by.hint) if stopped_by else (CANCELLED, CANCELLED_HINT)
    failure = failure_of(stopped_by) if stopped_by else FailureKind.CANCELLED
    for id in (*unread, *in_part) if stopped_by else ():
        # The file itself is not at fault: if its folder is linked, it is read again when there is space.
        library.intake.put_stamp(id, TRY_AGAIN)
    waits = isinstance(stopped_by, DiskFull)
    in_part_status = DocumentStatus.PARSING if waits else DocumentStatus.INDEXED
    in_part_reason = stopped_by.message if stopped_by else STOPPED
    set_status = partial(library.intake.set_status, hint=hint, failure=failure)
    settled += set_status(in_part, in_part_status, reason=in_part_reason)
    status = DocumentStatus.QUEUED if waits else DocumentStatus.FAILED
    return settled + set_status(unread, status, reason=reason)
