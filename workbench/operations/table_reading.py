"""Pages on which the fast reading lost a table: looked at by the layout model, and the document read again with it.

    LOST_TABLES -> the model, page by page -> where the cells are -> the fast reading once more, which fills them

Read again, not mended: so headings, running heads, offsets and boxes are those of one reading.
"""

from workbench.errors import DocumentError
from workbench.model.document import Document, FindingKind, pages_with
from workbench.model.import_progress import DocumentChanged
from workbench.operations.library import Library
from workbench.operations.page_reading import MayGoOn, Store, TableReader, Waiting, each_page
from workbench.operations.passwords import unlocked
from workbench.operations.sources import digest
from workbench.operations.stored import put_prepared, stored_document
from workbench.parsing.pdf_tables import Grid
from workbench.parsing.sandboxed import SandboxedParser
from workbench.preparation.prepare import with_tables
from workbench.settings import Settings
from workbench.worker.job import JobContext

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
    library: Library, context: JobContext, waiting: Waiting, reader: TableReader, *, store: Store, may_go_on: MayGoOn
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
    waiting: Waiting,
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
        prepared = await unlocked(
            library, document.sha256, lambda password: parser.call(with_tables, waiting.file, password, *more)
        )
    stored: Document = await store(put_prepared, library, document, prepared)
    return stored
