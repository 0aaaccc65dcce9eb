"""An answer to a request about whole documents -> the reading of every passage that would do better, with its estimate.

An answer from structure shows how sections begin; with a model "Read everything" asks every passage and concludes from
all of them. Offline it finds by words and meaning, so it is offered where something was counted or listed.
"""

from dataclasses import dataclass

from workbench.model.exhaustive import ReadingEstimate
from workbench.model.filter import ChunkFilter
from workbench.model.filter_expression import Condition, Operator
from workbench.model.run import Run, RunStatus
from workbench.operations.exhaustive_estimate import estimate_reading
from workbench.operations.library import Library
from workbench.retrieval.filters.syntax import filter_of_text
from workbench.retrieval.request_kinds import RequestKind, request_of
from workbench.worker.job import JobContext, Operation

_WITH_MODEL = (RequestKind.OVERVIEW, RequestKind.COMPARISON, RequestKind.MENTIONS, RequestKind.LISTING)
_OFFLINE = (RequestKind.MENTIONS, RequestKind.LISTING)
_ABOUT_DOCUMENTS = (RequestKind.OVERVIEW, RequestKind.COMPARISON)
# An answer that cites more documents is about the library.
_FEW = 2


@dataclass(frozen=True, slots=True)
class ReadingOffer:
    """What read_all is to be called with, and what that would take."""

    question: str
    filter: ChunkFilter
    profile: str
    estimate: ReadingEstimate


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
