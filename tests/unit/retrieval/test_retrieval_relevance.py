"""Relevance and certainty: the features that raise them, and their range of 0 to 1."""

import dataclasses

import pytest

from workbench.retrieval import relevance
from workbench.retrieval.relevance import ANSWER_FLOOR, CLOSEST_FLOOR, AnswerEvidence, RelevanceInputs, hit_relevance

LARGE = RelevanceInputs(degree=1.0, pairs=0.0, chunks=1200)


def answer_certainty(evidence: AnswerEvidence, circumstances: RelevanceInputs) -> float:
    return relevance.answer_certainty(relevance.answer_features(evidence, circumstances))


@pytest.mark.parametrize("part", ["own", "before", "passage", "cosine"])
def test_more_evidence_is_more_certain(part):
    little = {"own": 0.2, "before": 0.1, "passage": 0.4, "cosine": 0.3}
    more = little | {part: little[part] + 0.3}
    assert answer_certainty(AnswerEvidence(**more), LARGE) > answer_certainty(AnswerEvidence(**little), LARGE)


def test_little_evidence_is_no_answer_in_any_circumstances():
    little = AnswerEvidence(0.1, 0.0, 0.1, 0.0)
    for circumstances in (
        LARGE,
        RelevanceInputs(0.0, 0.0, 3),
        RelevanceInputs(0.0, 1.0, 3),
        RelevanceInputs(1.0, 1.0, 1),
    ):
        assert answer_certainty(little, circumstances) < ANSWER_FLOOR


def test_e32_a_name_found_nowhere_makes_an_answer_less_certain():
    known = AnswerEvidence(0.4, 0.1, 0.6, 0.6, best_cosine=0.7)
    strange = dataclasses.replace(known, asks_for_stranger=True)
    assert answer_certainty(strange, LARGE) < CLOSEST_FLOOR < answer_certainty(known, LARGE)


def test_e32_a_search_is_surer_of_a_relevant_hit_and_less_sure_of_a_strange_name():
    features = dict(words=6, pairs=0.0, asks_for_stranger=False)
    far, near = (relevance.search_certainty(relevance.search_features(best, **features)) for best in (0.02, 0.6))
    strange = relevance.search_features(0.6, **features | {"asks_for_stranger": True})
    assert far < near
    assert relevance.search_certainty(strange) < near


def test_all_of_the_question_in_one_sentence_is_above_the_floor_without_vectors():
    everything = AnswerEvidence(1.0, 0.0, 1.0, 0.0)
    assert answer_certainty(everything, RelevanceInputs(0.0, 0.0, 10**6)) > 0.5


def test_a_row_with_the_words_of_the_question_is_an_answer_without_a_similar_meaning():
    sentence = AnswerEvidence(0.6, 0.4, 1.0, 0.1, words=3)
    row = dataclasses.replace(sentence, is_row=True)
    assert answer_certainty(sentence, LARGE) < ANSWER_FLOOR < answer_certainty(row, LARGE)


def test_a_cosine_counts_only_as_far_as_the_embedder_understands():
    assert hit_relevance(0.5, 0.9, RelevanceInputs(0.0, 0.0, 100)) == hit_relevance(
        0.5, 0.1, RelevanceInputs(0.0, 0.0, 100)
    )
    assert hit_relevance(0.5, 0.9, LARGE) > hit_relevance(0.5, 0.1, LARGE)


def test_relevance_stays_within_bounds():
    assert 0 <= hit_relevance(0.0, -50.0, LARGE) < hit_relevance(1.0, 50.0, LARGE) <= 1
