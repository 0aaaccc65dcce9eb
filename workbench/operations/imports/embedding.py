"""Embedding: batches of chunks from several documents get vectors, stored in the database, then in the index.

Reading has priority over embedding: 900 pages can be found by keyword after 3 s instead of 7, and their vectors are
not ready any later, because reading and embedding share the same cores. Only long files do not hold it up, whose
reading takes minutes. If some pages of a document are still to be
read by the second pass, embedding starts with the chunks that are not on those pages; otherwise one core would be idle.

When several documents wait, the oldest one gets half of each batch and the shortest ones get the rest: a page that is
added after a book gets its vectors in the next batch, and the book takes at most twice as long.
"""

import asyncio
import json
import logging
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.egress.gate import carrying
from workbench.embedding.base import VocabularyEmbedder
from workbench.embedding.servers.client import requests_of
from workbench.errors import EmbeddingError, IndexUnavailable, NotFound
from workbench.language import mark
from workbench.model.chunk import Chunk, embedding_text
from workbench.model.document import Document, DocumentStatus, FailureKind
from workbench.model.import_progress import DocumentChanged, FileOutcome
from workbench.operations.imports.import_queue import DocumentQueue
from workbench.operations.imports.progress import Progress
from workbench.operations.library.derived_vectors import embedded
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext

logger = logging.getLogger(__name__)

BATCH = 128
"""Chunks in a batch: about 1 s of work on 2 cores, so that Cancel is quick. The embedder sorts them by length."""

_MEASURE_AFTER = 5.0
"""Seconds after which an import measures the speed of the embedder, if no earlier import has, although files are read.

Without it nobody could tell how long an import takes that reads for minutes. Of a shorter one, reading ends before.
"""

_MEASURED = 16
"""Chunks that are embedded for that: less than a second of work."""

_DOCUMENTS_AT_ONCE = 32
"""Documents that get their provisional first vectors together; a page of an annual report takes 1.3 ms."""

_PACES = "seconds a unit"
"""Key under which the library stores the speeds of the stages, so that the next import can estimate its time at once.
"""

REMOVED = mark("It was removed while it was added.")


@dataclass(frozen=True, slots=True)
class Finished:
    """A document that has all its vectors, or the reason why it does not."""

    document: Document
    outcome: FileOutcome
    reason: str = ""


@dataclass(slots=True)
class _PendingDocument:
    """A document that is being embedded, with the number of its chunks that still lack a vector."""

    document: Document
    left: int


@dataclass(slots=True)
class _EarlyDocument:
    """A document whose listed pages are still to be read again; chunks are those of the other pages, once loaded."""

    document: Document
    pages: frozenset[int]
    chunks: deque[Chunk] | None = None


class Embedding:
    """Embeds documents in the order in which they are queued, urgent ones first; used once, by one import."""

    def __init__(
        self,
        library: Library,
        context: JobContext,
        finished: Callable[[Finished], None],
        *,
        reads_first: Callable[[], bool],
        obeys_pause: bool = True,
    ) -> None:
        """Prepare to embed.

        Args:
            library: The open library.
            context: Receives the events.
            finished: Called with each document that has its vectors or will never have them.
            reads_first: Returns True while files are to be read before the next batch; wake() is called at a change.
            obeys_pause: Wait while the library's queue is paused.
        """
        self.progress = Progress()
        self._reads_first = reads_first
        self._library = library
        self._context = context
        self._finished = finished
        self._obeys_pause = obeys_pause
        self._waiting: DocumentQueue[Document] = DocumentQueue()
        self._loaded: OrderedDict[int, deque[Chunk]] = OrderedDict()
        self._open: dict[int, _PendingDocument] = {}
        self._ahead: OrderedDict[int, _EarlyDocument] = OrderedDict()
        self._without_first: deque[Document] = deque()
        self._began = time.monotonic()

    def put_ahead(self, document: Document, pages: frozenset[int]) -> None:
        """Embed the chunks that are not on these pages of a document while nothing else waits; call put() later."""
        self._forget_ahead(document.id)  # OCR has read more of its pages
        self._ahead[document.id] = _EarlyDocument(document, pages)
        self.progress.later_chunks[document.id] = document.chunks - document.embedded
        self._waiting.wake()

    def put(self, document: Document) -> None:
        """Queue a document whose chunks are stored."""
        self._forget_ahead(document.id)
        self.progress.chunks += document.chunks - document.embedded
        self._without_first.append(document)
        self._waiting.put(document.id, document, first=document.id in self._library.queue.urgent)

    def no_more(self) -> None:
        """Declare that no more documents will be queued."""
        self._waiting.close()

    def wake(self) -> None:
        """Check again whether the queue is paused and whether files are to be read first."""
        self._waiting.wake()

    def first(self, documents: Sequence[int]) -> None:
        """Embed these documents before all others."""
        self._waiting.first(documents)
        for number in reversed([one for one in documents if one in self._ahead]):
            self._ahead.move_to_end(number, last=False)
        for number in reversed([one for one in documents if one in self._loaded]):
            self._loaded.move_to_end(number, last=False)

    def drop(self, number: int) -> None:
        """Remove a document from the queue; it keeps the vectors that it has."""
        self._waiting.drop(number)
        self._loaded.pop(number, None)
        self._drop_first(number)
        self._forget_ahead(number)
        dropped = self._open.pop(number, None)
        if dropped is not None:
            self.progress.chunks -= dropped.left

    async def run(self) -> None:
        """Embed until no_more() was called and every document is done; the index file is written at the end."""
        values = self._library.setting_values
        self.progress.take_paces(json.loads(await self._library.on_store(values.state, _PACES) or "{}"))
        while batch := await self._next_batch():
            await self._embed(batch)
        if self.progress.chunks_done:
            paces = {name: round(pace, 5) for name, pace in self.progress.paces.items()}
            await self._library.on_store(values.set_state, _PACES, json.dumps(paces))
            try:
                await self._library.on_embedding(self._library.models.save_index)
            except IndexUnavailable as error:
                # The vectors are in the database: the next start builds the file from them.
                logger.warning("%s", error)

    async def _next_batch(self) -> list[Chunk]:
        """Return the chunks to embed next, from one or more documents; an empty list when everything is done."""
        while True:
            await self._give_first_vectors()
            is_paused = self._obeys_pause and self._library.queue.paused
            if not is_paused and not self._must_wait():
                await self._load()
                if self._loaded:
                    return self._take_batch()
                if self._waiting.ended:
                    return []
                if self._ahead:
                    if batch := await self._take_batch_ahead():
                        return batch
                    continue
            await self._waiting.changed()

    def _must_wait(self) -> bool:
        """Return True if files are to be read first; documents that the user opened or asked about do not wait."""
        if not self._is_measured and time.monotonic() - self._began >= _MEASURE_AFTER:
            return False
        urgent = self._library.queue.urgent
        return self._reads_first() and self._waiting.peek() not in urgent and urgent.isdisjoint(self._loaded)

    @property
    def _is_measured(self) -> bool:
        """True if this import or an earlier one has measured the speed of the embedder."""
        return self.progress.embedding.seconds_each > 0

    async def _load(self) -> None:
        """Load chunks of waiting documents until a batch is full; urgent and much shorter ones are always loaded."""
        urgent = self._library.queue.urgent
        while documents := self._take_to_load():
            for number, chunks in (await self._load_missing(documents)).items():
                if number in self._open:  # not dropped meanwhile
                    self._loaded[number] = deque(chunks)
                    if number in urgent:
                        self._loaded.move_to_end(number, last=False)
            for _ in documents:
                self._waiting.done()

    def _take_to_load(self) -> list[Document]:
        """Take documents from the queue: an urgent one alone, else those that fill a batch, else much shorter ones."""
        if self._waiting.peek() in self._library.queue.urgent:
            return self._waiting.take_while(lambda _: True, 1)
        if (room := BATCH - sum(map(len, self._loaded.values()))) > 0:
            return self._take_filling(room)
        return self._take_much_shorter()

    def _take_filling(self, room: int) -> list[Document]:
        """Take documents with about room chunks from the front of the queue, up to the first urgent one."""
        urgent = self._library.queue.urgent

        def fits(document: Document) -> bool:
            nonlocal room
            if room <= 0 or document.id in urgent:
                return False
            room -= max(1, document.chunks - document.embedded)
            return True

        return self._waiting.take_while(fits, BATCH)

    def _take_much_shorter(self) -> list[Document]:
        """Take the documents from the queue that must not wait for the longest loaded document.

        Each is at most half as long as that one. Once half a batch of them is loaded, each further one is also at most
        half as long as any other loaded document. All loaded documents together are therefore at most twice as long as
        the longest, and a short one never waits for two long ones.
        """
        *others, longest = sorted(map(len, self._loaded.values()))
        room, limit = BATCH // 2 - sum(others), min(others, default=longest) // 2

        def is_wanted(document: Document) -> bool:
            nonlocal room, limit
            size = max(1, document.chunks - document.embedded)
            if size > (longest // 2 if room > 0 else limit):
                return False
            room, limit = room - size, min(limit, size // 2)
            return True

        return self._waiting.take_those(is_wanted) if longest > BATCH else []

    async def _give_first_vectors(self) -> None:
        """Give new documents provisional first vectors while more than one batch waits to be embedded."""
        library = self._library
        while self._without_first and self.progress.chunks - self.progress.chunks_done > BATCH:
            some = [self._without_first.popleft() for _ in range(min(_DOCUMENTS_AT_ONCE, len(self._without_first)))]
            waiting = [document for document in some if document.id in self._waiting]
            if waiting:
                try:
                    await library.on_embedding(self._store_first_vectors, waiting)
                except EmbeddingError as error:  # reported when the document is embedded
                    logger.info("No first vectors: %s", error)

    def _store_first_vectors(self, documents: Sequence[Document]) -> None:
        library = self._library
        embedder, first = library.models.embedder(), library.models.first_vectors()
        if first is None or not first.vectors.room or not isinstance(embedder, VocabularyEmbedder):
            return
        missing = library.vectors.missing_of(embedder.id, [one.id for one in documents])
        first.put([chunk for one in documents for chunk in missing[one.id]], embedder)

    def _drop_first(self, number: int) -> None:
        if (first := self._library.models.first_vectors_held) is not None:
            first.drop((number,))

    def _take_batch(self) -> list[Chunk]:
        """Take a batch of loaded chunks: all urgent ones, half of the rest from the oldest, then the shortest."""
        batch: list[Chunk] = []
        most = BATCH if self._is_measured or not self._reads_first() else _MEASURED
        urgent = self._library.queue.urgent
        for number in [one for one in self._loaded if one in urgent]:
            self._move_chunks(number, batch, BATCH)
        if oldest := next(iter(self._loaded), None):
            self._move_chunks(oldest, batch, (most + len(batch)) // 2)
        for number in sorted(self._loaded, key=lambda one: len(self._loaded[one])):
            self._move_chunks(number, batch, most)
        return batch

    def _move_chunks(self, number: int, batch: list[Chunk], until: int) -> None:
        """Move chunks of a document to the batch until the batch contains this many."""
        chunks = self._loaded[number]
        while chunks and len(batch) < until:
            batch.append(chunks.popleft())
        if not chunks:
            del self._loaded[number]

    async def _take_batch_ahead(self) -> list[Chunk]:
        """Return chunks of the first document that is not fully read; empty if the caller must check again."""
        number, ahead = next(iter(self._ahead.items()))
        if ahead.chunks is None:
            ahead.chunks = await self._load_ahead(ahead)
            if self._ahead.get(number) is ahead:  # not fully read or dropped meanwhile
                self.progress.chunks += len(ahead.chunks)
                self.progress.later_chunks[number] -= len(ahead.chunks)
            return []
        batch = [ahead.chunks.popleft() for _ in range(min(BATCH, len(ahead.chunks)))]
        if not batch:
            del self._ahead[number]  # until OCR has read more of its pages
        return batch

    async def _load_ahead(self, ahead: _EarlyDocument) -> deque[Chunk]:
        """Return the chunks without a vector that are on none of the pages; empty if embedding is not possible."""
        library = self._library
        try:
            embedder = await library.on_embedding(library.models.embedder)
            await library.on_embedding(library.models.prepare_index)
        except (EmbeddingError, IndexUnavailable):
            return deque()  # _load_missing() reports it when the document is read
        chunks = await library.on_store(library.vectors.missing, embedder.id, ahead.document.id)
        return deque(one for one in chunks if ahead.pages.isdisjoint(_pages(one)))

    def _forget_ahead(self, number: int) -> None:
        """Forget a document whose embedding began before it was fully read."""
        self.progress.later_chunks.pop(number, None)
        ahead = self._ahead.pop(number, None)
        if ahead is not None and ahead.chunks:
            self.progress.chunks -= len(ahead.chunks)

    async def _load_missing(self, documents: Sequence[Document]) -> dict[int, list[Chunk]]:
        """Return the chunks that lack a vector; documents without such chunks are ended."""
        library = self._library
        try:
            embedder = await library.on_embedding(library.models.embedder)
            await library.on_embedding(library.models.prepare_index)
        except (EmbeddingError, IndexUnavailable) as error:
            await self._end(documents, mark(f"{error.message} It is found by keyword only."), error.hint)
            return {}

        def begin() -> tuple[dict[int, list[Chunk]], list[Document]]:
            missing = library.vectors.missing_of(embedder.id, [document.id for document in documents])
            wanted = [number for number, chunks in missing.items() if chunks]
            return missing, library.intake.set_status(wanted, DocumentStatus.EMBEDDING) if wanted else []

        missing, begun = await library.on_store(begin)
        for document in documents:
            # A batch that was being embedded when the document was queued is done by now.
            self.progress.chunks += len(missing[document.id]) - (document.chunks - document.embedded)
        there = {document.id for document in begun}
        await self._end([document for document in documents if document.id not in there])
        for document in begun:
            self._context.emit(DocumentChanged(document))
        self._open.update({one.id: _PendingDocument(one, len(missing[one.id])) for one in documents if one.id in there})
        return {one.id: missing[one.id] for one in documents if one.id in there}

    async def _embed(self, batch: list[Chunk]) -> None:
        library = self._library
        began = time.perf_counter()
        self.progress.batch_begins(len(batch))
        try:
            await library.on_embedding(self._embed_now, batch)
        except asyncio.CancelledError:
            library.models.servers.abort(self)
            raise
        except (EmbeddingError, IndexUnavailable) as error:
            self.progress.batch = None
            for number in {chunk.document for chunk in batch}:
                self._forget_ahead(number)
            failed = {chunk.document for chunk in batch} & self._open.keys()
            reason = mark(f"{error.message} It is found by keyword only.")
            await self._end([self._open[number].document for number in failed], reason, error.hint)
            return
        self.progress.was_embedded(len(batch), time.perf_counter() - began)
        await self._count_down(Counter(chunk.document for chunk in batch))
        self.progress.emit(self._context)

    def _embed_now(self, batch: list[Chunk]) -> None:
        """Embed, store and index, in this order, so that the index never contains a vector that the store lacks."""
        library = self._library
        embedder = library.models.embedder()
        ids = np.array([chunk.id for chunk in batch], dtype=np.int64)
        texts = [embedding_text(chunk.headings, chunk.text) for chunk in batch]
        with requests_of(self), carrying(chunks=ids.tolist()):
            vectors, tokens = embedded(library.models, embedder, texts)
        stored = library.vectors.put(embedder.id, ids, vectors, tokens)
        keep = np.isin(ids, stored)
        library.models.take_into_index(ids[keep], vectors[keep])
        if (first := library.models.first_vectors_held) is not None:
            first.vectors.discard(ids)

    async def _count_down(self, done: Counter[int]) -> None:
        finished: list[Document] = []
        for number, chunks in done.items():
            waiting = self._open.get(number)
            if waiting is not None:
                waiting.left -= chunks
                if waiting.left == 0:
                    finished.append(waiting.document)
                    continue
            if waiting is not None or number in self._ahead:
                await self._report_progress(number)
        await self._end(finished)

    async def _report_progress(self, number: int) -> None:
        """Report the progress of a document that fills more than one batch; its row would not change for minutes."""
        try:
            document = await self._library.on_store(self._library.documents.get, number)
        except NotFound:
            return
        self._context.emit(DocumentChanged(document))

    async def _end(self, documents: Sequence[Document], reason: str = "", hint: str = "") -> None:
        """End documents; one transaction sets the status of all of them, because each takes a disk 3 ms."""
        if not documents:
            return
        numbers = [document.id for document in documents]
        for number in numbers:
            self._open.pop(number, None)
            self._loaded.pop(number, None)
            if not reason:
                self._drop_first(number)
        status = DocumentStatus.INDEXED if reason else DocumentStatus.READY
        outcome = FileOutcome.FAILED if reason else FileOutcome.READY
        failure = FailureKind.OTHER if reason else FailureKind.NONE

        def change() -> list[Document]:
            return self._library.intake.set_status(numbers, status, reason=reason, hint=hint, failure=failure)

        changed = {document.id: document for document in await self._library.on_store(change)}
        for document in documents:
            if document.id in changed:
                self._context.emit(DocumentChanged(changed[document.id]))
                self._finished(Finished(changed[document.id], outcome, reason))
            else:
                self._finished(Finished(document, FileOutcome.SKIPPED, REMOVED))


def _pages(chunk: Chunk) -> range:
    """Return the pages that a chunk is on."""
    return range(chunk.page, (chunk.page_end or chunk.page) + 1) if chunk.page is not None else range(0)
