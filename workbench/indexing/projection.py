"""Projection of the vectors into a plane, for the map of the library.

    a sample -> landmarks -> laid out by t-SNE -> every vector placed among the landmarks nearest to it -> chart

Only landmarks are laid out, of which there are never more than 2,000: 3 s of one processor however large the library.
All other vectors, including later ones and the query, are placed relative to them without moving others.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.atomic_files import atomic_rewrite
from workbench.indexing.centres import centres_of
from workbench.indexing.index_file import Stop
from workbench.indexing.saved_index import Fetch, Vectors, in_pieces
from workbench.language import mark

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


Ids = NDArray[np.int64]

_ENOUGH_CHANGED = 0.3
_FEW = 20


@dataclass(frozen=True, slots=True, eq=False)
class ProjectionChart:
    """Immutable chart; following the library creates a new one.

    Attributes:
        landmarks: float32 [k, dim].
        spots: Their points, float32 [k, 2], within the circle of radius 1.
        ids: int64 [n], ascending.
        beginnings: The first values of each vector, float32 [n, m], to detect changed vectors.
        points: Point of each vector, float32 [n, 2].
        laid_out_of: Number of vectors when the landmarks were laid out.
        changed: Number of vectors added or removed since then.
        generation: Number of the library state that it matches.
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
        """True if so many vectors changed that the landmarks no longer represent the library."""
        return self.changed > max(_FEW, _ENOUGH_CHANGED * self.laid_out_of)

    def place(self, rows: NDArray[np.float32]) -> Points:
        """Return the points float32 [n, 2] of any vectors, such as those of a query or of new chunks."""
        return VectorPlacer(self.landmarks, self.spots).points(rows)

    def followed(self, truth: Vectors, fetch: Fetch, generation: int, stop: Stop) -> "ProjectionChart":
        """Return a chart with exactly the library's vectors; self if nothing changed.

        If it was stopped, some vectors are missing and the generation is not updated.

        Args:
            truth: The ids of the library's vectors, ascending, and their beginnings.
            fetch: Returns vectors.
            generation: Generation of the library.
            stop: Called between blocks of some thousands.
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
        """Return the positions of ids that are still wanted and have the same vector."""
        if not len(wanted):
            return np.empty(0, np.int64)
        places = np.minimum(np.searchsorted(wanted, self.ids), len(wanted) - 1)
        same = wanted[places] == self.ids
        if beginnings.shape[1:] == self.beginnings.shape[1:]:
            same &= (beginnings[places] == self.beginnings).all(axis=1)
        return np.flatnonzero(same)

    def _all_placed(self, ids: Ids, fetch: Fetch, stop: Stop) -> Iterator[tuple[Ids, Points]]:
        placing = VectorPlacer(self.landmarks, self.spots)
        for some, rows in in_pieces(ids, fetch):
            if stop():
                return
            if len(some):
                yield some, placing.points(rows)


def draw_chart(
    landmarks: NDArray[np.float32],
    spots: Points,
    truth: Vectors,
    fetch: Fetch,
    generation: int,
    stop: Stop,
    report_share: Callable[[float], None] = lambda _share: None,
) -> ProjectionChart | None:
    """Return a new chart with every vector of the library placed; None if it was stopped.

    Args:
        landmarks: float32 [k, dim].
        spots: Their points, float32 [k, 2].
        truth: The ids of the library's vectors, ascending, and their beginnings.
        fetch: Returns vectors.
        generation: Generation of the library.
        stop: Called between blocks of some thousands.
        report_share: Called with the share of vectors placed so far.
    """
    wanted, beginnings = truth
    placing, ids, points, done = VectorPlacer(landmarks, spots), [], [], 0
    for some, rows in in_pieces(wanted, fetch):
        if stop():
            return None
        if len(some):
            ids.append(some)
            points.append(placing.points(rows))
            done += len(some)
            report_share(done / len(wanted))
    held = np.concatenate([np.empty(0, np.int64), *ids])
    order = np.argsort(held, kind="stable")
    held = held[order]
    every = np.concatenate([np.empty((0, 2), np.float32), *points])[order]
    # A vector that was deleted during this call is in no piece.
    return ProjectionChart(
        landmarks, spots, held, beginnings[np.searchsorted(wanted, held)], every, len(held), 0, generation
    )


# Magic with format number, checksum of all that follows; width, landmarks, vectors, values of a beginning, how many
# vectors there were when it was drawn, how many changed, generation, bytes of the names.
_HEAD = struct.Struct("<8sI")
_BODY = struct.Struct("<IIQIQQQI")
_MAGIC = b"KWCHART1"
_DAMAGED = (mark("The map of the library was damaged."), mark("It is drawn again; nothing is lost."))


def write_chart(path: Path, chart: ProjectionChart) -> None:
    """Write a chart so that a kill at any moment leaves the old one or the new one.

    Raises:
        IndexUnavailable: It cannot be written.
    """
    names = chart.names.encode("utf-8", "surrogatepass")
    count, dim = chart.landmarks.shape
    sizes = (dim, count, len(chart.ids), chart.beginnings.shape[1], chart.laid_out_of, chart.changed, chart.generation)
    parts = [_BODY.pack(*sizes, len(names)), *map(_bytes, _arrays(chart)), names]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    with atomic_rewrite(path) as file:
        file.write(_HEAD.pack(_MAGIC, checksum))
        for part in parts:
            file.write(part)


def read_chart(path: Path) -> ProjectionChart | None:
    """Return the saved chart; None if there is no file.

    Raises:
        IndexUnavailable: It is cut short, damaged, or not such a file.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexUnavailable(mark("The map of the library cannot be read."), _DAMAGED[1]) from error
    if len(data) < _HEAD.size + _BODY.size:
        raise IndexUnavailable(*_DAMAGED)
    magic, checksum = _HEAD.unpack_from(data)
    if magic != _MAGIC or zlib.crc32(memoryview(data)[_HEAD.size :]) != checksum:
        raise IndexUnavailable(*_DAMAGED)
    dim, count, vectors, values, laid_out_of, changed, generation, _ = _BODY.unpack_from(data, _HEAD.size)
    place, arrays = _HEAD.size + _BODY.size, []
    for kind, shape in (
        ("<f4", (count, dim)),
        ("<f4", (count, 2)),
        ("<i8", (vectors,)),
        ("<f4", (vectors, values)),
        ("<f4", (vectors, 2)),
    ):
        size = int(np.prod(shape))
        arrays.append(np.frombuffer(data, kind, size, place).reshape(shape))
        place += size * np.dtype(kind).itemsize
    landmarks, spots, ids, beginnings, points = arrays
    names = data[place:].decode("utf-8", "surrogatepass")
    return ProjectionChart(landmarks, spots, ids, beginnings, points, laid_out_of, changed, generation, names)


def _arrays(chart: ProjectionChart) -> tuple[NDArray[np.generic], ...]:
    return (
        chart.landmarks.astype("<f4"),
        chart.spots.astype("<f4"),
        chart.ids.astype("<i8"),
        chart.beginnings.astype("<f4"),
        chart.points.astype("<f4"),
    )


def _bytes(array: NDArray[np.generic]) -> bytes:
    return np.ascontiguousarray(array).tobytes()


# The type stubs of FAISS cover only the C++ names, not what its Python layer adds.
_FAISS: Any = faiss

NEAREST = 4
"""Number of landmarks that place a vector. Trustworthiness as in library_map.py: 4 0.979, 8 0.976, 12 0.974."""

_CLOSEST = 1e-6


class VectorPlacer:
    """Placement of vectors at the weighted mean of the points of their nearest landmarks.

    The weight of a landmark at cosine distance d is ((R - d) / (R d))^2, where R is the distance of the next landmark
    that counts no more (modified Shepard weights): a landmark's own vector is at its point, and the point moves
    without a jump as another landmark comes to be among the nearest.
    """

    def __init__(self, landmarks: Rows, spots: Points) -> None:
        """Take unit vectors float32 [k, dim], k >= 1, and their points float32 [k, 2]."""
        self._spots = spots
        self._index = _FAISS.IndexFlatIP(landmarks.shape[1])
        self._index.add(np.ascontiguousarray(landmarks, np.float32))

    def points(self, rows: Rows) -> Points:
        """Return float32 [n, 2] for unit vectors float32 [n, dim]: 100,000 of 384 in 4 s of one processor."""
        faiss.omp_set_num_threads(1)  # applies to the calling thread
        count = min(NEAREST + 1, len(self._spots))
        cosines, nearest = self._index.search(np.ascontiguousarray(rows, np.float32), count)
        distances = np.maximum(1.0 - cosines, _CLOSEST)
        if count > NEAREST:
            reach, distances, nearest = distances[:, NEAREST:], distances[:, :NEAREST], nearest[:, :NEAREST]
        else:
            reach = np.full((len(distances), 1), 2.0 + _CLOSEST, np.float32)
        # If all are equally far all weights would be 0: a small constant is added.
        weights = ((reach - distances) / (reach * distances)) ** 2 + 1e-6
        weights /= weights.sum(axis=1, keepdims=True)
        points: Points = (weights[:, :, None] * self._spots[nearest]).sum(axis=1).astype(np.float32)
        return points


MOST = 2_000
"""Landmarks. 7,296 passages of technical documentation, trustworthiness among 10 neighbours: 500 landmarks 0.974 in
0.9 s of laying out, 1,000 0.977 in 1.5 s, 2,000 0.979 in 3.3 s; plain PCA of all of them 0.803."""

_EACH = 16
"""Number of sampled vectors per landmark: 49 MB at width 384."""


def sampled(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ids from which landmarks are computed: a uniform sample with a fixed seed."""
    if len(ids) <= MOST * _EACH:
        return ids
    return np.sort(np.random.default_rng(0).choice(ids, MOST * _EACH, replace=False))


def landmarks_of(sample: Rows, stop: Stop) -> Rows | None:
    """Return unit vectors float32 [k, dim], k <= MOST, deterministic; None if it was stopped."""
    if len(sample) <= MOST:
        return np.ascontiguousarray(sample, np.float32)
    return centres_of(np.ascontiguousarray(sample, np.float32), MOST, stop)
