"""The second, slow step of reading: pages without usable text are read by OCR, after the document is stored.

    put_content -> found by keyword, with what the fast way gave -> read_page, page by page -> put_content again

The children that read pictures belong to one import and end with it: an engine takes 500 MB, and a scan of 300 pages
must not hold up the reading of other files.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import (
    DocumentError,
    EmbeddingError,
    EmptyDocument,
    MissingFile,
    NotFound,
    OcrUnavailable,
    WorkbenchError,
)
from workbench.model.document import Document, ParsedDocument
from workbench.model.finding import FindingKind, pages_with
from workbench.model.progress import DocumentChanged, PageRead
from workbench.operations.embedding import Embedding
from workbench.operations.library import Library
from workbench.operations.outcomes import own_fault
from workbench.operations.passwords import unlocked
from workbench.operations.queue import Line
from workbench.operations.sources import find_original
from workbench.parsing.isolated import PRELOAD, IsolatedParser
from workbench.parsing.ocr_page import ReadPage, read_page
from workbench.preparation.prepare import placed
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation, to_the_end
from workbench.worker.processes import ProcessPool

logger = logging.getLogger(__name__)

BATCH = 8
"""Pages that are stored together: half a minute of reading that a kill of the program can cost."""

MOST_FAILURES = 3
"""Pages in a row that cannot be read, after which the rest of a document is left alone."""

_DRAWN = ("pdf", "image")
"""Formats whose pages can be drawn."""

Store = Callable[..., Awaitable[Any]]
Ended = Callable[[int, Document | WorkbenchError], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A document that was read the fast way, and the pages of it that are left."""

    document: Document
    file: Path
    pages: tuple[int, ...]


class PageReader:
    """A child process that reads pictures, from the first page to close()."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pool = ProcessPool(1, preload=("workbench.parsing.ocr_page", *PRELOAD), in_background=True)
        self._child = IsolatedParser(self._pool, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)

    async def read(self, library: Library, waiting: _Waiting, number: int) -> ReadPage:
        """Return a page as it was read.

        Raises:
            DocumentError: It cannot be drawn or read, or went over a limit.
        """

        def attempt(password: str | None) -> Awaitable[ReadPage]:
            settings = self.settings
            return self._child.call(
                read_page, waiting.file, number, password, settings.ocr_engine, settings.ocr_languages
            )

        return await unlocked(library, waiting.document.sha256, attempt)

    def close(self) -> None:
        """End the child; blocking."""
        self._pool.close()


class Deepening:
    """Reads the pictures among the pages of documents, in the order they are put; used once, by one import."""

    def __init__(
        self, library: Library, context: JobContext, store: Store, ended: Ended, *, obeys_pause: bool = True
    ) -> None:
        """Prepare the second step.

        Args:
            library: The open library.
            context: What progress is told to.
            store: Runs blocking work to its end, even when the import is cancelled.
            ended: Told of each document as it is now, or why nothing came of it.
            obeys_pause: Wait while the library's queue is paused.
        """
        self._library = library
        self._context = context
        self._store = store
        self._ended = ended
        self._obeys_pause = obeys_pause
        self._waiting: Line[_Waiting] = Line()
        self._at_work: tuple[int, asyncio.Future[Document]] | None = None

    async def takes(self, document: Document, file: Path) -> bool:
        """Queue a document whose fast reading is stored, if pages of it are to be read by OCR.

        Raises:
            EmptyDocument: It has no text, and none is to be read.
        """
        settings = await self._library.on_store(self._library.setting_values.load)
        pages = pages_to_read(document, settings)
        if pages:
            waiting = _Waiting(document, file, pages)
            self._waiting.put(document.id, waiting, first=document.id in self._library.queue.urgent)
        elif not document.chunks:
            raise EmptyDocument(
                "The file holds no text: its pages are pictures.",
                "Switch text recognition (OCR) on in the settings and try again.",
            )
        return bool(pages)

    def no_more(self) -> None:
        """Say that no document will follow."""
        self._waiting.close()

    def wake(self) -> None:
        """Look again whether the queue is paused."""
        self._waiting.wake()

    def first(self, documents: Sequence[int]) -> None:
        """Read these before all others."""
        self._waiting.first(documents)

    def drop(self, number: int) -> None:
        """Leave a document as it is."""
        self._waiting.drop(number)
        if self._at_work is not None and self._at_work[0] == number:
            self._at_work[1].cancel()

    async def run(self) -> None:
        """Read until no_more was said and everything is done."""
        reader: PageReader | None = None
        try:
            while not self._waiting.ended:
                is_paused = self._obeys_pause and self._library.queue.paused
                taken = None if is_paused else self._waiting.take()
                if taken is None:
                    await self._waiting.changed()
                    continue
                if reader is None:
                    reader = PageReader(await self._library.on_store(self._library.setting_values.load))
                await self._deepen(reader, *taken)
                self._waiting.done()
        finally:
            if reader is not None:
                await to_the_end(self._library.on_store(reader.close))

    async def _deepen(self, reader: PageReader, number: int, waiting: _Waiting) -> None:
        work = asyncio.ensure_future(
            deepen(self._library, self._context, waiting, reader, store=self._store, may_go_on=self._may_go_on)
        )
        self._at_work = number, work
        try:
            outcome: Document | WorkbenchError = await work
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                work.cancel()
                raise
            return  # only this document was taken out
        except (DocumentError, EmbeddingError, NotFound) as error:
            outcome = error
        except WorkbenchError:
            raise  # the library itself: a full disk, say
        except Exception as error:  # noqa: BLE001 - a fault of ours that one file meets must not end the others
            outcome = own_fault(waiting.file, error)
        finally:
            self._at_work = None
        await self._ended(number, outcome)

    async def _may_go_on(self) -> None:
        while self._obeys_pause and self._library.queue.paused:
            await self._waiting.changed()


def pages_to_read(document: Document, settings: Settings) -> tuple[int, ...]:
    """Return the pages of a document that the settings want to have read by OCR and that were not read yet."""
    if settings.ocr == "off" or document.format not in _DRAWN:
        return ()
    kinds = [FindingKind.NO_TEXT, FindingKind.GARBLED]
    if settings.ocr == "always":
        kinds.append(FindingKind.IMAGES)
    read = pages_with(document.findings, FindingKind.OCR)
    return tuple(sorted(pages_with(document.findings, *kinds) - read))


async def _at_once() -> None:
    """Wait for nothing."""


async def deepen(
    library: Library,
    context: JobContext,
    waiting: _Waiting,
    reader: PageReader,
    *,
    store: Store,
    may_go_on: Callable[[], Awaitable[None]] = _at_once,
) -> Document:
    """Return a document after its pages were read and stored, a few at a time.

    A page that cannot be read stays as it is; the document's findings say why.

    Args:
        library: The open library.
        context: What progress is told to.
        waiting: The document and its pages.
        reader: Reads them.
        store: Runs blocking work to its end, even when this is cancelled.
        may_go_on: Awaited before each page.

    Raises:
        DocumentError: Afterwards it has no text at all; or the engine is not there, and there is no text either.
        NotFound: The document was removed meanwhile.
    """
    document, failed, in_a_row = waiting.document, None, 0
    batch: list[ReadPage] = []
    for done, number in enumerate(waiting.pages, 1):
        await may_go_on()
        try:
            batch.append(await reader.read(library, waiting, number))
            in_a_row = 0
        except DocumentError as error:
            logger.info("Page %d of document %d cannot be read by OCR: %s", number, document.id, error)
            failed, in_a_row = error, in_a_row + 1
        context.emit(PageRead(document.id, number, done, len(waiting.pages)))
        gives_up = in_a_row >= MOST_FAILURES or isinstance(failed, OcrUnavailable)
        is_last = gives_up or done == len(waiting.pages)
        if len(batch) == BATCH or (is_last and (batch or failed)):
            document = await _put_in(library, document, batch, str(failed or ""), store=store)
            context.emit(DocumentChanged(document))
            batch = []
        if gives_up:
            break
    if not document.chunks:
        raise failed or EmptyDocument(
            "No text was found in the picture." if document.pages == 1 else "No text was found in the pictures.",
            "If there is text to be seen, a larger or sharper picture may help.",
        )
    return document


async def _put_in(
    library: Library, document: Document, read: Sequence[ReadPage], failure: str, *, store: Store
) -> Document:
    """Return the document with these pages' text stored: unchanged chunks keep their numbers and vectors."""
    settings = await library.on_store(library.setting_values.load)
    embedder = await library.on_store(library.embedder)
    parsed = await library.on_store(stored_document, library, document)
    child = IsolatedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    ready = await child.call(placed, parsed, tuple(read), failure, embedder.tokenizer, settings)

    def put() -> Document:
        if library.documents.get(document.id).sha256 != document.sha256:
            raise NotFound("The document was changed while its pages were read.", "Its new version is read instead.")
        return library.documents.put_content(
            document.id, ready.parsed, ready.chunks, sha256=document.sha256, size=document.size, words=ready.words
        )

    stored: Document = await store(put)
    return stored


def stored_document(library: Library, document: Document) -> ParsedDocument:
    """Return a document as it was parsed, from the library; blocking."""
    store = library.documents
    numbers = [page.number for page in store.pages(document.id)]
    return ParsedDocument(
        store.text(document.id),
        store.blocks(document.id),
        tuple(page for number in numbers if (page := store.page(document.id, number)) is not None),
        document.metadata,
        document.format,
        document.warnings,
        document.page_kind,
        document.findings,
        document.parser_version,
    )


def ocr_pages(library: Library, document: int, pages: Iterable[int] | None = None) -> Operation[Document]:
    """Read pages of a PDF or picture by OCR, whatever the settings say, and embed what is new.

    Emits PageRead and DocumentChanged.

    Args:
        library: The open library.
        document: Its id.
        pages: 1-based; None for every page whose text is missing or garbled.

    Raises:
        NotFound: There is no such document.
        DocumentError: Its file is gone, it is being read, or no text came of it.
    """
    wanted = None if pages is None else tuple(sorted(set(pages)))

    async def operation(context: JobContext) -> Document:
        found = await library.on_store(library.documents.get, document)
        file = await library.on_store(find_original, library.originals, found)
        if file is None:
            raise MissingFile(f"The library's copy of “{found.name}” is gone.", "Add the file again.")
        chosen = wanted or tuple(sorted(pages_with(found.findings, FindingKind.NO_TEXT, FindingKind.GARBLED)))
        if not chosen:
            return found
        if not library.claim(found.id):
            raise DocumentError(f"“{found.name}” is being read just now.", "Try again when it is done.")
        reader = PageReader(await library.on_store(library.setting_values.load))
        try:
            waiting = _Waiting(found, file, chosen)
            read = await deepen(library, context, waiting, reader, store=partial(_whole, library))
            embedding = Embedding(library, context, lambda _finished: None, unread=lambda: 0, obeys_pause=False)
            embedding.put(read)
            embedding.no_more()
            await embedding.run()
        finally:
            library.release(found.id)
            await to_the_end(library.on_store(reader.close))
        if reason := _why_nothing(read, chosen):
            raise DocumentError("OCR could not read it.", reason)
        return await library.on_store(library.documents.get, document)

    return operation


def _why_nothing(document: Document, pages: Iterable[int]) -> str:
    """Return why none of these pages could be read; empty where one was."""
    left = [one for one in document.findings if one.kind in (FindingKind.NO_TEXT, FindingKind.GARBLED) and one.detail]
    return left[0].detail if {*pages} <= pages_with(left, FindingKind.NO_TEXT, FindingKind.GARBLED) else ""


async def _whole(library: Library, function: Callable[..., Any], *args: object) -> Any:
    return await to_the_end(library.on_store(function, *args))
