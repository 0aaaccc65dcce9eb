"""Exhaustive reading: start and continue a question asked of every passage; estimate and offer it.

An answer from structure shows only the beginnings of sections; with a model, "Read everything" asks the question of
every passage and draws a conclusion from all of them. Offline it finds passages by words and meaning, so it is offered
only for questions that count or list something.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.exhaustive.model_reader import TokenSpending
from workbench.agent.exhaustive.offline_reader import OfflineReader
from workbench.agent.exhaustive.passage_batches import INSTRUCTIONS, PassageToRead
from workbench.errors import RetrievalError
from workbench.model.exhaustive import PaceSource, Price, Reading, ReadingEstimate, ReadingOffer, ReadingStatus
from workbench.model.filter import EVERYTHING, ChunkFilter, Condition, Operator
from workbench.model.profile import ModelProfile
from workbench.model.run import Run, RunStatus
from workbench.operations.exhaustive_reading.exhaustive_records import filter_of, reading_of
from workbench.operations.exhaustive_reading.exhaustive_run import (
    CallPacking,
    ExhaustiveRun,
    host_of,
    mode_of,
    open_reader,
    packing_of,
)
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import sentence_ranker
from workbench.retrieval.filters.text_syntax import filter_of_text, text_of
from workbench.retrieval.request_recognition import RequestKind, request_of
from workbench.store.readings import MatchingPassages, ModelPace, NewReading, pace_of
from workbench.worker.job import JobContext, Operation

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class _ReadingOrder:
    """Arguments of read_all."""

    question: str
    filter: ChunkFilter
    profile: str | None
    name: str
    price: Price | None
    user: str | None


def read_all(
    library: Library,
    question: str,
    *,
    knowledge_base: str | None = None,
    filter: ChunkFilter = EVERYTHING,
    profile: str | None = None,
    name: str = "",
    price: Price | None = None,
    user: str | None = None,
) -> Operation[Reading]:
    """Ask a question of every passage that passes a filter; return the stored reading, which may be paused.

    Emits ReadingBegan, then ReadingProgress and DocumentRead with every batch. Results are stored batch by batch: after
    a cancellation, a kill or a failure of the model, continue_reading reads the rest.

    Args:
        library: The open library.
        question: The question asked of every passage.
        knowledge_base: Only this one; None means all.
        filter: Filter of the passages.
        profile: Name of the model profile that reads; None means that of the settings.
        name: Name of the reading; if empty, the beginning of the question.
        price: Price of the model's tokens, stored with the reading.
        user: Owner of the reading; None means the user for whom the library was opened.

    Raises:
        RetrievalError: The question is empty, the filter is not valid, or no passage passes it.
        NotFound: No such profile or knowledge base.
        SettingError: The user name is not valid.
    """
    whole = ChunkFilter(knowledge_base or filter.knowledge_base, filter.where)
    wanted = _ReadingOrder(question, whole, profile, name, price, user)

    async def operation(context: JobContext) -> Reading:
        return await _start(library, wanted, context)

    return operation


def continue_reading(
    library: Library, reading: int, *, again: bool = False, user: str | None = None
) -> Operation[Reading]:
    """Read the rest of a reading, and passages that are new or have changed since. See read_all.

    Args:
        library: The open library.
        reading: Its number.
        again: Read unreadable passages once more.
        user: As for read_all.

    Raises:
        NotFound: The user has no such reading, or its model profile or knowledge base does not exist any more.
        SettingError: The user name is not valid.
        RetrievalError: The reading is running already, or no passage passes its filter any more.
    """

    async def operation(context: JobContext) -> Reading:
        readings = library.readings_of(library.resolve_user(user))
        info = await library.on_store(readings.get, reading)
        if info.status is ReadingStatus.RUNNING:
            raise RetrievalError("This reading is already running.", "Wait for it, or stop it first.")
        matching = await library.on_search(library.reading_passages.matching, filter_of(info))
        _check(matching)
        opened = await open_reader(library, info.profile, info.question)
        try:
            run = ExhaustiveRun(library, readings, info, opened, matching, context)
            await run.run(again=again)
        finally:
            await opened.close()
        return await library.on_store(reading_of, library, readings, reading)

    return operation


async def _start(library: Library, wanted: _ReadingOrder, context: JobContext) -> Reading:
    readings = library.readings_of(library.resolve_user(wanted.user))
    question = " ".join(wanted.question.split())
    if not question:
        raise RetrievalError("The question is empty.", "Enter the question to ask of every passage.")
    if problem := await library.on_store(library.documents.filter_problem, wanted.filter):
        raise RetrievalError(problem, "Change the filter.")
    _check(await library.on_search(library.reading_passages.matching, wanted.filter))
    settings = await library.on_store(library.setting_values.load)
    profile = await library.on_store(library.profiles.get, wanted.profile or settings.profile)
    asked = NewReading(
        name=wanted.name.strip() or question[:_LONGEST_NAME],
        question=question,
        knowledge_base=wanted.filter.knowledge_base,
        filter=text_of(wanted.filter),
        profile=profile.name,
        model="" if profile.is_offline else profile.model or profile.name,
        mode="",
        price=None if profile.is_offline else wanted.price,
    )
    info = await library.on_store(readings.create, asked)
    return await continue_reading(library, info.id, user=wanted.user)(context)


def _check(matching: object) -> None:
    if not matching:
        raise RetrievalError(
            "No passage matches this filter, so there is nothing to read.",
            "Change the filter, or wait until the documents are in the library.",
        )


_SAMPLE = 32
"""Number of passages that are read offline to measure the speed of this machine, which takes 0.1 to 0.6 s. Without
the measurement 6 ms a passage were assumed, and a slow machine took 20."""

_REQUEST_AROUND = 40

_WITH_MODEL = (RequestKind.OVERVIEW, RequestKind.COMPARISON, RequestKind.MENTIONS, RequestKind.LISTING)
_OFFLINE = (RequestKind.MENTIONS, RequestKind.LISTING)
_ABOUT_DOCUMENTS = (RequestKind.OVERVIEW, RequestKind.COMPARISON)
# An answer that cites more documents than this is about the whole library.
_FEW = 2


def estimate_reading(
    library: Library,
    question: str,
    *,
    knowledge_base: str | None = None,
    filter: ChunkFilter = EVERYTHING,
    profile: str | None = None,
    price: Price | None = None,
) -> Operation[ReadingEstimate]:
    """Return an estimate of read_all with the same arguments. Nothing is sent to a server for it.

    Raises:
        RetrievalError: The filter is not valid, or no passage passes it.
        NotFound: No such profile or knowledge base.
    """
    whole = ChunkFilter(knowledge_base or filter.knowledge_base, filter.where)

    async def operation(_context: JobContext) -> ReadingEstimate:
        if problem := await library.on_store(library.documents.filter_problem, whole):
            raise RetrievalError(problem, "Change the filter.")
        matching = await library.on_search(library.reading_passages.matching, whole)
        _check(matching)
        settings = await library.on_store(library.setting_values.load)
        chosen = await library.on_store(library.profiles.get, profile or settings.profile)
        spending = TokenSpending()
        packing = packing_of(settings, chosen, question, spending)
        calls, tokens = 0, 0.0
        for one in matching:  # document by document: the texts of a large library do not fit in memory
            more = await library.on_search(_count_calls, library, one, packing)
            calls, tokens = calls + more[0], tokens + more[1]
        fixed = spending.estimate.count(INSTRUCTIONS + question) + _REQUEST_AROUND
        model = "" if chosen.is_offline else chosen.model or chosen.name
        pace = await library.on_store(pace_of, library.database, chosen.name, model)
        if chosen.is_offline and pace.source is PaceSource.ASSUMED:
            pace = await _measure_pace(library, question, matching)
        return _estimate(matching, chosen, (calls, tokens + calls * fixed), pace, price)

    return operation


def offer_reading(library: Library, run: Run) -> Operation[ReadingOffer | None]:
    """Return an exhaustive reading that would answer a run's question better; None if there is none.

    Raises:
        NotFound: The run's model profile or knowledge base does not exist any more.
        RetrievalError: No passage passes the run's filter any more.
    """

    async def operation(context: JobContext) -> ReadingOffer | None:
        request = request_of(run.question)
        if request is None or run.status is not RunStatus.COMPLETED:
            return None
        profile = await library.on_store(library.profiles.get, run.profile)
        if request.kind not in (_OFFLINE if profile.is_offline else _WITH_MODEL):
            return None
        where = filter_of_text(run.filter).where if run.filter else ()
        cited = sorted({one.document for one in run.citations if one.document is not None})
        if request.kind in _ABOUT_DOCUMENTS and 0 < len(cited) <= _FEW:
            where = (*where, Condition("document", Operator.IN, tuple(map(str, cited))))
        whole = ChunkFilter(run.knowledge_base or None, where)
        estimate = await estimate_reading(library, run.question, filter=whole, profile=run.profile)(context)
        return ReadingOffer(run.question, whole, run.profile, estimate)

    return operation


async def _measure_pace(library: Library, question: str, matching: Sequence[MatchingPassages]) -> ModelPace:
    """Return the speed of reading some passages of the middle document offline; the results are discarded."""
    one = matching[len(matching) // 2]
    chunks = await library.on_search(library.documents.chunks, one.document)
    passages = [PassageToRead(chunk, one.name) for chunk in chunks if chunk.id in one.passages][:_SAMPLE]
    if not passages:  # the document changed meanwhile
        return ModelPace(PaceSource.ASSUMED)
    reader = OfflineReader(await library.on_search(sentence_ranker, library))
    await reader.read(question, passages[:1])  # loads the model, which must not count
    began = time.perf_counter()
    await reader.read(question, passages)
    return ModelPace(PaceSource.SAMPLE, per_passage=(time.perf_counter() - began) / len(passages))


def _count_calls(library: Library, one: MatchingPassages, packing: CallPacking) -> tuple[int, float]:
    """Return the calls and input tokens for the passages of one document."""
    if packing.room is None:
        return 0, 0.0
    chunks = [chunk for chunk in library.documents.chunks(one.document) if chunk.id in one.passages]
    sizes = [size for _, size in packing.batches(PassageToRead(chunk, one.name) for chunk in chunks)]
    # A passage that is longer than the capacity of a call is read in pieces.
    return sum(max(1, -int(-size // packing.room.tokens)) for size in sizes), sum(sizes)


def _estimate(
    matching: Sequence[MatchingPassages],
    profile: ModelProfile,
    needed: tuple[int, float],
    pace: ModelPace,
    price: Price | None,
) -> ReadingEstimate:
    passages = sum(len(one.passages) for one in matching)
    if profile.is_offline:
        took = pace.seconds(passages, 0, 0)
        return ReadingEstimate(len(matching), passages, 0, 0, 0, took, pace.source, mode=mode_of(profile))
    calls, input_tokens = needed[0], round(needed[1])
    output_tokens = round(passages * pace.written)
    seconds = pace.seconds(passages, input_tokens, output_tokens)
    return ReadingEstimate(
        len(matching),
        passages,
        calls,
        input_tokens,
        output_tokens,
        # Not divided by the number of concurrent calls: many servers answer one call after the other.
        seconds,
        pace.source if seconds is not None else PaceSource.UNKNOWN,
        None if price is None else price.of(input_tokens, output_tokens),
        host_of(profile),
        mode_of(profile),
    )
