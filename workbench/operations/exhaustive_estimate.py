"""The estimate of a reading, before anything is read; and its offer below an answer. No server is asked.

An answer from structure shows how sections begin; with a model "Read everything" asks every passage and concludes from
all of them. Offline it finds by words and meaning, so it is offered where something was counted or listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.exhaustive.base import Passage
from workbench.agent.exhaustive.model_reader import Spending
from workbench.agent.exhaustive.prompt import INSTRUCTIONS
from workbench.errors import RetrievalError
from workbench.model.exhaustive import PaceSource, Price, ReadingEstimate
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.filter_expression import Condition, Operator
from workbench.model.profile import ModelProfile
from workbench.model.run import Run, RunStatus
from workbench.operations.exhaustive_reader import Packing, host_of, mode_of, packing_of
from workbench.operations.library import Library
from workbench.retrieval.filters.syntax import filter_of_text
from workbench.retrieval.request_kinds import RequestKind, request_of
from workbench.store.exhaustive_pace import Pace, pace_of
from workbench.store.exhaustive_passages import Matching
from workbench.worker.job import JobContext, Operation

OFFLINE_PASSAGE_SECONDS = 0.006
"""Seconds that a passage takes offline on two cores, until this machine has read some."""

_REQUEST_AROUND = 40

_WITH_MODEL = (RequestKind.OVERVIEW, RequestKind.COMPARISON, RequestKind.MENTIONS, RequestKind.LISTING)
_OFFLINE = (RequestKind.MENTIONS, RequestKind.LISTING)
_ABOUT_DOCUMENTS = (RequestKind.OVERVIEW, RequestKind.COMPARISON)
# An answer that cites more documents is about the library.
_FEW = 2


@dataclass(frozen=True, slots=True)
class ReadingOffer:
    """The arguments of a read_all that would do better than an answer, and its estimate."""

    question: str
    filter: ChunkFilter
    profile: str
    estimate: ReadingEstimate


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
        return _estimate(matching, chosen, (calls, tokens + calls * fixed), pace, (price, settings.reading_calls))

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
    means: tuple[Price | None, int],
) -> ReadingEstimate:
    passages = sum(len(one.passages) for one in matching)
    if profile.is_offline:
        per_passage = pace.per_passage or OFFLINE_PASSAGE_SECONDS
        return ReadingEstimate(
            len(matching), passages, 0, 0, 0, passages * per_passage, pace.source, mode=mode_of(profile)
        )
    calls, input_tokens = needed[0], round(needed[1])
    output_tokens = round(passages * pace.written)
    seconds = pace.seconds(input_tokens, output_tokens)
    price, at_once = means
    return ReadingEstimate(
        len(matching),
        passages,
        calls,
        input_tokens,
        output_tokens,
        None if seconds is None else seconds / min(at_once, max(1, calls)),
        pace.source if seconds is not None else PaceSource.UNKNOWN,
        None if price is None else price.of(input_tokens, output_tokens),
        host_of(profile),
        mode_of(profile),
    )
