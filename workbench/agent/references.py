"""The numbers by which a run's hits may be cited: given once, kept for the whole run."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from workbench.model.hit import Coverage, Hit, NumberedHit, Reference, SearchResult


class RunReferences:
    """What one run has found so far; a chunk found twice keeps its number."""

    def __init__(self) -> None:
        self._by_number: dict[int, NumberedHit] = {}
        self._numbers: dict[int, int] = {}
        self._last_turn: asyncio.Event | None = None
        self.searches_failed = 0
        self._searched = False
        self._told: set[str] = set()
        self._coverage: Coverage | None = None
        self._has_pending = False

    @property
    def searched(self) -> bool:
        """Whether the run has looked for something, found or not."""
        return self._searched or self.searches_failed > 0

    @property
    def has_pending(self) -> bool:
        """Whether some document could not be searched, or not by meaning, because that was still to be done."""
        return self._has_pending

    @property
    def numbered(self) -> dict[int, NumberedHit]:
        """Every hit of the run that was offered, under its number."""
        return dict(self._by_number)

    @property
    def chunks(self) -> tuple[int, ...]:
        """Ids of the library's chunks among those hits."""
        return tuple(chunk for one in self._by_number.values() if (chunk := one.hit.chunk.id) > 0)

    def add(self, query: str, result: SearchResult, *, seconds: float) -> Reference:
        """Number the hits of a search and return its reference entry; what is withheld cannot be cited."""
        self._searched = True
        hits = tuple(self._number(hit) for hit in result.hits)
        if result.is_relevant:
            for numbered in hits:
                self._by_number.setdefault(numbered.number, numbered)
        return Reference(query, hits, round(seconds, 4), withheld=not result.is_relevant)

    def news(self, notes: Iterable[str]) -> tuple[str, ...]:
        """Return those of the notes that were not told in this run yet; they are from now on."""
        new = tuple(dict.fromkeys(note for note in notes if note not in self._told))
        self._told.update(new)
        return new

    def is_news(self, coverage: Coverage | None) -> bool:
        """Tell whether this much of the library has not been told yet; it is from now on."""
        changed = coverage is not None and coverage != self._coverage
        self._has_pending |= coverage is not None and coverage.pending > 0
        self._coverage = coverage if changed else self._coverage
        return changed

    def restore(self, reference: Reference) -> None:
        """Take over what another run found, under the numbers that it has there."""
        self._searched = True
        for numbered in reference.hits:
            self._numbers[numbered.hit.chunk.id] = numbered.number
            if not reference.withheld:
                self._by_number.setdefault(numbered.number, numbered)

    @asynccontextmanager
    async def in_call_order(self) -> AsyncIterator[asyncio.Event]:
        """Hold a place in the order of calls; yields the event to await before numbering.

        Searches of one turn run side by side, but their hits are numbered in the order the model asked for them, so
        that the same run always gives the same numbers.
        """
        before = self._last_turn
        if before is None:
            before = asyncio.Event()
            before.set()
        mine = self._last_turn = asyncio.Event()
        try:
            yield before
        finally:
            mine.set()

    def _number(self, hit: Hit) -> NumberedHit:
        number = self._numbers.setdefault(hit.chunk.id, max(self._numbers.values(), default=0) + 1)
        return NumberedHit(number, hit)
