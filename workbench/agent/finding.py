"""A search of a run -> what the model is handed and what the user is told; for the tool and for searches ahead."""

import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.agent.curation_gate import CurationGate
from workbench.agent.handing_over import HandedOver, HandingOver, texts_of
from workbench.agent.references import RunReferences
from workbench.agent.references_format import rendered_hits
from workbench.agent.search_remarks import NO_REMARKS, UNSURE_NOTICE, SearchRemarks
from workbench.errors import RetrieverFailed, WorkbenchError
from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.hit import Hit, NumberedHit, Reference, SearchResult
from workbench.model.run import LibrarySeen, Notice, ReferencesFound, RunEvent

logger = logging.getLogger(__name__)

# Counts as many tokens as the number that a hit will get.
_ANY_NUMBER = 88

SearchFunction = Callable[[str], Awaitable[SearchResult]]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a search.

    Attributes:
        text: For the model, the remarks before the references; empty where nothing is offered.
        remarks: What the model is told beside the passages, also where there is none.
        events: For the user.
        reference: The search as it is kept; None for one that found nothing, or failed.
        seconds: How long it took.
        error: The type of the error, for one that failed: its message may hold a path or a password.
        no_room: Something was found, and nothing of it fits into what the model sees.
        waited: How many seconds a person took to choose from it.
    """

    text: str = ""
    remarks: SearchRemarks = NO_REMARKS
    events: tuple[RunEvent, ...] = ()
    reference: Reference | None = None
    seconds: float = 0.0
    error: str = ""
    no_room: bool = False
    waited: float = 0.0


class Finder:
    """Searches, numbers what was found and fits it into what the model sees.

    Args:
        references: Numbers it; that of the run.
        handing_over: Fits it; None hands over all of it whole.
        format: How it is written.
        curation: Where a person chooses from it first; None leaves it as it was found.
        notes_doubt: Whether the user is told of a search that is not sure; an answerer without a model says it itself.
    """

    def __init__(
        self,
        references: RunReferences,
        handing_over: HandingOver | None = None,
        format: ReferencesFormat = ReferencesFormat.JSON,
        curation: CurationGate | None = None,
        *,
        notes_doubt: bool = True,
    ) -> None:
        self._references = references
        self._curation = curation
        self._notes_doubt = notes_doubt
        self._handing_over = handing_over
        self._format = format

    async def find(self, query: str, search: SearchFunction) -> Found:
        """Search, and say what came of it; whatever the search raises, the run goes on without it."""
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            try:
                result = await search(query)
            # The search is a function given from outside.
            except Exception as error:  # noqa: BLE001
                return self._failed(error)
            seconds = time.perf_counter() - began
            await turn.wait()
            waited = 0.0
            if self._curation is not None:
                curated = await self._curation.passed(query, result)
                result, waited = curated.result, curated.waited
            if not result.is_relevant:
                nearest = self._references.add(query, result, seconds=seconds)
                told = (ReferencesFound(nearest), *self._told(result, _withheld(result)))
                return Found(remarks=SearchRemarks.of(result), events=told, reference=nearest)
            result, handed = await self._fitted(query, result)
            kept = [result.hits[place] for place in handed.texts]
            reference = self._references.add(query, dataclasses.replace(result, hits=tuple(kept)), seconds=seconds)
        remarks = SearchRemarks.of(result)
        doubt = [UNSURE_NOTICE] if remarks.is_unsure and self._notes_doubt else []
        told = self._told(result, *doubt, *([handed.note] if handed.is_compressed else []))
        if not reference.hits:
            return Found("", remarks, told, seconds=reference.time, no_room=bool(result.hits), waited=waited)
        text = remarks.text + rendered_hits(zip(reference.hits, handed.texts.values(), strict=True), self._format)
        return Found(text, remarks, (ReferencesFound(reference), *told), reference, waited=waited)

    async def _fitted(self, query: str, result: SearchResult) -> tuple[SearchResult, HandedOver]:
        """Return what of a result is handed over, page by page; the passages beside the hits only where all fits."""
        # What a person chose stays as chosen, in their order.
        grouped = result.by_page() if self._curation is None else dataclasses.replace(result, beside=())
        if self._handing_over is None:
            return grouped, HandedOver(texts_of(grouped.hits))
        if result.beside and not await self._handing_over.has_room(self._render(grouped.hits, texts_of(grouped.hits))):
            grouped = dataclasses.replace(result, beside=())
        return grouped, await self._handing_over.fit(query, grouped.hits, partial(self._render, grouped.hits))

    def _render(self, hits: Sequence[Hit], texts: Mapping[int, str]) -> str:
        numbered = ((NumberedHit(_ANY_NUMBER, hits[place]), text) for place, text in texts.items())
        return rendered_hits(numbered, self._format)

    def _failed(self, error: Exception) -> Found:
        # A retriever's own error tells more than that it failed.
        kind = str(getattr(error, "kind", "")) or type(error).__name__
        # What a retriever raised was logged when it did.
        logger.warning("A search failed: %s", kind, exc_info=None if isinstance(error, RetrieverFailed) else error)
        self._references.searches_failed += 1
        reason = str(error) if isinstance(error, WorkbenchError) else mark("The search failed.")
        return Found(events=(Notice(mark(f"{reason} This answer may miss what your documents say.")),), error=kind)

    def _told(self, result: SearchResult, *more: str) -> tuple[RunEvent, ...]:
        seen = (LibrarySeen(result.coverage),) if result.coverage and self._references.is_news(result.coverage) else ()
        return (*seen, *(Notice(note) for note in self._references.news((*result.notes, *more))))


def _withheld(result: SearchResult) -> str:
    """Return that passages were found and none of them reaches the floor that the user set."""
    passages = mark("1 passage was") if len(result.hits) == 1 else mark(f"{len(result.hits)} passages were")
    best = max(hit.scores.relevance for hit in result.hits)
    return mark(
        f"{passages} found for “{result.question}”, but the best has a relevance of {best:.2f}, where the floor that"
        f" you set is {result.floor:.2f}. They are listed as evidence, and were not offered to the answerer."
    )
