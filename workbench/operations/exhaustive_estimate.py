"""The estimate of a reading, before anything is read; and its offer below an answer. No server is asked.

An answer from structure shows how sections begin; with a model "Read everything" asks every passage and concludes from
all of them. Offline it finds by words and meaning, so it is offered where something was counted or listed.
"""

import time
from collections.abc import Sequence

from workbench.agent.exhaustive.offline_reader import OfflineReader
from workbench.agent.exhaustive.passage_batches import INSTRUCTIONS, Passage
from workbench.agent.exhaustive.passage_readers import Spending
from workbench.errors import RetrievalError
from workbench.model.exhaustive import PaceSource, Price, ReadingEstimate, ReadingOffer
from workbench.model.filter import EVERYTHING, ChunkFilter, Condition, Operator
from workbench.model.profile import ModelProfile
from workbench.model.run import Run, RunStatus
from workbench.operations.exhaustive_reader import Packing, host_of, mode_of, packing_of
from workbench.operations.library import Library
from workbench.operations.model_provider import sentence_ranker
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.retrieval.request_recognition import RequestKind, request_of
from workbench.store.exhaustive import Matching, Pace, pace_of
from workbench.worker.job import JobContext, Operation

_SAMPLE = 32
"""Passages that are read offline to see how fast this machine is: 0.1 to 0.6 s, where 6 ms a passage had been assumed
and a slow machine took 20."""

_REQUEST_AROUND = 40

_WITH_MODEL = (RequestKind.OVERVIEW, RequestKind.COMPARISON, RequestKind.MENTIONS, RequestKind.LISTING)
_OFFLINE = (RequestKind.MENTIONS, RequestKind.LISTING)
_ABOUT_DOCUMENTS = (RequestKind.OVERVIEW, RequestKind.COMPARISON)
# An answer that cites more documents is about the library.
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
    """Return what read_all with the same arguments would take. Nothing leaves the machine for it.

    Raises:
        RetrievalError: The filter is wrong, or no passage passes it.
        NotFound: No such profile or knowledge base.
    """
    whole = ChunkFilter(knowledge_base or filter.knowledge_base, filter.where)

    async def operation(_context: JobContext) -> ReadingEstimate:
        if problem := await library.on_store(library.documents.filter_problem, whole):
            raise RetrievalError(problem, "Change the filter.")
        matching = await library.on_search(library.reading_passages.matching, whole)
        if not matching:
            raise RetrievalError(
                "No passage passes this filter, so there is nothing to read.",
                "Change the filter, or wait until the documents are in the library.",
            )
        settings = await library.on_store(library.setting_values.load)
        chosen = await library.on_store(library.profiles.get, profile or settings.profile)
        spending = Spending()
        packing = packing_of(settings, chosen, question, spending)
        calls, tokens = 0, 0.0
        for one in matching:  # document by document: the texts of a big library are not held at once
            more = await library.on_search(_packed, library, one, packing)
            calls, tokens = calls + more[0], tokens + more[1]
        fixed = spending.estimate.count(INSTRUCTIONS + question) + _REQUEST_AROUND
        model = "" if chosen.is_offline else chosen.model or chosen.name
        pace = await library.on_store(pace_of, library.database, chosen.name, model)
        if chosen.is_offline and pace.source is PaceSource.ASSUMED:
            pace = await _sampled(library, question, matching)
        return _estimate(matching, chosen, (calls, tokens + calls * fixed), pace, price)

    return operation


def offer_reading(library: Library, run: Run) -> Operation[ReadingOffer | None]:
    """Return the reading that would do better than an answer; None where none would.

    Raises:
        NotFound: The run's model profile or knowledge base is gone.
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


async def _sampled(library: Library, question: str, matching: Sequence[Matching]) -> Pace:
    """Read some passages offline, of the document in the middle, and return how fast that went; nothing is kept."""
    one = matching[len(matching) // 2]
    chunks = await library.on_search(library.documents.chunks, one.document)
    passages = [Passage(chunk, one.name) for chunk in chunks if chunk.id in one.passages][:_SAMPLE]
    if not passages:  # they changed a moment ago
        return Pace(PaceSource.ASSUMED)
    reader = OfflineReader(await library.on_search(sentence_ranker, library))
    await reader.read(question, passages[:1])  # loads what the first one has to wait for
    began = time.perf_counter()
    await reader.read(question, passages)
    return Pace(PaceSource.SAMPLE, per_passage=(time.perf_counter() - began) / len(passages))


def _packed(library: Library, one: Matching, packing: Packing) -> tuple[int, float]:
    if packing.room is None:
        return 0, 0.0
    chunks = [chunk for chunk in library.documents.chunks(one.document) if chunk.id in one.passages]
    sizes = [size for _, size in packing.batches(Passage(chunk, one.name) for chunk in chunks)]
    # A passage that is longer than a call holds is read in pieces.
    return sum(max(1, -int(-size // packing.room.tokens)) for size in sizes), sum(sizes)


def _estimate(
    matching: Sequence[Matching],
    profile: ModelProfile,
    needed: tuple[int, float],
    pace: Pace,
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
        # Not divided by the calls side by side: many a server answers one after the other.
        seconds,
        pace.source if seconds is not None else PaceSource.UNKNOWN,
        None if price is None else price.of(input_tokens, output_tokens),
        host_of(profile),
        mode_of(profile),
    )
