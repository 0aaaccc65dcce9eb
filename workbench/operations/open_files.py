"""The files of one import that are on their way: their state in the library, and how each of them ends."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from workbench.errors import PASSING, EncryptedDocument, NotFound, WorkbenchError
from workbench.language import mark
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import DocumentChanged, FileOutcome
from workbench.operations.embedding import REMOVED
from workbench.operations.estimate import Progress
from workbench.operations.library import Library
from workbench.operations.outcomes import CANCELLED, Outcomes, settle
from workbench.operations.queue import Line
from workbench.operations.reading_task import ReadingTask, Verdict
from workbench.operations.ties import Ties
from workbench.worker.job import JobContext

logger = logging.getLogger(__name__)
T = TypeVar("T")

UNLOCK_HINT = mark("Choose “Enter password…” in its menu, or type “workbench unlock”.")


class OpenFiles:
    """Knows every file that has begun and not ended; the base of Import."""

    def __init__(self, library: Library, context: JobContext, progress: Progress) -> None:
        self._library = library
        self._context = context
        self._progress = progress
        self._outcomes = Outcomes(context, progress)
        self._waiting: Line[ReadingTask] = Line()
        self._open: dict[int, ReadingTask] = {}
        self._ties = Ties()
        self._under_way: set[asyncio.Future[Any]] = set()

    async def _store(self, function: Callable[..., T], *args: object) -> T:
        """Run blocking work that leaves something behind, to its end even when the import is cancelled."""
        work = asyncio.ensure_future(self._library.on_store(function, *args))
        self._under_way.add(work)
        work.add_done_callback(self._under_way.discard)
        return await asyncio.shield(work)

    async def _set_status(self, task: ReadingTask, status: DocumentStatus, reason: str = "", hint: str = "") -> None:
        def change() -> Document:
            return self._library.documents.set_status(task.document.id, status, reason=reason, hint=hint)

        task.document = await self._store(change)
        self._context.emit(DocumentChanged(task.document))

    async def _fail(self, task: ReadingTask, error: WorkbenchError) -> None:
        logger.info("Document %d could not be read: %s", task.document.id, error)
        outcome = FileOutcome.FAILED
        try:
            if task.document.pages_of_file:
                read, total = task.document.pages, task.document.pages_of_file
                several = mark(f"Only its first {read:,} of {total:,} pages are searched: {error.message}")
                one = mark(f"Only the first of its {total:,} pages is searched: {error.message}")
                reason = one if read == 1 else several
                await self._set_status(task, DocumentStatus.INDEXED, reason, error.hint)
            elif task.replaces:
                reason = (
                    mark(f"It could not be read again, the earlier version is still searched: {error.message}")
                    if task.is_same_content
                    else mark(
                        f"The changed file could not be read, the earlier version is still searched: {error.message}"
                    )
                )
                await self._set_status(task, task.document.status, reason, error.hint)
            elif isinstance(error, EncryptedDocument):
                outcome = FileOutcome.LOCKED
                await self._set_status(task, DocumentStatus.LOCKED, error.message, UNLOCK_HINT)
            else:
                await self._set_status(task, DocumentStatus.FAILED, error.message, error.hint)
        except NotFound:
            self._close(task, FileOutcome.SKIPPED, REMOVED)
        else:
            self._close(task, outcome, str(error), can_pass=isinstance(error, PASSING))

    def _stop(self, task: ReadingTask) -> None:
        """End a file that the user took out; its row says so as soon as the store has time."""
        library = self._library

        def say() -> None:
            for document in settle(library, [task], None):
                self._context.emit(DocumentChanged(document))

        self._close(task, FileOutcome.SKIPPED, CANCELLED)
        saying = asyncio.ensure_future(library.on_store(say))
        self._under_way.add(saying)
        saying.add_done_callback(self._under_way.discard)

    def _close(self, task: ReadingTask, outcome: FileOutcome, reason: str, *, can_pass: bool = False) -> None:
        self._end_with(task, Verdict(task.path, outcome, task.document, reason, can_pass=can_pass))

    def _end_with(self, task: ReadingTask, verdict: Verdict) -> None:
        self._open.pop(task.document.id, None)
        self._let_go(task)
        self._free(task.document.id)
        self._library.queue.urgent.discard(task.document.id)
        seconds = time.perf_counter() - task.started if task.started else 0.0
        self._outcomes.report(verdict, seconds)

    def _let_go(self, task: ReadingTask) -> None:
        """Say that a document has its copy by now, or never will."""
        self._library.held_copies.let_go(task.held)
        task.held = []

    def _free(self, number: int, *, read_only: bool = False) -> None:
        """Let others have a document, and look again at the files that wait because they hold the same."""
        self._library.release(number, read_only=read_only)
        for other in self._ties.loose(number):
            self._waiting.put_back(other.document.id, other)

    async def _end(self, stopped_by: WorkbenchError | None) -> None:
        # What a thread has begun to write it finishes after a cancel too: only then can be said how things stand.
        if self._under_way:
            await asyncio.wait(self._under_way)
        unfinished = list(self._open.values())
        self._open.clear()
        for task in unfinished:
            self._let_go(task)
        await self._library.on_store(self._library.archives.rest)
        for document in await self._library.on_store(settle, self._library, unfinished, stopped_by):
            self._context.emit(DocumentChanged(document))
