"""Diversity: a passage that repeats a better one moves down; nothing is dropped while there is room."""

from typing import Any

import numpy as np
import pytest

from workbench.errors import SettingError
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.deduplication import diversify_passages

WORDS = [frozenset("abcd"), frozenset("abce"), frozenset("wxyz"), frozenset("abcf")]


def test_without_diversity_the_order_stays() -> None:
    assert diversify_passages(WORDS, {}, diversity=0.0, wanted=4) == [0, 1, 2, 3]


def test_a_passage_that_repeats_the_first_one_moves_down() -> None:
    assert diversify_passages(WORDS, {}, diversity=0.5, wanted=4) == [0, 2, 1, 3]
    assert diversify_passages(WORDS, {}, diversity=0.5, wanted=2) == [0, 2]


def test_the_first_passage_stays_first_at_any_diversity() -> None:
    assert diversify_passages(WORDS, {}, diversity=1.0, wanted=2) == [0, 2]


def test_vectors_take_precedence_over_words_when_vectors_exist() -> None:
    one, other = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    words = [frozenset("abcd"), frozenset("wxyz"), frozenset("abcd")]
    assert diversify_passages(words, {0: one, 1: one, 2: other}, diversity=0.5, wanted=3) == [0, 2, 1]


def test_empty_passages_are_alike() -> None:
    assert diversify_passages([frozenset(), frozenset(), frozenset("a")], {}, diversity=0.6, wanted=3) == [0, 2, 1]


def test_a_search_can_ask_for_diversity(library: Any) -> None:
    for number in range(6):
        library.add(f"The copper roof of the old mill, sheet {number}.")
    other = library.add("A copper whale stands on another roof.")
    plain = library.retriever.search("copper roof", k=3).hits
    diverse = library.retriever.search("copper roof", k=3, configuration=SearchConfiguration(diversity=0.7)).hits
    assert other not in [hit.chunk.id for hit in plain]
    assert other in [hit.chunk.id for hit in diverse]
    assert diverse[0].chunk.id == plain[0].chunk.id


def test_a_statement_and_its_negation_are_never_treated_as_duplicates(library: Any) -> None:
    yes = library.add("The pump is guaranteed for two years.")
    no = library.add("The pump is not guaranteed for two years.")
    steps = SearchConfiguration(diversity=0.9)
    assert {hit.chunk.id for hit in library.retriever.search("pump guaranteed", configuration=steps).hits} == {yes, no}


@pytest.mark.parametrize("diversity", [-0.1, 1.1])
def test_a_diversity_out_of_bounds_is_refused(diversity: float) -> None:
    with pytest.raises(SettingError, match="Diversity"):
        SearchConfiguration(diversity=diversity)
