"""Abbreviations that stand in no document are read as the words there that they abbreviate, if these are certain."""

from typing import Any

import pytest

from workbench.retrieval.unknown_abbreviations import AbbreviationReader, abbreviations_in, with_long_forms

REPORTS = (
    "Property, plant and equipment were 8,738 million dollars at the end of 2018.",
    "Additions to property, plant and equipment rose; purchases of property and equipment are in the cash flows.",
    "Depreciation of property, plant & equipment takes ten years.",
    "Capital expenditures of the company fell in 2018.",
    "Cash paid for capital expenditures and for interest.",
    "Earnings before interest and taxes grew to 40 million. Earnings before interest and taxes do not count leases.",
    "The mean time between failures of the pump is 900 hours. A longer mean time between failures costs more.",
    "Research and development took place in Munich.",
    "The cost of research and development was 5 million.",
    "Die Allgemeinen Geschäftsbedingungen gelten für alle Kunden.",
    "Allgemeine Geschäftsbedingungen sind Bedingungen eines Vertrags.",
    "Unsere Allgemeinen Geschäftsbedingungen nennen die Bedingungen für das Geschäft mit Händlern.",
    "Die Mehrwertsteuer beträgt 19 Prozent. Wer mehr zahlt, zahlt mehr Steuer.",
    "Die Steuer ist fällig; die Mehrwertsteuer ist mehr als ein Posten.",
    "The results of operations and the condition of the results of operations are audited.",
)


@pytest.fixture
def reports(library: Any) -> AbbreviationReader:
    for text in REPORTS:
        library.add(text, embed=False)
    return reader_of(library)


def reader_of(library: Any) -> AbbreviationReader:
    return AbbreviationReader(library.keywords, library.documents, lambda: len(library.documents.list()))


@pytest.mark.parametrize(
    ("question", "long"),
    [
        ("What was the FY2018 PPNE of the company?", "property, plant and equipment"),
        ("What was the PP&E at the end of 2018?", "property, plant and equipment"),
        ("how high was the ppne in 2018", "property, plant and equipment"),
        ("Did the CAPEX of the company fall?", "capital expenditures"),
        ("Did capex fall in 2018?", "capital expenditures"),
        ("How many million is the EBIT?", "earnings before interest and taxes"),
        ("What is the MTBF of the pump?", "mean time between failures"),
        ("Where did the R&D take place?", "research and development"),
        ("Für wen gelten die AGB?", "allgemeinen geschäftsbedingungen"),
        ("Wie viel Prozent beträgt die MwSt?", "mehrwertsteuer"),
        ("公司的PPNE是多少", "property, plant and equipment"),
    ],
)
def test_an_abbreviation_is_read_as_the_words_that_it_abbreviates(
    reports: AbbreviationReader, question: str, long: str
) -> None:
    (reading,) = reports.read(question).readings
    assert reading.long.lower() == long
    assert reports.read(question).text == question.replace(reading.short, long)


@pytest.mark.parametrize(
    "question",
    [
        "When did NASA land on the moon?",
        "What does the ROO cover?",  # "results of operations" is never alone, and "of" is no word for a letter there
        "What did the AI cost in 2018?",
        "WHAT IS THE PPNE OF THE COMPANY",
        "Who sold the zebra and the pufnstuf?",
        "What is the property, plant and equipment (PPNE)?",
        "Where is the PUMP?",
        "",
    ],
)
def test_any_other_question_stays_as_it_is(reports: AbbreviationReader, question: str) -> None:
    assert reports.read(question).text == question
    assert not reports.read(question).readings


def test_an_abbreviation_that_a_document_has_is_not_read(library: Any) -> None:
    for text in (*REPORTS, "PPNE is short for a post-production network engine."):
        library.add(text, embed=False)
    assert not reader_of(library).read("What was the PPNE of the company?").readings


def test_an_abbreviation_of_two_things_is_not_read(library: Any) -> None:
    for year in range(3):
        library.add(f"Free cash flow was {year} million.", embed=False)
        library.add(f"The foreign currency forward of {year} ended.", embed=False)
    assert not reader_of(library).read("What was the FCF of the year?").readings


def test_a_piece_of_a_longer_term_is_not_read(library: Any) -> None:
    for year in range(4):
        library.add(f"Accumulated financial condition and results of operations in {year}.", embed=False)
    assert not reader_of(library).read("What was the FCR of the year?").readings


def test_a_reading_is_forgotten_when_documents_come(library: Any) -> None:
    reader = reader_of(library)
    assert not reader.read("What was the PPNE of the company?").readings
    for text in REPORTS:
        library.add(text, embed=False)
    assert reader.read("What was the PPNE of the company?").readings


def test_numbers_words_and_pairs_of_letters_are_no_abbreviations() -> None:
    assert abbreviations_in("Is the F.C.F. (or PP&E) of Q2 2018 CO2, IT or JnJ?") == (
        "F.C.F",
        "PP&E",
        "JnJ",
    )


def test_a_long_form_takes_the_place_of_the_whole_word_only(reports: AbbreviationReader) -> None:
    readings = reports.read("Did the CAPEX fall?").readings
    assert with_long_forms("CAPEX, not CAPEXES: CAPEX", readings) == (
        "capital expenditures, not CAPEXES: capital expenditures"
    )


def test_a_sample_is_spread_over_the_library_and_skips_gaps(library: Any) -> None:
    ids = [library.add(f"Passage {number}.", embed=False) for number in range(9)]
    assert library.documents.sample_chunks(100) == tuple(ids)
    sample = library.documents.sample_chunks(3)
    assert len(sample) == 3
    assert sample[0] == ids[0]
    assert sample[-1] > ids[5]


def test_a_sample_of_an_empty_library_is_empty(library: Any) -> None:
    assert library.documents.sample_chunks(5) == ()


def test_words_are_near_each_other_in_any_order(library: Any) -> None:
    near = library.add("Equipment and plant.", embed=False)
    library.add("Plant one tree. Then wait for many years, and after all of them buy equipment.", embed=False)
    assert library.keywords.holding_near(["plant", "equipment"], 10) == [near]
    assert library.keywords.holding_near([], 10) == []
