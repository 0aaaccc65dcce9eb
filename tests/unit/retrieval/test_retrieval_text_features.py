"""Features of a passage's text: headings, years, financial statements."""

from typing import Any

import pytest

from workbench.model.chunk import ChunkText
from workbench.model.document import BlockKind
from workbench.retrieval.question_words import question_words
from workbench.retrieval.ranking import (
    FinancialStatement,
    heading_matches,
    is_statement,
    statement_matches,
    statements_of,
    year_matches,
    years_in,
)
from workbench.retrieval.retriever import Retriever


def text(said: str, *, headings: str = "", kind: BlockKind = BlockKind.PARAGRAPH) -> ChunkText:
    return ChunkText(said, "", headings, kind)


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("What was sold in 2022 and 2020?", {"2020", "2022"}),
        ("What is the FY2017 - FY2019 3 year average of capex?", {"2017", "2018", "2019"}),
        ("Did PPNE grow between FY20 and FY21?", {"2020", "2021"}),
        ("2019年至2021年的收入", {"2019", "2020", "2021"}),
        ("Which segment grew in Q2'23?", {"2023"}),
        ("What happened from 1900 to 2000?", {"1900", "2000"}),
        ("How long is the wall of 12022 stones?", set()),
    ],
)
def test_years_are_recognised_in_every_spelling_and_ranges_hold_those_between(question: str, years: set[str]) -> None:
    assert years_in(question) == years


def test_a_passage_has_the_share_of_the_years_that_it_names() -> None:
    chunks = [text("Sales 2021 2020"), text("Sales 2021"), text("Sales"), None]
    assert year_matches(chunks, {"2020", "2021"}).tolist() == [1.0, 0.5, 0.0, 0.0]
    assert not year_matches(chunks, frozenset()).any()


def test_headings_that_hold_the_question_count(library: Any) -> None:
    library.add("The ferry winters in the harbour.")
    words = question_words("ferry in winter", library.keywords)
    found = heading_matches([text("", headings="The ferry in winter"), text("", headings="The ferry"), None], words)
    assert found[0] > found[1] > found[2] == 0.0


@pytest.mark.parametrize(
    ("phrase", "title"),
    [
        ("total current assets", "CONSOLIDATED BALANCE SHEETS (in millions)"),
        ("inventories", "Consolidated statement of financial position"),
        ("net sales", "Consolidated Statements of Operations"),
        ("operating income", "合并利润表"),
        ("capital expenditures", "CONSOLIDATED STATEMENTS OF CASH FLOWS"),
    ],
)
def test_a_line_item_belongs_to_the_statement_that_prints_it(phrase: str, title: str) -> None:
    statements = statements_of([phrase])
    assert is_statement(statements, "", f"{title}\n\n| | 2021 |\n| --- | --- |")
    assert is_statement(statements, title, "| | 2021 |\n| --- | --- |")
    assert not is_statement(statements, "Notes", "| Segment | 2021 |\n| --- | --- |")


def test_only_tables_are_statements() -> None:
    title = "The balance sheets show it."
    chunks = [text(title, kind=BlockKind.TABLE), text(title), None]
    assert statement_matches(chunks, {FinancialStatement.BALANCE_SHEET}).tolist() == [1.0, 0.0, 0.0]
    assert not statement_matches(chunks, frozenset()).any()


def test_of_passages_with_the_same_content_the_one_of_the_requested_year_comes_first(library: Any) -> None:
    library.add("The ferry carried many guests in 2019.")
    asked_for = library.add("The ferry carried many guests in 2021.")
    library.add("The ferry carried many guests in 2020.")
    retriever = Retriever(library.documents, library.keywords, library.index, library.embedder)
    assert retriever.search("guests of the ferry in FY21").hits[0].chunk.id == asked_for
