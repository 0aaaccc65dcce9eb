"""Worker of a shared library: reads the documents of its queue in a personal library of its own, and publishes them.

    claim a job -> original file -> import into the worker's library -> publication -> delete there -> next

Any number of workers on any machines serve one queue. A worker that is killed leaves nothing behind.
"""

import asyncio
import contextlib
import logging
import os
import platform
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import NotFound, SharedLibraryUnreachable, WorkbenchError
from workbench.files.changes import temporary_folder
from workbench.language import mark
from workbench.model.document import Document, DocumentStatus
from workbench.model.shared_library import SharedImportProgress
from workbench.operations.documents.document_management import add_documents
from workbench.operations.imports.source_files import find_original
from workbench.operations.library.library import Library
from workbench.operations.shared.shared_library import SharedLibrary
from workbench.store.postgres.import_jobs import LEASE_SECONDS, ImportJob
from workbench.store.postgres.notifications import ChangeListener
from workbench.store.postgres.posting_lists import build_posting_lists
from workbench.store.postgres.publication import ReadDocument, publish
from workbench.store.postgres.vector_lists import build_vector_lists
from workbench.worker.job import JobContext, finish_despite_cancel

if TYPE_CHECKING:
    from workbench.operations.shared.shared_tables import SharedTables

logger = logging.getLogger(__name__)

TOGETHER = 2
"""Number of documents that a worker reads at the same time: one is embedded while the next is parsed."""
_LOOK_SECONDS = 30.0
"""Time after which an idle worker looks for jobs without having been told of any: leases of others may have ended."""
_UNREACHABLE_SECONDS = 5.0
"""Delay before a server that could not be reached is tried again."""
_MAINTAIN_SECONDS = 60.0
"""Minimum time between two looks at what has to be deleted or built."""
_MAINTAIN_SHARE = 0.1
"""Maximum share of the time in which lists are built: those of 1,000,000 passages take minutes."""
BIN_DAYS = 30
"""Days after which removed documents are deleted for good."""


@dataclass(slots=True)
class _Counts:
    done: int = 0
    failed: int = 0


class ImportWorker:
    """Serves the queue of one shared library. Used once."""

    def __init__(self, shared: SharedLibrary, scratch: Library, context: JobContext) -> None:
        """Prepare a worker.

        Args:
            shared: The shared library.
            scratch: A personal library without documents, whose embedder is that of the shared library.
            context: Receives a SharedImportProgress after each document.
        """
        self._shared = shared
        self._scratch = scratch
        self._context = context
        self._name = f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._counts = _Counts()
        self._is_wanted = asyncio.Event()
        self._has_ended = threading.Event()

    async def serve(self, *, until_empty: bool) -> int:
        """Read documents until the queue is empty, or until cancelled; return the number of documents that were read.

        Raises:
            SharedLibraryUnreachable: The server cannot be reached; without until_empty it is tried again instead.
        """
        tables = await self._scratch.on_store(self._shared.tables)
        await self._scratch.on_embedding(self._use_codec)
        loop = asyncio.get_running_loop()
        wake = self._is_wanted.set
        listener = ChangeListener(
            lambda: tables.database, lambda: loop.call_soon_threadsafe(wake), lambda _: loop.call_soon_threadsafe(wake)
        )
        beside = [asyncio.create_task(self._renew(tables))]
        if not until_empty:
            beside.append(asyncio.create_task(self._maintain(tables)))
        try:
            while True:
                try:
                    await self._read_waiting(tables)
                    if until_empty:
                        return self._counts.done
                    await self._wait(_LOOK_SECONDS)
                except SharedLibraryUnreachable:
                    if until_empty:
                        raise
                    await self._wait(_UNREACHABLE_SECONDS)
        finally:
            await finish_despite_cancel(self._leave(tables, listener, beside))

    async def _leave(
        self, tables: "SharedTables", listener: ChangeListener, beside: Sequence["asyncio.Task[None]"]
    ) -> None:
        self._has_ended.set()
        for task in beside:
            task.cancel()
        with contextlib.suppress(WorkbenchError):  # the leases end by themselves
            await asyncio.to_thread(tables.jobs.release, self._name)
        await asyncio.to_thread(listener.close)
        await asyncio.gather(*beside, return_exceptions=True)

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_wanted.wait(), seconds)
        self._is_wanted.clear()

    async def _renew(self, tables: "SharedTables") -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            with contextlib.suppress(WorkbenchError):  # the documents are read by another worker then
                await asyncio.to_thread(tables.jobs.renew, self._name)

    async def _maintain(self, tables: "SharedTables") -> None:
        """Delete and build what is due, beside the documents: an import of hours would slow down all searches."""
        while True:
            began = time.monotonic()
            try:
                await finish_despite_cancel(asyncio.to_thread(self._maintain_now, tables))
            except Exception as error:  # noqa: BLE001 - documents are read without it, and it is tried again
                logger.warning("The lists of a shared library were not built: %s", error)
            await asyncio.sleep(max(_MAINTAIN_SECONDS, (time.monotonic() - began) / _MAINTAIN_SHARE))

    def _maintain_now(self, tables: "SharedTables") -> None:
        """Delete what has been in the bin for long, and build the lists of common words and of vectors; blocking."""
        tables.jobs.purge(BIN_DAYS)
        build_posting_lists(tables.database, self._has_ended.is_set)
        build_vector_lists(tables.database, tables.dim, self._has_ended.is_set)

    async def _read_waiting(self, tables: "SharedTables") -> None:
        """Read documents, some at the same time, until no job is waiting."""

        async def read_next() -> None:
            while (job := await self._scratch.on_store(tables.jobs.claim, self._name)) is not None:
                await self._read(tables, job)

        async with asyncio.TaskGroup() as group:
            for _ in range(TOGETHER):
                group.create_task(read_next())

    async def _read(self, tables: "SharedTables", job: ImportJob) -> None:
        """Read one document and publish it, or record why it cannot be read."""
        with temporary_folder("job-", inside=self._scratch.folder) as folder:
            file = folder / _file_name(job.document)
            try:
                await self._scratch.on_store(tables.jobs.read_original, job.document.id, file)
            except (OSError, NotFound) as error:
                await self._fail(tables, job, str(error), "", DocumentStatus.FAILED)
                return
            await add_documents(self._scratch, [file])(JobContext())
            documents = await self._scratch.on_store(self._documents_in, folder)
            await self._publish(tables, job, documents)
            await self._scratch.on_embedding(self._forget, documents)
        self._context.emit(SharedImportProgress(self._shared.name, self._counts.done, self._counts.failed))

    async def _publish(self, tables: "SharedTables", job: ImportJob, documents: Sequence[Document]) -> None:
        readable = [one for one in documents if one.chunks]
        if not readable:
            one = documents[0] if documents else None
            reason = one.reason if one is not None else mark("There is no text in this file.")
            status = one.status if one is not None and one.status is DocumentStatus.LOCKED else DocumentStatus.FAILED
            await self._fail(tables, job, reason, one.hint if one is not None else "", status)
            return
        read = [await self._scratch.on_embedding(self._collected, one, len(readable) > 1) for one in readable]
        published = await self._scratch.on_store(publish, tables.database, job.document.id, self._name, read)
        self._counts.done += bool(published)

    async def _fail(
        self, tables: "SharedTables", job: ImportJob, reason: str, hint: str, status: DocumentStatus
    ) -> None:
        def fail() -> None:
            tables.jobs.fail(job.document.id, self._name, reason=reason, hint=hint, status=status)

        await self._scratch.on_store(fail)
        self._counts.failed += 1

    def _documents_in(self, folder: Path) -> list[Document]:
        return [one for one in self._scratch.documents.list() if folder in Path(one.path).parents]

    def _collected(self, document: Document, is_one_of_several: bool) -> ReadDocument:
        """Return a document with its vectors; blocking."""
        scratch = self._scratch
        embedder = scratch.models.embedder().id
        chunks = [chunk.id for chunk in scratch.documents.chunks(document.id)]
        ids, vectors = scratch.vectors.get(embedder, chunks)
        (coded, _), codes = scratch.models.tokens.table.get(embedder, chunks)
        original = find_original(scratch.originals, document) if is_one_of_several else None
        return ReadDocument.of(
            scratch.database, document.id, ids, vectors, dict(zip(map(int, coded), codes, strict=True)), original
        )

    def _forget(self, documents: Sequence[Document]) -> None:
        """Delete documents from the worker's library; blocking."""
        numbers = [one.id for one in documents]
        self._scratch.documents.mark_removed(numbers)
        self._scratch.bin.purge(numbers)
        self._scratch.drop_copies()
        self._scratch.models.follow_documents()

    def _use_codec(self) -> None:
        """Let the worker compress token vectors as all others do; blocking, 3 to 6 s for the first one."""
        embedder = self._scratch.models.embedder()
        codec = self._scratch.models.tokens.codec(embedder)
        if codec is None:
            return
        vectors = self._shared.vectors()
        packed = vectors.codec(embedder.id) or vectors.put_codec(embedder.id, codec.packed())
        if packed is not None:
            self._scratch.models.tokens.use_codec(embedder.id, packed)


def _file_name(document: Document) -> str:
    """Return a name for the file of a document that every system accepts."""
    name = "".join(letter if letter.isprintable() and letter not in '/\\:*?"<>|' else "_" for letter in document.name)
    stem, dot, suffix = name.rpartition(".")
    return f"{stem[:100]}{dot}{suffix[:20]}" if dot else name[:100] or "file"


class WorkerLibrary:
    """Personal library of a worker in a temporary folder, with the embedder of a shared library.

    Attributes:
        library: The library, without documents.
    """

    def __init__(self, shared: SharedLibrary) -> None:
        """Make the library; blocking.

        Raises:
            EmbeddingError: The embedder of the shared library cannot be loaded here.
            SharedLibraryUnreachable: It cannot be reached.
        """
        embedder = shared.embedder()
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(temporary_folder("workbench-worker-"))
            self.library = Library.open(folder / "library", embedder=embedder)
            stack.callback(self.library.close)
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Close the library and delete it; blocking."""
        self._stack.close()
