"""Text of a chunk for the embedder and the rerankers."""

import pytest

from workbench.model.chunk import embedding_text, text_in_context


def test_title_and_headings_precede_the_text_each_once() -> None:
    assert text_in_context("book.md", "Book", ("Book", "Part"), "Words.") == "Book\nPart\nWords."


def test_the_file_name_precedes_a_title_that_lacks_its_words() -> None:
    seen = text_in_context("AMEX_2022_10K.pdf", "Annual report", ("Leases",), "Words.")
    assert seen == "AMEX 2022 10K\nAnnual report\nLeases\nWords."


def test_only_the_two_lowest_headings_of_a_long_heading_path_precede_the_text() -> None:
    path = ("SECURITIES AND EXCHANGE COMMISSION", "PART II", "Leases", "Maturities")
    assert text_in_context("", "", path, "Words.") == "Leases\nMaturities\nWords."


def test_a_heading_that_is_the_name_of_a_file_without_words_stays() -> None:
    assert text_in_context("1984.txt", "1984", ("1984",), "Words.") == "1984\nWords."


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("the infor-\nmation", "the information"),
        ("the infor\u00ad\n  mation", "the information"),
        ("Jean-\nPaul", "Jean-\nPaul"),
        ("3-\n4", "3-\n4"),
        ("- a\n- b", "- a\n- b"),
    ],
)
def test_word_divided_by_a_line_s_end_is_one_word(text: str, seen: str) -> None:
    assert text_in_context("", "", (), text) == f"\n{seen}"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Contents ........ 7", "Contents . 7"),
        ("Contents . . . . 7", "Contents . 7"),
        ("Name\n-----\nDate: ______", "Name\n-\nDate: _"),
        ("call `run()` of ``Agent``", "call run() of Agent"),
        ("```python\nx = 1\n```", "python\nx = 1\n"),
        ("C++, -- and ..", "C++, -- and .."),
        ("*\n*\n*", "*\n*\n*"),
        ("1000000 aaa", "1000000 aaa"),
    ],
)
def test_marks_that_only_fill_a_line_are_left_out(text: str, seen: str) -> None:
    assert text_in_context("", "", (), text) == f"\n{seen}"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("| | 2022 | 2021 |\n| --- | --- | --- |\n| Net sales | $ 1,234 | (5.6) % |", "2022 2021\nNet sales"),
        ("In millions\n| Goodwill | 12 |\nSee note 4.", "In millions\nGoodwill\nSee note 4."),
        ("| 1 | 2 |\n| 3 | 4 |", "1 2\n3 4"),
        ("| E17 | Probe 4 of 12 |", "E17 Probe 4 of 12"),
        ("a | b", "a | b"),
    ],
)
def test_of_a_table_stay_its_words_without_its_numbers(text: str, seen: str) -> None:
    assert text_in_context("", "", (), text) == f"\n{seen}"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("The cost of a share and an option", "cost share option"),
        ("IT costs of the US: Class A, Part OF, state-of-the-art", "IT costs US: Class A, Part OF, state-of-the-art"),
        ("Sales of\nthe year", "Sales \nyear"),
        ("War an Bord, a la carte", "War an Bord, a la carte"),
    ],
)
def test_the_commonest_words_of_english_are_not_embedded(text: str, seen: str) -> None:
    assert embedding_text((), text) == f"\n{seen}"
    assert text_in_context("", "", (), text) == f"\n{text}"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Sales rose 5.4 % to $23.7 billion in 2022, or 1,234 units.", "Sales rose to billion in 2022, or units."),
        ("Umsatz: 1.234,5 Euro, 3,5 %", "Umsatz: Euro, "),
        ("the Company’s plants", "Company plants"),
        ("1 2\n3,000 4", "1 2\n3,000 4"),
    ],
)
def test_amounts_and_possessives_are_not_embedded_unless_there_is_nothing_else(text: str, seen: str) -> None:
    assert embedding_text((), text) == f"\n{seen}"
    assert text_in_context("", "", (), text) == f"\n{text}"


@pytest.mark.parametrize("text", ["Form 10-K", "COVID-19", "section 3.3.1", "on 12/31/2022 at 9:30", "Q3", "第12页"])
def test_numbers_that_name_something_are_embedded(text: str) -> None:
    assert embedding_text((), text) == f"\n{text}"


def test_the_lowest_heading_alone_is_embedded_with_its_numbers_and_without_punctuation() -> None:
    assert embedding_text(("Part 1", "Notes (net), 2."), "Lift 3 lids, and more.") == "Notes net 2\nLift lids, more."


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Cash (net) of “fees”", "Cash net fees"),
        ("• Part[b](a)", "Part b a"),
        ("company(ies) f(x), a[i]", "company ies f x, a i"),
    ],
)
def test_brackets_and_quotation_marks_are_not_embedded(text: str, seen: str) -> None:
    assert embedding_text((), text).split() == seen.split()


@pytest.mark.parametrize(
    "text", ["(" * 200_000, "1" * 200_000, "1," * 100_000, "1,234" * 50_000, "$ " * 100_000, "’s" * 100_000]
)
def test_a_text_of_digits_or_marks_is_prepared_in_linear_time(text: str) -> None:
    assert embedding_text((), f"the {text}").startswith("\n")
