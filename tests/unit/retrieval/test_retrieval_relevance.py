"""The two certainties: what raises them, and that they stay within 0 and 1."""

import pytest

from workbench.retrieval.relevance import ANSWER_FLOOR, AnswerEvidence, Circumstances, answer_certainty, hit_relevance

LARGE = Circumstances(degree=1.0, pairs=0.0, chunks=1200)


@pytest.mark.parametrize("part", ["own", "before", "passage", "cosine"])
def test_more_evidence_is_more_certain(part):
    little = {"own": 0.2, "before": 0.1, "passage": 0.4, "cosine": 0.3}
    more = little | {part: little[part] + 0.3}
    assert answer_certainty(AnswerEvidence(**more), LARGE) > answer_certainty(AnswerEvidence(**little), LARGE)


def test_no_evidence_is_far_below_the_floor_in_any_circumstances():
    nothing = AnswerEvidence(0.0, 0.0, 0.0, 0.0)
    for circumstances in (LARGE, Circumstances(0.0, 0.0, 3), Circumstances(0.0, 1.0, 3), Circumstances(1.0, 1.0, 1)):
        assert answer_certainty(nothing, circumstances) < ANSWER_FLOOR / 2


def test_all_of_the_question_in_one_sentence_is_above_the_floor_without_vectors():
    everything = AnswerEvidence(1.0, 0.0, 1.0, 0.0)
    assert answer_certainty(everything, Circumstances(0.0, 0.0, 10**6)) > 0.5


def test_a_cosine_counts_only_as_far_as_the_embedder_understands():
    assert hit_relevance(0.5, 0.9, Circumstances(0.0, 0.0, 100)) == hit_relevance(
        0.5, 0.1, Circumstances(0.0, 0.0, 100)
    )
    assert hit_relevance(0.5, 0.9, LARGE) > hit_relevance(0.5, 0.1, LARGE)


def test_relevance_stays_within_bounds():
    assert 0 <= hit_relevance(0.0, -50.0, LARGE) < hit_relevance(1.0, 50.0, LARGE) <= 1
