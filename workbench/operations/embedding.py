"""Chunks without a vector -> vectors: batches gathered over documents, written to the store, then to the index."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.errors import EmbeddingError, IndexUnavailable, NotFound
from workbench.model.chunk import Chunk, embedding_text
from workbench.model.document import Document, DocumentStatus
from workbench.model.progress import DocumentChanged, FileOutcome, ImportProgress
from workbench.operations.library import Library
from workbench.worker.job import JobContext

logger = logging.getLogger(__name__)

BATCH = 128
"""Chunks a batch: about 1 s of work on 2 cores, so that Cancel is quick; sorted by length inside the embedder."""


REMOVED = "It was removed while it was added."


@dataclass(frozen=True, slots=True)
class Finished:
    """A document with all its vectors, or the reason why it has none."""

    document: Document
    outcome: FileOutcome
    reason: str = ""


@dataclass(slots=True)
class Progress:
    """How far an import is, and how long it will take at the speed so far."""

    files: int = 0
    files_done: int = 0
    chunks: int = 0
    chunks_done: int = 0
    started: float = 0.0

    def emit(self, context: JobContext) -> None:
        """Tell the listener."""
        context.emit(ImportProgress(self.files_done, self.files, self.chunks_done, self.chunks, self._left()))

    def _left(self) -> float | None:
        """Seconds left; chunks count, because embedding them is what takes the time."""
        if not self.started or self.chunks_done < BATCH:
            return None
        speed = self.chunks_done / (time.perf_counter() - self.started)
        return (self.chunks - self.chunks_done) / speed


@dataclass(slots=True)
class _Open:
    """A document of which this many chunks still lack a vector."""

    document: Document
    left: int


class Embedding:
    """Embeds documents in the order they are put; used once, by one import."""

    def __init__(self, library: Library, context: JobContext, finished: Callable[[Finished], None]) -> None:
        self.progress = Progress()
        self._library = library
        self._context = context
        self._finished = finished
        self._documents: asyncio.Queue[Document | None] = asyncio.Queue()
        self._open: dict[int, _Open] = {}

    def put(self, document: Document) -> None:
        """Queue a document whose chunks are stored."""
        self.progress.chunks += document.chunks - document.embedded
        self._documents.put_nowait(document)

    def no_more(self) -> None:
        """Say that no document will follow."""
        self._documents.put_nowait(None)

    async def run(self) -> None:
        """Embed until no_more was said and everything is done; the index file is written at the end."""
        batch: list[tuple[Chunk, str]] = []
        more = True
        while more:
            document = await self._documents.get()
            if document is None:
                more = False
            else:
                batch += await self._missing(document)
            idle = self._documents.empty()
            while len(batch) >= BATCH or (batch and (idle or not more)):
                await self._embed(batch[:BATCH])
                batch = batch[BATCH:]
        if self.progress.chunks_done:
            try:
                await self._library.on_embedding(self._library.save_index)
            except IndexUnavailable as error:
                # The vectors are in the database: the next start makes the file from them.
                logger.warning("%s", error)

    async def _missing(self, document: Document) -> list[tuple[Chunk, str]]:
        """Return the document's chunks that lack a vector, with the text to embed; ends the document if none does."""
        library = self._library
        try:
            embedder = await library.on_embedding(library.embedder)
            await library.on_embedding(library.index)
        except (EmbeddingError, IndexUnavailable) as error:
            await self._end(document, f"{error.message} It is found by keyword only.", error.hint)
            return []
        chunks = await library.on_store(library.vectors.missing, embedder.id, document.id)
        if not chunks:
            await self._end(document)
            return []
        try:
            await self._set_status(document.id, DocumentStatus.EMBEDDING)
        except NotFound:
            await self._end(document)
            return []
        self._open[document.id] = _Open(document, len(chunks))
        return [(chunk, embedding_text(document.metadata.title, chunk.headings, chunk.text)) for chunk in chunks]

    async def _embed(self, batch: list[tuple[Chunk, str]]) -> None:
        library = self._library
        self.progress.started = self.progress.started or time.perf_counter()
        try:
            await library.on_embedding(self._embed_now, batch)
        except (EmbeddingError, IndexUnavailable) as error:
            for number in {chunk.document for chunk, _ in batch} & self._open.keys():
                await self._end(
                    self._open[number].document, f"{error.message} It is found by keyword only.", error.hint
                )
            return
        self.progress.chunks_done += len(batch)
        for number, done in Counter(chunk.document for chunk, _ in batch).items():
            await self._count_down(number, done)
        self.progress.emit(self._context)

    def _embed_now(self, batch: list[tuple[Chunk, str]]) -> None:
        """Embed, store, index: in this order, so that the index never holds what the store does not."""
        library = self._library
        embedder = library.embedder()
        vectors = embedder.embed_documents([text for _, text in batch])
        ids = np.array([chunk.id for chunk, _ in batch], dtype=np.int64)
        stored = library.vectors.put(embedder.id, ids, vectors)
        keep = np.isin(ids, stored)
        library.index().upsert(ids[keep], vectors[keep])

    async def _count_down(self, number: int, done: int) -> None:
        waiting = self._open.get(number)
        if waiting is not None:
            waiting.left -= done
            if waiting.left == 0:
                await self._end(waiting.document)

    async def _end(self, document: Document, reason: str = "", hint: str = "") -> None:
        self._open.pop(document.id, None)
        status = DocumentStatus.INDEXED if reason else DocumentStatus.READY
        outcome = FileOutcome.FAILED if reason else FileOutcome.READY
        try:
            document = await self._set_status(document.id, status, reason, hint)
        except NotFound:
            outcome, reason = FileOutcome.SKIPPED, REMOVED
        self._finished(Finished(document, outcome, reason))

    async def _set_status(self, document_id: int, status: DocumentStatus, reason: str = "", hint: str = "") -> Document:
        def change() -> Document:
            return self._library.documents.set_status(document_id, status, reason=reason, hint=hint)

        document = await self._library.on_store(change)
        self._context.emit(DocumentChanged(document))
        return document
