"""Import of web pages, query results and notes as documents: rows first, then the content, read like any file.

    sources -> rows (queued) -> fetched concurrently -> the library's own copy -> Importer, in waves

A wave contains the content that arrived while the previous wave was read, so that a page does not wait for the slowest
server to become searchable.
"""

import asyncio
import dataclasses
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.egress.gate import EgressGate
from workbench.errors import DocumentError, HostClosed, NotFound
from workbench.language import mark
from workbench.model.document import Document, DocumentStatus, FailureKind, Origin
from workbench.model.egress import Purpose
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome, ImportProgress
from workbench.operations.imports.import_state import failure_of
from workbench.operations.imports.importing import Importer
from workbench.operations.imports.original_copies import keep_original
from workbench.operations.imports.source_files import digest, find_original
from workbench.operations.library.library import Library
from workbench.operations.library.trust import allowed_hosts
from workbench.store.intake import Origins
from workbench.worker.job import JobContext, finish_despite_cancel

Arrival = Coroutine[Any, Any, Document | FileFinished]
"""Coroutine that returns a document whose copy is in the library and is to be read, or the final result."""

_CANCELLED = DocumentError(mark("Cancelled before it was fetched."), mark("Choose “Fetch again”."))

OF = "of"
"""Key in the details of a source: the hash of the bytes that came with them, which may be unread after a stop."""

_ENTERING = threading.Lock()
"""Held from the check for the same bytes until the row is updated, because two links may deliver the same bytes."""


async def take_in(library: Library, context: JobContext, arrivals: Sequence[Arrival]) -> list[FileFinished]:
    """Read documents as they arrive; one that fails never stops the rest.

    Raises:
        LibraryError: The library itself cannot be written; what was done before stays done.
    """
    report = _Report(context, len(arrivals))
    waiting = {asyncio.ensure_future(arrival) for arrival in arrivals}
    try:
        while waiting:
            arrived, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            outcomes = [one.result() for one in arrived]
            report.take(*(one for one in outcomes if isinstance(one, FileFinished)))
            documents = [one for one in outcomes if isinstance(one, Document)]
            if documents:
                report.begin_wave(documents)
                try:
                    await Importer(library, JobContext(report.pass_on)).read_again(documents)
                finally:
                    library.held_copies.let_go(document.sha256 for document in documents)
    finally:
        for one in waiting:
            one.cancel()
        await finish_despite_cancel(asyncio.gather(*waiting, return_exceptions=True))
    return report.results


async def gate_for(library: Library, allow_hosts: Sequence[str], purposes: frozenset[Purpose]) -> EgressGate:
    """Return the gate for the requests of one operation; it also allows the hosts that the user named for it.

    Raises:
        SettingError: One of allow_hosts is not a host.
    """
    allowed = allowed_hosts(allow_hosts, purposes)
    return await library.on_store(library.gate.allowing, allowed) if allowed else library.gate


class _Report:
    """Combines the waves into one import: collects their results and reports the total progress."""

    def __init__(self, context: JobContext, files: int) -> None:
        self.results: list[FileFinished] = []
        self._context = context
        self._files = files
        self._paths: dict[int, str] = {}
        self._emit(ImportProgress(files_done=0, files=files, chunks_done=0, chunks=0, seconds_left=None))

    def begin_wave(self, documents: Sequence[Document]) -> None:
        """Register the documents of a wave, whose results will follow."""
        self._paths.update({document.id: document.path for document in documents})

    def take(self, *results: FileFinished) -> None:
        """Report results of sources from which no document is to be read."""
        for result in results:
            self.results.append(result)
            self._emit(result)
        if results:
            done = len(self.results)
            self._emit(ImportProgress(done, self._files, 0, 0, None, files_read=done))

    def pass_on(self, event: Any) -> None:
        """Forward an event of a wave, with the numbers of the whole import."""
        if isinstance(event, FileFinished):
            # An import handles paths of files, and would turn an address into "https:/…".
            event = dataclasses.replace(event, path=self._paths.get(event.document or 0, event.path))
            self.results.append(event)
        elif isinstance(event, ImportProgress):
            done = len(self.results)
            read = done + max(0, event.files_read - event.files_done)
            event = dataclasses.replace(event, files=self._files, files_done=done, files_read=read)
        self._emit(event)

    def _emit(self, event: Any) -> None:
        self._context.emit(event)


async def arrive(library: Library, context: JobContext, row: Document, fetching: Arrival) -> Document | FileFinished:
    """Fetch the content of a row and return the result; a failure is stored in the row."""
    try:
        return await fetching
    except asyncio.CancelledError:
        if not library.closing:
            await finish_despite_cancel(
                library.on_store(_store_failure, library, context, row, _CANCELLED, FailureKind.CANCELLED)
            )
        raise
    except NotFound:
        return FileFinished(row.path, FileOutcome.SKIPPED, row.id, mark("It was removed meanwhile."), 0, 0, 0.0)
    except DocumentError as error:
        await library.on_store(_store_failure, library, context, row, error, failure_of(error))
        failed = FileFinished(row.path, FileOutcome.FAILED, row.id, str(error), row.pages, row.chunks, 0.0)
        return dataclasses.replace(failed, closed_hosts=error.hosts) if isinstance(error, HostClosed) else failed
    finally:
        fetching.close()


def _store_failure(
    library: Library, context: JobContext, row: Document, error: DocumentError, failure: FailureKind
) -> None:
    """Store in a row why nothing was fetched, and the kind of that; its earlier content stays searchable."""
    status, message = DocumentStatus.FAILED, error.message
    if row.chunks:
        status = row.status
        message = mark(f"It could not be fetched again, the earlier version is still searched: {message}")
    try:
        changed = library.documents.set_status(row.id, status, reason=message, hint=error.hint, failure=failure)
        context.emit(DocumentChanged(changed))
    except NotFound:
        return


@dataclass(frozen=True, slots=True)
class FetchedContent:
    """Content that was fetched for a row.

    Attributes:
        file: File with the bytes; the library makes a copy.
        path: Location that is shown.
        name: Name that is shown.
        origin: Kind of the source.
        details: Data of the source that are needed to fetch it again.
    """

    file: Path
    path: str
    name: str
    origin: Origin
    details: dict[str, str]


def receive(library: Library, context: JobContext, row: Document, arrived: FetchedContent) -> Document | FileFinished:
    """Put the content that was fetched for a row into the library; blocking.

    Returns the document to be read, or the final result if there is nothing new to read.
    """
    with _ENTERING:
        found = digest(arrived.file)
        same = library.documents.by_hash(row.knowledge_base, found.sha256)
        if same is not None and same.id != row.id and not row.chunks:
            Origins(library.database).discard(row.id)
            context.emit(DocumentsRemoved((row.id,)))
            return unchanged(same, arrived.path, mark(f"Same content as “{same.name}”."))
        details = arrived.details | {OF: found.sha256}
        document = Origins(library.database).describe(
            row.id, path=arrived.path, name=arrived.name, origin=arrived.origin, details=details
        )
        is_known = same is not None and same.status is DocumentStatus.READY
        if is_known and find_original(library.originals, document) is not None:
            return settled(library, context, document)
        library.held_copies.hold(found.sha256)
        keep_original(arrived.file, library.originals, found)
        if not row.chunks:
            document = Origins(library.database).identify(row.id, sha256=found.sha256, size=found.size)
    # A row with earlier content keeps the old hash until the new content and hash are stored in one transaction.
    return dataclasses.replace(document, sha256=found.sha256, size=found.size)


def settled(library: Library, context: JobContext, document: Document) -> FileFinished:
    """Clear an earlier failure of an unchanged document and return the result “unchanged”; blocking."""
    if document.reason:
        document = library.documents.set_status(document.id, document.status)
    context.emit(DocumentChanged(document))
    return unchanged(document, document.path, "")


def unchanged(document: Document, path: str, reason: str) -> FileFinished:
    """Return the result for a document without new content."""
    return FileFinished(path, FileOutcome.UNCHANGED, document.id, reason, document.pages, document.chunks, 0.0)
