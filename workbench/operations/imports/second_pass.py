"""The second, slow pass of reading, after a document is stored: OCR and the layout model read some pages again.

If the fast parser lost a table, the layout model searches for it; pages without usable text are read by OCR.

    put_content -> found by keyword, with the text of the fast parser -> page by page -> put_content again

The child processes that read pages belong to one import and end with it: an OCR engine takes 500 MB, and a scan of
300 pages must not delay the reading of other files.
"""

import asyncio
import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from workbench.errors import DocumentError, EmbeddingError, EmptyDocument, NotFound, WorkbenchError
from workbench.model.document import DRAWN_FORMATS, NO_FAILURE, Document, FindingKind, PageFailure, pages_with
from workbench.model.import_progress import DocumentChanged, PageRead
from workbench.operations.imports.import_queue import DocumentQueue
from workbench.operations.imports.import_state import is_own_fault, page_failure
from workbench.operations.imports.page_reading import (
    MayGoOn,
    PageReader,
    Readers,
    Store,
    UnfinishedDocument,
    each_page,
    find_tables,
    put_prepared,
    stored_document,
    tables_to_read,
)
from workbench.operations.imports.progress import PagesLeft, Progress
from workbench.operations.imports.temp_files import staging_folder, write_staged
from workbench.operations.library.library import Library
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.sandboxed import SandboxedParser
from workbench.preparation import chunk_with_ocr_pages
from workbench.settings import Settings
from workbench.worker.job import JobContext, finish_despite_cancel

logger = logging.getLogger(__name__)

BATCH = 8
"""Pages that are stored together: if the program is killed, at most half a minute of reading is lost."""

_LAST_SECONDS = 5.0
"""Timeout for storing the pages that were read before a cancel."""

Ended = Callable[[int, Document | WorkbenchError], Awaitable[None]]
Stored = Callable[[Document, tuple[int, ...]], None]

_OCR_COST = 5
"""Time that OCR takes for a page, as a multiple of that of the layout model: 4 s and 0.8 s on 2 cores."""

_SWITCH_COST = 5
"""Time to end the OCR engine and load the layout model, or the reverse, in the same unit."""


class SecondPass:
    """Reads the pages that the fast parser could not read; used once, by one import.

    What the user opened or asked about goes first, then what is done soonest; changing between OCR and the layout model
    counts as work too. Between two pages a document is interrupted for another one that goes first.
    """

    def __init__(
        self,
        library: Library,
        context: JobContext,
        store: Store,
        ended: Ended,
        *,
        progress: Progress,
        stored: Stored = lambda _document, _left: None,
        obeys_pause: bool = True,
        wants_ocr: bool = False,
        patience: float = 1.0,
    ) -> None:
        """Prepare the second pass.

        Args:
            library: The open library.
            context: Receives the progress events.
            store: Runs blocking work to its end, even if the import is cancelled.
            ended: Called with the id of each document and its new version, or the error.
            progress: Counts the pages.
            stored: Called with a document and the pages that are left whenever some of its pages were stored.
            obeys_pause: Wait while the library's queue is paused.
            wants_ocr: Read pages without text by OCR even if it is off in the settings.
            patience: Factor by which the time limit per page is extended.
        """
        self._library = library
        self._context = JobContext(self._on_event)
        self._listener = context
        self._store = store
        self._ended = ended
        self._progress = progress
        self._stored = stored
        self._obeys_pause = obeys_pause
        self._wants_ocr = wants_ocr
        self._patience = patience
        self._waiting: DocumentQueue[UnfinishedDocument] = DocumentQueue()
        self._with_tables: dict[int, UnfinishedDocument] = {}
        self._at_work: tuple[int, asyncio.Future[UnfinishedDocument]] | None = None
        self._page_began = 0.0
        self._last_is_table: bool | None = None
        self._staging = ExitStack()
        self._folder: Path | None = None

    async def takes(self, document: Document, file: Path, page_facts: bytes = b"") -> frozenset[int]:
        """Queue a document that was stored after fast parsing, and return its pages that are to be read again.

        Args:
            document: The stored document.
            file: File with its bytes.
            page_facts: Prepared.page_facts of the first reading; kept in a file until the tables are read.

        Raises:
            EmptyDocument: The document has no text, and no page of it is to be read again.
        """
        settings = await self._library.on_store(self._library.setting_values.load)
        if self._wants_ocr:
            settings = with_ocr(settings)
        waiting = UnfinishedDocument(
            document, file, pages_to_read(document, settings), tables_to_read(document, settings)
        )
        pages = frozenset((*waiting.tables, *waiting.pages))
        if pages:
            suffix = Path(document.path).suffix
            self._progress.pages_wait(document.id, suffix, ocr=len(waiting.pages), tables=len(waiting.tables))
        if waiting.tables:
            kept = await self._library.on_store(self._keep, document.id, page_facts) if page_facts else None
            waiting = dataclasses.replace(waiting, page_facts=kept)
            # Queued after all files are read: the model and two busy readers would take more memory than allowed.
            self._with_tables[document.id] = waiting
        elif waiting.pages:
            self._waiting.put(document.id, waiting, first=document.id in self._library.queue.urgent)
        elif not document.chunks:
            raise EmptyDocument(
                "The file holds no text: its pages are pictures.",
                "Switch text recognition (OCR) on in the settings and try again.",
            )
        return pages

    def _keep(self, number: int, page_facts: bytes) -> Path | None:
        """Write the pages of a document to a temporary file and return it; None if that is not possible; blocking."""
        try:
            if self._folder is None:
                self._folder = self._staging.enter_context(staging_folder(self._library))
            return write_staged(self._folder / str(number), page_facts)
        except WorkbenchError as error:
            logger.info("The pages of document %d will be read again: %s", number, error)
            return None

    def no_more(self) -> None:
        """Declare that no more documents will be queued."""
        for document, waiting in reversed(self._with_tables.items()):
            self._waiting.put(document, waiting, first=True)
        self._with_tables.clear()
        self._waiting.close()

    def wake(self) -> None:
        """Check again whether the queue is paused."""
        self._waiting.wake()

    def first(self, documents: Sequence[int]) -> None:
        """Read these documents before all others."""
        self._waiting.first(documents)

    def drop(self, number: int) -> None:
        """Stop processing a document; its pages that were read are stored."""
        self._waiting.drop(number)
        self._with_tables.pop(number, None)
        self._progress.pages_end(number)
        if self._at_work is not None and self._at_work[0] == number:
            self._at_work[1].cancel()

    def note_page_seconds(self) -> None:
        """Tell the progress how long the page that is being read has taken so far; call it now and then."""
        if self._at_work is not None:
            self._progress.page_takes(self._at_work[0], time.perf_counter() - self._page_began)

    async def run(self) -> None:
        """Read until no_more() was called and every document is done."""
        readers: Readers | None = None
        try:
            while not self._waiting.ended:
                is_paused = self._obeys_pause and self._library.queue.paused
                taken = None if is_paused else self._waiting.take_least(self._order)
                if taken is None:
                    await self._waiting.changed()
                    continue
                if readers is None:
                    readers = Readers(await self._library.on_store(self._library.setting_values.load), self._patience)
                left = await self._deepen(readers, *taken)
                if left is not None:
                    self._waiting.put_back(taken[0], left)
                else:
                    self._progress.pages_end(taken[0], time.perf_counter() - self._page_began)
                    self._waiting.done()
        finally:
            if readers is not None:
                await finish_despite_cancel(self._library.on_store(readers.close))
            await finish_despite_cancel(self._library.on_store(self._staging.close))

    def _order(self, number: int, waiting: UnfinishedDocument) -> tuple[bool, int]:
        """Return the sort key of a document that waits: those with the least are read first."""
        changes = self._last_is_table is not None and bool(waiting.tables) is not self._last_is_table
        cost = len(waiting.tables) + _OCR_COST * len(waiting.pages) + _SWITCH_COST * changes
        return number not in self._library.queue.urgent, cost

    def _order_of_rest(self, number: int) -> tuple[bool, int]:
        """Return the sort key of the document that is being read, by its pages that are left."""
        left = self._progress.pages_left.get(number, PagesLeft())
        return number not in self._library.queue.urgent, left.tables + _OCR_COST * left.ocr

    async def _deepen(self, readers: Readers, number: int, waiting: UnfinishedDocument) -> UnfinishedDocument | None:
        """Read pages of a document; return it if another one goes first, None if it is done."""

        async def may_go_on() -> bool:
            await self._wait_while_paused()
            ours = self._order_of_rest(number)
            return not self._waiting.any_waits(lambda *other: _goes_first(self._order(*other), ours))

        self._page_began = time.perf_counter()
        work = asyncio.ensure_future(
            deepen(
                self._library,
                self._context,
                waiting,
                readers,
                store=self._store,
                may_go_on=may_go_on,
                stored=self._stored,
            )
        )
        self._at_work = number, work
        try:
            read = await work
            outcome: Document | WorkbenchError = read.document
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                work.cancel()
                raise
            return None  # only this document was cancelled
        except (DocumentError, EmbeddingError, NotFound) as error:
            outcome = error
        except WorkbenchError:
            raise  # an error of the library itself, such as a full disk
        except Exception as error:  # noqa: BLE001 - a bug that affects one file must not stop the others
            outcome = is_own_fault(waiting.file, error)
        else:
            if left := (*read.tables, *read.pages):
                self._stored(read.document, left)
                return read
        finally:
            self._at_work = None
        await self._ended(number, outcome)
        return None

    def _on_event(self, event: object) -> None:
        self._listener.emit(event)
        if isinstance(event, PageRead):
            now = time.perf_counter()
            self._last_is_table = event.tables
            self._progress.page_was_read(event.document, now - self._page_began, is_table=event.tables)
            self._page_began = now
            self._progress.emit(self._listener)

    async def _wait_while_paused(self) -> None:
        began = time.perf_counter()
        while self._obeys_pause and self._library.queue.paused:
            await self._waiting.changed()
        self._page_began += time.perf_counter() - began


def _goes_first(other: tuple[bool, int], ours: tuple[bool, int]) -> bool:
    """Return whether the reading of a document is interrupted for another one: for a shorter one if it is half as long.

    One that is only a little shorter would not be done much earlier.
    """
    return other[0] < ours[0] or (other[0] == ours[0] and 2 * other[1] <= ours[1])


def pages_to_read(document: Document, settings: Settings) -> tuple[int, ...]:
    """Return the pages of a document to be read by OCR according to the settings, except those already read."""
    if settings.ocr == "off" or document.format not in DRAWN_FORMATS:
        return ()
    kinds = [FindingKind.NO_TEXT, FindingKind.GARBLED]
    if settings.ocr == "always":
        kinds.append(FindingKind.IMAGES)
    read = pages_with(document.findings, FindingKind.OCR)
    return tuple(sorted(pages_with(document.findings, *kinds) - read))


def with_ocr(settings: Settings) -> Settings:
    """Return the settings with OCR of pages without text switched on if it is off."""
    return dataclasses.replace(settings, ocr="auto") if settings.ocr == "off" else settings


async def at_once() -> bool:
    """Return True at once; the default for may_go_on."""
    return True


def ignore_stored(_document: Document, _left: tuple[int, ...]) -> None:
    """Do nothing; the default for stored."""


async def deepen(
    library: Library,
    context: JobContext,
    waiting: UnfinishedDocument,
    readers: Readers,
    *,
    store: Store,
    may_go_on: MayGoOn = at_once,
    stored: Stored = ignore_stored,
) -> UnfinishedDocument:
    """Read and store the waiting pages of a document, and return it with the pages that are left.

    A page that cannot be read is left unchanged; the document's findings contain the reason.

    Args:
        library: The open library.
        context: Receives the progress events.
        waiting: The document and its pages.
        readers: Child processes that read the pages.
        store: Runs blocking work to its end, even if this coroutine is cancelled.
        may_go_on: Awaited before each page; if it returns False, the remaining pages are left.
        stored: Called with the document and the pages that are left whenever pages read by OCR were stored.

    Raises:
        DocumentError: The document has no text afterwards, perhaps because the OCR engine is not available.
        NotFound: The document was removed meanwhile.
    """
    if waiting.tables:
        # First, because this parses the whole document again; the text from OCR is then added to the result.
        finder = await readers.for_tables(library)
        try:
            waiting = await find_tables(library, context, waiting, finder, store=store, may_go_on=may_go_on)
        except DocumentError as error:
            # The document can be searched without the tables.
            logger.info("Document %d cannot be read again with its tables: %s", waiting.document.id, error)
            waiting = dataclasses.replace(waiting, tables=())
    if waiting.tables or not waiting.pages:
        return waiting
    reader = await readers.for_ocr(library)
    return await _read_by_ocr(library, context, waiting, reader, store=store, may_go_on=may_go_on, stored=stored)


async def _read_by_ocr(
    library: Library,
    context: JobContext,
    waiting: UnfinishedDocument,
    reader: PageReader,
    *,
    store: Store,
    may_go_on: MayGoOn,
    stored: Stored,
) -> UnfinishedDocument:
    """Read pages of a document by OCR and return it; pages are stored in batches, the last one also on a cancel."""
    document, left = waiting.document, waiting.pages
    failed: DocumentError | None = None
    batch: list[ReadPage] = []

    async def read(number: int) -> ReadPage:
        return await reader.read(library, waiting, number)

    async def store_batch() -> Document:
        changed = await _store_pages(library, document, batch, page_failure(failed), store=store)
        context.emit(DocumentChanged(changed))
        batch.clear()
        return changed

    try:
        async for page in each_page(context, document.id, waiting.pages, read, may_go_on, before=waiting.done):
            if page.value is not None:
                batch.append(page.value)
            failed = page.error or failed
            left = () if page.is_last else left[1:]
            if len(batch) == BATCH and left:
                document = await store_batch()
                stored(document, left)
        if batch or failed:
            document = await store_batch()
    except asyncio.CancelledError:
        if batch:
            await finish_despite_cancel(_save_on_cancel(library, context, document, batch, store=store))
        raise
    if not (document.chunks or left):
        raise failed or EmptyDocument(
            "No text was found in the picture." if document.pages == 1 else "No text was found in the pictures.",
            "If it shows text, a larger or sharper picture may help.",
        )
    done = waiting.done + len(waiting.pages) - len(left)
    return dataclasses.replace(waiting, document=document, pages=left, done=done)


async def _save_on_cancel(
    library: Library, context: JobContext, document: Document, read: Sequence[ReadPage], *, store: Store
) -> None:
    """Store the pages that were read before a cancel, within a timeout; pages not stored are read again later."""
    try:
        async with asyncio.timeout(_LAST_SECONDS):
            document = await _store_pages(library, document, read, NO_FAILURE, store=store)
    except (WorkbenchError, TimeoutError) as error:
        logger.info("%d pages of document %d are not stored: %s", len(read), document.id, error)
    else:
        context.emit(DocumentChanged(document))


async def _store_pages(
    library: Library, document: Document, read: Sequence[ReadPage], failure: PageFailure, *, store: Store
) -> Document:
    """Store the text of these pages and return the document; unchanged chunks keep their numbers and vectors."""
    settings = await library.on_store(library.setting_values.load)
    tokenizer = await library.on_store(library.models.tokenizer)
    parsed = await library.on_store(stored_document, library, document)
    child = SandboxedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    ready = await child.call(chunk_with_ocr_pages, parsed, document.name, tuple(read), failure, tokenizer, settings)

    stored: Document = await store(put_prepared, library, document, ready)
    return stored
