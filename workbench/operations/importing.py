"""One import: files are admitted, read and embedded by three kinds of task that run side by side.

    paths -> _admit -> queued documents -> _read (2 tasks) -> indexed documents -> Embedding -> ready

A document can be found by keyword as soon as _read is done with it; its vectors follow.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from workbench.errors import DocumentError, EmbeddingError, NotFound, WorkbenchError
from workbench.model.document import Document, DocumentStatus
from workbench.model.progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome
from workbench.operations.admission import Busy, ReadingTask, Verdict, admit
from workbench.operations.embedding import REMOVED, Embedding, Finished
from workbench.operations.library import PARSERS, Library
from workbench.operations.prepare import prepare_isolated
from workbench.operations.sources import Digest, Source, find_original, find_sources
from workbench.worker.job import JobContext, to_the_end

T = TypeVar("T")

CANCELLED = "Cancelled before it was read."
BUSY = "It is being added already."


class Import:
    """Brings documents into a library; used once, within a running event loop."""

    def __init__(
        self, library: Library, context: JobContext, *, knowledge_base: str = "default", password: str | None = None
    ) -> None:
        self._library = library
        self._context = context
        self._knowledge_base = knowledge_base
        self._password = password
        self._waiting: asyncio.Queue[ReadingTask | None] = asyncio.Queue()
        self._open: dict[int, ReadingTask] = {}
        self._under_way: set[asyncio.Future[Any]] = set()
        self._results: list[FileFinished] = []
        self._embedding = Embedding(library, context, self._on_embedded)
        self._progress = self._embedding.progress

    async def add(self, paths: Sequence[Path]) -> list[FileFinished]:
        """Add files and folders; one bad file never stops the rest.

        Raises:
            LibraryError: The library itself cannot be written; what was done before stays done.
        """
        return await self._run(self._admit(paths))

    async def again(self, documents: Sequence[Document]) -> list[FileFinished]:
        """Read documents of the library anew, from the library's own copies."""
        return await self._run(self._admit_again(documents))

    async def finish(self, documents: Sequence[Document]) -> list[FileFinished]:
        """Go on with documents that a stop left unfinished: read what was not read, embed what was."""
        unread = [d for d in documents if d.status in (DocumentStatus.QUEUED, DocumentStatus.PARSING)]
        for document in documents:
            if document not in unread:
                self._progress.files += 1
                self._embed(_task_of(document, Path(document.path)))
        return await self._run(self._admit_again(unread))

    async def _run(self, admission: Coroutine[Any, Any, None]) -> list[FileFinished]:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._then_close(admission))
                reading = [group.create_task(self._read()) for _ in range(PARSERS)]
                group.create_task(self._end_embedding_after(reading))
                group.create_task(self._embedding.run())
        except ExceptionGroup as errors:
            # One room failed (a full disk, say): its error is the import's.
            raise errors.exceptions[0] from errors
        finally:
            admission.close()  # a cancel may have come before it began
            await to_the_end(self._end())
        return self._results

    async def _end(self) -> None:
        # What a thread has begun to write it finishes after a cancel too: only then can be said how things stand.
        if self._under_way:
            await asyncio.wait(self._under_way)
        await self._library.on_store(self._settle)

    async def _store(self, function: Callable[..., T], *args: object) -> T:
        """Run blocking work that leaves something behind, to its end even when the import is cancelled."""
        work = asyncio.ensure_future(self._library.on_store(function, *args))
        self._under_way.add(work)
        work.add_done_callback(self._under_way.discard)
        return await asyncio.shield(work)

    async def _then_close(self, admission: Coroutine[Any, Any, None]) -> None:
        await admission
        for _ in range(PARSERS):
            self._waiting.put_nowait(None)

    async def _end_embedding_after(self, reading: Sequence["asyncio.Task[None]"]) -> None:
        await asyncio.gather(*reading)
        self._embedding.no_more()

    async def _admit(self, paths: Sequence[Path]) -> None:
        sources = await self._library.on_store(lambda: list(find_sources(paths)))
        self._progress.files += len(sources)
        self._progress.emit(self._context)
        while sources:
            later = [source for source in sources if await self._admit_one(source) is None]
            # Their documents are being read by this import: afterwards it can be told what becomes of them.
            await self._waiting.join()
            sources = later

    async def _admit_one(self, source: Source) -> ReadingTask | Verdict | None:
        """Queue a file or report what became of it; None means that it has to wait for a file before it."""
        try:
            admitted = await self._store(self._admit_now, source)
        except DocumentError as error:
            admitted = Verdict(source.path, FileOutcome.FAILED, None, str(error))
        except NotFound:
            admitted = Verdict(source.path, FileOutcome.SKIPPED, None, REMOVED)
        if isinstance(admitted, Busy):
            if admitted.document.id in self._open or not self._library.is_reading(admitted.document.id):
                return None
            admitted = _verdict_on(admitted)
        if isinstance(admitted, Verdict):
            self._report(admitted)
        else:
            self._waiting.put_nowait(admitted)
            self._context.emit(DocumentChanged(admitted.document))
        return admitted

    def _admit_now(self, source: Source) -> ReadingTask | Verdict | Busy:
        admitted = admit(self._library, source, self._knowledge_base)
        if isinstance(admitted, ReadingTask):
            # On the thread, so that a cancel finds it among the open ones.
            self._open[admitted.document.id] = admitted
        return admitted

    async def _admit_again(self, documents: Sequence[Document]) -> None:
        self._progress.files += len(documents)
        for document in documents:
            file = await self._library.on_store(find_original, self._library.originals, document)
            task = _task_of(document, file or Path(document.path))
            if not self._library.claim(document.id):
                self._report(Verdict(task.path, FileOutcome.UNCHANGED, document, BUSY))
                continue
            self._open[document.id] = task
            if file is None:
                await self._fail(task, DocumentError("The library's copy of this file is gone.", "Add the file again."))
            else:
                self._waiting.put_nowait(task)
                self._context.emit(DocumentChanged(document))

    async def _read(self) -> None:
        while (task := await self._waiting.get()) is not None:
            task.started = time.perf_counter()
            try:
                await self._read_one(task)
            except (DocumentError, EmbeddingError) as error:
                await self._fail(task, error)
            except NotFound:
                self._close(task, FileOutcome.SKIPPED, REMOVED)
            self._waiting.task_done()

    async def _read_one(self, task: ReadingTask) -> None:
        library = self._library
        if not task.replaces:
            await self._set_status(task, DocumentStatus.PARSING)
        password = self._password or library.passwords.get(task.digest.sha256)
        prepared = await prepare_isolated(library, task.file, password)
        if password is not None:
            library.passwords[task.digest.sha256] = password

        def put() -> Document:
            return library.documents.put_content(
                task.document.id, prepared.parsed, prepared.chunks, sha256=task.digest.sha256, size=task.digest.size
            )

        task.document = await self._store(put)
        library.release(task.document.id, read_only=True)
        self._context.emit(DocumentChanged(task.document))
        self._embed(task)

    def _embed(self, task: ReadingTask) -> None:
        task.started = task.started or time.perf_counter()
        self._library.active.add(task.document.id)
        self._open[task.document.id] = task
        self._embedding.put(task.document)

    async def _fail(self, task: ReadingTask, error: WorkbenchError) -> None:
        try:
            if task.replaces:
                what = "It could not be read again" if task.is_same_content else "The changed file could not be read"
                reason = f"{what}, the earlier version is still searched: {error.message}"
                await self._set_status(task, task.document.status, reason, error.hint)
            else:
                await self._set_status(task, DocumentStatus.FAILED, error.message, error.hint)
        except NotFound:
            self._close(task, FileOutcome.SKIPPED, REMOVED)
        else:
            self._close(task, FileOutcome.FAILED, str(error))

    async def _set_status(self, task: ReadingTask, status: DocumentStatus, reason: str = "", hint: str = "") -> None:
        def change() -> Document:
            return self._library.documents.set_status(task.document.id, status, reason=reason, hint=hint)

        task.document = await self._store(change)
        self._context.emit(DocumentChanged(task.document))

    def _on_embedded(self, finished: Finished) -> None:
        task = self._open[finished.document.id]
        task.document = finished.document
        self._close(task, finished.outcome, finished.reason)

    def _close(self, task: ReadingTask, outcome: FileOutcome, reason: str) -> None:
        del self._open[task.document.id]
        self._library.release(task.document.id)
        seconds = time.perf_counter() - task.started if task.started else 0.0
        self._report(Verdict(task.path, outcome, task.document, reason), seconds)

    def _report(self, verdict: Verdict, seconds: float = 0.0) -> None:
        document = verdict.document
        result = FileFinished(
            path=str(verdict.path),
            outcome=verdict.outcome,
            document=document.id if document else None,
            reason=verdict.reason,
            pages=document.pages if document else 0,
            chunks=document.chunks if document else 0,
            seconds=round(seconds, 3),
        )
        self._results.append(result)
        self._progress.files_done += 1
        self._context.emit(result)
        self._progress.emit(self._context)
        if document is not None and verdict.outcome is FileOutcome.UNCHANGED:
            self._context.emit(DocumentChanged(document))
        if verdict.removed:
            self._context.emit(DocumentsRemoved(verdict.removed))

    def _settle(self) -> None:
        """Leave nothing half-said after a cancel: unread files say so, read ones stay found by keyword.

        When the library closes, unread files stay queued instead: resume_import reads them after the next start.
        """
        documents = self._library.documents
        unfinished = list(self._open.values())
        self._open.clear()
        for task in unfinished:
            self._library.release(task.document.id)
        for task in unfinished:
            try:
                document = documents.get(task.document.id)
            except NotFound:
                continue
            if document.status in (DocumentStatus.QUEUED, DocumentStatus.PARSING):
                if self._library.closing:
                    continue
                document = documents.set_status(
                    document.id, DocumentStatus.FAILED, reason=CANCELLED, hint="Choose Retry, or add it again."
                )
            elif document.status is DocumentStatus.EMBEDDING:
                document = documents.set_status(document.id, DocumentStatus.INDEXED)
            self._context.emit(DocumentChanged(document))


def _task_of(document: Document, file: Path) -> ReadingTask:
    content = Digest(document.sha256, document.size)
    return ReadingTask(Path(document.path), document, file, content, document.chunks > 0)


def _verdict_on(busy: Busy) -> Verdict:
    """Return what is said of a file whose document another import is reading."""
    if busy.document.sha256 == busy.digest.sha256:
        return Verdict(busy.path, FileOutcome.UNCHANGED, busy.document, BUSY)
    reason = f"“{busy.document.name}” is being added already, in an earlier version. Add it again afterwards."
    return Verdict(busy.path, FileOutcome.FAILED, None, reason)
