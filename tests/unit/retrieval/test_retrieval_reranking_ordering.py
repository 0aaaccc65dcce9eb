"""Order after reranking: equal scores keep their order, a failure changes nothing and is reported."""

import pytest

from workbench.errors import RerankingError
from workbench.retrieval.reranking.base import Candidate, rerank_items


class Scripted:
    """Reranker that returns given scores, or fails."""

    id = "scripted"

    def __init__(self, *scores, most=10):
        self.most = most
        self._scores = scores
        self.asked = []

    def rerank(self, question, candidates):
        self.asked.append((question, [candidate.text for candidate in candidates]))
        if not self._scores:
            raise RerankingError("The server is gone.", "Start it.")
        return list(self._scores)


ITEMS = ["a", "b", "c"]
CANDIDATES = [Candidate(item) for item in ITEMS]


def test_the_best_score_comes_first_and_equal_ones_stay():
    order = rerank_items(Scripted(0.1, 0.9, 0.1), "q", ITEMS, CANDIDATES)
    assert [(one.item, one.score, one.rank) for one in order.items] == [("b", 0.9, 1), ("a", 0.1, 2), ("c", 0.1, 3)]
    assert order.note == ""


def test_passages_beyond_the_limit_of_the_reranker_follow_the_reranked_ones():
    reranker = Scripted(0.1, 0.9, most=2)
    order = rerank_items(reranker, "q", ITEMS, CANDIDATES)
    assert [(one.item, one.rank) for one in order.items] == [("b", 1), ("a", 2), ("c", None)]
    assert reranker.asked == [("q", ["a", "b"])]


@pytest.mark.logs_warnings
@pytest.mark.parametrize("scores", [(), (0.1,), (0.1, float("nan"), 0.2), (0.1, float("inf"), 0.2)])
def test_b19_a_reranking_failure_keeps_the_order_and_is_reported(scores):
    order = rerank_items(Scripted(*scores), "q", ITEMS, CANDIDATES)
    assert [(one.item, one.score) for one in order.items] == [("a", None), ("b", None), ("c", None)]
    assert order.note.startswith("The passages keep the order of the search: reranking failed.")


def test_one_candidate_is_not_worth_asking():
    reranker = Scripted(0.1)
    assert [one.item for one in rerank_items(reranker, "q", ["a"], [Candidate("a")]).items] == ["a"]
    assert reranker.asked == []


def test_no_reranker_leaves_the_order():
    assert [one.item for one in rerank_items(None, "q", ITEMS, ()).items] == ITEMS
