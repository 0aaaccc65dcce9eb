"""What was read is stored: of a long file in parts while the reading goes on, of small files together."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from types import TracebackType

from workbench.errors import DocumentError, NotFound, WorkbenchError
from workbench.model.document import Document, DocumentStatus, ParsedDocument
from workbench.model.import_progress import PagesRead
from workbench.model.metadata import CustomSource
from workbench.operations.file_metadata import metadata_beside
from workbench.operations.identifying import must_be_unchanged
from workbench.operations.library import Library
from workbench.operations.reading_task import ReadingTask
from workbench.preparation.prepare import Prepared
from workbench.worker.job import JobContext

_TELL_SECONDS = 0.25
"""How often the pages are told: a reader finishes 100 of them in a second."""


class PartsInOrder:
    """Takes parts from another thread and has them stored one after the other; leaving it waits for the last.

    A part whose turn comes when a later one is there already is passed over. An error of storing is raised on leaving.
    """

    def __init__(self, store: Callable[[Prepared], Awaitable[None]]) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._latest: Prepared | None = None
        self._work: asyncio.Task[None] | None = None

    def put(self, part: Prepared) -> None:
        """Have a part stored; callable from any thread."""
        self._loop.call_soon_threadsafe(self._take, part)

    async def __aenter__(self) -> "PartsInOrder":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._work is not None and kind is None:
            self._latest = None  # all of it is there now
            await self._work
        elif self._work is not None:
            # What is on its way to the disk gets there (Import waits for it); nothing new is begun.
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
    """Return the documents of some small files with what was read of them, by id, or why there is none; blocking.

    All are stored in one transaction, which takes 3 ms by itself.

    Raises:
        LibraryError: The library cannot be written.
    """
    stored: dict[int, Document | WorkbenchError] = {}
    with library.database.write():
        for task, prepared in ready:
            try:
                must_be_unchanged(task)
                stored[task.document.id] = put_read(library, task, prepared)
            except (DocumentError, NotFound) as error:
                stored[task.document.id] = error
    return stored


class PagesTold:
    """Tells how many pages of a document were read, a few times a second."""

    def __init__(self, context: JobContext, document: int) -> None:
        self._context = context
        self._document = document
        self._told = 0.0

    def tell(self, read: PagesRead) -> None:
        """Tell it, unless that was done a moment ago; callable from any thread."""
        now = time.monotonic()
        if now - self._told >= _TELL_SECONDS:
            self._told = now
            self._context.emit(replace(read, document=self._document))


def put_read(
    library: Library, task: ReadingTask, prepared: Prepared, *, status: DocumentStatus = DocumentStatus.INDEXED
) -> Document:
    """Return the document of a file with what was read of it; blocking.

    Raises:
        NotFound: It was removed meanwhile.
        DocumentError: Another document of the knowledge base holds the same bytes.
    """
    # What is fetched again goes by its new bytes already.
    before = library.intake.hash_of(task.document.id)
    document = library.documents.put_content(
        task.document.id,
        _with_metadata(library, task, prepared.parsed),
        prepared.chunks,
        sha256=task.digest.sha256,
        size=task.digest.size,
        words=prepared.words,
        status=status,
    )
    if task.stamp is not None:
        library.intake.put_stamp(document.id, task.stamp)
    if before != document.sha256:
        library.drop_copy(before)
    return document


def _with_metadata(library: Library, task: ReadingTask, parsed: ParsedDocument) -> ParsedDocument:
    """Return what was read of a file with the metadata beside it; those of before where the library's copy was read."""
    if task.stamp is None:
        stored = library.documents.get(task.document.id).stored_custom
        beside = tuple(field for field in stored if field.source is CustomSource.BESIDE)
        return replace(parsed, custom=(*parsed.custom, *beside)) if beside else parsed
    beside, told = metadata_beside(library, task.document.knowledge_base, task.path, task.root)
    if not beside and not told:
        return parsed
    return replace(parsed, custom=(*parsed.custom, *beside), warnings=(*parsed.warnings, *told))
