"""Metrics compared with values computed by hand."""

from math import log2

import pytest

from workbench.evaluation.run_figures import hit_at, metrics, ndcg_at, percentile, recall_at, reciprocal_rank
from workbench.model.evaluation import QuestionOutcome

# Two right passages at ranks 2 and 5; a third is not found.
RANKS = (2, 5, None)


@pytest.mark.parametrize(("k", "share"), [(1, 0.0), (2, 1 / 3), (5, 2 / 3), (10, 2 / 3)])
def test_recall_is_the_share_of_the_right_passages_among_the_first_k(k: int, share: float) -> None:
    assert recall_at(RANKS, k) == pytest.approx(share)


def test_a_hit_needs_but_one_right_passage() -> None:
    assert [hit_at(RANKS, k) for k in (1, 2, 10)] == [0.0, 1.0, 1.0]


def test_the_reciprocal_rank_is_that_of_the_first_right_hit() -> None:
    assert (reciprocal_rank(RANKS), reciprocal_rank((None, None))) == (0.5, 0.0)


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    gained = 1 / log2(3) + 1 / log2(6)
    ideal = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(RANKS, 10) == pytest.approx(gained / ideal)
    assert ndcg_at(RANKS, 4) == pytest.approx((1 / log2(3)) / ideal)


def test_ndcg_is_1_for_the_best_order_and_0_where_nothing_is_found() -> None:
    assert ndcg_at((1, 2, 3), 10) == pytest.approx(1.0)
    assert ndcg_at((None,), 10) == 0.0


def test_passages_that_one_hit_holds_together_count_once_in_ndcg() -> None:
    assert ndcg_at((1, 1), 10) == pytest.approx(1.0)
    assert recall_at((1, 1), 1) == 1.0


def test_ndcg_of_more_right_passages_than_places_can_still_be_1() -> None:
    assert ndcg_at((1, 2, None, None), 2) == pytest.approx(1.0)


def test_a_percentile_is_the_nearest_rank() -> None:
    times = [float(number) for number in range(1, 101)]
    assert (percentile(times, 0.5), percentile(times, 0.95), percentile(times, 1.0)) == (50.0, 95.0, 100.0)
    assert (percentile([7.0], 0.5), percentile([], 0.95)) == (7.0, 0.0)


def test_a_question_that_could_not_be_measured_weighs_nothing() -> None:
    found = QuestionOutcome("a", ranks=(1,), milliseconds=10.0)
    missed = QuestionOutcome("b", ranks=(None,), milliseconds=30.0, wrong=(1, 12))
    lost = QuestionOutcome("c", lost=1, milliseconds=20.0, problem="None of the judged passages is in the library.")
    figures = metrics([found, missed, lost], 10)
    assert (figures.questions, figures.recall, figures.hit, figures.mrr, figures.ndcg) == (2, 0.5, 0.5, 0.5, 0.5)
    assert (figures.wrong, figures.p50, figures.p95) == (0.5, 10.0, 30.0)


def test_figures_of_nothing_are_0() -> None:
    assert metrics([], 10).ndcg == 0.0
