"""The cache file: believed only when it is whole and agrees with the library."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from workbench.errors import IndexUnavailable
from workbench.indexing.faiss_store import FaissStore, open_index
from workbench.indexing.index_file import Vectors

IDS = np.array([1, 2, 3], np.int64)
ROWS = np.eye(3, 4, dtype=np.float32)


def from_library() -> list[Vectors]:
    return [(IDS, ROWS)]


def never() -> list[Vectors]:
    raise AssertionError("the cache is good and should be used")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / "index.faiss"
    open_index(path, dim=4, generation=5, rebuild=from_library)
    return path


def test_a_good_cache_is_used(saved: Path) -> None:
    assert open_index(saved, dim=4, generation=5, rebuild=never).count == 3


def test_a_cache_behind_the_library_is_made_anew(saved: Path) -> None:
    store = open_index(saved, dim=4, generation=6, rebuild=lambda: [(IDS[:1], ROWS[:1]), (IDS[1:2], ROWS[1:2])])
    assert (store.count, store.generation, FaissStore.load(saved).generation) == (2, 6, 6)


def test_a_cache_of_another_width_is_made_anew(saved: Path) -> None:
    store = open_index(saved, dim=3, generation=5, rebuild=lambda: [(IDS, np.eye(3, dtype=np.float32))])
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
    store = open_index(tmp_path / "index", dim=4, generation=0, rebuild=list)
    assert (store.count, len(store.search(ROWS[0], 5)[0])) == (0, 0)


def test_the_log_of_a_new_library_tells_of_no_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "workbench"):
        open_index(tmp_path / "index", dim=4, generation=0, rebuild=list)
    assert caplog.messages == ["The search index is made: there is none yet"]


def test_the_log_says_why_a_damaged_cache_is_made_anew(saved: Path, caplog: pytest.LogCaptureFixture) -> None:
    saved.write_bytes(saved.read_bytes()[:40])
    with caplog.at_level("INFO", "workbench"):
        open_index(saved, dim=4, generation=5, rebuild=from_library)
    assert caplog.messages == ["The search index is made anew: The search index is damaged."]


def test_saving_and_loading_copy_only_a_few_vectors_at_a_time(tmp_path: Path) -> None:
    rows = np.zeros((40_000, 64), np.float32)
    store = FaissStore(64)
    store.upsert(np.arange(len(rows), dtype=np.int64), rows)
    tracemalloc.start()
    try:
        store.save(tmp_path / "index", generation=1)
        assert FaissStore.load(tmp_path / "index").count == len(rows)
        assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 4
    finally:
        tracemalloc.stop()


def test_what_is_added_after_a_removal_takes_the_room_that_became_free() -> None:
    store = FaissStore(4)
    for _ in range(5):
        store.upsert(np.arange(9000, dtype=np.int64), np.ones((9000, 4), np.float32))
    assert (store.count, len(store._parts)) == (9000, 2)
