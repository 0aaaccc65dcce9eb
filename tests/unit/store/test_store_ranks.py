"""Best items and ranks without sorting a list: equal to those of the sorted list, for equal scores too."""

import numpy as np
import pytest

from workbench.store.ranks import CompleteRanking, highest, ranks


@pytest.mark.parametrize("values", [1, 2, 7, 1000])
def test_heads_and_ranks_are_those_of_all_scores_in_order(values: int) -> None:
    random = np.random.default_rng(values)
    scores = random.integers(0, values, 300).astype(np.float32)
    order = np.argsort(-scores, kind="stable")
    for count in (0, 1, 7, 299, 300, 400):
        assert highest(scores, count).tolist() == order[:count].tolist()
    places = random.permutation(300)[:40]
    assert order[ranks(scores, places) - 1].tolist() == places.tolist()


def test_items_that_are_already_ranked_come_before_all_others() -> None:
    scores = np.array([0.5, 0.7, 0.5, 0.9], np.float32)
    whole = CompleteRanking([(9, 0.1), (2, 0.05)], np.array([1, 3, 4, 8]), scores)
    assert whole.size == 6
    assert list(whole.head(5)) == [9, 2, 8, 3, 1]
    assert list(whole.head(1)) == [9]
    assert whole.ranks_of([4, 1, 2, 77]) == {1: 5, 4: 6, 2: 2}
    assert whole.scores_of([4, 9, 77]) == {4: 0.5, 9: 0.1}


def test_an_empty_list_has_no_head_and_no_ranks() -> None:
    whole = CompleteRanking((), np.empty(0, np.int64), np.empty(0, np.float32))
    assert (whole.size, whole.head(5), whole.ranks_of([1]), whole.scores_of([1])) == (0, {}, {}, {})
