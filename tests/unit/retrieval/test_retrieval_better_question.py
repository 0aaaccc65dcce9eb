"""Suggested words of a passage for a question that would find it."""

from collections.abc import Iterable

import pytest

from workbench.retrieval.search_explanation import discriminating_words


class Counts:
    count = 100

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        known = {"潮汐": 3, "汐闸": 2, "闸门": 4, "门开": 1, "开启": 40, "barnacl": 2, "harbour": 50, "rudder": 1}
        return {term: known.get(term, 0) for term in terms}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("潮汐闸门开启", ["潮汐闸门"]),
        ("闸门开启", []),
        ("Barnacles of the harbour", ["Barnacles"]),
        ("a rudder, barnacles", ["barnacles", "rudder"]),
        ("潮汐闸门 barnacles", ["潮汐闸门", "barnacles"]),
    ],
)
def test_rare_words_and_whole_recurring_runs_are_advised(text: str, words: list[str]) -> None:
    assert discriminating_words(text, "when?", Counts()) == words


def test_words_of_the_question_are_not_advised() -> None:
    assert discriminating_words("barnacles", "Which barnacles?", Counts()) == []
