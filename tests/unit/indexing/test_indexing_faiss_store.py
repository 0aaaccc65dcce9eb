"""The FAISS index as files: saved incrementally, opened without reading it, killed at any moment."""

import os
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing import faiss_store, segment
from workbench.indexing.base import IndexDamaged
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.segment import WriteBuffer

DIM = 8


def unit(count: int, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def numbers(start: int, end: int) -> NDArray[np.int64]:
    return np.arange(start, end, dtype=np.int64)


def never() -> bool:
    return False


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.suffix == ".vectors"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def saved(folder: Path) -> FaissStore:
    store = FaissStore(DIM, folder)
    store.upsert(numbers(0, 4000), unit(4000))
    store.save(folder, generation=5)
    return store


@pytest.fixture
def stays_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat segments like large ones: their rows are not kept in memory."""
    monkeypatch.setattr("workbench.indexing.segment.LEAST", 1)


def test_a_save_writes_what_is_new_and_not_the_rest_again(saved: FaissStore, folder: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.vectors")}
    saved.upsert(numbers(9000, 9003), unit(3, seed=1))
    saved.save(folder, generation=6)
    now = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.vectors")}
    assert len(now) == 2
    assert before.items() <= now.items()


def test_many_small_saves_leave_few_files(folder: Path) -> None:
    store = FaissStore(DIM, folder)
    for turn in range(60):
        store.upsert(numbers(50 * turn, 50 * turn + 50), unit(50, seed=turn))
        store.save(folder, generation=turn)
    assert len(sizes(folder)) <= 4
    assert FaissStore.load(folder).count == 3000


def test_removed_vectors_are_masked_and_stay_masked_after_loading(saved: FaissStore, folder: Path) -> None:
    before = sizes(folder)
    saved.remove(numbers(0, 10))
    saved.save(folder, generation=6)
    assert sizes(folder) == before
    loaded = FaissStore.load(folder)
    assert (loaded.count, loaded.ids.min()) == (3990, 10)
    assert loaded.search(unit(4000)[3], 1)[0].tolist() != [3]


def test_a_replaced_vector_stays_replaced_after_loading(saved: FaissStore, folder: Path) -> None:
    saved.upsert(numbers(7, 8), -unit(4000)[7:8])
    saved.save(folder, generation=6)
    loaded = FaissStore.load(folder)
    found, scores = loaded.search(unit(4000)[7], 4000)
    assert loaded.count == len(found) == 4000
    assert scores[found.tolist().index(7)] == pytest.approx(-1.0)


def test_a_segment_of_which_much_is_dead_is_written_again_without_it(saved: FaissStore, folder: Path) -> None:
    before = sum(sizes(folder).values())
    saved.remove(numbers(0, 3000))
    saved.save(folder, generation=6)
    assert sum(sizes(folder).values()) < before / 3
    assert FaissStore.load(folder).count == 1000


def test_a_store_from_which_everything_was_removed_has_no_files(saved: FaissStore, folder: Path) -> None:
    saved.remove(numbers(0, 4000))
    saved.save(folder, generation=6)
    assert (sizes(folder), FaissStore.load(folder).count) == ({}, 0)


def test_vectors_in_memory_move_to_the_folder_before_the_buffer_grows_large(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WriteBuffer, "ROOM", 100)
    store = FaissStore(DIM, folder)
    store.upsert(numbers(0, 1050), unit(1050))
    assert sum(len(part.ids) for part in store._parts if part.segment is None) == 50
    assert store.search(unit(1050)[400], 1)[0].tolist() == [400]


def test_without_room_on_the_disk_it_stays_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriteBuffer, "ROOM", 100)
    folder.write_text("a file where the folder should be")
    store = FaissStore(DIM, folder)
    store.upsert(numbers(0, 250), unit(250))
    assert store.search(unit(250)[240], 1)[0].tolist() == [240]
    with pytest.raises(IndexUnavailable, match="could not be saved"):
        store.save(folder, generation=1)


@pytest.mark.parametrize("kill", range(1, 5))
def test_a_kill_at_any_moment_of_a_save_leaves_the_old_state(
    saved: FaissStore, folder: Path, monkeypatch: pytest.MonkeyPatch, kill: int
) -> None:
    calls = iter(range(1, 99))

    def killed(_descriptor: int) -> None:
        if next(calls) == kill:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    saved.remove(numbers(0, 3500))
    saved.upsert(numbers(9000, 9100), unit(100, seed=1))
    # Folders are synchronised too: after the rename of the manifest, the fourth step, the new state exists.
    with pytest.raises(KeyboardInterrupt):
        saved.save(folder, generation=6)
    loaded = FaissStore.load(folder)
    assert (loaded.generation, loaded.count) == ((5, 4000) if kill < 4 else (6, 600))


def test_files_left_by_a_killed_process_are_deleted_by_the_next_save(saved: FaissStore, folder: Path) -> None:
    for name in ("000077.vectors", "000078.vectors.new", "000077.lists"):
        (folder / name).write_bytes(b"half")
    (folder / "notes.txt").write_text("mine")
    saved.save(folder, generation=6)
    assert {path.name for path in folder.iterdir()} == {*sizes(folder), "manifest", "notes.txt"}
    assert len(sizes(folder)) == 1


@pytest.mark.parametrize("fault", ["truncated", "deleted", "garbage", "another's"])
def test_a_damaged_segment_is_refused_and_the_rest_can_be_had(saved: FaissStore, folder: Path, fault: str) -> None:
    saved.upsert(numbers(9000, 9100), unit(100, seed=1))
    saved.save(folder, generation=6)
    first, second = sorted(folder.glob("*.vectors"))
    if fault == "truncated":
        first.write_bytes(first.read_bytes()[:5000])
    elif fault == "deleted":
        first.unlink()
    else:
        first.write_bytes(second.read_bytes() if fault == "another's" else os.urandom(9000))
    with pytest.raises(IndexUnavailable):
        FaissStore.load(folder)
    rest, problems = FaissStore.rescue(folder)
    assert (rest.count, len(problems)) == (100, 1)


@pytest.mark.parametrize("length", [0, 3, 20, -1])
def test_a_damaged_manifest_is_refused(saved: FaissStore, folder: Path, length: int) -> None:
    file = folder / "manifest"
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(IndexUnavailable):
        FaissStore.load(folder)


def test_one_flipped_bit_in_the_manifest_is_refused(saved: FaissStore, folder: Path) -> None:
    data = bytearray((folder / "manifest").read_bytes())
    data[-3] ^= 1
    (folder / "manifest").write_bytes(data)
    with pytest.raises(IndexUnavailable, match="damaged"):
        FaissStore.load(folder)


@pytest.mark.logs_warnings
@pytest.mark.usefixtures("stays_in_files")
def test_rows_that_turn_out_to_be_damaged_are_put_aside(saved: FaissStore, folder: Path) -> None:
    (file,) = folder.glob("*.vectors")
    data = bytearray(file.read_bytes())
    data[-40] ^= 1
    file.write_bytes(data)
    loaded = FaissStore.load(folder)
    assert (loaded.maintain(never), loaded.count) == (True, 0)
    with pytest.raises(IndexDamaged):
        loaded.search(unit(1)[0], 1)
    loaded.acknowledge_loss(loaded.loss)
    assert loaded.maintain(never) is False
    assert len(loaded.search(unit(1)[0], 1)[0]) == 0


@pytest.mark.logs_warnings
@pytest.mark.usefixtures("stays_in_files")
@pytest.mark.parametrize("more", [10, 5000])
def test_damaged_rows_do_not_become_sound_by_being_merged(saved: FaissStore, folder: Path, more: int) -> None:
    (file,) = folder.glob("*.vectors")
    data = bytearray(file.read_bytes())
    data[-40] ^= 1
    file.write_bytes(data)
    loaded = FaissStore.load(folder)
    loaded.remove(numbers(0, 2000))
    loaded.upsert(numbers(9000, 9000 + more), unit(more, seed=1))
    loaded.save(folder, generation=6)
    assert (loaded.count, loaded.maintain(never)) == (more, True)
    loaded.acknowledge_loss(loaded.loss)
    assert loaded.maintain(never) is False


def test_ids_stored_with_a_different_vector_are_reported(saved: FaissStore, folder: Path) -> None:
    rows = unit(4000)
    saved.upsert(numbers(9, 10), rows[20:21])
    saved.upsert(numbers(3990, 3991), rows[21:22])
    ids = np.sort(np.append(numbers(0, 4000), 70_000))
    beginnings = np.vstack([rows, rows[:1]])[:, :2]
    assert saved.differing(ids, beginnings).tolist() in ([9, 3990], [3990, 9])


@pytest.mark.usefixtures("stays_in_files")
def test_filling_saving_and_loading_copy_only_a_few_vectors_at_a_time(folder: Path) -> None:
    rows = np.zeros((40_000, 64), np.float32)
    tracemalloc.start()
    try:
        store = FaissStore(64, folder)
        for start in range(0, len(rows), 1000):
            store.upsert(numbers(start, start + 1000), rows[start : start + 1000])
        store.save(folder, generation=1)
        assert FaissStore.load(folder).count == len(rows)
        assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 2
    finally:
        tracemalloc.stop()


def test_repeatedly_replaced_vectors_take_no_more_space(saved: FaissStore) -> None:
    for _ in range(5):
        saved.upsert(numbers(0, 9000), np.ones((9000, DIM), np.float32))
    assert saved.count == 9000
    assert sum(len(part.ids) for part in saved._parts) < 30_000


def test_searches_go_on_while_it_is_saved_merged_and_tended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriteBuffer, "ROOM", 200)
    monkeypatch.setattr(segment, "_LEAST", 1)
    monkeypatch.setattr(faiss_store, "LEAST", 400)
    store, rows = FaissStore(DIM, folder), unit(3000)
    store.upsert(numbers(0, 100), rows[:100])
    wrong: list[object] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            found, scores = store.search(rows[5], 3)
            if found[0] != 5 or scores[0] < 0.999 or len(found) != 3:
                wrong.append(found)

    searchers = [threading.Thread(target=search) for _ in range(2)]
    for searcher in searchers:
        searcher.start()
    for turn in range(1, 15):
        store.upsert(numbers(200 * turn, 200 * turn + 200), rows[200 * turn : 200 * turn + 200])
        store.remove(numbers(200 * turn, 200 * turn + 20))
        store.save(folder, generation=turn)
        store.maintain(never)
    stop.set()
    for searcher in searchers:
        searcher.join()
    assert wrong == []


def test_a_search_finds_what_is_being_replaced_as_it_was_or_as_it_is(folder: Path) -> None:
    store, rows = FaissStore(DIM, folder), unit(2)
    store.upsert(numbers(0, 500), np.repeat(rows[:1], 500, axis=0))
    missing: list[int] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            missing.extend({500 - len(store.search(rows[0], 600)[0])} - {0})

    searcher = threading.Thread(target=search)
    searcher.start()
    for turn in range(100):
        store.upsert(numbers(0, 500), np.repeat(rows[turn % 2 : turn % 2 + 1], 500, axis=0))
    stop.set()
    searcher.join()
    assert missing == []
