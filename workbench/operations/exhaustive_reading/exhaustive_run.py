"""Run of an exhaustive reading: the reader of a model profile, concurrent batches, the conclusion."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from workbench.agent.base import ModelProvider
from workbench.agent.built_in_agent import UNKNOWN_EN, refusal_for
from workbench.agent.exhaustive.conclusion import ConclusionWriter, NumberedPassage, cited, document_reading, numbered
from workbench.agent.exhaustive.model_reader import ModelReader, TokenSpending
from workbench.agent.exhaustive.offline_reader import BATCH, MODE, OfflineReader
from workbench.agent.exhaustive.passage_batches import (
    Batch,
    CallCapacity,
    PassageReader,
    PassageReadingResult,
    PassageToRead,
    pack_batches,
    room_of,
)
from workbench.agent.providers.base_url import is_loopback
from workbench.agent.token_budget import DEFAULT_CONTEXT
from workbench.errors import ModelError, ModelRefusedRequest, WorkbenchError
from workbench.language import mark
from workbench.model.exhaustive import (
    DocumentRead,
    DocumentReading,
    DocumentVerdict,
    PassageReading,
    PassageVerdict,
    ReadingBegan,
    ReadingInfo,
    ReadingMeter,
    ReadingProgress,
)
from workbench.model.hit import Citation, Coverage, NumberedHit
from workbench.model.profile import ModelProfile
from workbench.operations.exhaustive_reading.exhaustive_records import change_notes, filter_of, table_of
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import provider_of, sentence_ranker
from workbench.operations.questions.tool_documents import layout_of, passage_of
from workbench.operations.shared.shared_search import coverage_of
from workbench.settings import Settings
from workbench.store.readings import MatchingPassages, ModelSpending, ReadingStore
from workbench.worker.job import JobContext, finish_despite_cancel


@dataclass(frozen=True, slots=True)
class CallPacking:
    """Division of the passages of a document into batches; room is None for the offline reader."""

    room: CallCapacity | None
    spending: TokenSpending

    def batches(self, passages: Iterable[PassageToRead]) -> Iterator[tuple[tuple[PassageToRead, ...], float]]:
        """Yield the batches of one document in order, each with its number of tokens."""
        if self.room is not None:
            yield from pack_batches(passages, self.room, self.spending.estimate.count)
            return
        listed = list(passages)
        for start in range(0, len(listed), BATCH):
            yield tuple(listed[start : start + BATCH]), 0.0


@dataclass(frozen=True, slots=True)
class OpenedReader:
    """A reader with its model provider; close it when the reading is finished.

    Attributes:
        provider: Model provider; None offline.
        at_once: Number of batches that are read concurrently.
    """

    reader: PassageReader
    packing: CallPacking
    provider: ModelProvider | None
    at_once: int

    async def close(self) -> None:
        """Release connections."""
        if self.provider is not None:
            await self.provider.close()


async def open_reader(library: Library, profile: str, question: str) -> OpenedReader:
    """Return the reader of a model profile.

    Raises:
        NotFound: The profile does not exist, or not any more.
    """
    settings = await library.on_store(library.setting_values.load)
    chosen = await library.on_store(library.profiles.get, profile)
    spending = TokenSpending()
    if chosen.is_offline:
        ranker = await library.on_search(sentence_ranker, library)
        return OpenedReader(OfflineReader(ranker), CallPacking(None, spending), None, 1)
    provider = await provider_of(library, chosen)
    context = None
    if not settings.context_tokens and provider.counts is not None:
        context = await provider.counts.context()
    packing = packing_of(settings, chosen, question, spending, context=context)
    assert packing.room is not None
    reader = ModelReader(provider, packing.room, spending, mode=mode_of(chosen))
    return OpenedReader(reader, packing, provider, settings.reading_calls)


def host_of(profile: ModelProfile) -> str:
    """Return the host to which passages are sent; empty if they stay on this machine."""
    if profile.is_offline or is_loopback(profile.base_url):
        return ""
    return urlsplit(profile.base_url).hostname or profile.base_url


def mode_of(profile: ModelProfile) -> str:
    """Return a sentence about the model that reads and where it runs."""
    if profile.is_offline:
        return MODE
    model, host = profile.model or profile.name, host_of(profile)
    return (
        mark(f"{model} runs at {host}: every passage is sent there.")
        if host
        else mark(f"{model} runs on this computer.")
    )


def packing_of(
    settings: Settings, profile: ModelProfile, question: str, spending: TokenSpending, *, context: int | None = None
) -> CallPacking:
    """Return the division into batches for a profile, without a request to its server."""
    if profile.is_offline:
        return CallPacking(None, spending)
    size = settings.context_tokens or context or DEFAULT_CONTEXT
    return CallPacking(room_of(size, settings.answer_tokens, question, spending.estimate.count), spending)


STOPPED = mark("You stopped this reading.")
CONTINUE = mark("“Continue” reads what is left.")
_CLOSED = mark("The program was closed while this was being read.")
_FAULT = mark("Something went wrong inside the program.")


class ExhaustiveRun:
    """Run that reads the rest of one reading; used once."""

    def __init__(
        self,
        library: Library,
        readings: ReadingStore,
        info: ReadingInfo,
        opened: OpenedReader,
        matching: Sequence[MatchingPassages],
        context: JobContext,
    ) -> None:
        self._library = library
        self._readings = readings
        self._info = info
        self._opened = opened
        self._matching = matching
        self._context = context
        self._read: dict[int, dict[int, PassageReading]] = defaultdict(dict)
        self._meter = ReadingMeter()
        self._coverage = Coverage(0)
        self._spent = ModelSpending(info.calls, info.input_tokens, info.output_tokens)
        self._began = time.perf_counter()
        self._done = 0
        self._failure: ModelError | None = None

    async def run(self, *, again: bool) -> None:
        """Read to the end, or until a failure pauses the reading; the reason is stored with it.

        Raises:
            WorkbenchError: The library failed; failures of the model are not raised.
        """
        library, number = self._library, self._info.id
        left = await self._prepare(again=again)
        try:
            await self._read_all(left)
            if self._failure is not None:
                await library.on_store(self._readings.pause, number, *_reason_and_hint(self._failure))
                return
            await self._conclude()
        except asyncio.CancelledError:
            reason = _CLOSED if library.closing else STOPPED
            await finish_despite_cancel(library.on_store(self._readings.pause, number, reason, CONTINUE))
            raise
        except BaseException as error:
            why = _reason_and_hint(error) if isinstance(error, WorkbenchError) else (_FAULT, CONTINUE)
            await finish_despite_cancel(library.on_store(self._readings.pause, number, *why))
            raise
        finally:
            await finish_despite_cancel(
                library.on_store(self._readings.took, number, time.perf_counter() - self._began)
            )

    async def _prepare(self, *, again: bool) -> set[int]:
        """Compare the current passages with those already read; return the ids of the chunks that are left."""
        library, number = self._library, self._info.id
        changes = await library.on_store(library.reading_passages.changes, number, self._matching)

        def expect() -> set[int]:
            return library.reading_passages.expect(number, self._matching, again=again)

        left = await library.on_store(expect)
        self._coverage = await library.on_store(coverage_of, library, None, filter_of(self._info))
        notes = (*change_notes(changes, is_noticed=True), *_not_there(self._coverage))
        await library.on_store(self._readings.begin, number, notes, self._opened.reader.mode)
        self._meter = ReadingMeter(sum(len(one.passages) for one in self._matching), documents=len(self._matching))
        for one in (await library.on_store(library.reading_passages.read, number)).values():
            self._read[one.document][one.chunk] = one
        for matching in self._matching:
            # Passages read earlier are counted in the same way as new ones.
            self._count(matching, tuple(self._read.pop(matching.document, {}).values()))
        info = await library.on_store(self._readings.get, number)
        self._context.emit(ReadingBegan(info, notes))
        for matching in self._matching:
            self._emit_row(matching)
        self._emit_progress()
        return left

    async def _read_all(self, left: set[int]) -> None:
        batches = self._batches(left)
        taking = asyncio.Lock()

        async def reader() -> None:
            while self._failure is None:
                async with taking:
                    batch = await anext(batches, None)
                if batch is None:
                    return
                await self._read_one(*batch)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._opened.at_once):
                    group.create_task(reader())
        except BaseExceptionGroup as errors:
            raise _first_of(errors) from errors

    async def _batches(self, left: set[int]) -> AsyncIterator[tuple[MatchingPassages, tuple[PassageToRead, ...]]]:
        library = self._library
        for matching in self._matching:
            if left.isdisjoint(matching.passages):
                continue
            chunks = await library.on_search(library.documents.chunks, matching.document)
            passages = [
                PassageToRead(chunk, matching.name)
                for chunk in chunks
                # A chunk that changed meanwhile is left for the next run.
                if chunk.id in left and matching.passages.get(chunk.id) == chunk.sha256
            ]
            for batch, _ in self._opened.packing.batches(passages):
                yield matching, batch

    async def _read_one(self, matching: MatchingPassages, passages: tuple[PassageToRead, ...]) -> None:
        began = time.perf_counter()
        try:
            batch = await self._opened.reader.read(self._info.question, passages)
        except ModelRefusedRequest as error:
            # A content filter of the server that refuses some passages must not end the reading. But if nothing was
            # read yet, the request itself is wrong.
            if not self._done:
                self._failure = self._failure or error
                return
            batch = Batch(
                tuple(
                    PassageReadingResult(one.chunk.id, PassageVerdict.UNREADABLE, problem=error.message)
                    for one in passages
                ),
                1,
            )
        except ModelError as error:
            self._failure = self._failure or error
            return
        seconds = time.perf_counter() - began
        spent = ModelSpending(batch.calls, batch.input_tokens, batch.output_tokens, seconds)
        kept = await self._library.on_search(self._cited, matching.document, passages, batch)
        await finish_despite_cancel(self._library.on_store(self._readings.add, self._info.id, kept, spent))
        self._spent = self._spent.plus(spent)
        self._done += len(kept)
        self._count(matching, kept)
        self._emit_row(matching)
        self._emit_progress()

    def _cited(self, document: int, passages: tuple[PassageToRead, ...], batch: Batch) -> tuple[PassageReading, ...]:
        """Return the results of a batch with their quotes as citations; blocking."""
        by_chunk = {one.chunk.id: one.chunk for one in passages}
        found = [one for one in batch.found if one.spans]
        described = self._library.documents.get(document) if found else None
        layout = layout_of(self._library.documents, document) if found else None
        kept = []
        for one in batch.found:
            chunk = by_chunk[one.chunk]
            hit = passage_of(described, chunk, layout, 1) if described and layout and one.spans else None
            kept.append(
                PassageReading(
                    chunk.id,
                    document,
                    chunk.ordinal,
                    chunk.sha256,
                    one.says,
                    one.finding,
                    tuple(cited(hit, span) for span in one.spans) if hit is not None else (),
                    one.thrown_out,
                    one.problem,
                    one.score,
                )
            )
        return tuple(kept)

    async def _conclude(self) -> None:
        library, number = self._library, self._info.id
        self._emit_progress(concluding=True)
        try:
            conclusion, citations, spent = await concluded(library, self._info, self._opened, self._coverage)
        except ModelError as error:
            reason = mark(f"Everything was read, but the conclusion could not be written. {error.message}")
            await library.on_store(self._readings.pause, number, reason, error.hint or CONTINUE)
            return
        if spent.calls:
            await library.on_store(self._readings.add, number, (), spent)
        await library.on_store(self._readings.conclude, number, conclusion, citations)

    def _count(self, matching: MatchingPassages, kept: Sequence[PassageReading]) -> None:
        """Add results of a document to the meter; counting a large library again for every batch would be slow."""
        read = self._read[matching.document]
        read.update((one.chunk, one) for one in kept)
        meter = self._meter
        self._meter = replace(
            meter,
            read=meter.read + len(kept),
            documents_read=meter.documents_read + bool(kept and len(read) >= len(matching.passages)),
            unreadable=meter.unreadable + sum(one.says is PassageVerdict.UNREADABLE for one in kept),
        )

    def _emit_row(self, matching: MatchingPassages) -> None:
        read = self._read.get(matching.document, {}).values()
        row = document_reading(matching.document, matching.name, len(matching.passages), read)
        self._context.emit(DocumentRead(self._info.id, row))

    def _emit_progress(self, *, concluding: bool = False) -> None:
        elapsed = time.perf_counter() - self._began
        to_do = self._meter.passages - self._meter.read
        left = elapsed / self._done * to_do if self._done else None
        spent = self._spent
        self._context.emit(
            ReadingProgress(
                self._info.id,
                self._meter,
                spent.calls,
                spent.input_tokens,
                spent.output_tokens,
                0.0 if concluding else left,
                concluding,
            )
        )


def _not_there(coverage: Coverage) -> tuple[str, ...]:
    """Return notes about documents and pages that pass the filter, or could, and whose text is not in the library."""
    unread = coverage.failed + coverage.locked
    sentences = (
        (
            coverage.waiting,
            mark("1 document is waiting to be read into the library: not among these."),
            mark(f"Not included: {coverage.waiting:,} documents that are waiting to be read into the library."),
        ),
        (
            unread,
            mark("1 document is locked, or could not be read: not among these."),
            mark(f"Not included: {unread:,} documents that are locked or could not be read."),
        ),
        (
            coverage.pages,
            mark("Not included: 1 page of these documents, which has no text or was not read."),
            mark(f"Not included: {coverage.pages:,} pages of these documents, which have no text or were not read."),
        ),
        (
            coverage.cut,
            mark("Not included: the end of 1 document, which was not read."),
            mark(f"Not included: the ends of {coverage.cut:,} documents, which were not read."),
        ),
    )
    return tuple(one if number == 1 else several for number, one, several in sentences if number)


def _reason_and_hint(error: WorkbenchError) -> tuple[str, str]:
    return error.message, f"{error.hint} {CONTINUE}".strip()


def _first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first


async def concluded(
    library: Library, info: ReadingInfo, opened: OpenedReader, coverage: Coverage
) -> tuple[str, tuple[Citation, ...], ModelSpending]:
    """Return the conclusion with its citations, and the calls and tokens spent on it.

    Args:
        library: The open library.
        info: The reading.
        opened: Its reader.
        coverage: What of the documents had text when the reading began.

    Raises:
        ModelError: The model failed or could not be reached.
    """
    documents = await library.on_search(table_of, library, info.id)
    if opened.provider is None or opened.packing.room is None:
        return offline_conclusion(documents, coverage), (), ModelSpending()
    read = await library.on_store(library.reading_passages.read, info.id)
    order = {one.document: place for place, one in enumerate(documents)}
    passages = sorted(read.values(), key=lambda one: (order.get(one.document, 0), one.ordinal))
    findings = numbered(passages)
    if not findings:
        return _nothing_found(info.question, documents, coverage), (), ModelSpending()
    references = await library.on_search(_references, library, findings)
    concluder = ConclusionWriter(opened.provider, opened.packing.spending, opened.packing.room.tokens)
    made = await concluder.conclude(info.question, documents, findings, references, not_read=coverage.missing)
    return made.text, made.citations, ModelSpending(made.calls, made.input_tokens, made.output_tokens)


def offline_conclusion(documents: Sequence[DocumentReading], coverage: Coverage) -> str:
    """Return a sentence with the number of documents that have findings: no model writes a conclusion offline.

    What had no text to be read is named after it.
    """
    found = sum(one.verdict is DocumentVerdict.YES for one in documents)
    if not found and not coverage.is_read:
        return _not_found_so_far(coverage)
    if len(documents) == 1:
        sentence = mark(
            "Found in 1 of 1 document: the quotes are in the table." if found else "Found in none of 1 document."
        )
    elif not found:
        sentence = mark(f"Found in none of {len(documents):,} documents.")
    else:
        sentence = mark(f"Found in {found:,} of {len(documents):,} documents: the quotes are in the table.")
    return sentence if coverage.is_read else f"{sentence} {mark(f'Not searched: {coverage.missing}.')}"


def _nothing_found(question: str, documents: Sequence[DocumentReading], coverage: Coverage) -> str:
    if not coverage.is_read:
        return _not_found_so_far(coverage)
    unread = sum(one.unreadable for one in documents)
    if not unread:
        return refusal_for(question)
    if unread == 1:
        return mark("Nothing was found, but 1 passage could not be read, so this is not certain.")
    return mark(f"Nothing was found, but {unread:,} passages could not be read, so this is not certain.")


def _not_found_so_far(coverage: Coverage) -> str:
    return f"{UNKNOWN_EN} {mark(f'Not searched: {coverage.missing}.')}"


def _references(library: Library, findings: Sequence[NumberedPassage]) -> dict[int, NumberedHit]:
    """Return the passages of the findings by their numbers; blocking."""
    by_chunk = {one.passage.chunk: one for one in findings}
    stored = library.documents.chunks_by_id(list(by_chunk))
    layouts = {number: layout_of(library.documents, number) for number in {one.id for _, one in stored.values()}}
    return {
        by_chunk[chunk.id].number: NumberedHit(
            by_chunk[chunk.id].number, passage_of(document, chunk, layouts[document.id], rank)
        )
        for rank, (chunk, document) in enumerate(stored.values(), start=1)
    }
