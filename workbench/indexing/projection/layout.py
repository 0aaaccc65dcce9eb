"""Landmarks -> points in a plane, by t-SNE; called in a child process, since scikit-learn takes 2 s to import."""

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


def laid_out(landmarks: Rows, before: Points | None = None) -> Points:
    """Return points float32 [k, 2] within the circle of radius 1; the same each time.

    Args:
        landmarks: float32 [k, dim].
        before: Where they would stand on the map so far, float32 [k, 2]: what is known keeps its place, roughly.
    """
    if len(landmarks) < _FEWEST:
        return _in_a_circle(len(landmarks))
    # Here and not above: the rooms that import this module need none of it, and the window's process must not.
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
    """Return where to begin: not far from where t-SNE ends, which spreads more points wider."""
    spread = float(np.std(before))
    wanted = _SPREAD * min(1.0, float(np.sqrt(len(before) / _SPREAD_OF)))
    # What stands on one spot could never part.
    jitter = np.random.default_rng(0).normal(0.0, _JITTER, before.shape)
    return np.asarray((before - before.mean(axis=0)) * (wanted / spread if spread > 0 else 1.0) + jitter, np.float32)


def _within_circle(points: Points) -> Points:
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = float(np.linalg.norm(points - middle, axis=1).max())
    return np.asarray((points - middle) / (radius or 1.0), np.float32)


def _in_a_circle(count: int) -> Points:
    """Return points for so few that nothing can be said of who is whose neighbour."""
    angles = np.arange(count) * (2 * np.pi / max(1, count))
    radius = 0.5 if count > 1 else 0.0
    return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32) * np.float32(radius)
