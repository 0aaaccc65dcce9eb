"""A library's vectors laid out: landmarks with their points, and the point of every vector."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.following import Fetch, Vectors, in_pieces
from workbench.indexing.index_file import Stop
from workbench.indexing.projection.placing import Placing

Ids = NDArray[np.int64]
Points = NDArray[np.float32]

_ENOUGH_CHANGED = 0.3
_FEW = 20


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """Never changed: what follows the library is another one.

    Attributes:
        landmarks: float32 [k, dim].
        spots: Where they stand, float32 [k, 2], within the circle of radius 1.
        ids: int64 [n], ascending.
        beginnings: The first values of each vector, float32 [n, m], by which another one is told from it.
        points: Where each stands, float32 [n, 2].
        laid_out_of: How many vectors there were when the landmarks were laid out.
        changed: How many came or went since then.
        generation: The number of the library state that it agrees with.
        names: Words for regions, as JSON; the chart only keeps them.
    """

    landmarks: NDArray[np.float32]
    spots: Points
    ids: Ids
    beginnings: NDArray[np.float32]
    points: Points
    laid_out_of: int
    changed: int
    generation: int
    names: str = ""

    @property
    def is_outdated(self) -> bool:
        """Whether so much came or went that the landmarks no longer stand for what there is."""
        return self.changed > max(_FEW, _ENOUGH_CHANGED * self.laid_out_of)

    def placed(self, rows: NDArray[np.float32]) -> Points:
        """Return where any vectors stand on it, float32 [n, 2]: those of a question, or of what was not there yet."""
        return Placing(self.landmarks, self.spots).points(rows)

    def followed(self, truth: Vectors, fetch: Fetch, generation: int, stop: Stop) -> "Chart":
        """Return the chart that holds exactly the library's vectors; itself where it does already.

        Where it was to stop, some are lacking, and the generation stays the old one.

        Args:
            truth: The ids of the library's vectors, ascending, and their beginnings.
            fetch: Gives vectors.
            generation: Of the library.
            stop: Asked between some thousands.
        """
        wanted, beginnings = truth
        kept = self._kept(wanted, beginnings)
        lacking = np.setdiff1d(wanted, self.ids[kept], assume_unique=True)
        if not len(lacking) and len(kept) == len(self.ids):
            return self if generation == self.generation else replace(self, generation=generation)
        found = list(self._all_placed(lacking, fetch, stop))
        ids = np.concatenate([self.ids[kept], *(ids for ids, _ in found)])
        points = np.concatenate([self.points[kept], *(points for _, points in found)])
        order = np.argsort(ids, kind="stable")
        ids = ids[order]
        return replace(
            self,
            ids=ids,
            points=points[order],
            beginnings=beginnings[np.searchsorted(wanted, ids)],
            changed=self.changed + (len(self.ids) - len(kept)) + (len(ids) - len(kept)),
            generation=generation if len(ids) == len(wanted) else self.generation,
        )

    def _kept(self, wanted: Ids, beginnings: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the places of what is wanted still and has the same vector."""
        if not len(wanted):
            return np.empty(0, np.int64)
        places = np.minimum(np.searchsorted(wanted, self.ids), len(wanted) - 1)
        same = wanted[places] == self.ids
        if beginnings.shape[1:] == self.beginnings.shape[1:]:
            same &= (beginnings[places] == self.beginnings).all(axis=1)
        return np.flatnonzero(same)

    def _all_placed(self, ids: Ids, fetch: Fetch, stop: Stop) -> Iterator[tuple[Ids, Points]]:
        placing = Placing(self.landmarks, self.spots)
        for some, rows in in_pieces(ids, fetch):
            if stop():
                return
            if len(some):
                yield some, placing.points(rows)


def drawn(
    landmarks: NDArray[np.float32],
    spots: Points,
    truth: Vectors,
    fetch: Fetch,
    generation: int,
    stop: Stop,
    told: Callable[[float], None] = lambda _share: None,
) -> Chart | None:
    """Return a new chart with every vector of the library placed; None where it was to stop.

    Args:
        landmarks: float32 [k, dim].
        spots: Where they were laid out, float32 [k, 2].
        truth: The ids of the library's vectors, ascending, and their beginnings.
        fetch: Gives vectors.
        generation: Of the library.
        stop: Asked between some thousands.
        told: Is told which share is placed.
    """
    wanted, beginnings = truth
    placing, ids, points, done = Placing(landmarks, spots), [], [], 0
    for some, rows in in_pieces(wanted, fetch):
        if stop():
            return None
        if len(some):
            ids.append(some)
            points.append(placing.points(rows))
            done += len(some)
            told(done / len(wanted))
    held = np.concatenate([np.empty(0, np.int64), *ids])
    order = np.argsort(held, kind="stable")
    held = held[order]
    every = np.concatenate([np.empty((0, 2), np.float32), *points])[order]
    # A vector that went while this was drawn is in no piece.
    return Chart(landmarks, spots, held, beginnings[np.searchsorted(wanted, held)], every, len(held), 0, generation)
