"""Contribution of cross-encoding rerankers to a hit's relevance."""

import pytest

from workbench.retrieval.relevance import combine_relevance
from workbench.retrieval.reranking.base import CalibratedReranker, Candidate, certainties, rerank_items
from workbench.retrieval.reranking.cross_encoder import CrossEncoderReranker


class Reader:
    id = "reader"
    most = 5
    judges = True

    def rerank(self, question, candidates):
        return [4.0, -4.0][: len(candidates)]


class Orderer:
    id = "orderer"
    most = 5

    def rerank(self, question, candidates):
        return [0.9, 0.1][: len(candidates)]


def test_probabilities_stay_and_other_numbers_become_some() -> None:
    assert certainties([0.0, 0.25, 1.0]) == [0.0, 0.25, 1.0]
    assert certainties([0.0, 0.5, 3.0]) == pytest.approx([0.5, 0.6225, 0.9526], abs=1e-4)
    assert certainties([-1e9, 1e9]) == pytest.approx([0.0, 1.0], abs=1e-9)


def test_e32_only_a_calibrated_reranker_contributes_to_the_relevance() -> None:
    assert isinstance(CrossEncoderReranker("x"), CalibratedReranker)
    assert not isinstance(Orderer(), CalibratedReranker)
    order = rerank_items(Reader(), "q", ["a", "b"], [Candidate("a"), Candidate("b")])
    assert [one.certainty for one in order.items] == pytest.approx([0.982, 0.018], abs=1e-3)
    plain = rerank_items(Orderer(), "q", ["a", "b"], [Candidate("a"), Candidate("b")])
    assert [one.certainty for one in plain.items] == [None, None]


def test_e32_its_word_raises_and_lowers_a_hits_relevance() -> None:
    assert combine_relevance(0.04, None) == 0.04
    assert combine_relevance(0.04, 0.95) > 0.1 > combine_relevance(0.1, 0.001)
    assert combine_relevance(0.5, 0.5) == pytest.approx(0.5)
