"""The cache file: believed only when it is whole and agrees with the library."""

import os
from pathlib import Path

import numpy as np
import pytest

from workbench.errors import IndexUnavailable
from workbench.indexing.faiss_store import FaissStore, Vectors, open_index

IDS = np.array([1, 2, 3], np.int64)
ROWS = np.eye(3, 4, dtype=np.float32)


def from_library() -> Vectors:
    return IDS, ROWS


def never() -> Vectors:
    raise AssertionError("the cache is good and should be used")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / "index.faiss"
    open_index(path, dim=4, generation=5, rebuild=from_library)
    return path


def test_a_good_cache_is_used(saved: Path) -> None:
    assert open_index(saved, dim=4, generation=5, rebuild=never).count == 3


def test_a_cache_behind_the_library_is_made_anew(saved: Path) -> None:
    store = open_index(saved, dim=4, generation=6, rebuild=lambda: (IDS[:2], ROWS[:2]))
    assert (store.count, store.generation, FaissStore.load(saved).generation) == (2, 6, 6)


def test_a_cache_of_another_width_is_made_anew(saved: Path) -> None:
    store = open_index(saved, dim=3, generation=5, rebuild=lambda: (IDS, np.eye(3, dtype=np.float32)))
    assert (store.dim, store.count) == (3, 3)


@pytest.mark.parametrize("length", [0, 3, 31, 40, -1])
def test_a_cache_cut_short_is_noticed_and_made_anew(saved: Path, length: int) -> None:
    saved.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(IndexUnavailable):
        FaissStore.load(saved)
    assert open_index(saved, dim=4, generation=5, rebuild=from_library).count == 3
    assert open_index(saved, dim=4, generation=5, rebuild=never).count == 3


def test_one_flipped_bit_is_noticed(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[-5] ^= 1
    saved.write_bytes(data)
    with pytest.raises(IndexUnavailable, match="damaged"):
        FaissStore.load(saved)


def test_a_foreign_file_is_noticed(saved: Path) -> None:
    saved.write_bytes(b"These are my notes and no index. " * 10)
    with pytest.raises(IndexUnavailable, match="damaged"):
        FaissStore.load(saved)


def test_a_kill_before_the_rename_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_descriptor: int) -> None:
        raise KeyboardInterrupt

    store = FaissStore(4)
    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        store.save(saved, generation=6)
    assert FaissStore.load(saved).count == 3


def test_a_cache_that_cannot_be_written_is_told(saved: Path) -> None:
    with pytest.raises(IndexUnavailable, match="could not be saved"):
        FaissStore(4).save(saved / "below", generation=1)


def test_an_empty_library_has_an_empty_index(tmp_path: Path) -> None:
    nothing = (np.empty(0, np.int64), np.empty((0, 0), np.float32))
    store = open_index(tmp_path / "index", dim=4, generation=0, rebuild=lambda: nothing)
    assert (store.count, len(store.search(ROWS[0], 5)[0])) == (0, 0)
