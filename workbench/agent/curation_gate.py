"""Where what a search found waits for a person to choose from it, before an answerer is handed it."""

import dataclasses
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from workbench.agent.base import Curator
from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.hit import Hit, SearchResult
from workbench.model.run import RunEvent


@dataclass(frozen=True, slots=True)
class Curated:
    """What is left of a search, and how many seconds the person took for it."""

    result: SearchResult
    waited: float = 0.0


class CurationGate:
    """Lets a person choose from what each search of one run found.

    Args:
        curator: Who chooses.
        room: Returns how many tokens the answerer has left for so many texts; None where that is not known.
    """

    def __init__(self, curator: Curator, room: Callable[[Sequence[str]], Awaitable[float]] | None = None) -> None:
        self._curator = curator
        self._room = room
        self._emit: Callable[[RunEvent], None] = _nobody
        self._waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        self._asked = 0

    def begin(self, emit: Callable[[RunEvent], None], waiting: Callable[[], AbstractContextManager[None]]) -> None:
        """Say who is told what is asked and chosen, and what is entered while the person is waited for."""
        self._emit = emit
        self._waiting = waiting

    async def passed(self, query: str, result: SearchResult) -> Curated:
        """Return what the person leaves of a result: what was chosen by hand counts as sure, whatever its scores.

        A search that found nothing, in a session without pins, asks nobody.
        """
        pinned = self._curator.pinned()
        kept = {hit.chunk.id for hit in pinned}
        hits = (*pinned, *(hit for hit in result.hits if hit.chunk.id not in kept))
        if not hits:
            return Curated(result)
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
        return Curated(dataclasses.replace(result, hits=chosen, beside=(), floor=0.0, sure_from=0.0), waited)


def _given(asked: CurationAsked, chosen: tuple[Hit, ...]) -> CurationGiven:
    found = {hit.chunk.id for hit in asked.hits}
    ids = tuple(hit.chunk.id for hit in chosen)
    return CurationGiven(asked.number, ids, left_out=len(found.difference(ids)), added=len(set(ids) - found))


def _nobody(_event: RunEvent) -> None:
    pass
