"""Inverted lists of a segment: nearly the results of exact search, with every filter; ignored when damaged."""

from pathlib import Path

import numpy as np
import pymupdf  # noqa: F401 - once it is there, a std::vector of FAISS is one of its own types
import pytest
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing import faiss_store, segment
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.ivf import InvertedLists, make_lists

DIM, TOPICS, EACH = 16, 40, 250
COUNT = TOPICS * EACH
IDS = np.arange(COUNT, dtype=np.int64)


def never() -> bool:
    return False


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    """Return neighbours around topics, one after the other."""
    random = np.random.default_rng(3)
    topics = random.standard_normal((TOPICS, DIM)).astype(np.float32)
    return unit(np.repeat(topics, EACH, axis=0) + 0.5 * random.standard_normal((COUNT, DIM), np.float32))


@pytest.fixture
def store(tmp_path: Path, rows: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch) -> FaissStore:
    monkeypatch.setattr(faiss_store, "LEAST", 1000)
    monkeypatch.setattr(segment, "_FEW", 100)
    monkeypatch.setattr("workbench.indexing.ivf._PROBES", 8)
    store = FaissStore(DIM)
    store.upsert(IDS, rows)
    store.save(tmp_path / "index", generation=1)
    store.maintain(never)
    assert all(part.lists is not None for part in store._parts)
    return store


def recall(store: FaissStore, rows: NDArray[np.float32], allowed: NDArray[np.int64] | None = None) -> float:
    among = IDS if allowed is None else allowed
    hits = 0
    for query in unit(rows[::501] + 0.1 * np.random.default_rng(5).standard_normal((20, DIM))):
        exact = among[np.argsort(-(rows[among] @ query))[:10]]
        hits += len(np.intersect1d(exact, store.search(query, 10, allowed=allowed)[0]))
    return hits / 200


def test_it_finds_nearly_what_an_exact_search_finds(store: FaissStore, rows: NDArray[np.float32]) -> None:
    assert recall(store, rows) >= 0.98


def test_scores_are_exact_and_in_order(store: FaissStore, rows: NDArray[np.float32]) -> None:
    found, scores = store.search(rows[17], 20)
    np.testing.assert_allclose(scores, rows[found] @ rows[17], atol=1e-6)
    assert np.all(np.diff(scores) <= 0)
    assert found[0] == 17


@pytest.mark.parametrize("share", ["every third", "one topic of four, far from most questions", "few"])
def test_b17_a_filter_on_lists_finds_as_much(store: FaissStore, rows: NDArray[np.float32], share: str) -> None:
    far = IDS[(IDS // EACH) % 4 == 1]
    allowed = {"every third": IDS[::3], "few": IDS[::200]}.get(share, far)
    assert recall(store, rows, allowed) >= 0.98


def test_a_filter_that_leaves_what_no_near_list_holds_still_gives_k(
    store: FaissStore, rows: NDArray[np.float32]
) -> None:
    assert len(store.search(rows[0], 240, allowed=IDS[-EACH:])[0]) == 240


def test_removed_vectors_are_not_found_and_take_no_place_among_the_results(
    store: FaissStore, rows: NDArray[np.float32]
) -> None:
    gone = store.search(rows[0], 50)[0]
    store.remove(gone)
    found = store.search(rows[0], 50)[0]
    assert len(found) == 50
    assert not np.intersect1d(gone, found).size


def test_vectors_added_after_the_lists_were_built_are_found_too(store: FaissStore, rows: NDArray[np.float32]) -> None:
    store.upsert(np.array([COUNT + 5]), -rows[:1])
    assert store.search(-rows[0], 1)[0].tolist() == [COUNT + 5]


def test_lists_are_there_again_after_loading(store: FaissStore, tmp_path: Path, rows: NDArray[np.float32]) -> None:
    loaded = FaissStore.load(tmp_path / "index")
    assert all(part.lists is not None for part in loaded._parts)
    assert recall(loaded, rows) >= 0.98


@pytest.mark.parametrize("place", [0, 10, 24, 64, 30_000, -20])
def test_damaged_inverted_lists_are_rebuilt(store: FaissStore, tmp_path: Path, place: int) -> None:
    (file,) = (tmp_path / "index").glob("*.lists")
    good = file.read_bytes()
    data = bytearray(good)
    data[place] ^= 1
    file.write_bytes(data)
    loaded = FaissStore.load(tmp_path / "index")
    assert loaded.maintain(never) is False
    assert loaded.maintain(never) is False
    assert file.read_bytes() == good


def test_lists_of_another_segment_are_refused(store: FaissStore, tmp_path: Path) -> None:
    (file,) = (tmp_path / "index").glob("*.lists")
    with pytest.raises(IndexUnavailable, match="another"):
        InvertedLists.open(file, count=COUNT, checksum=1)


@pytest.mark.parametrize("looks", [0, 1, 5, 9])
def test_making_them_can_be_stopped_at_any_time(tmp_path: Path, rows: NDArray[np.float32], looks: int) -> None:
    left = iter([False] * looks)
    assert make_lists(tmp_path / "1.lists", rows, checksum=1, stop=lambda: next(left, True)) is None
    assert not list(tmp_path.iterdir())


def test_a_segment_merged_by_a_save_while_lists_are_built_loses_no_vectors_and_gets_no_lists(
    tmp_path: Path, rows: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faiss_store, "LEAST", 1000)
    store = FaissStore(DIM)
    store.upsert(IDS[:4000], rows[:4000])
    store.save(tmp_path / "index", generation=1)
    store = FaissStore.load(tmp_path / "index")
    store.upsert(IDS[4000:], rows[4000:])

    def merging() -> bool:
        if store.generation == 1:
            store.save(tmp_path / "index", generation=2)
        return False

    assert store.maintain(merging) is False
    assert (store.count, len(list((tmp_path / "index").glob("*.vectors")))) == (COUNT, 1)
    assert recall(store, rows) == 1.0
