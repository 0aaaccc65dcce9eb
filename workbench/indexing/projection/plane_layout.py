"""Layout of landmarks in a plane by t-SNE, and groups of neighbouring points in it."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Points = NDArray[np.float32]

_PERPLEXITY = 30.0
_FEWEST = 6
_ITERATIONS = 500

# From nothing, groups find each other while they are drawn together strongly; a map that was there would be torn apart.
# A library that grew by two thirds, its landmarks on the map before and after: with 12 from a spread of 0.0001 their
# coordinates correlate by 0.62 and 0.40, with 2 from a spread of 10 by 0.88 and 0.77; trustworthiness 0.974 and 0.973.
_EXAGGERATION, _GENTLY = 12.0, 2.0
_SPREAD, _SPREAD_OF = 10.0, 2_000
_JITTER = 1e-3


def lay_out_landmarks(landmarks: Rows, before: Points | None = None) -> Points:
    """Return points float32 [k, 2] within the circle of radius 1; deterministic.

    Args:
        landmarks: float32 [k, dim].
        before: Their points on the previous map, float32 [k, 2], which are roughly kept.
    """
    if len(landmarks) < _FEWEST:
        return _in_a_circle(len(landmarks))
    # Imported here: packages that import this module do not need it, and the window's process must not load it.
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    start, exaggeration = ("pca", _EXAGGERATION) if before is None else (_start(before), _GENTLY)
    perplexity = min(_PERPLEXITY, (len(landmarks) - 1) / 3)
    with threadpool_limits(1):  # sums of several threads come in any order: the picture would not be the same each time
        tsne = TSNE(
            2,
            perplexity=perplexity,
            early_exaggeration=exaggeration,
            init=start,
            max_iter=_ITERATIONS,
            random_state=0,
            n_jobs=1,
        )
        points = np.asarray(tsne.fit_transform(np.asarray(landmarks, np.float32)), np.float32)
    return _within_circle(points)


def _start(before: Points) -> Points:
    """Return start points scaled close to the final spread of t-SNE, which is wider for more points."""
    spread = float(np.std(before))
    wanted = _SPREAD * min(1.0, float(np.sqrt(len(before) / _SPREAD_OF)))
    # Identical points could never separate.
    jitter = np.random.default_rng(0).normal(0.0, _JITTER, before.shape)
    return np.asarray((before - before.mean(axis=0)) * (wanted / spread if spread > 0 else 1.0) + jitter, np.float32)


def _within_circle(points: Points) -> Points:
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.linalg.norm(points - middle, axis=1).max())
    return np.asarray((points - middle) / (radius or 1.0), np.float32)


def _in_a_circle(count: int) -> Points:
    """Return points on a circle, for too few landmarks to compute neighbourhoods."""
    angles = np.arange(count) * (2 * np.pi / max(1, count))
    radius = 0.5 if count > 1 else 0.0
    return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32) * np.float32(radius)


_REGIONS_FEWEST, _MOST = 3, 60
_ROUNDS = 30
_PIECE = 4_096
_SAMPLE = 4_000
_FAR = 0.95


def region_centres(points: Points) -> Points:
    """Return the centres of regions float32 [r, 2], the largest region first; deterministic."""
    if not len(points):
        return np.empty((0, 2), np.float32)
    sample = points[np.linspace(0, len(points) - 1, min(_SAMPLE, len(points))).astype(np.int64)]
    centres = _spread(sample, min(len(sample), int(np.clip(round(np.sqrt(len(points)) / 4), _REGIONS_FEWEST, _MOST))))
    for _ in range(_ROUNDS):
        before, (centres, share) = centres, _moved(sample, centres)
        if np.array_equal(before, centres):
            break
    return centres[np.argsort(-share, kind="stable")][: int(np.count_nonzero(share))]


def nearest_of(points: Points, centres: Points) -> NDArray[np.int64]:
    """Return the index of the nearest centre for each point."""
    found = np.empty(len(points), np.int64)
    for start in range(0, len(points), _PIECE):
        some = points[start : start + _PIECE]
        away = ((some[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        found[start : start + _PIECE] = away.argmin(axis=1)
    return found


def _moved(points: Points, centres: Points) -> tuple[Points, NDArray[np.int64]]:
    """Return the mean of the points nearest to each centre, and the number of these points."""
    owner = nearest_of(points, centres)
    share = np.bincount(owner, minlength=len(centres)).astype(np.int64)
    sums = np.column_stack([np.bincount(owner, points[:, axis], len(centres)) for axis in (0, 1)])
    moved = np.where(share[:, None] > 0, sums / np.maximum(share, 1)[:, None], centres).astype(np.float32)
    return moved, share


def _spread(points: Points, count: int) -> Points:
    """Return initial centres: the point nearest to the mean, then repeatedly one far from all chosen so far.

    The farthest point is not used, as it is usually an outlier.
    """
    away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    chosen = [int(away.argmin())]
    away = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argsort(away, kind="stable")[int(_FAR * (len(away) - 1))]))
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()
