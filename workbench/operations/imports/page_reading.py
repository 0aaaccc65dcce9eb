"""Pages of a stored document read again in a child process, by OCR or for lost tables, and the result put back.

    LOST_TABLES -> the model, page by page -> where the cells are -> the fast reading once more, which fills them

Read again, not mended: so headings, running heads, offsets and boxes are those of one reading.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from workbench.errors import DocumentError, LayoutUnavailable, NotFound, OcrUnavailable
from workbench.model.document import Document, FindingKind, ParsedDocument, pages_with
from workbench.model.import_progress import DocumentChanged, PageRead
from workbench.model.metadata import CustomSource
from workbench.operations.imports.reader_process import reader_rights, try_passwords
from workbench.operations.imports.source_files import digest
from workbench.operations.library.library import Library
from workbench.parsing.ocr_page import ReadPage, read_page
from workbench.parsing.pdf_table_model import read_tables
from workbench.parsing.pdf_tables import Grid
from workbench.parsing.sandboxed import SandboxedParser
from workbench.preparation.prepare import Prepared, with_tables
from workbench.settings import Settings
from workbench.worker.job import JobContext
from workbench.worker.processes import ProcessPool

logger = logging.getLogger(__name__)

T = TypeVar("T")

MOST_FAILURES = 3
"""Pages in a row that cannot be read, after which the rest of a document is left alone."""

_UNUSED_SECONDS = 30.0
"""When nobody has looked at a page for so long, the process that draws pages ends, too; it is back within 0.5 s."""

Store = Callable[..., Awaitable[Any]]
MayGoOn = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class UnfinishedDocument:
    """A document that was read the fast way, and what is left of it.

    Attributes:
        document: As it is stored.
        file: Its bytes.
        pages: To be read by OCR.
        tables: Pages to be looked at by the layout model.
    """

    document: Document
    file: Path
    pages: tuple[int, ...] = ()
    tables: tuple[int, ...] = ()


class PageChild:
    """A child process that reads pages, from the first one to close()."""

    def __init__(self, settings: Settings, module: str) -> None:
        """Start nothing yet.

        Args:
            settings: Its limits.
            module: What the child imports when it starts.
        """
        self.settings = settings
        self._module = module
        self._pool: ProcessPool | None = None

    async def call(self, library: Library, waiting: UnfinishedDocument, function: Callable[..., T], *more: Any) -> T:
        """Return function(file, password, *more), with the password that opens the document.

        Raises:
            DocumentError: The page cannot be read, or its reading went over a limit.
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
        """End the child, which a further call starts anew; blocking."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


class PageReader(PageChild):
    """Reads pages by OCR."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, "workbench.parsing.ocr_page")

    async def read(self, library: Library, waiting: UnfinishedDocument, number: int) -> ReadPage:
        """Return a page as it was read.

        Raises:
            DocumentError: It cannot be drawn or read, or went over a limit.
        """
        settings = self.settings
        return await self.call(library, waiting, read_page, number, settings.ocr_engine, settings.ocr_languages)


class TableReader(PageChild):
    """Finds tables with the layout model."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, "workbench.parsing.pdf_table_model")

    async def read(self, library: Library, waiting: UnfinishedDocument, number: int) -> tuple[Grid, ...]:
        """Return the tables that the model sees on a page.

        Raises:
            DocumentError: The page cannot be read, or went over a limit.
        """
        return await self.call(library, waiting, read_tables, number)


class Readers:
    """The children of one import. Only one is alive at a time: the engine of OCR takes 500 MB, the model 240.

    While the model works, readers that have nothing to do are ended too, 110 MB each; and for either, after a while,
    the process that draws pages, 60 MB.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._ocr = PageReader(settings)
        self._tables = TableReader(settings)

    async def for_ocr(self, library: Library) -> PageReader:
        """Return the one that reads by OCR."""
        await library.on_store(self._tables.close)
        await library.on_store(library.renderer.rest, _UNUSED_SECONDS)
        return self._ocr

    async def for_tables(self, library: Library) -> TableReader:
        """Return the one that finds tables."""
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
    """What came of one page.

    Attributes:
        number: 1-based.
        value: What was read; None where it could not be.
        error: Why not.
        is_last: No other page follows.
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
) -> AsyncIterator[PageOutcome[T]]:
    """Yield what comes of each page, until too many fail, and tell of each.

    Args:
        context: What progress is told to.
        document: Its id.
        pages: 1-based.
        read: Reads one.
        may_go_on: Awaited before each page.
        tables: They are looked at for their tables.
    """
    in_a_row = 0
    for done, number in enumerate(pages, 1):
        await may_go_on()
        value: T | None = None
        error: DocumentError | None = None
        try:
            value = await read(number)
            in_a_row = 0
        except DocumentError as refused:
            logger.info("Page %d of document %d cannot be read: %s", number, document, refused)
            error, in_a_row = refused, in_a_row + 1
        context.emit(PageRead(document, number, done, len(pages), tables))
        gives_up = in_a_row >= MOST_FAILURES or isinstance(error, OcrUnavailable | LayoutUnavailable)
        yield PageOutcome(number, value, error, gives_up or done == len(pages))
        if gives_up:
            return


LONG = 50
"""Pages of a document whose second reading leaves 30 MB behind, on which the model would come on top.

It is read by one of the readers: that is there within 0.5 s of a processor, and a new child with the model in 1.4.
"""


def tables_to_read(document: Document, settings: Settings) -> tuple[int, ...]:
    """Return the pages that the settings want to have looked at by the layout model and that it has not seen."""
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
) -> Document:
    """Return a document after the layout model looked at its pages and what it found was read and stored.

    A page that it cannot look at stays as it is; the document's findings say why.

    Raises:
        DocumentError: It cannot be read again, and stays as it is.
        NotFound: It was removed or changed meanwhile.
    """
    document = waiting.document
    # All that it saw before, too: they are not kept, and the fast reading alone would lose their tables again.
    pages = tuple(sorted({*waiting.tables, *pages_with(document.findings, FindingKind.LAYOUT)}))
    grids: dict[int, tuple[Grid, ...]] = {}
    failure = ""

    async def read(number: int) -> tuple[Grid, ...]:
        return await reader.read(library, waiting, number)

    async for page in each_page(context, document.id, pages, read, may_go_on, tables=True):
        if page.value is not None:
            grids[page.number] = page.value
        failure = str(page.error or failure)
    document = await _read_again(library, waiting, reader, grids, failure, store=store)
    context.emit(DocumentChanged(document))
    return document


async def _read_again(
    library: Library,
    waiting: UnfinishedDocument,
    reader: TableReader,
    grids: dict[int, tuple[Grid, ...]],
    failure: str,
    *,
    store: Store,
) -> Document:
    document = waiting.document
    if (await library.on_store(digest, waiting.file)).sha256 != document.sha256:
        raise DocumentError("The file was changed while its pages were read.", "Add it again.")
    settings = await library.on_store(library.setting_values.load)
    embedder = await library.on_store(library.embedder)
    older = await library.on_store(stored_document, library, document)
    more = grids, failure, older, embedder.tokenizer, settings
    if document.pages < LONG:
        prepared = await reader.call(library, waiting, with_tables, *more)
    else:
        parser = SandboxedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
        prepared = await try_passwords(
            library, document.sha256, lambda password: parser.call(with_tables, waiting.file, password, *more)
        )
    stored: Document = await store(put_prepared, library, document, prepared)
    return stored


def stored_document(library: Library, document: Document) -> ParsedDocument:
    """Return a document as it was parsed, from the library."""
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
    """Return the document with what was read of it later: unchanged chunks keep their numbers and vectors.

    Raises:
        NotFound: It was removed or changed meanwhile.
    """
    if library.documents.get(document.id).sha256 != document.sha256:
        raise NotFound("The document was changed while its pages were read.", "Its new version is read instead.")
    return library.documents.put_content(
        document.id, ready.parsed, ready.chunks, sha256=document.sha256, size=document.size, words=ready.words
    )
