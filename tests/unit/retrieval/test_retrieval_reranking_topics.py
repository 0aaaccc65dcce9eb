"""Topic of a passage's neighbourhood."""

import numpy as np
import pytest

from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.lexical_overlap import by_topic

QUESTION = "What is recommended for the elephants?"


class Places:
    """Word places of one neighbourhood: chunks 1 to 3 are among elephants, 1 and 3 name them."""

    count = 1000

    def document_frequency(self, terms):
        return dict.fromkeys(terms, 5)

    def words_around(self, words, chunks, reach):
        assert reach > 1
        held = np.array([[word == "elephant" and chunk in (1, 3) for chunk in chunks] for word in words])
        around = np.array(
            [[0.9 * (word == "elephant" and chunk < 4) for chunk in chunks] for word in words], np.float32
        )
        return held, around


def passage(chunk: int, *, document: int = 1, chunks: int = 40) -> Candidate:
    return Candidate("text", document=document, ordinal=chunk, chunks=chunks, chunk=chunk)


def test_a_word_present_all_around_a_passage_does_not_rank_it_first() -> None:
    naming, other = by_topic(QUESTION, [0.5, 0.3], [passage(1), passage(2)], Places())
    assert other > naming


def test_a_word_absent_from_the_neighbourhood_does_not_change_the_scores() -> None:
    assert by_topic(QUESTION, [0.5, 0.3], [passage(4), passage(5)], Places()) == pytest.approx([0.5, 0.3])


def test_a_document_gains_nothing_over_another() -> None:
    passages = [passage(1), passage(2), passage(4, document=2), passage(5, document=2)]
    scores = by_topic(QUESTION, [0.5, 0.3, 0.6, 0.2], passages, Places())
    assert sum(scores[:2]) == pytest.approx(0.8)
    assert scores[2:] == pytest.approx([0.6, 0.2])


def test_documents_of_one_passage_stay_as_they_are() -> None:
    passages = [passage(1, document=1, chunks=1), passage(2, document=2, chunks=1), passage(3, document=3)]
    assert by_topic(QUESTION, [0.5, 0.4, 0.3], passages, Places()) == [0.5, 0.4, 0.3]


def test_a_question_without_words_changes_nothing() -> None:
    assert by_topic("?!", [0.5, 0.3], [passage(1), passage(2)], Places()) == [0.5, 0.3]
