"""Table rows whose name is what a question asks for."""

from collections.abc import Iterable
from typing import Any

import pytest

from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.asked_rows import AskedRow
from workbench.retrieval.question_words import question_words, words_of

TABLE = """| (in millions) | 2021 | 2022 |
| --- | --- | --- |
| Current assets: | | |
| Total current assets | 1,204 | 1,308 |
| Total assets (a) | 3,500 | 3,900 |
| Assets held for sale | 30 | 40 |
| Other assets held for sale | 10 | 20 |
| Total assets of segments | 2,100 | 2,400 |
| Goodwill | | |"""


class Counts:
    count = 1000

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(terms, 5)


def asked_rows(question: str) -> list[str]:
    ranking = SentenceRanker(None, Counts()).rank(question, [(1, TABLE)])
    return [one.cells[0][1] for one in ranking.sentences if one.is_asked_row]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is “Total assets”?", ["Total assets (a)"]),
        ("What were the total assets in 2022?", ["Total assets (a)"]),
        ("What were the total assets in fiscal year 2022, in millions of USD?", ["Total assets (a)"]),
        ("What is the total of current assets?", ["Total current assets"]),
        ("What are assets?", []),
        ("What are the assets held for sale?", ["Assets held for sale"]),
        ("What are other assets held for sale?", ["Other assets held for sale"]),
        ("Why did total assets rise?", []),
        ("What is goodwill?", []),
    ],
)
def test_the_row_whose_name_has_all_words_of_the_question_and_no_others_is_asked_for(
    question: str, names: list[str]
) -> None:
    assert asked_rows(question) == names


@pytest.mark.parametrize(
    ("question", "is_there"),
    [
        ("What were the total assets?", True),
        ("What were the total current assets in 2021?", True),
        ("What were the current assets?", False),
        ("What is the goodwill?", False),
    ],
)
def test_a_passage_has_a_row_that_is_asked_for_if_it_has_a_value(question: str, is_there: bool) -> None:
    assert AskedRow(question_words(question, Counts()), words_of(question)).is_in(TABLE) is is_there


def test_the_share_of_a_question_in_a_text_counts_words_in_any_form() -> None:
    share = SentenceRanker(None, Counts()).share_in("How do I pair the headset?")
    assert [share("Pairing headsets"), share("Headset"), share("Radio")] == [1.0, 0.5, 0.0]


def test_words_of_a_name_are_compared_without_accents_and_endings() -> None:
    question = "What were the resultats of the subsidiaries?"
    row = AskedRow(question_words(question, Counts()), words_of(question))
    assert row.is_in("| Résultats of the subsidiary | 3 | 4 |")


def test_a_table_with_the_row_goes_before_text_that_repeats_the_words(library: Any) -> None:
    prose = "Liabilities: the other liabilities of the firm are those liabilities that no other line holds."
    others = [library.add(f"{prose} They were checked {number} times.") for number in range(4)]
    table = library.add("| Deposits and the rent of the halls | 12 |\n| Loans | 3 |\n| Other liabilities | 40 |\n" * 3)
    found = [hit.chunk.id for hit in library.retriever.search("What are the other liabilities?").hits]
    assert found[0] == table
    assert set(found[1:]) <= set(others)
