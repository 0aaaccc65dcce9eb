"""Map projection: the same vectors give the same map, and later ones are placed next to similar ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.projection import (
    MOST,
    ProjectionChart,
    VectorPlacer,
    draw_chart,
    landmarks_of,
    lay_out_landmarks,
    nearest_of,
    read_chart,
    region_centres,
    sampled,
    write_chart,
)

Rows = NDArray[np.float32]
TOPICS, EACH, DIM = 5, 40, 24


def unit(rows: Rows) -> Rows:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def vectors(count: int = TOPICS * EACH, *, seed: int = 1) -> Rows:
    """Return vectors of some topics, one after the other."""
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(7).normal(size=(TOPICS, DIM))
    return unit(topics[np.arange(count) * TOPICS // count] + 0.25 * random.normal(size=(count, DIM)))


class Shelf:
    """Stand-in for the library's vectors."""

    def __init__(self, rows: Rows) -> None:
        self.rows = dict(enumerate(rows, start=10))

    @property
    def truth(self) -> tuple[NDArray[np.int64], Rows]:
        ids = np.array(sorted(self.rows), np.int64)
        return ids, np.array([self.rows[id][:2] for id in ids.tolist()], np.float32).reshape(len(ids), 2)

    def fetch(self, ids: list[int]) -> tuple[NDArray[np.int64], Rows]:
        held = [id for id in ids if id in self.rows]
        return np.array(held, np.int64), np.array([self.rows[id] for id in held], np.float32)


def go_on() -> bool:
    return False


@pytest.fixture(scope="module")
def spots() -> Rows:
    return lay_out_landmarks(vectors())


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(vectors())


@pytest.fixture
def chart(spots: Rows, shelf: Shelf) -> ProjectionChart:
    made = draw_chart(vectors(), spots, shelf.truth, shelf.fetch, 3, go_on)
    assert made is not None
    return made


def test_the_same_vectors_are_laid_out_in_the_same_way_each_time(spots: Rows) -> None:
    assert np.array_equal(lay_out_landmarks(vectors()), spots)
    assert np.linalg.norm(spots, axis=1).max() <= 1.0001


def test_similar_vectors_are_placed_close_together(spots: Rows) -> None:
    topic = np.arange(len(spots)) // EACH
    away = np.linalg.norm(spots[:, None] - spots[None], axis=2) + 9 * np.eye(len(spots))
    assert (topic[away.argmin(axis=1)] == topic).mean() > 0.95


def test_a_map_that_was_there_keeps_its_places_roughly(spots: Rows) -> None:
    turned = np.stack([-spots[:, 1], spots[:, 0]], axis=1)
    again = lay_out_landmarks(vectors(), turned)
    assert min(np.corrcoef(turned[:, axis], again[:, axis])[0, 1] for axis in (0, 1)) > 0.8


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7])
def test_a_handful_of_vectors_is_laid_out_too(count: int) -> None:
    points = lay_out_landmarks(vectors(count))
    assert points.shape == (count, 2)
    assert np.isfinite(points).all()


def test_vectors_that_are_all_the_same_do_no_harm() -> None:
    same = np.repeat(vectors(1), 12, axis=0)
    points = lay_out_landmarks(same)
    assert np.isfinite(points).all()
    assert np.isfinite(VectorPlacer(same, points).points(same)).all()


def test_a_landmark_is_placed_at_its_own_point(spots: Rows) -> None:
    assert np.abs(VectorPlacer(vectors(), spots).points(vectors()) - spots).max() < 1e-3


def test_a_vector_placed_later_is_close_to_its_neighbours(spots: Rows) -> None:
    later = vectors(seed=2)
    points = VectorPlacer(vectors(), spots).points(later)
    topic = np.arange(len(later)) // EACH
    middles = spots.reshape(TOPICS, EACH, 2).mean(axis=1)
    assert (nearest_of(points, middles.astype(np.float32)) == topic).mean() > 0.95


@pytest.mark.parametrize("landmarks", [1, 2, 4, 5])
def test_placing_works_with_few_landmarks(landmarks: int) -> None:
    rows = vectors(landmarks)
    points = VectorPlacer(rows, lay_out_landmarks(rows)).points(vectors())
    assert points.shape == (TOPICS * EACH, 2)
    assert np.isfinite(points).all()


def test_few_vectors_are_landmarks_themselves_and_many_give_their_middles() -> None:
    assert np.array_equal(landmarks_of(vectors(), go_on), vectors())
    random = unit(np.random.default_rng(0).normal(size=(MOST + 500, 8)))
    found = landmarks_of(random, go_on)
    assert found is not None
    assert found.shape == (MOST, 8)
    assert landmarks_of(random, lambda: True) is None
    assert len(sampled(np.arange(10**6, dtype=np.int64))) == MOST * 16


def test_a_new_chunk_is_placed_and_moves_nothing(chart: ProjectionChart, shelf: Shelf) -> None:
    shelf.rows[900] = vectors(seed=2)[0]
    followed = chart.followed(shelf.truth, shelf.fetch, 4, go_on)
    assert np.array_equal(followed.points[:-1], chart.points)
    assert (followed.ids[-1], followed.changed, followed.generation) == (900, 1, 4)
    first_topic = chart.points[:EACH].mean(axis=0)
    assert np.linalg.norm(followed.points[-1] - first_topic) < 0.5


def test_removed_chunks_are_omitted_and_changed_chunks_are_placed_again(chart: ProjectionChart, shelf: Shelf) -> None:
    del shelf.rows[10]
    shelf.rows[11] = vectors()[-1]
    followed = chart.followed(shelf.truth, shelf.fetch, 5, go_on)
    assert len(followed.ids) == len(chart.ids) - 1
    assert np.linalg.norm(followed.points[0] - chart.points[-1]) < 1e-3
    assert followed.changed == 3


def test_a_chart_in_step_stays_as_it_is(chart: ProjectionChart, shelf: Shelf) -> None:
    assert chart.followed(shelf.truth, shelf.fetch, 3, go_on) is chart


def test_a_chart_that_was_stopped_knows_that_it_is_behind(chart: ProjectionChart, shelf: Shelf) -> None:
    shelf.rows[900] = vectors(seed=2)[0]
    followed = chart.followed(shelf.truth, shelf.fetch, 4, lambda: True)
    assert (len(followed.ids), followed.generation) == (len(chart.ids), 3)
    assert draw_chart(chart.landmarks, chart.spots, shelf.truth, shelf.fetch, 4, lambda: True) is None


def test_a_chart_is_outdated_when_a_third_has_come(chart: ProjectionChart, shelf: Shelf) -> None:
    shelf.rows |= dict(enumerate(vectors(55, seed=2), start=900))
    assert not chart.followed(shelf.truth, shelf.fetch, 4, go_on).is_outdated
    shelf.rows |= dict(enumerate(vectors(70, seed=2), start=900))
    assert chart.followed(shelf.truth, shelf.fetch, 5, go_on).is_outdated


def test_a_chart_is_read_as_it_was_written(chart: ProjectionChart, tmp_path: Path) -> None:
    write_chart(tmp_path / "map" / "one.chart", chart)
    again = read_chart(tmp_path / "map" / "one.chart")
    assert again is not None
    for name in ("landmarks", "spots", "ids", "beginnings", "points"):
        assert np.array_equal(getattr(again, name), getattr(chart, name))
    assert (again.laid_out_of, again.changed, again.generation) == (TOPICS * EACH, 0, 3)


def test_there_may_be_no_chart(tmp_path: Path) -> None:
    assert read_chart(tmp_path / "none.chart") is None


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:9], lambda data: data[:900] + b"?" + data[901:], bytes.lower]
)
def test_a_damaged_chart_is_not_believed(
    chart: ProjectionChart, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "one.chart"
    write_chart(path, chart)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(IndexUnavailable, match="damaged"):
        read_chart(path)


def test_regions_surround_points_that_are_close_together(chart: ProjectionChart) -> None:
    centres = region_centres(chart.points)
    owner = nearest_of(chart.points, centres)
    assert np.array_equal(centres, region_centres(chart.points))
    topics = np.arange(len(owner)) // EACH
    assert all(len(set(topics[owner == region])) <= 3 for region in range(len(centres)))
    assert region_centres(chart.points[:0]).shape == (0, 2)
