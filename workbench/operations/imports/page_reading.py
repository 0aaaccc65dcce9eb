"""Page reading in a child process: pages of a stored document are read again, by OCR or for lost tables.

    LOST_TABLES -> the layout model, page by page -> positions of the cells -> the fast parser again, which fills them

The document is parsed again instead of patched, so that headings, running heads, offsets and boxes are consistent.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from workbench.errors import DocumentError, LayoutUnavailable, NotFound, OcrUnavailable
from workbench.files.changes import delete_file
from workbench.model.document import NO_FAILURE, Document, FindingKind, PageFailure, ParsedDocument, pages_with
from workbench.model.import_progress import DocumentChanged, PageRead
from workbench.model.metadata import CustomSource
from workbench.operations.imports.import_state import page_failure
from workbench.operations.imports.reader_process import reader_rights, try_passwords
from workbench.operations.imports.source_files import digest
from workbench.operations.library.library import Library
from workbench.parsing.ocr_page import ReadPage, read_page
from workbench.parsing.pdf_table_model import read_tables
from workbench.parsing.pdf_tables import Grid
from workbench.parsing.sandboxed import SandboxedParser
from workbench.preparation import Prepared, with_tables
from workbench.settings import Settings
from workbench.worker.job import JobContext
from workbench.worker.processes import ProcessPool

logger = logging.getLogger(__name__)

T = TypeVar("T")

MOST_FAILURES = 3
"""Consecutive pages that cannot be read, after which the rest of a document is skipped."""

_UNUSED_SECONDS = 30.0
"""Seconds without use after which the process that draws pages is ended too; it restarts within 0.5 s."""

Store = Callable[..., Awaitable[Any]]
MayGoOn = Callable[[], Awaitable[bool]]
"""Waits until the next page may be read, and returns False if another document goes first."""


@dataclass(frozen=True, slots=True)
class UnfinishedDocument:
    """A document that was read by the fast parser, and its pages that are still to be read.

    Attributes:
        document: The stored document.
        file: File with its bytes.
        pages: Pages to be read by OCR.
        tables: Pages to be examined by the layout model.
        done: Number of pages that OCR has read already, for the report of progress.
        page_facts: File with Prepared.page_facts of the first reading; None if there is none.
        examined: Tables found so far on each page that the layout model has examined; None if it could not.
        table_failure: Reason why it could not examine some of them.
    """

    document: Document
    file: Path
    pages: tuple[int, ...] = ()
    tables: tuple[int, ...] = ()
    done: int = 0
    page_facts: Path | None = None
    examined: Mapping[int, tuple[Grid, ...] | None] = field(default_factory=dict)
    table_failure: PageFailure = NO_FAILURE


class PageChild:
    """A child process that reads pages; it runs from the first call until close()."""

    def __init__(self, settings: Settings, module: str) -> None:
        """Prepare the child, which is started by the first call.

        Args:
            settings: Limits of the child.
            module: Module that the child imports when it starts.
        """
        self.settings = settings
        self._module = module
        self._pool: ProcessPool | None = None

    async def call(self, library: Library, waiting: UnfinishedDocument, function: Callable[..., T], *more: Any) -> T:
        """Return function(file, password, *more), with the password that opens the document.

        Raises:
            DocumentError: The page cannot be read, or reading it exceeded a limit.
        """
        if self._pool is None:
            rights = partial(reader_rights, library)
            self._pool = ProcessPool(1, preload=(self._module,), in_background=True, confined=rights)
        settings = self.settings
        child = SandboxedParser(self._pool, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)

        def attempt(password: str | None) -> Awaitable[T]:
            return child.call(function, waiting.file, password, *more)

        return await try_passwords(library, waiting.document.sha256, attempt)

    def close(self) -> None:
        """End the child; another call starts it again; blocking."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


class PageReader(PageChild):
    """Reads pages by OCR."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, "workbench.parsing.ocr_page")

    async def read(self, library: Library, waiting: UnfinishedDocument, number: int) -> ReadPage:
        """Return a page that was read by OCR.

        Raises:
            DocumentError: The page cannot be drawn or read, or exceeded a limit.
        """
        settings = self.settings
        return await self.call(library, waiting, read_page, number, settings.ocr_engine, settings.ocr_languages)


class TableReader(PageChild):
    """Finds tables with the layout model."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, "workbench.parsing.pdf_table_model")

    async def read(self, library: Library, waiting: UnfinishedDocument, number: int) -> tuple[Grid, ...]:
        """Return the tables that the model detects on a page.

        Raises:
            DocumentError: The page cannot be read, or exceeded a limit.
        """
        return await self.call(library, waiting, read_tables, number)


class Readers:
    """Child processes of one import. Only one runs at a time: the OCR engine takes 500 MB, the layout model 240 MB.

    While the model works, idle reader processes (110 MB each) are ended too. For both children, the process that draws
    pages (60 MB) is ended if it was not used for a while.
    """

    def __init__(self, settings: Settings, patience: float = 1.0) -> None:
        """Prepare the children, with the limits of the settings; the time per page is extended by patience."""
        self.settings = settings = replace(settings, parser_seconds=round(settings.parser_seconds * patience))
        self._ocr = PageReader(settings)
        self._tables = TableReader(settings)

    async def for_ocr(self, library: Library) -> PageReader:
        """Return the child for OCR, after ending the other one."""
        await library.on_store(self._tables.close)
        await library.on_store(library.renderer.rest, _UNUSED_SECONDS)
        return self._ocr

    async def for_tables(self, library: Library) -> TableReader:
        """Return the child that finds tables, after ending the other one."""
        await library.on_store(self._ocr.close)
        await library.on_store(library.parsers.rest)
        await library.on_store(library.renderer.rest, _UNUSED_SECONDS)
        return self._tables

    def close(self) -> None:
        """End the children; blocking."""
        self._ocr.close()
        self._tables.close()


@dataclass(frozen=True, slots=True)
class PageOutcome(Generic[T]):
    """Result of reading one page.

    Attributes:
        number: Page number, 1-based.
        value: Content that was read; None if it could not be read.
        error: The error, if the page could not be read.
        is_last: True if no other page follows.
    """

    number: int
    value: T | None
    error: DocumentError | None
    is_last: bool


async def each_page(
    context: JobContext,
    document: int,
    pages: tuple[int, ...],
    read: Callable[[int], Awaitable[T]],
    may_go_on: MayGoOn,
    *,
    tables: bool = False,
    before: int = 0,
) -> AsyncIterator[PageOutcome[T]]:
    """Yield the result of each page, until too many fail or may_go_on returns False, and report progress after each.

    Args:
        context: Receives the progress events.
        document: Id of the document.
        pages: Page numbers, 1-based.
        read: Function that reads one page.
        may_go_on: Awaited before each page.
        tables: True if the pages are examined for tables; passed on in the progress events.
        before: Number of pages that were read before these; counted in the progress events.
    """
    in_a_row = 0
    for done, number in enumerate(pages, 1):
        if not await may_go_on():
            return
        value: T | None = None
        error: DocumentError | None = None
        try:
            value = await read(number)
            in_a_row = 0
        except DocumentError as refused:
            logger.info("Page %d of document %d cannot be read: %s", number, document, refused)
            error, in_a_row = refused, in_a_row + 1
        context.emit(PageRead(document, number, before + done, before + len(pages), tables))
        gives_up = in_a_row >= MOST_FAILURES or isinstance(error, OcrUnavailable | LayoutUnavailable)
        yield PageOutcome(number, value, error, gives_up or done == len(pages))
        if gives_up:
            return


def tables_to_read(document: Document, settings: Settings) -> tuple[int, ...]:
    """Return the pages that the layout model has to examine according to the settings and has not examined yet."""
    return () if settings.layout_model == "off" else pages_that_lost_tables(document)


def pages_that_lost_tables(document: Document) -> tuple[int, ...]:
    """Return the pages on which the layout model may find a table."""
    return tuple(sorted(pages_with(document.findings, FindingKind.LOST_TABLES))) if document.format == "pdf" else ()


async def find_tables(
    library: Library,
    context: JobContext,
    waiting: UnfinishedDocument,
    reader: TableReader,
    *,
    store: Store,
    may_go_on: MayGoOn,
) -> UnfinishedDocument:
    """Examine pages with the layout model, parse the document again with the tables found, store and return it.

    A page that the model cannot examine is left unchanged; the document's findings contain the reason. If may_go_on
    returns False, nothing is stored, and the result has the pages that are left and the tables found so far.

    Raises:
        DocumentError: The document cannot be parsed again, and is left unchanged.
        NotFound: The document was removed or changed meanwhile.
    """
    document = waiting.document
    # Also pages that it examined before: the grids are not kept, and the fast parser alone would lose the tables again.
    pages = {*waiting.tables, *pages_with(document.findings, FindingKind.LAYOUT)} - waiting.examined.keys()
    examined, failure, is_done = dict(waiting.examined), waiting.table_failure, not pages

    async def read(number: int) -> tuple[Grid, ...]:
        return await reader.read(library, waiting, number)

    order, before = tuple(sorted(pages)), len(examined)
    async for page in each_page(context, document.id, order, read, may_go_on, tables=True, before=before):
        examined[page.number] = page.value
        failure, is_done = page_failure(page.error) if page.error else failure, page.is_last
    left = tuple(number for number in order if number not in examined)
    waiting = replace(waiting, tables=() if is_done else left, examined=examined, table_failure=failure)
    if not is_done:
        return waiting
    document = await _parse_again(library, waiting, reader, store=store)
    context.emit(DocumentChanged(document))
    return replace(waiting, document=document, page_facts=None, examined={}, table_failure=NO_FAILURE)


async def _parse_again(library: Library, waiting: UnfinishedDocument, reader: TableReader, *, store: Store) -> Document:
    document, failure = waiting.document, waiting.table_failure
    grids = {number: found for number, found in waiting.examined.items() if found is not None}
    if (await library.on_store(digest, waiting.file)).sha256 != document.sha256:
        raise DocumentError("The file was changed while its pages were read.", "Add it again.")
    settings = await library.on_store(library.setting_values.load)
    tokenizer = await library.on_store(library.models.tokenizer)
    older = await library.on_store(stored_document, library, document)
    page_facts = await library.on_store(_take_page_facts, waiting.page_facts)
    # In the child with the model: a reader process for each document took 0.8 s of processor time to start.
    prepared = await reader.call(library, waiting, with_tables, grids, failure, page_facts, older, tokenizer, settings)
    stored: Document = await store(put_prepared, library, document, prepared)
    return stored


def _take_page_facts(file: Path | None) -> bytes:
    """Return the content of a file of SecondPass and delete the file; empty if it cannot be read."""
    if file is None:
        return b""
    try:
        content = file.read_bytes()
        delete_file(file, within=file.parent)
    except OSError as error:
        logger.info("The pages are read again: %s", error)
        return b""
    return content


def stored_document(library: Library, document: Document) -> ParsedDocument:
    """Return the parsed document, loaded from the library."""
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
        tuple(field for field in document.stored_custom if field.source is not CustomSource.USER),
    )


def put_prepared(library: Library, document: Document, ready: Prepared) -> Document:
    """Store the result of a later reading and return the document; unchanged chunks keep their numbers and vectors.

    Raises:
        NotFound: The document was removed or changed meanwhile.
    """
    if library.documents.get(document.id).sha256 != document.sha256:
        raise NotFound("The document was changed while its pages were read.", "Its new version is read instead.")
    return library.documents.put_content(
        document.id, ready.parsed, ready.chunks, sha256=document.sha256, size=document.size, words=ready.words
    )
