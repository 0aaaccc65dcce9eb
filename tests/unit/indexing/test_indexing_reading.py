"""The saved index, read while another program writes it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.index_folder import IndexManifest
from workbench.indexing.saved_index import LibraryVectors, ReadOnlyIndex
from workbench.indexing.segment import WriteBuffer

ROWS = np.random.default_rng(0).standard_normal((3 * WriteBuffer.ROOM, 4)).astype(np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)


class Written:
    """A library and its index, as used by the program that writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[int, NDArray[np.float32]] = {}
        self.generation = 0
        self.store = FaissStore(4, path)

    def put(self, numbers: range, *, saved: bool = True, shift: int = 0) -> None:
        self.rows |= {number: ROWS[number + shift] for number in numbers}
        self.generation += 1
        self.store.upsert(np.array(numbers, np.int64), ROWS[numbers.start + shift : numbers.stop + shift])
        if saved:
            self.store.save(self.path, generation=self.generation)

    def ids(self) -> NDArray[np.int64]:
        return np.array(sorted(self.rows), np.int64)

    def fetch(self, ids: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        return np.array(ids, np.int64), np.stack([self.rows[id] for id in ids])

    def beginnings(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        return self.ids(), np.stack([self.rows[id][:2] for id in sorted(self.rows)])

    def truth(self) -> LibraryVectors:
        return LibraryVectors(4, self.generation, self.ids, self.fetch, self.beginnings)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    written = Written(tmp_path / "index")
    written.put(range(200))
    return written


def nearest(index: ReadOnlyIndex, row: int) -> int:
    ids, _ = index.store.search(ROWS[row], 1)
    return int(ids[0])


def test_vectors_that_the_saved_index_lacks_come_from_the_library(written: Written) -> None:
    written.put(range(200, 250), saved=False)
    index = ReadOnlyIndex(written.path, written.truth)
    assert (index.store.count, nearest(index, 240)) == (250, 240)


def test_a_read_only_index_follows_later_changes_of_the_library(written: Written) -> None:
    index = ReadOnlyIndex(written.path, written.truth)
    written.put(range(200, 250))
    written.put(range(10), shift=1000)
    del written.rows[100]
    index.follow()
    assert (index.store.count, nearest(index, 240), nearest(index, 1005)) == (249, 240, 5)
    assert nearest(index, 5) != 5


def test_a_read_only_index_checks_only_vectors_reported_as_changed(written: Written) -> None:
    changes: list[NDArray[np.int64] | None] = [None]

    def truth() -> LibraryVectors:
        return replace(
            written.truth(),
            found_among=lambda ids: np.array([id for id in ids.tolist() if id in written.rows], np.int64),
            changes_since=lambda _position: (0, changes[-1]),
        )

    index = ReadOnlyIndex(written.path, truth)
    written.put(range(200, 250))
    written.put(range(10), shift=1000)
    del written.rows[100]
    changes.append(np.array([5, 100, 240], np.int64))
    index.follow()
    assert (index.store.count, nearest(index, 240), nearest(index, 1005), nearest(index, 6)) == (200, 240, 5, 6)
    changes.append(None)
    index.follow()
    assert (index.store.count, nearest(index, 1006)) == (249, 6)


def test_files_that_are_merged_and_deleted_meanwhile_are_still_searched(written: Written) -> None:
    index = ReadOnlyIndex(written.path, written.truth)
    before = set(written.path.iterdir())
    written.put(range(200, 1500))
    assert not before <= set(written.path.iterdir())
    assert nearest(index, 150) == 150


def test_a_manifest_that_lists_deleted_files_is_read_again(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    old = [IndexManifest.read(written.path)]
    written.put(range(200, 1500))
    read = IndexManifest.read
    monkeypatch.setattr(IndexManifest, "read", lambda path: old.pop() if old else read(path))
    fetched: list[int] = []
    fetch = written.fetch
    monkeypatch.setattr(written, "fetch", lambda ids: fetched.extend(ids) or fetch(ids))
    index = ReadOnlyIndex(written.path, written.truth)
    assert (index.store.count, fetched, old) == (1500, [], [])


def test_more_than_fits_into_the_memory_of_a_writer_writes_nothing(written: Written) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in written.path.iterdir()}
    written.rows |= dict(enumerate(ROWS))
    index = ReadOnlyIndex(written.path, written.truth)
    assert index.store.count == len(ROWS)
    assert {path.name: path.stat().st_mtime_ns for path in written.path.iterdir()} == before


@pytest.mark.parametrize("damage", ["absent", "manifest", "width"])
def test_an_index_that_cannot_be_used_is_made_in_memory(written: Written, damage: str) -> None:
    if damage == "absent":
        written.path = written.path.with_name("none")
    elif damage == "manifest":
        (written.path / "manifest").write_bytes(b"x")
    else:
        other = FaissStore(2, written.path)
        other.upsert(np.array([1]), np.array([[1.0, 0.0]], np.float32))
        other.save(written.path, generation=written.generation)
    index = ReadOnlyIndex(written.path, written.truth)
    assert (index.store.count, nearest(index, 150)) == (200, 150)
