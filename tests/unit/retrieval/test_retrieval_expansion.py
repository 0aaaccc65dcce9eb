"""Expansion of terms in questions to the wordings of documents."""

import pytest

from workbench.retrieval.query_expansion import MOST_EXPANSIONS, TERMS, expansions

_LISTED = "securities registered pursuant to section 12(b)"


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("What was the capex of Corning?", "purchases of property, plant and equipment"),
        ("Did PP&E grow?", "property, plant and equipment, net"),
        ("How much is SG&A?", "selling, general and administrative expenses"),
        ("What is the working capital ratio?", "total current liabilities"),
        ("What is the free cash flow conversion?", "net cash provided by operating activities"),
        ("公司的毛利率是多少？", "gross profit"),
        ("Which LLM was used?", "large language model"),
        ("Who is the CEO?", "chief executive officer"),
        ("How much cash went into investing activities?", "net cash used in investing activities"),
        ("Which debt securities are registered to trade on an exchange?", _LISTED),
        ("Which geographies brought in the most?", "geographic areas"),
    ],
)
def test_a_term_is_searched_as_documents_write_it(question: str, phrase: str) -> None:
    assert phrase in expansions(question)


@pytest.mark.parametrize(
    "question",
    [
        "What does the voice guidance say when it is turned up?",
        "When did the harbour freeze?",
        "Where are you?",
        "What does the app do in an area?",
        "港口什么时候结冰？",
        "",
    ],
)
def test_an_ordinary_question_has_no_expansions(question: str) -> None:
    assert expansions(question) == ()


def test_each_part_of_a_ratio_comes_before_other_words_for_the_first() -> None:
    found = expansions("Compare free cash flow with the inventory turnover.")
    assert found.index("inventories") < found.index("capital expenditures")


def test_a_question_for_everything_is_bounded_and_nothing_is_searched_twice() -> None:
    found = expansions("capex, PP&E, SG&A, R&D, COGS, EBITDA, DPO, DSO, working capital, quick ratio and current ratio")
    assert len(found) == MOST_EXPANSIONS
    assert len(set(found)) == len(found)


def test_every_expansion_term_has_at_least_one_wording_and_no_empty_one() -> None:
    assert [term.asked for term in TERMS if not term.written or not all(term.written)] == []
