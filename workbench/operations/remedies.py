"""What the check of a document offers with one click: some of its pages read again, whatever the settings say."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import DocumentError, MissingFile
from workbench.model.document import Document, FindingKind, pages_with
from workbench.operations.deepening import at_once, deepen
from workbench.operations.embedding import Embedding
from workbench.operations.library import Library
from workbench.operations.page_reading import Readers, Waiting
from workbench.operations.sources import find_original
from workbench.operations.table_reading import find_tables, pages_that_lost_tables
from workbench.worker.job import JobContext, Operation, finish_despite_cancel


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
        chosen = wanted or tuple(sorted(pages_with(found.findings, FindingKind.NO_TEXT, FindingKind.GARBLED)))
        if not chosen:
            return found

        async def by_ocr(readers: Readers, file: Path) -> Document:
            return await deepen(library, context, Waiting(found, file, chosen), readers, store=partial(_whole, library))

        read = await _read(library, context, found, by_ocr)
        if reason := _why_left(read, chosen, FindingKind.NO_TEXT, FindingKind.GARBLED):
            raise DocumentError("OCR could not read it.", reason)
        return await library.on_store(library.documents.get, document)

    return operation


def read_tables(library: Library, document: int) -> Operation[Document]:
    """Have the layout model look at the pages of a PDF on which a table was read as lines, and embed what is new.

    Emits PageRead and DocumentChanged.

    Args:
        library: The open library.
        document: Its id.

    Raises:
        NotFound: There is no such document.
        DocumentError: Its file is gone, it is being read, or no page could be looked at.
    """

    async def operation(context: JobContext) -> Document:
        found = await library.on_store(library.documents.get, document)
        chosen = pages_that_lost_tables(found)
        if not chosen:
            return found

        async def by_model(readers: Readers, file: Path) -> Document:
            waiting, finder = Waiting(found, file, tables=chosen), await readers.for_tables(library)
            store = partial(_whole, library)
            return await find_tables(library, context, waiting, finder, store=store, may_go_on=at_once)

        read = await _read(library, context, found, by_model)
        if reason := _why_left(read, chosen, FindingKind.LOST_TABLES):
            raise DocumentError("The layout model could not read it.", reason)
        return await library.on_store(library.documents.get, document)

    return operation


async def _read(
    library: Library, context: JobContext, found: Document, work: Callable[[Readers, Path], Awaitable[Document]]
) -> Document:
    """Return the document after this work on its file, embedded; no import may work on it meanwhile."""
    file = await library.on_store(find_original, library.originals, found)
    if file is None:
        raise MissingFile(f"The library's copy of “{found.name}” is gone.", "Add the file again.")
    if not library.claim(found.id):
        raise DocumentError(f"“{found.name}” is being read just now.", "Try again when it is done.")
    readers = Readers(await library.on_store(library.setting_values.load))
    try:
        read = await work(readers, file)
        embedding = Embedding(library, context, lambda _finished: None, unread=lambda: 0, obeys_pause=False)
        embedding.put(read)
        embedding.no_more()
        await embedding.run()
    finally:
        library.release(found.id)
        await finish_despite_cancel(library.on_store(readers.close))
    return read


def _why_left(document: Document, pages: Iterable[int], *kinds: FindingKind) -> str:
    """Return why none of these pages could be read; empty where one was."""
    left = [one for one in document.findings if one.kind in kinds and one.detail]
    return left[0].detail if {*pages} <= pages_with(left, *kinds) else ""


async def _whole(library: Library, function: Callable[..., Any], *args: object) -> Any:
    return await finish_despite_cancel(library.on_store(function, *args))
