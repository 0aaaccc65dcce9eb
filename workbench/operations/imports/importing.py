"""The importer: registers, reads and embeds files concurrently; and its control: pause, priority, cancel, unlock.

    paths -> _admit -> queued documents -> _read (3 tasks) -> indexed documents -> Embedding -> ready

A document can be found by keyword as soon as _read has finished it; its vectors follow. The library's ImportQueue
controls every import: it pauses imports, gives documents priority and cancels documents.
"""

import asyncio
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from workbench.errors import PASSING, DocumentError, NotFound, WorkbenchError
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import (
    DocumentChanged,
    FileDivided,
    FileFinished,
    FileOutcome,
    QueuePaused,
)
from workbench.operations.documents.removal import end_removed
from workbench.operations.imports.embedding import REMOVED, Embedding, Finished
from workbench.operations.imports.file_reading import FileReader
from workbench.operations.imports.import_state import (
    BUSY,
    CANCELLED,
    CANCELLED_HINT,
    FAULT,
    FileState,
    FileVerdict,
    ReadingTask,
    task_of,
)
from workbench.operations.imports.path_expansion import EVERYTHING, ExpandedPaths, PathPatterns, collect, remove_gone
from workbench.operations.imports.reader_process import at_hand
from workbench.operations.imports.register_files import register_new_files
from workbench.operations.imports.second_pass import SecondPass
from workbench.operations.imports.source_files import SourceFile, find_original
from workbench.operations.library.library import PARSERS, Library
from workbench.parsing.long_files import is_part
from workbench.store.intake import is_hashed
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

T = TypeVar("T")

__all__ = ["CANCELLED", "Importer"]

AT_ONCE = PARSERS + 1
"""Files read at a time, one more than there are processes, so that no process is idle while a result is stored.

923 pages take 4.1 s instead of 4.6.
"""

LONG = 1000
"""Number of chunks left to embed, about 10 s, from which the readers are ended to free 2 x 100 MB.

They start again within 0.5 s.
"""

LONG_READING = 5.0
"""Seconds without another file being taken after which the files being read are long ones."""

_TICK_SECONDS = 2.0
"""Interval of the checks and the reports of progress between events: OCR of a page may take a minute on a busy machine.
"""

PIECE = 250
"""Files whose rows are inserted in one transaction, which takes 20 ms, so that a search does not wait long."""


class Importer:
    """Imports documents into a library; used once, within a running event loop.

    Args:
        library: The open library.
        context: Receives the events.
        knowledge_base: Knowledge base of the new documents.
        password: Tried on every encrypted file, before the passwords that the library remembers.
        remember_password: Keep the password in the keyring if it opens a file.
        check_contents: Hash every file, including those whose size and time did not change.
        obeys_pause: Wait while the library's queue is paused.
        choice: Patterns that select the files.
        folder: Folder in the knowledge base's tree that receives everything; empty to keep the original places.
        found_in: Folders whose files the user did not name: links below them are followed only if choice allows it.
        patience: Factor by which the time limit per file, and per page of OCR, is extended.
        wants_ocr: Read pages without text by OCR even if it is off in the settings.
    """

    def __init__(
        self,
        library: Library,
        context: JobContext,
        *,
        knowledge_base: str = "default",
        password: str | None = None,
        remember_password: bool = False,
        check_contents: bool = False,
        obeys_pause: bool = True,
        choice: PathPatterns = EVERYTHING,
        folder: str = "",
        found_in: Sequence[Path] = (),
        patience: float = 1.0,
        wants_ocr: bool = False,
    ) -> None:
        self._embedding = Embedding(
            library, context, self._on_embedded, reads_first=self._reads_first, obeys_pause=obeys_pause
        )
        self._library = library
        self._context = context
        self._progress = self._embedding.progress
        self._files = FileState(library, context, self._progress, self._embed)
        self._reader = FileReader(
            library,
            context,
            self._progress,
            self._files,
            password=password,
            remember=remember_password,
            patience=patience,
            on_stored=self._go_on,
            on_embeddable=self._embed,
        )
        self._second_pass = SecondPass(
            library,
            context,
            self._files.store,
            self._on_second_pass,
            progress=self._progress,
            stored=self._on_pages_stored,
            obeys_pause=obeys_pause,
            wants_ocr=wants_ocr,
            patience=patience,
        )
        self._progress.readers = PARSERS
        self._knowledge_base = knowledge_base
        self._check_contents = check_contents
        self._obeys_pause = obeys_pause
        self._password = password
        self._choice = choice
        self._folder = folder
        self._found_in = found_in
        self._collected = ExpandedPaths()
        self._at_work: dict[asyncio.Future[None], list[ReadingTask]] = {}
        self._last_taken = 0.0

    async def add(self, paths: Sequence[Path]) -> list[FileFinished]:
        """Add files and folders; one bad file never stops the rest.

        Raises:
            LibraryError: The library itself cannot be written; what was done before stays done.
        """
        results = await self._run(self._admit(paths))
        # Only now is it known which archive members merely have a new name.
        if removed := await self._files.store(remove_gone, self._library, self._knowledge_base, self._collected):
            end_removed(self._library, self._context, removed)
        return results

    async def read_again(self, documents: Sequence[Document]) -> list[FileFinished]:
        """Read documents of the library again, from the library's own copies."""
        return await self._run(self._admit_again(documents))

    async def finish(self, documents: Sequence[Document]) -> list[FileFinished]:
        """Finish documents that a stopped import left: read the unread ones, embed the others."""
        unread = [d for d in documents if d.status in (DocumentStatus.QUEUED, DocumentStatus.PARSING)]
        try:
            for document in documents:
                if document not in unread:
                    await self._finish_read(document)
        except BaseException:
            await finish_despite_cancel(self._files.end(None))
            raise
        # Reported before the first batch, which may take a minute on a busy machine.
        self._progress.emit(self._context)
        return await self._run(self._admit_again(unread))

    async def _finish_read(self, document: Document) -> None:
        """Start the second pass or the embedding of a document that was read, unless another import has begun that."""
        self._progress.files += 1
        file = await self._library.on_store(find_original, self._library.originals, document) or Path(document.path)
        if not self._library.claim(document.id):
            self._files.outcomes.report(FileVerdict(file, FileOutcome.UNCHANGED, document, BUSY))
            return
        self._progress.leaves(str(file))
        # After an update of the program all vectors may be missing, which the window does not know yet.
        self._context.emit(DocumentChanged(document))
        await self._go_on(task_of(document, file))

    def wake(self) -> None:
        """Check again whether the queue is paused."""
        self._files.waiting.wake()
        self._second_pass.wake()
        self._embedding.wake()

    def first(self, documents: Iterable[int]) -> None:
        """Read and embed these documents before all others."""
        wanted = list(documents)
        self._files.waiting.first(wanted)
        self._second_pass.first(wanted)
        self._embedding.first(wanted)

    def cancel(self, documents: Iterable[int]) -> None:
        """Stop processing these documents; the others continue."""
        for task in [self._files.in_progress[number] for number in documents if number in self._files.in_progress]:
            # A file that is read together with others is only dropped; their common work is not cancelled.
            reading = [work for work, tasks in self._at_work.items() if tasks == [task]]
            for work in reading:
                work.cancel()
            if not reading:
                if self._files.duplicate_waiters.drop(task.document.id):
                    self._files.waiting.done()
                self._files.waiting.drop(task.document.id)
                self._second_pass.drop(task.document.id)
                self._embedding.drop(task.document.id)
                self._files.stop(task)
        self._embedding.wake()  # perhaps those were the last unread ones

    async def _run(self, admission: Coroutine[Any, Any, None]) -> list[FileFinished]:
        async def admit() -> None:
            await admission
            self._files.waiting.close()

        async def read() -> None:
            async with asyncio.TaskGroup() as readers:
                for _ in range(AT_ONCE):
                    readers.create_task(self._read())
            self._second_pass.no_more()
            await self._end_idle_readers()

        async def deepen() -> None:
            await self._second_pass.run()
            self._embedding.no_more()
            await self._end_idle_readers()

        stopped_by: WorkbenchError | None = None
        ticking = asyncio.ensure_future(self._tick())
        try:
            with self._library.queue.steering(self):
                async with asyncio.TaskGroup() as group:
                    for work in (admit(), read(), deepen(), self._embedding.run()):
                        group.create_task(work)
        except BaseExceptionGroup as errors:
            # One of the tasks failed, for example because of a full disk: its error becomes the import's error.
            first = _find_first_error(errors)
            stopped_by = first if isinstance(first, WorkbenchError) else WorkbenchError(FAULT, CANCELLED_HINT)
            raise first from errors
        finally:
            ticking.cancel()
            admission.close()  # the import may have been cancelled before this coroutine began
            await finish_despite_cancel(self._files.end(stopped_by))
        return self._files.outcomes.results

    async def _tick(self) -> None:
        """Report the progress of what takes long, and let embedding begin beside long files."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self._embedding.wake()
            if not (self._obeys_pause and self._library.queue.paused):
                self._second_pass.note_page_seconds()
                self._progress.emit(self._context)

    async def _end_idle_readers(self) -> None:
        """End idle reader processes if embedding will take long; they start again when there is something to read."""
        if self._progress.chunks - self._progress.chunks_done >= LONG:
            await self._library.on_store(self._library.parsers.rest)

    async def _admit(self, paths: Sequence[Path]) -> None:
        passwords = partial(at_hand, self._library, self._password)
        self._collected = await self._library.on_store(
            collect, self._library, paths, self._choice, passwords, self._found_in
        )
        await self._report_divided(self._collected.divided)
        sources = [source.below(self._folder) for source in self._collected.sources]
        self._progress.files += len(sources)
        self._progress.emit(self._context)
        for start in range(0, len(sources), PIECE):
            tasks: list[ReadingTask] = []
            for admitted in await self._files.store(self._register, sources[start : start + PIECE]):
                if isinstance(admitted, FileVerdict):
                    self._files.outcomes.report(admitted)
                elif admitted.document.id in self._files.in_progress:  # not cancelled meanwhile
                    tasks.append(admitted)
            for task in tasks:
                self._queue(task)
            # Of all that wait, not only of this piece, whose long files would hold up the short ones of the next.
            self._files.waiting.sort(lambda _number, task: self._order(task.document))

    async def _report_divided(self, divided: Mapping[Path, str]) -> None:
        """Report how each long file is divided, the first time only, because a log may grow every minute."""
        if divided:
            known = await self._library.on_store(self._library.intake.divided, self._knowledge_base, is_part)
            for path in [path for path in divided if path not in known]:
                self._context.emit(FileDivided(str(path), divided[path]))

    def _register(self, sources: Sequence[SourceFile]) -> list[ReadingTask | FileVerdict]:
        admitted = register_new_files(
            self._library,
            sources,
            self._knowledge_base,
            check_contents=self._check_contents,
            moves=bool(self._folder),
        )
        # Done in the worker thread, so that a cancel finds the tasks among the open ones.
        self._files.in_progress.update((one.document.id, one) for one in admitted if isinstance(one, ReadingTask))
        return admitted

    async def _admit_again(self, documents: Sequence[Document]) -> None:
        self._progress.files += len(documents)
        claimed = [document for document in documents if self._library.claim(document.id)]
        claimed.sort(key=self._order)
        self._files.in_progress.update((document.id, task_of(document, Path(document.path))) for document in claimed)
        unread = [document.id for document in claimed if not document.chunks]
        for document in await self._files.store(lambda: self._library.intake.set_status(unread, DocumentStatus.QUEUED)):
            self._files.in_progress[document.id].document = document
        for document in documents:
            if document not in claimed:
                self._files.outcomes.report(FileVerdict(Path(document.path), FileOutcome.UNCHANGED, document, BUSY))
        for task in [
            self._files.in_progress[document.id] for document in claimed if document.id in self._files.in_progress
        ]:
            file = await self._library.on_store(find_original, self._library.originals, task.document)
            task.identified = file is not None
            task.file = file or task.path
            if file is None and is_hashed(task.document) and not task.path.is_file():
                await self._files.fail(
                    task, DocumentError("The library's copy of this file is missing.", "Add the file again.")
                )
            elif task.document.id in self._files.in_progress:
                self._queue(task)

    def _order(self, document: Document) -> tuple[bool, int]:
        """Return the sort key of a file that waits: what is asked about, then short files, which are searched at once.

        A long one would hold them up.
        """
        is_urgent = document.id in self._library.queue.urgent
        return not is_urgent, 0 if is_urgent else document.size

    def _queue(self, task: ReadingTask) -> None:
        document = task.document
        self._progress.waits(task.path, document.size)
        self._files.waiting.put(document.id, task, first=document.id in self._library.queue.urgent)
        self._context.emit(DocumentChanged(document))

    async def _read(self) -> None:
        while not self._files.waiting.ended:
            is_paused = self._obeys_pause and self._library.queue.paused
            taken = None if is_paused else self._files.waiting.take()
            if taken is None:
                await self._files.waiting.changed()
                continue
            tasks = self._reader.take_small(taken[1])
            if not self._files.waiting:
                self._embedding.wake()
            work = asyncio.ensure_future(
                self._reader.take(tasks[0]) if len(tasks) == 1 else self._reader.take_together(tasks)
            )
            self._at_work[work] = tasks
            self._last_taken = time.monotonic()
            try:
                await work
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if current is not None and current.cancelling():
                    raise
                # Only this file was cancelled.
                self._files.stop(tasks[0])
                self._files.waiting.done()
            finally:
                del self._at_work[work]
                if not self._files.waiting:
                    self._embedding.wake()

    def _reads_first(self) -> bool:
        """Return True if files wait to be read, or are read while no reader process is idle; long files do not count.

        Two long files would hold up all vectors until they are read, and the files that wait are not read either.
        """
        is_busy = bool(self._files.waiting) or len(self._at_work) >= PARSERS
        return is_busy and time.monotonic() - self._last_taken < LONG_READING

    async def _go_on(self, task: ReadingTask) -> None:
        """Start the second pass and embed the other pages meanwhile, or embed all at once if no page needs it."""
        self._files.in_progress[task.document.id] = task
        try:
            page_facts, task.page_facts = task.page_facts, b""
            if pages := await self._second_pass.takes(task.document, task.file, page_facts):
                self._embedding.put_ahead(task.document, pages)
            else:
                self._embed(task)
        except DocumentError as error:
            await self._files.fail(task, error)

    async def _on_second_pass(self, number: int, outcome: Document | WorkbenchError) -> None:
        task = self._files.in_progress.get(number)
        if task is None:  # cancelled meanwhile
            return
        if isinstance(outcome, Document):
            task.document = outcome
            self._embed(task)
            return
        self._embedding.drop(number)
        if isinstance(outcome, NotFound):
            self._files.close(task, FileOutcome.SKIPPED, REMOVED)
        else:
            await self._files.fail(task, outcome)

    def _on_pages_stored(self, document: Document, left: tuple[int, ...]) -> None:
        """Embed the pages that were read by OCR while the others are read."""
        task = self._files.in_progress.get(document.id)
        if task is not None:  # not cancelled meanwhile
            task.document = document
            self._embedding.put_ahead(document, frozenset(left))

    def _embed(self, task: ReadingTask) -> None:
        task.started = task.started or time.perf_counter()
        self._library.active.add(task.document.id)
        self._files.in_progress[task.document.id] = task
        self._files.free(task.document.id, read_only=True)
        self._embedding.put(task.document)

    def _on_embedded(self, finished: Finished) -> None:
        task = self._files.in_progress.get(finished.document.id)
        if task is not None:  # not cancelled while its last batch was embedded
            task.document = finished.document
            if task.failure is not None:
                can_pass = isinstance(task.failure, PASSING)
                self._files.close(task, FileOutcome.FAILED, str(task.failure), can_pass=can_pass)
            else:
                by_keyword = finished.outcome is FileOutcome.FAILED
                verdict = FileVerdict(
                    task.path, finished.outcome, task.document, finished.reason, by_keyword=by_keyword
                )
                self._files.end_with(task, verdict)


def _find_first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _find_first_error(first) if isinstance(first, BaseExceptionGroup) else first


def pause_imports(library: Library, paused: bool = True) -> Operation[None]:
    """Pause or continue every import of the library; a pause is kept across restarts.

    Files being read and the batch being embedded are finished first, within seconds.
    """

    async def operation(context: JobContext) -> None:
        library.queue.pause(paused)
        context.emit(QueuePaused(paused))
        await library.on_store(library.queue.keep_paused, paused)

    return operation


def imports_paused(library: Library) -> Operation[bool]:
    """Return True if imports are paused."""

    async def operation(_context: JobContext) -> bool:
        return await library.on_store(lambda: library.queue.paused)

    return operation


def prioritise(library: Library, documents: Sequence[int]) -> Operation[None]:
    """Read and embed these documents before all others that wait; documents that do not wait are ignored."""

    async def operation(_context: JobContext) -> None:
        library.queue.first(documents)

    return operation


def cancel_documents(library: Library, documents: Sequence[int]) -> Operation[None]:
    """Remove documents from the running imports; the others continue. Content that was stored is kept."""

    async def operation(_context: JobContext) -> None:
        library.queue.cancel(documents)

    return operation


def unlock_documents(
    library: Library, password: str, documents: Sequence[int] | None = None, *, remember: bool = False
) -> Operation[list[FileFinished]]:
    """Try a password on locked documents and read those that it opens; this also works while imports are paused.

    Args:
        library: The open library.
        password: The password that the user typed.
        documents: Ids of the documents to try; None for every locked document of the library.
        remember: Keep the password in the system's keyring if it opens a document.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        locked = [
            document
            for document in await library.on_store(library.documents.list)
            if document.status is DocumentStatus.LOCKED and (documents is None or document.id in documents)
        ]
        unlocking = Importer(library, context, password=password, remember_password=remember, obeys_pause=False)
        return await unlocking.read_again(locked)

    return operation
