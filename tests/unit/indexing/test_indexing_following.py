"""Synchronisation of a vector store with the library."""

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.saved_index import follow
from workbench.indexing.segment import PIECE

Ids = NDArray[np.int64]


def _vectors(ids: list[int]) -> tuple[Ids, NDArray[np.float32]]:
    return np.array(ids, np.int64), np.eye(8, dtype=np.float32)[[id % 8 for id in ids]]


@pytest.mark.parametrize("wanted", [[], [1], [2, 3], [1, 2, 3, 4, 5], [6, 7]])
def test_the_store_holds_what_is_wanted_afterwards(wanted: list[int]) -> None:
    store = FaissStore(8)
    store.upsert(*_vectors([1, 2, 3]))
    asked: list[int] = []

    def fetch(ids: list[int]) -> tuple[Ids, NDArray[np.float32]]:
        asked.extend(ids)
        return _vectors(ids)

    changed = follow(store, np.array(wanted, np.int64), fetch)
    assert sorted(store.ids.tolist()) == wanted
    assert asked == sorted(set(wanted) - {1, 2, 3})
    assert changed == len(set(wanted) ^ {1, 2, 3})


def test_only_those_that_may_have_changed_are_looked_at() -> None:
    store = FaissStore(8)
    store.upsert(*_vectors([1, 2, 3]))
    assert follow(store, np.array([4], np.int64), _vectors, among=np.array([2, 4, 5], np.int64)) == 2
    assert sorted(store.ids.tolist()) == [1, 3, 4]


def test_removed_vectors_no_longer_displace_searchable_ones_in_the_results() -> None:
    store = FaissStore(8)
    store.upsert(*_vectors([1, 9, 17, 2]))
    follow(store, np.array([2], np.int64), _vectors)
    found, _ = store.search(_vectors([1])[1][0], 1)
    assert found.tolist() == [2]


def test_a_big_library_is_fetched_some_at_a_time() -> None:
    store, asked = FaissStore(8), list[int]()

    def fetch(ids: list[int]) -> tuple[Ids, NDArray[np.float32]]:
        asked.append(len(ids))
        return _vectors(ids)

    follow(store, np.arange(PIECE + 1), fetch)
    assert (asked, store.count) == ([PIECE, 1], PIECE + 1)
