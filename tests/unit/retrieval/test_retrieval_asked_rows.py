"""Table rows whose name is what a question asks for."""

from collections.abc import Iterable

import pytest

from workbench.retrieval.answer_sentences import SentenceRanker

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
