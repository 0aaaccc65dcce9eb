"""Documents named in a question, and the rest of the question."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from workbench.model.document_name import DocumentNameWords
from workbench.retrieval.answer_sentences import AnswerLevel, SentenceRanker
from workbench.retrieval.document_names import NamedDocuments, naming
from workbench.store.name_words import name_words


class Names:
    """Names of a few documents."""

    def __init__(self, *names: str) -> None:
        self._all = [
            DocumentNameWords(number, frozenset(name_words(name).split()), frozenset(), frozenset())
            for number, name in enumerate(names)
        ]
        self.count = len(names)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        found = {word: len(self.called(word, most=99)) for word in words}
        return {word: number for word, number in found.items() if number}

    def called(self, word: str, *, most: int) -> list[DocumentNameWords]:
        return [one for one in self._all if word in one.name][:most]


FILINGS = tuple(
    f"{company}_{year}_10K.pdf" for company in ("AMERICANEXPRESS", "BESTBUY", "3M") for year in (2021, 2022)
)
OTHERS = (
    "Immune_system.txt",
    "1066.txt",
    "flask quickstart.rst",
    "jones-contract.docx",
    "劳动合同.pdf",
    "租房合同.pdf",
)
LIBRARY = (*FILINGS, *OTHERS)


def named(question: str, *names: str) -> NamedDocuments | None:
    return naming(question, Names(*(names or LIBRARY)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What does the 2022 filing of American Express say about revenue?", "AMERICANEXPRESS_2022_10K.pdf"),
        ("How did Best Buy's margin change in FY2021?", "BESTBUY_2021_10K.pdf"),
        ("How is an application made in the Flask quickstart?", "flask quickstart.rst"),
        ("What does the Jones contract say about noise?", "jones-contract.docx"),
        ("《劳动合同》里试用期是多久？", "劳动合同.pdf"),
    ],
)
def test_the_document_that_is_named_comes_first(question: str, name: str) -> None:
    found = named(question)
    assert found is not None
    assert max(found.strengths, key=lambda number: found.strengths[number]) == LIBRARY.index(name)
    assert [strength for strength in found.strengths.values()].count(1.0) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Which drugs suppress the system?",
        "What happened in 1066?",
        "What was the revenue in 2022?",
        "How tall is the tower?",
        "?!",
        "",
    ],
)
def test_an_ordinary_question_names_nothing(question: str) -> None:
    assert named(question) is None


def test_the_rest_of_the_question_is_asked_of_the_named_document() -> None:
    found = named("How much did American Express spend on travel in 2022?")
    assert found is not None
    assert "American" not in found.rest
    assert "2022" not in found.rest
    assert "spend on travel" in found.rest


def test_of_a_clause_without_spaces_only_the_name_is_taken_out() -> None:
    found = named("劳动合同里试用期是多久？")
    assert found is not None
    assert "劳动合同" not in found.rest
    assert "试用期" in found.rest


def test_a_question_that_only_names_a_document_has_an_empty_rest() -> None:
    found = named("the Jones contract")
    assert found is not None
    assert found.rest == ""


def test_the_other_years_of_a_company_are_named_less_surely() -> None:
    found = named("American Express 2022")
    assert found is not None
    assert found.strengths[LIBRARY.index("AMERICANEXPRESS_2022_10K.pdf")] == 1.0
    assert 0 < found.strengths[LIBRARY.index("AMERICANEXPRESS_2021_10K.pdf")] < 1.0


def test_a_name_shared_by_very_many_documents_matches_no_document() -> None:
    assert named("What does the report say?", *(f"report {number}.pdf" for number in range(40))) is None


COMPANY = (
    "JOHNSON_JOHNSON_2022_10K.pdf",
    "JOHNSON_JOHNSON_2022Q4_EARNINGS.pdf",
    "Pfizer_2023Q2_10Q.pdf",
    "PFIZER_2021_10K.pdf",
    "VERIZON_2022_10K.pdf",
    "CORNING_2022_10K.pdf",
)


def strengths(question: str) -> dict[str, float]:
    found = named(question, *COMPANY)
    return {COMPANY[number]: strength for number, strength in found.strengths.items()} if found else {}


@pytest.mark.parametrize("initials", ["J&J", "JnJ", "Johnson & Johnson"])
def test_a_company_is_named_by_its_initials(initials: str) -> None:
    assert strengths(f"What did {initials} sell?").keys() == set(COMPANY[:2])


def test_two_capitals_that_may_mean_anything_name_nothing() -> None:
    assert strengths("What is IT?") == {}


@pytest.mark.parametrize("quarter", ["Q2 2023", "Q2'2023", "Q22023", "2Q23", "the second quarter of 2023", "2023Q2"])
def test_a_quarter_is_the_same_in_every_spelling(quarter: str) -> None:
    found = strengths(f"Which region of Pfizer lost most in {quarter}?")
    assert found["Pfizer_2023Q2_10Q.pdf"] == 1.0
    assert found.get("PFIZER_2021_10K.pdf", 0.0) < 1.0


def test_a_two_digit_fiscal_year_distinguishes_the_reports_of_a_company() -> None:
    assert strengths("What did Pfizer earn in FY21?")["PFIZER_2021_10K.pdf"] == 1.0


def test_a_title_names_a_document_less_surely_than_the_name_of_its_file() -> None:
    class Titled(Names):
        def called(self, word: str, *, most: int) -> list[DocumentNameWords]:
            titled = DocumentNameWords(9, frozenset(), frozenset({"pew", "research", "center"}), frozenset())
            return [*super().called(word, most=most), *([titled] if word in titled.title else [])]

    found = naming("How many seniors does the Pew Research Center count?", Titled(*COMPANY))  # type: ignore[arg-type]
    assert found is not None
    assert found.strengths == {9: 0.6}


def test_the_closest_passages_of_a_named_document_are_shown_however_unsure_they_are(counts) -> None:
    def level(question: str, names: Names | None) -> AnswerLevel:
        ranker = SentenceRanker(None, counts({"godzilla": 0}), names)  # type: ignore[arg-type]
        ranking = ranker.rank(question, [(1, "The quick assets fell short of the current liabilities.")])
        return replace(ranking, certainty=0.1).level

    asked = "Does Best Buy have enough quick assets?"
    assert level(asked, Names(*FILINGS)) is AnswerLevel.CLOSEST
    assert level(asked, None) is AnswerLevel.NOT_FOUND
    assert level("Does Godzilla have more quick assets than Best Buy?", Names(*FILINGS)) is AnswerLevel.NOT_FOUND
    assert level("Does Best Buy sell tulips?", Names(*FILINGS)) is AnswerLevel.NOT_FOUND


def test_the_name_of_a_file_that_no_text_contains_is_no_name_of_something_else(counts) -> None:
    def certainty(question: str) -> float:
        ranker = SentenceRanker(None, counts({"bestbuy": 0, "godzilla": 0}), Names(*FILINGS))  # type: ignore[arg-type]
        row = "| | 2021 |\n| --- | --- |\n| Quick assets | 1,234 |"
        return ranker.rank(question, [(1, row)], documents={1: "BESTBUY_2021_10K.pdf"}).certainty

    assert certainty("What are the quick assets in BESTBUY 2021 10K?") > 0.5
    assert certainty("What are the quick assets of Godzilla in BESTBUY 2021 10K?") < 0.5


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("What were Corning's inventories?", {2}),
        ("Were the inventories of Corning or Verizon higher?", {2, 3}),
        ("What were the inventories?", {1, 2, 3}),
        ("What were Pfizer's inventories?", {1, 2, 3}),  # no name of it was found
    ],
)
def test_only_sentences_of_the_documents_that_a_question_names_are_quoted(question, numbers, counts) -> None:
    ranker = SentenceRanker(None, counts(), Names(*COMPANY))  # type: ignore[arg-type]
    passages = [(number, f"Inventories of {number} kinds were counted.") for number in (1, 2, 3)]
    documents = {1: "JOHNSON_JOHNSON_2022_10K.pdf", 2: "CORNING_2022_10K.pdf", 3: "VERIZON_2022_10K.pdf"}
    ranking = ranker.rank(question, passages, documents=documents)
    assert {sentence.number for sentence in ranking.sentences} == numbers


def test_in_a_named_document_the_thing_asked_for_counts_and_not_the_name(counts) -> None:
    ranker = SentenceRanker(None, counts(), Names(*COMPANY))  # type: ignore[arg-type]
    passages = [(1, "Corning was founded in 1851 by Corning."), (2, "Inventories fell to 2,904.")]
    ranking = ranker.rank("What were Corning's inventories?", passages, documents=dict.fromkeys((1, 2), COMPANY[-1]))
    assert ranking.sentences[0].number == 2
