"""File reading: takes one file or many small files from the hash to the stored text, long files in parts.

one file:    identify -> prepare, in parts if it is long -> put_read
small files: identify_small_files -> prepare_together -> put_together
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any

from workbench.errors import DocumentError, EmbeddingError, NotFound, WorkbenchError
from workbench.model.document import Document, DocumentStatus, Origin, ParsedDocument
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileOutcome, PagesRead
from workbench.model.metadata import CustomSource
from workbench.operations.documents.file_metadata import sidecar_metadata
from workbench.operations.imports.embedding import REMOVED
from workbench.operations.imports.import_state import (
    BUSY,
    DuplicateInProgress,
    FileState,
    FileVerdict,
    ReadingTask,
    is_own_fault,
)
from workbench.operations.imports.progress import Progress
from workbench.operations.imports.reader_process import prepare_isolated, prepare_together, remember, try_passwords
from workbench.operations.imports.register_files import identify, identify_small_files, require_unchanged
from workbench.operations.imports.source_files import is_full, unwritable
from workbench.operations.library.library import PARSERS, Library
from workbench.parsing.parser_registry import format_named
from workbench.parsing.pdf_parser import PdfParser
from workbench.preparation import TEXT_FORMATS, Prepared
from workbench.store.intake import is_hashed
from workbench.worker.job import JobContext

_REPORT_SECONDS = 0.25
"""Minimum time between two reports of the pages read: a reader process finishes 100 pages in a second."""


class OrderedParts:
    """Queue that takes parts from another thread and stores them one after the other; the exit waits for the last.

    A part is skipped if a newer one has arrived before it is stored. An error while storing is raised on exit.
    """

    def __init__(self, store: Callable[[Prepared], Awaitable[None]]) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._latest: Prepared | None = None
        self._work: asyncio.Task[None] | None = None

    def put(self, part: Prepared) -> None:
        """Queue a part to be stored; callable from any thread."""
        self._loop.call_soon_threadsafe(self._take, part)

    async def __aenter__(self) -> "OrderedParts":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._work is not None and kind is None:
            self._latest = None  # the whole document is available now
            await self._work
        elif self._work is not None:
            # A write that has begun is finished (the import waits for it); no other is started.
            self._latest = None
            await asyncio.gather(self._work, return_exceptions=True)

    def _take(self, part: Prepared) -> None:
        self._latest = part
        if self._work is None or self._work.done():
            self._work = asyncio.ensure_future(self._store_latest())

    async def _store_latest(self) -> None:
        while (part := self._latest) is not None:
            self._latest = None
            await self._store(part)


def put_together(
    library: Library, ready: Sequence[tuple[ReadingTask, Prepared]]
) -> dict[int, Document | WorkbenchError]:
    """Store what was read from several small files; return the document or the error of each, by id; blocking.

    All are stored in one transaction, because each transaction takes 3 ms.

    Raises:
        LibraryError: The library cannot be written.
    """
    stored: dict[int, Document | WorkbenchError] = {}
    with library.database.write():
        for task, prepared in ready:
            try:
                require_unchanged(task)
                stored[task.document.id] = put_read(library, task, prepared)
            except (DocumentError, NotFound) as error:
                stored[task.document.id] = error
    return stored


class PageProgress:
    """Reports the number of pages of a document that were read, a few times a second."""

    def __init__(self, context: JobContext, document: int, progress: Callable[[int, int], None]) -> None:
        """Prepare the reports; progress is called in this event loop with the number of pages and that of all."""
        self._context = context
        self._document = document
        self._progress = progress
        self._loop = asyncio.get_running_loop()
        self._reported = 0.0

    def report(self, read: PagesRead) -> None:
        """Report the number, unless a report was sent a moment ago; callable from any thread."""
        now = time.monotonic()
        if now - self._reported >= _REPORT_SECONDS:
            self._reported = now
            self._context.emit(replace(read, document=self._document))
            self._loop.call_soon_threadsafe(self._progress, read.done, read.total)


def put_read(
    library: Library, task: ReadingTask, prepared: Prepared, *, status: DocumentStatus = DocumentStatus.INDEXED
) -> Document:
    """Store what was read from a file and return its document; blocking.

    Raises:
        NotFound: The document was removed meanwhile.
        DocumentError: Another document of the knowledge base has the same bytes.
    """
    # Read from the database: for a source that was fetched again, task.document has the new hash already.
    before = library.intake.hash_of(task.document.id)
    sha256, is_part = task.digest.sha256, status is DocumentStatus.PARSING
    with library.database.write():
        document = library.documents.put_content(
            task.document.id,
            _add_metadata(library, task, prepared.parsed),
            prepared.chunks,
            sha256=sha256,
            size=task.digest.size,
            words=prepared.words,
            status=status,
        )
        page_facts = prepared.page_facts if is_part else b""
        library.intake.put_page_facts(document.id, sha256, prepared.parsed.parser_version, page_facts)
    if task.stamp is not None:
        library.intake.put_stamp(document.id, task.stamp)
    if before != document.sha256:
        library.drop_copy(before)
    return document


def _add_metadata(library: Library, task: ReadingTask, parsed: ParsedDocument) -> ParsedDocument:
    """Add metadata from files next to the file; if the library's copy was read, keep the metadata stored before."""
    if task.stamp is None:
        stored = library.documents.get(task.document.id).stored_custom
        sidecar = tuple(field for field in stored if field.source is CustomSource.SIDECAR)
        return replace(parsed, custom=(*parsed.custom, *sidecar)) if sidecar else parsed
    sidecar, warnings = sidecar_metadata(library, task.document.knowledge_base, task.path, task.root)
    if not sidecar and not warnings:
        return parsed
    return replace(parsed, custom=(*parsed.custom, *sidecar), warnings=(*parsed.warnings, *warnings))


SMALL = 64 * 1024
"""Maximum bytes of a file that is read together with others: it takes 1 ms to read, and 10 ms to store alone."""

FEW = 8
"""Number of waiting files from which small ones are read together."""

_MAX_FILES = 100
"""Maximum number of files that are read together: half a second in which nothing else is stored."""

_MAX_BYTES = 2 * 2**20
"""Maximum bytes of all files that are read together."""


class FileReader:
    """Reads the files of an import, and passes each one on when its text is stored."""

    def __init__(
        self,
        library: Library,
        context: JobContext,
        progress: Progress,
        files: FileState,
        *,
        password: str | None,
        remember: bool,
        patience: float,
        on_stored: Callable[[ReadingTask], Awaitable[None]],
        on_embeddable: Callable[[ReadingTask], None],
    ) -> None:
        """Prepare a reader.

        Args:
            library: The open library.
            context: Receives the events.
            progress: Progress of the import.
            files: State of the files of the import.
            password: Tried on every encrypted file, before the passwords that the library remembers.
            remember: Keep the password in the keyring if it opens a file.
            patience: Factor by which the time limit per file is extended.
            on_stored: Continues with a file whose text was read and stored, which may need a second pass.
            on_embeddable: Continues with a file that needs only vectors now.
        """
        self._library = library
        self._context = context
        self._progress = progress
        self._files = files
        self._patience = patience
        self._password = password
        self._remember = remember
        self._on_stored = on_stored
        self._on_embeddable = on_embeddable
        self._identifying = asyncio.Lock()

    def take_small(self, first: ReadingTask) -> list[ReadingTask]:
        """Return a file and the small files to read together with it; only the file itself if few files wait."""
        urgent, size = self._library.queue.urgent, first.document.size

        def fits(task: ReadingTask) -> bool:
            nonlocal size
            size += task.document.size
            return size <= _MAX_BYTES and is_small(task) and task.document.id not in urgent

        if not is_small(first) or first.document.id in urgent or len(self._files.waiting) < FEW:
            return [first]
        # Leave files for the other readers.
        most = min(_MAX_FILES, max(FEW, len(self._files.waiting) // PARSERS))
        return [first, *self._files.waiting.take_while(fits, most - 1)]

    async def take(self, task: ReadingTask) -> None:
        """Process one file until it ends or is queued for embedding."""
        task.started = task.started or time.perf_counter()
        try:
            if not task.identified and not await self._identify(task):
                pass  # its end was reported, or it waits for a file with the same content
            elif task.needs_only_vectors:
                self._progress.leaves(str(task.path))
                self._on_embeddable(task)
            else:
                await self._read_one(task)
        except (DocumentError, EmbeddingError, NotFound) as error:
            await self._end_by(task, error)
        except WorkbenchError:
            raise  # an error of the library itself, such as a full disk
        except Exception as error:  # noqa: BLE001 - a bug that affects one file must not stop the others
            _raise_full(error)
            await self._files.fail(task, is_own_fault(task.path, error))
        self._files.waiting.done()

    async def _end_by(self, task: ReadingTask, error: WorkbenchError) -> None:
        if isinstance(error, NotFound):
            self._files.close(task, FileOutcome.SKIPPED, REMOVED)
        else:
            await self._files.fail(task, error)

    async def take_together(self, tasks: Sequence[ReadingTask]) -> None:
        """Process small files until they end or are queued for embedding; each step is done for all of them at once."""
        try:
            await self._read_together(tasks)
        except EmbeddingError as error:
            for task in filter(self._is_open, tasks):
                await self._files.fail(task, error)
        except WorkbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - as in take
            _raise_full(error)
            for task in filter(self._is_open, tasks):
                await self._files.fail(task, is_own_fault(task.path, error))
        for _ in tasks:
            self._files.waiting.done()

    async def _read_together(self, tasks: Sequence[ReadingTask]) -> None:
        library, began = self._library, time.perf_counter()
        own = [task.document for task in tasks]
        for task in tasks:
            task.started = began
        async with self._identifying:
            identified = await self._files.store(identify_small_files, library, tasks)
            for task, document in zip(tasks, own, strict=True):
                if self._files.in_progress.get(document.id) is task:
                    self._register_document(task, document)
        to_read: list[ReadingTask] = []
        for task, document, found in zip(tasks, own, identified, strict=True):
            if not self._is_open(task):
                continue
            if isinstance(found, WorkbenchError):
                await self._end_by(task, found)
            elif found is None:
                to_read.append(task)
            else:
                await self._handle_duplicate(task, document, found)
        prepared = await prepare_together(library, [task.file for task in to_read])
        ready = [(task, one) for task, one in zip(to_read, prepared, strict=True) if self._is_open(task)]
        stored = await self._files.store(put_together, library, [one for one in ready if isinstance(one[1], Prepared)])
        seconds = (time.perf_counter() - began) / len(tasks)
        for task, one in ready:
            outcome = stored.get(task.document.id, one)
            if not self._is_open(task):
                continue
            if isinstance(outcome, WorkbenchError):
                await self._end_by(task, outcome)
            elif isinstance(one, Prepared) and isinstance(outcome, Document):
                task.document = outcome
                self._report_read(task, one, seconds)
                self._on_embeddable(task)
            else:
                await self._read_alone(task)

    async def _read_alone(self, task: ReadingTask) -> None:
        try:
            await self._read_one(task)
        except (DocumentError, EmbeddingError, NotFound) as error:
            await self._end_by(task, error)

    def _is_open(self, task: ReadingTask) -> bool:
        """Return True if a file is still to be read; the user can cancel it at any time."""
        return self._files.in_progress.get(task.document.id) is task

    async def _identify(self, task: ReadingTask) -> bool:
        """Return True if the file is to be read now; else its end was reported, or it waits for a duplicate."""
        own = task.document
        # One after the other, so that the first of two equal files becomes the document, however fast each is hashed.
        async with self._identifying:
            found = await self._files.store(identify, self._library, task, self._password)
            self._register_document(task, own)
        await self._handle_duplicate(task, own, found)
        return found is None

    async def _handle_duplicate(
        self, task: ReadingTask, own: Document, found: FileVerdict | DuplicateInProgress | None
    ) -> None:
        """Handle a file that is not to be read now: report its end, or let it wait for its duplicate."""
        if isinstance(found, DuplicateInProgress) and not self._library.is_reading(found.document.id):
            # The duplicate was read before this thread's result arrived.
            self._files.waiting.put(task.document.id, task)
        elif isinstance(found, DuplicateInProgress) and found.document.id in self._files.in_progress:
            if self._files.duplicate_waiters.is_circle(task, found.document.id):
                await self._give_own_row(task)
            self._files.waiting.hold()
            self._files.duplicate_waiters.tie(task, found.document.id)
        elif isinstance(found, DuplicateInProgress):
            await self._files.store(self._library.intake.discard, own.id)
            removed = () if task.replaces else (own.id,)
            self._files.end_with(task, FileVerdict(task.path, FileOutcome.UNCHANGED, found.document, BUSY, removed))
        elif isinstance(found, FileVerdict):
            self._files.end_with(task, found)

    def _register_document(self, task: ReadingTask, own: Document) -> None:
        """Register a task under the document that it has now."""
        if task.document.id != own.id:
            del self._files.in_progress[own.id]
            self._files.in_progress[task.document.id] = task
            self._context.emit(DocumentsRemoved((own.id,)))

    async def _give_own_row(self, task: ReadingTask) -> None:
        """Give a file its own row, because another file has the content of its old document now."""
        old = task.document
        rows = {task.path: (task.stamp or self._library.intake.stamp(old.id), old.folder)}
        (task.document,) = await self._files.store(self._library.intake.queue, old.knowledge_base, rows)
        task.replaces = False
        self._library.claim(task.document.id)
        self._files.in_progress[task.document.id] = self._files.in_progress.pop(old.id)
        self._files.free(old.id)

    async def _read_one(self, task: ReadingTask) -> None:
        library = self._library
        if not task.replaces:
            await self._files.set_status(task, DocumentStatus.PARSING)
        began = time.perf_counter()
        async with OrderedParts(partial(self._put_part, task)) as parts:
            prepared = await self._prepare(task, parts)
        await library.on_store(require_unchanged, task)
        task.document = await self._files.store(put_read, library, task, prepared)
        self._report_read(task, prepared, time.perf_counter() - began)
        task.page_facts = prepared.page_facts
        await self._on_stored(task)

    def _report_read(self, task: ReadingTask, prepared: Prepared, seconds: float) -> None:
        self._progress.was_read(task.path, task.digest.size, len(prepared.chunks), seconds)
        self._progress.emit(self._context)
        self._context.emit(DocumentChanged(task.document))

    async def _put_part(self, task: ReadingTask, part: Prepared) -> None:
        """Store the part of a long file read so far: it can be found by keyword, and a stop loses only the rest."""
        document = await self._files.store(partial(put_read, self._library, task, part, status=DocumentStatus.PARSING))
        if self._files.in_progress.get(document.id) is task:  # not cancelled meanwhile
            task.document = document
            self._context.emit(DocumentChanged(document))

    async def _prepare(self, task: ReadingTask, parts: OrderedParts) -> Prepared:
        library, sha256 = self._library, task.digest.sha256
        # A complete earlier version is not replaced by a part of the new one.
        on_part = None if task.replaces and not task.document.pages_of_file else parts.put
        page_facts = b""
        if task.document.pages_of_file:
            of_reading = task.document.id, sha256, PdfParser.version
            page_facts = await library.on_store(library.intake.page_facts, *of_reading)
        began = time.perf_counter()

        def progress(done: int, total: int) -> None:
            self._progress.pages_were_read(task.path, done, total, time.perf_counter() - began)

        pages = PageProgress(self._context, task.document.id, progress)

        def attempt(password: str | None) -> Coroutine[Any, Any, Prepared]:
            return prepare_isolated(
                library,
                task.file,
                password,
                on_part=on_part,
                on_pages=pages.report,
                patience=self._patience,
                page_facts=page_facts,
            )

        prepared = await try_passwords(library, sha256, attempt, given=self._password)
        if self._remember and self._password is not None and library.passwords.get(sha256) == self._password:
            await self._files.store(remember, library, self._password)
        return prepared


def _raise_full(error: Exception) -> None:
    """Raise the error that ends the import if the disk is full: a reader may have no space for its scratch folder."""
    if isinstance(error, OSError) and is_full(error):
        raise unwritable(error) from error


def is_small(task: ReadingTask) -> bool:
    """Return True if a file can be read together with others, that is, if it is new, short and of a text format."""
    document = task.document
    return (
        document.origin is Origin.FILE
        and document.size <= SMALL
        and not (task.identified or task.replaces or is_hashed(document))
        and format_named(task.path) in TEXT_FORMATS
    )
