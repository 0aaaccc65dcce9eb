"""The part of a map that one knowledge base has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.model.map import LibraryMap, MapDocument, MapOutlook, MapRegion

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAMED = 3
"""Documents that a region names."""


@dataclass(frozen=True, slots=True)
class Within:
    """What of the library is to be seen.

    Attributes:
        base: The knowledge base that is worked in; empty for all.
        is_whole: All others are to be seen, too.
    """

    base: str = ""
    is_whole: bool = False

    @property
    def is_part(self) -> bool:
        """Whether only the knowledge base is to be seen that is worked in."""
        return bool(self.base) and not self.is_whole

    def of(self, outlook: MapOutlook | None) -> MapOutlook | None:
        """Return an outlook with as much of its map as is to be seen."""
        if outlook is None or outlook.map is None or not self.is_part:
            return outlook
        return replace(outlook, map=part_of(outlook.map, self.base))


def part_of(map: LibraryMap, knowledge_base: str) -> LibraryMap:
    """Return the points of a knowledge base's documents, where they stand on the whole map."""
    kept = [place for place, one in enumerate(map.shown) if one.knowledge_base == knowledge_base]
    if len(kept) == len(map.shown):
        return map
    # Those with most points stay first, so their places only close up.
    places = np.full(len(map.shown), -1, np.int32)
    places[kept] = np.arange(len(kept), dtype=np.int32)
    documents = places[map.documents]
    there = documents >= 0
    shown = tuple(map.shown[place] for place in kept)
    points, documents = map.points[there], documents[there]
    return LibraryMap(map.ids[there], documents, points, shown, _regions(map.regions, points, documents, shown))


def _regions(
    regions: tuple[MapRegion, ...],
    points: NDArray[np.float32],
    documents: NDArray[np.int32],
    shown: tuple[MapDocument, ...],
) -> tuple[MapRegion, ...]:
    # Not on the way to the window.
    from workbench.indexing.projection.plane_layout import nearest_of

    if not regions or not len(points):
        return ()
    owner = nearest_of(points, np.array([[one.x, one.y] for one in regions], np.float32))
    found = []
    for number, region in enumerate(regions):
        theirs, counts = np.unique(documents[owner == number], return_counts=True)
        if len(theirs):
            most = np.argsort(-counts, kind="stable")[:_NAMED].tolist()
            named = tuple(replace(shown[int(theirs[one])], chunks=int(counts[one])) for one in most)
            found.append(replace(region, chunks=int(counts.sum()), documents=named))
    return tuple(sorted(found, key=lambda one: -one.chunks))
