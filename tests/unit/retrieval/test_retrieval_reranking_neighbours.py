"""Reranking by neighbours: passages next to a good one move up."""

import pytest

from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.lexical_overlap import raise_scores


def _at(ordinal, document=1, chunks=9):
    return Candidate("", document=document, ordinal=ordinal, chunks=chunks)


def test_a_passage_next_to_a_good_one_overtakes_an_isolated_passage():
    alone, beside, _good, _last = raise_scores([0.4, 0.35, 0.9, 0.0], [_at(2, document=2), _at(4), _at(5), _at(8)])
    assert beside > alone


def test_a_neighbour_is_one_of_the_same_document_within_two_chunks():
    good = 0.8
    scores = raise_scores([good, 0.1, 0.1, 0.1, 0.0], [_at(1), _at(3), _at(4), _at(2, document=2), _at(7)])
    assert scores[1:4] == pytest.approx([0.1 + 0.25 * good, 0.1 + 0.25 * 0.1, 0.1])


def test_a_document_of_one_chunk_does_not_fall_behind_for_want_of_neighbours():
    short, long, *_ = raise_scores(
        [0.61, 0.6, 0.3, 0.0], [_at(0, document=2, chunks=1), _at(4), _at(5), _at(2, document=3)]
    )
    assert short > long


def test_no_score_is_raised_when_no_candidate_leads():
    assert raise_scores([], []) == []
    assert raise_scores([0.5], [_at(3)]) == [0.5]
