"""Five-letter sequences of a question in the best sentence of each text, all texts at once."""

import numpy as np
import pytest

from workbench.retrieval.reranking.lexical_overlap import best_shares, runs_in


def shares(question: str, *texts: str) -> list[float]:
    return best_shares(runs_in(question), texts).tolist()


def test_a_text_with_the_same_words_has_all_letter_runs_regardless_of_separators() -> None:
    assert shares("The ferry sails", "the FERRY – sails") == [1.0]


def test_the_end_of_a_word_may_differ() -> None:
    # " elec" and "elect" of " elec", "elect", "lecte", "ected" and "cted ".
    assert shares("elected", "the election") == [2 / 5]


def test_the_best_sentence_counts_not_the_sum_of_two() -> None:
    apart, together = shares("red harbour", "Red boats. The harbour lies north.", "The red harbour lies north.")
    assert apart < together == 1.0


def test_each_text_is_counted_for_itself_and_one_without_words_has_nothing() -> None:
    texts = ("", "harbour", "...", "\n\n", "boats", "harbour.", "船")
    assert shares("harbour", *texts) == [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def test_a_letter_run_counts_once_however_often_a_text_repeats_it() -> None:
    once, often = shares("ferry ferry boat", "boat", "boat boat boat")
    assert once == often


@pytest.mark.parametrize("text", ["", "the", "船长"])
def test_a_text_shorter_than_a_letter_run_has_no_runs(text: str) -> None:
    assert len(runs_in(text)) == (1 if text == "the" else 0)


def test_letters_of_other_alphabets_and_capitals_are_letters() -> None:
    assert shares("Größe straße Αθήνα Москва", "GRÖSSE STRASSE ΑΘΉΝΑ МОСКВА")[0] == 1.0
    assert np.all(np.diff(runs_in("Αθήνα Москва")) > 0)
