"""A question and what was found for it, as they are drawn on the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.language import mark, tr

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap
    from workbench.model.run import Run

MOST_SEARCHES = 6
"""Searches of one answer that are drawn; the later ones mostly find the same again."""


@dataclass(frozen=True, slots=True)
class Star:
    """A question, or what was searched for to answer it; None for a place that is not known yet."""

    text: str
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """A hit.

    Attributes:
        number: By which the answer cites it: its rank, where there was one search.
        point: Its place in the map's arrays.
        star: The first search that found it, its place among the stars.
    """

    number: int
    chunk: int
    point: int
    x: float
    y: float
    cited: bool
    star: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is drawn over the points.

    Attributes:
        lost: Hits that are not on the map: of documents that were removed, or not embedded yet.
    """

    stars: tuple[Star, ...] = ()
    spots: tuple[Spot, ...] = ()
    lost: int = 0

    @property
    def words(self) -> str:
        """All of it in words."""
        if not self.stars:
            return ""
        cited = sum(spot.cited for spot in self.spots)
        found = {"question": self.stars[0].text, "hits": len(self.spots), "cited": cited}
        if self.lost:
            text = mark("“{question}”: {hits} hits on the map, {cited} cited, {lost} not on the map")
            return tr(text, **found, lost=self.lost)
        return tr("“{question}”: {hits} hits on the map, {cited} cited", **found)


def queries_of(run: Run) -> tuple[str, ...]:
    """Return what was searched for to answer a run, each once, the question first where it was searched for."""
    searched = dict.fromkeys(reference.query for reference in run.references)
    return tuple(searched)[:MOST_SEARCHES] or (run.question,)


def overlay_of(run: Run, map: LibraryMap, places: tuple[tuple[float, float], ...] = ()) -> Overlay:
    """Return what of a run stands where.

    Args:
        run: Whose question and hits.
        map: Where they stand.
        places: Of queries_of(run), in their order; nothing while they are not known.
    """
    # Not on the way to the window; the map's arrays are there by now, so numpy is.
    import numpy as np

    queries = queries_of(run)
    known = len(places) == len(queries)
    stars = tuple(Star(text, *(places[number] if known else (None, None))) for number, text in enumerate(queries))
    cited = {citation.chunk for citation in run.citations if citation.valid}
    spots: dict[int, Spot] = {}
    seen: set[int] = set()
    for reference in run.references:
        star = queries.index(reference.query) if reference.query in queries else 0
        for numbered in reference.hits:
            chunk = numbered.hit.chunk.id
            if chunk in seen or numbered.hit.is_outside:
                continue
            seen.add(chunk)
            point = int(np.searchsorted(map.ids, chunk))
            if point < len(map.ids) and map.ids[point] == chunk:
                x, y = map.points[point].tolist()
                spots[chunk] = Spot(numbered.number, chunk, point, x, y, chunk in cited, star)
    return Overlay(stars, tuple(spots.values()), len(seen) - len(spots))
