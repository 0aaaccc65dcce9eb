"""Opening of the saved index: damaged and missing vectors, and those of another model, are taken from the library."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.saved_index import LibraryVectors, open_index

ROWS = np.random.default_rng(0).standard_normal((300, 4)).astype(np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)


class Vectors:
    """Stand-in for the vectors of a library."""

    def __init__(self) -> None:
        self.rows = {id: ROWS[id] for id in range(1, 200)}
        self.generation = 5
        self.fetched: list[int] = []

    def ids(self) -> NDArray[np.int64]:
        return np.array(sorted(self.rows), np.int64)

    def fetch(self, ids: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        self.fetched += ids
        return np.array(ids, np.int64), np.stack([self.rows[id] for id in ids])

    def beginnings(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        return self.ids(), np.stack([self.rows[id][:2] for id in sorted(self.rows)])

    def open(self, path: Path) -> tuple[FaissStore, bool]:
        self.fetched.clear()
        opened = open_index(path, self.truth)
        return opened.store, opened.was_damaged

    @property
    def truth(self) -> LibraryVectors:
        return LibraryVectors(4, self.generation, self.ids, self.fetch, self.beginnings)


@pytest.fixture
def vectors() -> Vectors:
    return Vectors()


@pytest.fixture
def path(tmp_path: Path, vectors: Vectors) -> Path:
    vectors.open(tmp_path / "index" / "model")
    return tmp_path / "index" / "model"


def test_an_intact_index_is_used_and_no_damage_is_reported(vectors: Vectors, path: Path) -> None:
    store, was_damaged = vectors.open(path)
    assert (store.count, was_damaged, vectors.fetched) == (199, False, [])


def test_a_new_library_has_no_index_and_no_damage_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "workbench"):
        opened = open_index(
            tmp_path / "model",
            LibraryVectors(4, 0, lambda: np.empty(0, np.int64), Vectors().fetch, Vectors().beginnings),
        )
    assert (opened.store.count, opened.was_damaged) == (0, False)
    assert caplog.messages == ["The search index is made: there is none yet"]


def test_one_behind_the_library_takes_in_only_what_is_other_there(vectors: Vectors, path: Path) -> None:
    vectors.generation = 9
    del vectors.rows[3]
    vectors.rows[7] = ROWS[270]
    vectors.rows[250] = ROWS[250]
    store, was_damaged = vectors.open(path)
    assert (store.count, was_damaged, sorted(vectors.fetched)) == (199, False, [7, 250])
    assert store.search(ROWS[270] * 100, 1)[0].tolist() == [7]
    assert FaissStore.load(path).generation == 9


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def garbage(path: Path) -> None:
    path.write_bytes(b"These are my notes and no index. " * 10)


@pytest.mark.parametrize("damage", [cut, garbage])
@pytest.mark.parametrize("suffix", ["vectors", ""])
def test_a_damaged_index_file_is_reported_and_rebuilt(
    vectors: Vectors, path: Path, damage: Callable[[Path], None], suffix: str
) -> None:
    (file,) = [each for each in path.iterdir() if each.suffix == (suffix and f".{suffix}")]
    damage(file)
    store, was_damaged = vectors.open(path)
    assert (store.count, was_damaged, len(vectors.fetched)) == (199, True, 199)
    assert vectors.open(path)[1] is False
    assert vectors.fetched == []


def test_a_rebuild_that_would_take_long_is_left_to_the_caller(vectors: Vectors, path: Path) -> None:
    (file,) = path.glob("*.vectors")
    cut(file)
    opened = open_index(path, vectors.truth, at_once=198)
    assert (opened.store.count, opened.was_damaged, opened.is_whole) == (0, True, False)
    opened = open_index(path, vectors.truth, at_once=199)
    assert (opened.store.count, opened.was_damaged, opened.is_whole) == (199, True, True)


def test_a_file_in_the_place_of_the_index_folder_is_reported_and_the_index_rebuilt(
    vectors: Vectors, path: Path
) -> None:
    for file in path.iterdir():
        file.unlink()
    path.rmdir()
    path.write_bytes(b"an index of an old version")
    assert vectors.open(path)[1] is True
    assert vectors.open(path)[1] is False


def test_an_index_of_another_dimension_is_reported_and_rebuilt(vectors: Vectors, path: Path) -> None:
    FaissStore(3).save(path, generation=5)
    store, was_damaged = vectors.open(path)
    assert (store.dim, store.count, was_damaged) == (4, 199, True)


@pytest.mark.logs_warnings
def test_one_that_cannot_be_written_is_held_in_memory(vectors: Vectors, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    store, was_damaged = vectors.open(tmp_path / "file" / "model")
    assert (store.count, was_damaged) == (199, False)
