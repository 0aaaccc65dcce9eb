"""Places (pages, sections) named in a question."""

import pytest

from workbench.retrieval.candidates import locators_in


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What is the date on page 14?", {14}),
        ("Who signs on page fourteen?", {14}),
        ("Which shapes are on pages 3-5?", {3, 4, 5}),
        ("第12页的表格说了什么？", {12}),
        ("How many figures are on pages 100-640?", set()),
        ("How many pages are there?", set()),
    ],
)
def test_page_numbers_are_recognised(question: str, pages: set[int]) -> None:
    assert locators_in(question).pages == pages


@pytest.mark.parametrize(
    "question",
    [
        "What is on the cover page?",
        "Who is the presenter of this slide?",
        "Who wrote the report?",
        "报告的作者是谁？封面写了什么？",
    ],
)
def test_questions_for_the_front_page_prefer_the_first_page_to_the_second(question: str) -> None:
    found = locators_in(question)
    assert found.on_front(1) > found.on_front(2) > found.on_front(3) == 0.0


def test_a_caption_counts_more_than_a_mention() -> None:
    found = locators_in("Which model is best in Table 2?")
    assert found.captioned("| Table 2: accuracy by model") == found.mentioned("as Table 2 shows") == 1.0
    assert found.captioned("as Table 2 shows") == 0.0
    assert found.mentioned("Table 20") == 0.0


def test_the_share_of_several_labels_that_a_text_mentions_is_returned() -> None:
    assert locators_in("Does Section 3.3 cite more than Section 3.1?").mentioned("see section 3.1") == 0.5


def test_an_ordinary_question_names_no_place() -> None:
    assert not locators_in("When did the harbour freeze?")
