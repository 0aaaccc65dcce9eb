"""A search step of a run: the search, its curation by the user, and the packing of hits into the context window."""

import asyncio
import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from workbench.agent.base import Curator
from workbench.agent.references import NO_REMARKS, UNSURE_NOTICE, RunReferences, SearchRemarks, rendered_hits
from workbench.agent.token_budget import ContextWindow
from workbench.egress.gate import carrying
from workbench.errors import RetrieverFailed, WorkbenchError
from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.hit import Hit, NumberedHit, Reference, SearchResult
from workbench.model.run import Notice, ReferencesFound, RunEvent

if TYPE_CHECKING:
    from workbench.retrieval.answer_sentences import SentenceRanker


# Compressed text is counted as a whole, and compressed again if it is too long or leaves more than a tenth of the
# space.
_ATTEMPTS = 5
_TIGHTER = 0.96
_FULL = 0.9

Render = Callable[[Mapping[int, str]], str]


def texts_of(hits: Sequence[Hit]) -> dict[int, str]:
    """Return the text of each hit by its index, without the text that it shares with the hit before it.

    Chunks of one page may overlap; a chunk that lies entirely within the one before it is left out.
    """
    texts: dict[int, str] = {}
    before: Hit | None = None
    for place, hit in enumerate(hits):
        text = hit.chunk.text[_repeated(before, hit) :]
        if text or not hit.chunk.text:
            texts[place] = text
            before = hit
    return texts


def _repeated(before: Hit | None, hit: Hit) -> int:
    """Return the number of characters at the beginning of a hit's text that repeat the end of the text before it."""
    if before is None or hit.is_outside or before.chunk.document != hit.chunk.document:
        return 0
    said = before.chunk.text[hit.chunk.start - before.chunk.start :] if hit.chunk.start >= before.chunk.start else ""
    # Compared, since the user may have edited either.
    return min(len(said), len(hit.chunk.text)) if hit.chunk.text[: len(said)] == said[: len(hit.chunk.text)] else 0


@dataclass(frozen=True, slots=True)
class PackedContext:
    """Search results as they are sent to a model.

    Attributes:
        texts: Text of each hit, or the part of it that is kept, by the hit's index in the result; without omitted hits.
        before: Tokens of the complete text.
        after: Tokens of the text that is sent.
        left_out: Number of omitted sentences.
    """

    texts: dict[int, str]
    before: int = 0
    after: int = 0
    left_out: int = 0

    @property
    def is_compressed(self) -> bool:
        """True if anything was omitted."""
        return self.left_out > 0

    @property
    def note(self) -> str:
        """A sentence for the user."""
        sentences = mark("1 sentence") if self.left_out == 1 else mark(f"{self.left_out:,} sentences")
        return mark(
            f"The passages found were compressed from {self.before:,} to {self.after:,} tokens to fit the model;"
            f" {sentences} left out. The sources show them in full."
        )


_NOTHING = PackedContext({})


class ContextPacker:
    """Fits the passages of a run's searches into the model's context window."""

    def __init__(self, window: ContextWindow, ranker: "SentenceRanker") -> None:
        self._window = window
        self._ranker = ranker

    async def has_room(self, text: str) -> bool:
        """Return whether a text fits into the context window uncompressed."""
        estimated = self._window.estimate(text)
        return estimated <= await self._window.room(estimated)

    async def fit(self, question: str, hits: Sequence[Hit], render: Render) -> PackedContext:
        """Return the texts to send; nothing is omitted if everything fits.

        Args:
            question: The query.
            hits: Hits, best first.
            render: Function from texts by index to the text that the model would get.
        """
        whole = texts_of(hits)
        rendered = render(whole)
        estimated = self._window.estimate(rendered)
        room = await self._window.room(estimated)
        # The exact count is requested only if it may matter: a server that counts tokens receives the text.
        with carrying(chunks=(hit.chunk.id for hit in hits if hit.chunk.id > 0)):
            counted = estimated if estimated <= room else await self._window.count(rendered)
            made = PackedContext(whole)
            if counted > room:
                made = await self._compressed(question, hits, render, counted, room)
        self._window.take(made.after or counted)
        return made

    async def _compressed(
        self, question: str, hits: Sequence[Hit], render: Render, before: float, room: float
    ) -> PackedContext:
        # Imported late: it is not needed to show the window, and rarely needed at all, since most results fit.
        from workbench.retrieval.compression import CompressiblePassage, Compression

        passages = [
            CompressiblePassage(place, text, _heading_of(hits[place]), hits[place].chunk.document)
            for place, text in texts_of(hits).items()
        ]
        whole = {passage.number: passage.text for passage in passages}
        estimated = self._window.estimate(render(whole))
        scale = before / estimated
        contents = sum(map(self._window.estimate, whole.values()))
        frame = scale * max(0.0, estimated - contents) / len(hits)
        compression = await asyncio.to_thread(Compression, question, passages, self._ranker)
        best, target = _NOTHING, room
        for _ in range(_ATTEMPTS):
            made = compression.fitted(target, lambda text: scale * self._window.estimate(text), frame=frame)
            texts = {one.number: one.text for one in made.excerpts}
            after = await self._window.count(render(texts))
            if best.after < after <= room:
                best = PackedContext(texts, round(before), round(after), made.left_out)
            if _FULL * room <= after <= room or not texts:
                break
            target *= _TIGHTER * room / after
        return best if best.texts else PackedContext({}, round(before), 0, len(hits))


def _heading_of(hit: Hit) -> str:
    return " ".join((hit.document_title, *hit.chunk.headings))


@dataclass(frozen=True, slots=True)
class CuratedResult:
    """Remaining hits of a search after curation, and the seconds that the user took."""

    result: SearchResult
    waited: float = 0.0


class CurationGate:
    """Lets the user choose among the hits of each search of one run.

    Args:
        curator: Asks the user.
        room: Returns the number of tokens left for these texts; None if it is unknown.
    """

    def __init__(self, curator: Curator, room: Callable[[Sequence[str]], Awaitable[float]] | None = None) -> None:
        self._curator = curator
        self._room = room
        self._emit: Callable[[RunEvent], None] = _nobody
        self._waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        self._asked = 0

    def begin(self, emit: Callable[[RunEvent], None], waiting: Callable[[], AbstractContextManager[None]]) -> None:
        """Set the function that receives the events, and the context that is entered while waiting for the user."""
        self._emit = emit
        self._waiting = waiting

    async def passed(self, query: str, result: SearchResult) -> CuratedResult:
        """Return the hits that the user keeps; hits chosen by hand count as sure, whatever their scores.

        The user is not asked about a search without hits in a session without pins.
        """
        pinned = self._curator.pinned()
        kept = {hit.chunk.id for hit in pinned}
        hits = (*pinned, *(hit for hit in result.hits if hit.chunk.id not in kept))
        if not hits:
            return CuratedResult(result)
        self._asked += 1
        room = round(await self._room([hit.chunk.text for hit in hits])) if self._room is not None else None
        ids = tuple(hit.chunk.id for hit in pinned)
        asked = CurationAsked(self._asked, query, hits, ids, result.is_relevant, room, result.is_sure)
        self._emit(asked)
        began = time.perf_counter()
        with self._waiting():
            choice = await self._curator.choose(asked)
        waited = time.perf_counter() - began
        self._emit(_given(asked, choice.hits))
        chosen = tuple(dataclasses.replace(hit, rank=rank) for rank, hit in enumerate(choice.hits, 1))
        return CuratedResult(dataclasses.replace(result, hits=chosen, beside=(), floor=0.0, sure_from=0.0), waited)


def _given(asked: CurationAsked, chosen: tuple[Hit, ...]) -> CurationGiven:
    found = {hit.chunk.id for hit in asked.hits}
    ids = tuple(hit.chunk.id for hit in chosen)
    return CurationGiven(asked.number, ids, left_out=len(found.difference(ids)), added=len(set(ids) - found))


def _nobody(_event: RunEvent) -> None:
    pass


logger = logging.getLogger(__name__)

# A placeholder that counts as many tokens as the number that a hit will get.
_ANY_NUMBER = 88

SearchFunction = Callable[[str], Awaitable[SearchResult]]


@dataclass(frozen=True, slots=True)
class SearchStepResult:
    """Outcome of a search.

    Attributes:
        text: Text for the model, with the remarks before the references; empty if nothing is offered.
        remarks: Remarks for the model in addition to the passages; they exist also without passages.
        events: Events for the user.
        reference: The search as it is recorded; None if it found nothing or failed.
        seconds: Duration of the search.
        error: Type of the error of a failed search: its message may contain a path or a password.
        no_room: True if there are hits, but none fits into the context window.
        waited: Seconds that the user took to choose.
    """

    text: str = ""
    remarks: SearchRemarks = NO_REMARKS
    events: tuple[RunEvent, ...] = ()
    reference: Reference | None = None
    seconds: float = 0.0
    error: str = ""
    no_room: bool = False
    waited: float = 0.0


class SearchStep:
    """Searches, numbers the hits and fits them into the context window.

    Args:
        references: References of the run, which number the hits.
        handing_over: Fits the hits into the context window; None sends all of them uncompressed.
        format: Format of the text for the model.
        curation: Lets the user choose among the hits first; None keeps all.
        notes_doubt: True if the user is notified of an unsure search; an answerer without a model reports it itself.
    """

    def __init__(
        self,
        references: RunReferences,
        handing_over: ContextPacker | None = None,
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

    async def find(self, query: str, search: SearchFunction) -> SearchStepResult:
        """Search and return the outcome; if the search raises an exception, the run goes on without it."""
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            try:
                result = await search(query)
            # The search is a function supplied by the caller.
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
                return SearchStepResult(remarks=SearchRemarks.of(result), events=told, reference=nearest)
            result, handed = await self._fitted(query, result)
            kept = [result.hits[place] for place in handed.texts]
            reference = self._references.add(query, dataclasses.replace(result, hits=tuple(kept)), seconds=seconds)
        remarks = SearchRemarks.of(result)
        doubt = [UNSURE_NOTICE] if remarks.is_unsure and self._notes_doubt else []
        told = self._told(result, *doubt, *([handed.note] if handed.is_compressed else []))
        if not reference.hits:
            return SearchStepResult("", remarks, told, seconds=reference.time, no_room=bool(result.hits), waited=waited)
        text = remarks.text + rendered_hits(zip(reference.hits, handed.texts.values(), strict=True), self._format)
        return SearchStepResult(text, remarks, (ReferencesFound(reference), *told), reference, waited=waited)

    async def _fitted(self, query: str, result: SearchResult) -> tuple[SearchResult, PackedContext]:
        """Return the hits to send, grouped by page; passages next to hits are included only if everything fits."""
        # Hits that the user chose stay unchanged and in the user's order.
        grouped = result.by_page() if self._curation is None else dataclasses.replace(result, beside=())
        if self._handing_over is None:
            return grouped, PackedContext(texts_of(grouped.hits))
        if result.beside and not await self._handing_over.has_room(self._render(grouped.hits, texts_of(grouped.hits))):
            grouped = dataclasses.replace(result, beside=())
        return grouped, await self._handing_over.fit(query, grouped.hits, partial(self._render, grouped.hits))

    def _render(self, hits: Sequence[Hit], texts: Mapping[int, str]) -> str:
        numbered = ((NumberedHit(_ANY_NUMBER, hits[place]), text) for place, text in texts.items())
        return rendered_hits(numbered, self._format)

    def _failed(self, error: Exception) -> SearchStepResult:
        # The kind of a retriever's error is more specific than its type.
        kind = str(getattr(error, "kind", "")) or type(error).__name__
        # Exceptions of a retriever were logged when they were raised.
        logger.warning("A search failed: %s", kind, exc_info=None if isinstance(error, RetrieverFailed) else error)
        self._references.searches_failed += 1
        reason = str(error) if isinstance(error, WorkbenchError) else mark("The search failed.")
        return SearchStepResult(
            events=(Notice(mark(f"{reason} This answer may miss what your documents say.")),), error=kind
        )

    def _told(self, result: SearchResult, *more: str) -> tuple[RunEvent, ...]:
        seen = self._references.seen(result.coverage)
        return (*seen, *(Notice(note) for note in self._references.news((*result.notes, *more))))


def _withheld(result: SearchResult) -> str:
    """Return a notice that passages were found, but none reaches the relevance floor that the user set."""
    number = len(result.hits)
    if number == 1:
        return mark("1 passage was found, but it does not fit the question well enough. It is listed as evidence.")
    return mark(f"{number:,} passages were found, but none fits the question well enough. They are listed as evidence.")
