"""Contract of every VectorStore; tests of a plug-in subclass VectorStoreContract and implement make()."""

import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.base import VectorStore

DIM = 16


def unit(count: int, seed: int = 0, dim: int = DIM) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def ids(*numbers: int) -> NDArray[np.int64]:
    return np.array(numbers, np.int64)


class VectorStoreContract:
    """Inherit, and implement make() and load()."""

    many = 10_000
    """Number of vectors of the largest store."""

    def make(self) -> VectorStore:
        raise NotImplementedError

    def load(self, path: Path) -> VectorStore:
        raise NotImplementedError

    def filled(self, count: int) -> tuple[VectorStore, NDArray[np.float32]]:
        store, rows = self.make(), unit(count)
        store.upsert(np.arange(count, dtype=np.int64) + 10, rows)
        return store, rows

    def test_an_empty_store_returns_nothing(self) -> None:
        found, scores = self.make().search(unit(1)[0], 5)
        assert (len(found), len(scores), found.dtype, scores.dtype) == (0, 0, np.int64, np.float32)

    def test_ids_are_those_that_are_held(self) -> None:
        store, rows = self.filled(4)
        store.remove(ids(11, 99))
        store.upsert(ids(5), rows[:1])
        assert (sorted(store.ids.tolist()), store.ids.dtype) == ([5, 10, 12, 13], np.int64)

    def test_top_k_equals_brute_force(self) -> None:
        store, rows = self.filled(500)
        query = unit(1, seed=9)[0]
        found, scores = store.search(query, 20)
        best = np.argsort(-(rows @ query))[:20]
        assert (found - 10).tolist() == best.tolist()
        np.testing.assert_allclose(scores, (rows @ query)[best], atol=1e-6)

    def test_e33_a_score_is_the_cosine_higher_is_nearer(self) -> None:
        store = self.make()
        rows = np.zeros((3, DIM), np.float32)
        rows[0, 0] = rows[1, 1] = 1.0
        rows[2, 0] = -1.0
        store.upsert(ids(1, 2, 3), rows)
        found, scores = store.search(rows[0], 3)
        assert found.tolist() == [1, 2, 3]
        # One minus the distance would return 1, -1 and -3.
        np.testing.assert_allclose(scores, [1.0, 0.0, -1.0], atol=0.02)

    def test_k_beyond_the_count_returns_all_without_padding(self) -> None:
        store, rows = self.filled(3)
        found, scores = store.search(rows[0], 50)
        assert sorted(found.tolist()) == [10, 11, 12]
        assert len(scores) == 3

    @pytest.mark.parametrize("k", [0, -1])
    def test_k_of_nothing_returns_nothing(self, k: int) -> None:
        store, rows = self.filled(3)
        assert len(store.search(rows[0], k)[0]) == 0

    def test_upsert_replaces(self) -> None:
        store, rows = self.filled(5)
        store.upsert(ids(10), -rows[:1])
        found, scores = store.search(rows[0], 5)
        assert (store.count, sorted(found.tolist())) == (5, [10, 11, 12, 13, 14])
        assert scores[found.tolist().index(10)] == pytest.approx(-1.0)

    def test_of_an_id_given_twice_the_last_counts(self) -> None:
        store, rows = self.make(), unit(2)
        store.upsert(ids(7, 7), rows)
        found, scores = store.search(rows[1], 5)
        assert (store.count, found.tolist(), scores[0]) == (1, [7], pytest.approx(1.0))

    def test_removed_is_not_found_and_absent_is_no_error(self) -> None:
        store, rows = self.filled(5)
        store.remove(ids(10, 999, 12))
        store.remove(ids())
        assert (store.count, sorted(store.search(rows[0], 9)[0].tolist())) == (3, [11, 13, 14])

    def test_b17_filters_act_before_the_limit(self) -> None:
        store = self.make()
        near = np.tile(unit(1), (50, 1))
        store.upsert(np.arange(50, dtype=np.int64), near)
        store.upsert(ids(900), -near[:1])
        found, _ = store.search(near[0], 5, allowed=ids(900, 901))
        assert found.tolist() == [900]
        assert len(store.search(near[0], 5, allowed=ids())[0]) == 0

    def test_filtered_search_equals_brute_force(self) -> None:
        store, rows = self.filled(400)
        allowed = np.arange(11, 400, 3, dtype=np.int64)
        found, _ = store.search(rows[0], 10, allowed=allowed)
        scores = rows[allowed - 10] @ rows[0]
        assert found.tolist() == allowed[np.argsort(-scores)[:10]].tolist()

    def test_a_search_in_ranges_of_ids_equals_brute_force(self) -> None:
        store, rows = self.filled(400)
        store.remove(np.arange(150, 160, dtype=np.int64))
        allowed = np.concatenate([np.arange(100, 150), np.arange(160, 200), np.arange(300, 380)]).astype(np.int64)
        found, _ = store.search(rows[0], 10, allowed=allowed)
        scores = rows[allowed - 10] @ rows[0]
        assert found.tolist() == allowed[np.argsort(-scores)[:10]].tolist()

    def test_a_wrong_width_is_refused(self) -> None:
        store, rows = self.filled(3)
        with pytest.raises(IndexUnavailable, match="width"):
            store.upsert(ids(1), unit(1, dim=DIM + 1))
        with pytest.raises(IndexUnavailable):
            store.upsert(ids(1, 2), rows[:1])
        with pytest.raises(IndexUnavailable, match="width"):
            store.search(unit(1, dim=DIM - 1)[0], 5)
        assert (store.count, store.dim) == (3, DIM)

    def test_big_ids_are_kept(self) -> None:
        store, rows = self.make(), unit(2)
        store.upsert(ids(2**62, 1), rows)
        assert store.search(rows[0], 1, allowed=ids(2**62))[0].tolist() == [2**62]

    def test_what_was_saved_is_loaded_and_goes_on(self, tmp_path: Path) -> None:
        store, rows = self.filled(20)
        store.remove(ids(12))
        store.save(tmp_path / "index", generation=7)
        loaded = self.load(tmp_path / "index")
        assert (loaded.count, loaded.dim, loaded.generation, store.generation) == (19, DIM, 7, 7)
        loaded.upsert(ids(11, 500), rows[:2])
        assert loaded.count == 20
        assert sorted(loaded.search(rows[0], 2)[0].tolist()) == [10, 11]

    def test_what_was_removed_or_replaced_after_loading_stays_so(self, tmp_path: Path) -> None:
        store, rows = self.filled(30)
        store.save(tmp_path / "index", generation=1)
        loaded = self.load(tmp_path / "index")
        loaded.remove(ids(10, 11))
        loaded.upsert(ids(12), -rows[2:3])
        loaded.save(tmp_path / "index", generation=2)
        again = self.load(tmp_path / "index")
        assert (again.count, again.generation) == (28, 2)
        assert again.search(-rows[2], 1)[0].tolist() == [12]
        assert not {10, 11} & set(again.search(rows[0], 30)[0].tolist())

    def test_what_was_saved_is_searched_as_exactly_as_before(self, tmp_path: Path) -> None:
        store, rows = self.filled(500)
        store.save(tmp_path / "index", generation=1)
        loaded = self.load(tmp_path / "index")
        query, allowed = unit(1, seed=9)[0], np.arange(11, 500, 7, dtype=np.int64)
        scores = rows[allowed - 10] @ query
        assert (loaded.search(query, 9)[0] - 10).tolist() == np.argsort(-(rows @ query))[:9].tolist()
        assert loaded.search(query, 9, allowed=allowed)[0].tolist() == allowed[np.argsort(-scores)[:9]].tolist()

    def test_what_was_cut_short_is_refused(self, tmp_path: Path) -> None:
        store, _ = self.filled(50)
        store.save(tmp_path / "index", generation=1)
        saved = tmp_path / "index"
        store.close()
        for file in saved.rglob("*") if saved.is_dir() else [saved]:
            if file.is_file():
                file.write_bytes(file.read_bytes()[:-1])
        with pytest.raises(IndexUnavailable):
            self.load(saved)

    def test_tending_loses_nothing_and_can_be_stopped(self, tmp_path: Path) -> None:
        store, rows = self.filled(500)
        store.save(tmp_path / "index", generation=1)
        assert not store.maintain(lambda: True)
        assert not store.maintain(lambda: False)
        assert store.count == 500
        assert store.search(rows[77], 1)[0].tolist() == [87]

    def test_many_ids_are_allowed(self) -> None:
        store, rows = self.filled(500)
        allowed = np.append(np.arange(11, 510), np.arange(10_000, 60_000)).astype(np.int64)
        found, _ = store.search(rows[0], 500, allowed=allowed[::-1])
        assert sorted(found.tolist()) == list(range(11, 510))

    @pytest.mark.parametrize("allowed", [None, ids(3, 10, 11, 14, 900)])
    def test_inner_products_of_all_are_those_of_a_search_for_all(self, allowed: NDArray[np.int64] | None) -> None:
        store, rows = self.filled(40)
        store.upsert(ids(3, 900), rows[[0, 4]])  # ties with others
        store.remove(ids(12))
        found, scores = store.products(rows[0], allowed=allowed)
        order = np.argsort(-scores, kind="stable")
        expected, products = store.search(rows[0], 10_000, allowed=allowed)
        assert (found[order].tolist(), scores[order].tolist()) == (expected.tolist(), products.tolist())

    def test_some_ids_are_asked_whether_they_are_held(self) -> None:
        store, rows = self.filled(4)
        store.remove(ids(11))
        store.upsert(ids(5), rows[:1])
        assert sorted(store.existing(ids(4, 5, 10, 11, 13, 99)).tolist()) == [5, 10, 13]
        assert self.make().existing(ids(1)).tolist() == []

    def test_search_goes_on_while_it_changes(self) -> None:
        store, rows = self.filled(200)
        failures: list[str] = []
        stop = threading.Event()

        def search() -> None:
            while not stop.is_set():
                found, _ = store.search(rows[0], 5, allowed=ids(10, 11, 12))
                if sorted(found.tolist()) != [10, 11, 12]:
                    failures.append(str(found))

        searchers = [threading.Thread(target=search) for _ in range(2)]
        for searcher in searchers:
            searcher.start()
        for turn in range(50):
            store.upsert(np.arange(1000, 1020, dtype=np.int64), unit(20, seed=turn))
            store.remove(np.arange(1000, 1020, dtype=np.int64))
        stop.set()
        for searcher in searchers:
            searcher.join()
        assert failures == []

    def test_many_vectors(self) -> None:
        store, rows = self.filled(self.many)
        assert store.count == self.many
        assert store.search(rows[1234], 1)[0].tolist() == [1244]
