"""What becomes of the files of one import: told to the listener, counted, and left in the library as it is."""

import logging
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import DiskFull, DocumentError, NotFound, WorkbenchError
from workbench.language import mark
from workbench.model.document import Document, DocumentStatus, not_read
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome
from workbench.operations.estimate import Progress
from workbench.operations.library import Library
from workbench.operations.reading_task import ReadingTask, Verdict
from workbench.store.intake import TRY_AGAIN
from workbench.worker.job import JobContext

logger = logging.getLogger(__name__)

CANCELLED = mark("Cancelled before it was read.")
STOPPED = mark("Its reading was stopped; the pages that were read are searched.")
FAULT = mark("The program stopped before it was read, by a fault of its own.")
CANCELLED_HINT = mark("Choose Try again, or add it again.")


def own_fault(path: Path, error: Exception) -> DocumentError:
    """Return what is said of a file that met a fault of this program; the log says more, and the rest goes on."""
    logger.error("A fault while %s was read", path, exc_info=error)
    return DocumentError("This file met a fault of the program.", "Please report it; the log says more.")


class Outcomes:
    """Collects and tells how each file ended."""

    def __init__(self, context: JobContext, progress: Progress) -> None:
        self.results: list[FileFinished] = []
        self._context = context
        self._progress = progress

    def report(self, verdict: Verdict, seconds: float = 0.0) -> None:
        """Tell the end of one file, which took so many seconds from the start of its reading."""
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
    """Return the documents of a stopped import as they are left: nothing half-said. Blocking.

    Unread files say why they were not read; read ones stay found by keyword, and so do the first pages of a long one.
    When the library closes, and where the disk is full, unread files stay queued instead: resume_import reads them at
    the next start, or when there is room.
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
    for id in (*unread, *in_part) if stopped_by else ():
        # Nothing is wrong with the file itself: where its folder is followed, it is read when there is room again.
        library.intake.put_stamp(id, TRY_AGAIN)
    waits = isinstance(stopped_by, DiskFull)
    in_part_status = DocumentStatus.PARSING if waits else DocumentStatus.INDEXED
    in_part_reason = stopped_by.message if stopped_by else STOPPED
    settled += library.intake.set_status(in_part, in_part_status, reason=in_part_reason, hint=hint)
    status = DocumentStatus.QUEUED if waits else DocumentStatus.FAILED
    return settled + library.intake.set_status(unread, status, reason=reason, hint=hint)
