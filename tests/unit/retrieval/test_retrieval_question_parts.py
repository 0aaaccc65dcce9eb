"""Questions that ask for several things, and those that only seem to."""

from typing import Any

import pytest

from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.question_words import first_with, parts_beside, parts_of


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is copper and who founded the mill?", ("What is copper", "who founded the mill?")),
        ("How tall is the tower? Who built it there?", ("How tall is the tower?", "Who built it there?")),
        (
            "Compare the revenue of American Express and Best Buy in 2022.",
            ("Compare the revenue of American Express in 2022.", "Compare the revenue of Best Buy in 2022."),
        ),
        ("Which is older, Warsaw or Lublin?", ("Which is older, Warsaw?", "Which is older, Lublin?")),
        (
            "What is the difference between solar cells and wind turbines?",
            ("What is the difference between solar cells?", "What is the difference between wind turbines?"),
        ),
        ("公司的营收和利润分别是多少？", ("公司的营收分别是多少？", "公司的利润分别是多少？")),
        ("试用期是多久，谁来付工资？", ("试用期是多久", "谁来付工资？")),
        ("比较劳动合同和租房合同的区别", ("比较劳动合同的区别", "比较租房合同的区别")),
    ],
)
def test_a_question_for_two_things_has_two_parts(question: str, parts: tuple[str, ...]) -> None:
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "How many students and teachers attend the school?",
        "In 1066, who was king?",
        "Europe first colonized the Americas, but what continent was third?",
        "Where was the disease spreading between 1348 and 1350?",
        "What did the Department of Commerce and Labor do?",
        "德意志聯邦共和國的首都在哪裡?",
        "在上一个冰河时代，冰川融水去往欧洲的哪个地方？",
        "What is it and who is it?",
        "?",
        "",
        "and or " * 300,
    ],
)
def test_a_question_for_one_thing_has_none(question: str) -> None:
    assert parts_of(question) == ()


def test_at_most_four_parts_are_searched() -> None:
    assert len(parts_of(" ".join(f"Who built the tower number {number}?" for number in range(9)))) == 4


@pytest.mark.parametrize(
    ("wanted", "places"),
    [((), [0, 1, 2]), ((11,), [0, 1, 2]), ((14,), [0, 1, 4]), ((10, 14, 15), [0, 4, 5]), ((13, 14, 15, 16), [3, 4, 5])],
)
def test_wanted_passages_are_among_the_first_results(wanted: tuple[int, ...], places: list[int]) -> None:
    assert first_with([10, 11, 12, 13, 14, 15, 16], wanted, 3) == places


def test_the_best_passage_of_each_part_is_given(library: Any) -> None:
    for number in range(8):
        library.add(f"The copper roof of tower {number} is a copper roof of metal.")
    bird = library.add("Birds go south.")
    question = "Which copper roof is of metal and where do birds go in winter?"
    together = library.retriever.search(question, k=2).hits
    apart = library.retriever.search(question, k=2, configuration=SearchConfiguration(parts=False)).hits
    assert bird in [hit.chunk.id for hit in together]
    assert len(apart) == len(together) == 2


@pytest.mark.parametrize(
    ("best", "parts"),
    [
        (
            "Copper was found with 94 milligrams; the limit at sea is 50.",
            ("How much copper was found near the slipway",),
        ),
        ("Copper was found with 94 milligrams.", ("How much copper was found near the slipway", "what is the limit?")),
    ],
)
def test_a_part_of_one_word_is_not_asked_beside_a_sentence_that_has_it(best: str, parts: tuple[str, ...]) -> None:
    assert parts_beside("How much copper was found near the slipway, and what is the limit?", best) == parts
