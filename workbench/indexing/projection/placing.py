"""Any vector -> its point in the plane, among the landmarks that are nearest to it."""

from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Points = NDArray[np.float32]

# Its type stubs know the C++ names only, not what its Python layer adds.
_FAISS: Any = faiss

NEAREST = 4
"""Landmarks by which a vector is placed. Trustworthiness as in landmarks.py: 4 0.979, 8 0.976, 12 0.974."""

_CLOSEST = 1e-6


class Placing:
    """Places vectors: each in the weighted middle of the points of its nearest landmarks.

    The weight of a landmark at cosine distance d is ((R - d) / (R d))^2, where R is the distance of the next landmark
    that counts no more (modified Shepard weights): a landmark's own vector stands on its point, and the point moves
    without a jump as another landmark comes to be among the nearest.
    """

    def __init__(self, landmarks: Rows, spots: Points) -> None:
        """Take unit vectors float32 [k, dim], k >= 1, and their points float32 [k, 2]."""
        self._spots = spots
        self._index = _FAISS.IndexFlatIP(landmarks.shape[1])
        self._index.add(np.ascontiguousarray(landmarks, np.float32))

    def points(self, rows: Rows) -> Points:
        """Return float32 [n, 2] for unit vectors float32 [n, dim]: 100,000 of 384 in 4 s of one processor."""
        faiss.omp_set_num_threads(1)  # of the calling thread
        count = min(NEAREST + 1, len(self._spots))
        cosines, nearest = self._index.search(np.ascontiguousarray(rows, np.float32), count)
        distances = np.maximum(1.0 - cosines, _CLOSEST)
        if count > NEAREST:
            reach, distances, nearest = distances[:, NEAREST:], distances[:, :NEAREST], nearest[:, :NEAREST]
        else:
            reach = np.full((len(distances), 1), 2.0 + _CLOSEST, np.float32)
        # Where all are equally far none would count: a little is left to each.
        weights = ((reach - distances) / (reach * distances)) ** 2 + 1e-6
        weights /= weights.sum(axis=1, keepdims=True)
        points: Points = (weights[:, :, None] * self._spots[nearest]).sum(axis=1).astype(np.float32)
        return points
