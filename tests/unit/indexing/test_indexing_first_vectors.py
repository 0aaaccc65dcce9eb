"""First vectors of chunks that wait to be embedded, searched together with the index."""

import numpy as np
import pytest

from workbench.errors import IndexUnavailable
from workbench.indexing import first_vectors
from workbench.indexing.faiss_store import FaissStore
from workbench.indexing.first_vectors import FirstVectors, IndexWithFirstVectors

AXES = np.eye(4, dtype=np.float32)


def rows(*directions: int) -> np.ndarray:
    return AXES[list(directions)]


@pytest.fixture
def first() -> FirstVectors:
    return FirstVectors(lambda vector: vector)


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_a_chunk_missing_from_the_index_is_found_by_its_first_vector(first: FirstVectors) -> None:
    index = FaissStore(4)
    index.upsert(ids(1), rows(0))
    first.put(ids(2, 3), rows(1, 2))
    both = IndexWithFirstVectors(index, lambda: first)
    question = np.array([0.8, 0.6, 0, 0], np.float32)
    found, products = both.search(question, 2)
    assert found.tolist() == [1, 2]
    assert products == pytest.approx([0.8, 0.6])
    assert both.search(question, 5, allowed=ids(2, 3))[0].tolist() == [2, 3]


def test_a_chunk_that_has_both_vectors_is_found_once_by_the_model_s(first: FirstVectors) -> None:
    index = FaissStore(4)
    index.upsert(ids(1), rows(0))
    first.put(ids(1), rows(1))
    found, products = IndexWithFirstVectors(index, lambda: first).search(AXES[0], 5)
    assert (found.tolist(), products.tolist()) == ([1], [1.0])


def test_inner_products_of_all_are_those_of_a_search_for_all(first: FirstVectors) -> None:
    index = FaissStore(4)
    index.upsert(ids(1, 5), rows(0, 1))
    first.put(ids(1, 2, 3), rows(1, 0, 2))
    first.put(ids(4), rows(0))
    both = IndexWithFirstVectors(index, lambda: first)
    found, products = both.products(AXES[0])
    order = np.argsort(-products, kind="stable")
    assert found[order].tolist() == both.search(AXES[0], 9)[0].tolist() == [1, 2, 4, 5, 3]
    assert both.products(AXES[0], allowed=ids(3, 5))[0].tolist() == [5, 3]


def test_put_replaces_discard_forgets_and_many_parts_become_one(first: FirstVectors) -> None:
    for number in range(40):
        first.put(ids(number), rows(number % 4))
    first.put(ids(0), rows(3))
    first.discard(ids(1, 2, 99))
    assert first.count == 38
    assert len(first._parts) <= first_vectors._MOST_PARTS
    found = first.search(AXES[3], 40, None)
    assert found[0][found[1] > 0.5].tolist().count(0) == 1
    assert not {1, 2} & set(found[0].tolist())
    first.clear()
    assert not first.search(AXES[3], 4, None)[0].size


def test_no_more_are_held_than_there_is_room_for(first: FirstVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_vectors, "MOST", 3)
    first.put(ids(1, 2), rows(0, 1))
    first.put(ids(3, 4), rows(2, 3))
    first.put(ids(5), rows(0))
    assert sorted(first.search(AXES[0], 9, None)[0].tolist()) == [1, 2, 3]


def test_a_failing_index_raises_an_error_and_never_appears_empty(first: FirstVectors) -> None:
    class Failing(FaissStore):
        def search(self, *_: object, **__: object) -> tuple[np.ndarray, np.ndarray]:
            raise IndexUnavailable("It failed.")

    first.put(ids(1), rows(0))
    with pytest.raises(IndexUnavailable):
        IndexWithFirstVectors(Failing(4), lambda: first).search(AXES[0], 1)
