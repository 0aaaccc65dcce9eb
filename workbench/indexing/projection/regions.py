"""Points in a plane -> groups of neighbours, each around one place."""

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float32]

_FEWEST, _MOST = 3, 60
_ROUNDS = 30
_PIECE = 4_096
_SAMPLE = 4_000
_FAR = 0.95


def region_centres(points: Points) -> Points:
    """Return the middles of regions float32 [r, 2], the one with most points first; the same each time."""
    if not len(points):
        return np.empty((0, 2), np.float32)
    sample = points[np.linspace(0, len(points) - 1, min(_SAMPLE, len(points))).astype(np.int64)]
    centres = _spread(sample, min(len(sample), int(np.clip(round(np.sqrt(len(points)) / 4), _FEWEST, _MOST))))
    for _ in range(_ROUNDS):
        before, (centres, share) = centres, _moved(sample, centres)
        if np.array_equal(before, centres):
            break
    return centres[np.argsort(-share, kind="stable")][: int(np.count_nonzero(share))]


def nearest_of(points: Points, centres: Points) -> NDArray[np.int64]:
    """Return for each point which of the centres is nearest."""
    found = np.empty(len(points), np.int64)
    for start in range(0, len(points), _PIECE):
        some = points[start : start + _PIECE]
        away = ((some[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        found[start : start + _PIECE] = away.argmin(axis=1)
    return found


def _moved(points: Points, centres: Points) -> tuple[Points, NDArray[np.int64]]:
    """Return each centre in the middle of the points nearest to it, and how many these are."""
    owner = nearest_of(points, centres)
    share = np.bincount(owner, minlength=len(centres)).astype(np.int64)
    sums = np.column_stack([np.bincount(owner, points[:, axis], len(centres)) for axis in (0, 1)])
    moved = np.where(share[:, None] > 0, sums / np.maximum(share, 1)[:, None], centres).astype(np.float32)
    return moved, share


def _spread(points: Points, count: int) -> Points:
    """Return where to begin: the point nearest to the middle, then again and again one that is far from all so far.

    Not the farthest: that is mostly one that stands alone.
    """
    away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    chosen = [int(away.argmin())]
    away = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argsort(away, kind="stable")[int(_FAR * (len(away) - 1))]))
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()
