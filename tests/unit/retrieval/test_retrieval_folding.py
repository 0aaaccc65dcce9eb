"""Passages that count as the same text."""

import pytest

from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind
from workbench.retrieval.deduplication import distinct, fold_passage


@pytest.mark.parametrize(
    "other",
    [
        "The pump\nis  guaranteed - for “two” years.",
        "THE PUMP IS GUARANTEED \u2013 for \u201ctwo\u201d years.",
        "The pump is guar\u00adanteed \u2212 for \u201etwo\u201d years.",
        "The pump is guaran-\nteed - for \"two\" years.",
    ],
)  # fmt: skip
def test_b21_typography_makes_no_other_text(other: str) -> None:
    assert fold_passage(other) == fold_passage('The pump is guaranteed - for "two" years.')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump is guaranteed.", "The pump is not guaranteed."),
        ("Profit: 5", "Profit: -5"),
        ("In 2021 it rose by 3.5 %.", "In 2022 it rose by 3.5 %."),
        ("3.5", "35"),
        ("well-\nKnown", "well known"),
    ],
)
def test_a_word_or_a_figure_makes_another_text(one: str, other: str) -> None:
    assert fold_passage(one) != fold_passage(other)


@pytest.mark.parametrize("text", ["", "\ud800", "中文、日本語", "x" * 100_000])
def test_any_text_can_be_folded(text: str) -> None:
    assert fold_passage(fold_passage(text)) == fold_passage(text)


def chunk(document: int, ordinal: int, text: str = "The fee is waived.") -> Chunk:
    return Chunk(ordinal, 0, len(text), text, None, None, (), BlockKind.PARAGRAPH, 5, document=document)


def of_each(*found: Chunk, most: int = 10) -> list[tuple[int, int]]:
    return [(one.document, one.ordinal) for one in distinct(found, lambda one: one, most)]


def test_b21_of_a_documents_equal_passages_the_first_is_given_in_the_place_of_the_best() -> None:
    assert of_each(chunk(1, 7), chunk(2, 0, "Another."), chunk(1, 3), chunk(1, 5)) == [(1, 3), (2, 0)]


def test_b21_of_two_documents_with_the_same_text_the_better_one_is_returned() -> None:
    assert of_each(chunk(2, 7), chunk(1, 3)) == [(2, 7)]


def test_an_equal_passage_behind_the_last_that_is_given_is_not_looked_for() -> None:
    assert of_each(chunk(1, 7), chunk(2, 0, "Another."), chunk(1, 3), most=1) == [(1, 7)]


@pytest.mark.parametrize("gap", ["", " " * 500, "\n" * 500, "\u00ad" * 500])
def test_b21_passages_that_begin_otherwise_only_in_typography_are_still_one(gap: str) -> None:
    words = "the fee is waived for members of the club who have paid their share by the end of the first month"
    assert of_each(chunk(1, 7, words), chunk(2, 3, f"{gap}The  fee{gap} is{' ' * 300}waived{words[17:]}")) == [(1, 7)]


def test_b21_passages_that_only_begin_alike_are_two() -> None:
    words = "the fee is waived for members of the club who have paid their share by the end of the first month"
    assert of_each(chunk(1, 7, words), chunk(1, 3, f"{words} or two")) == [(1, 7), (1, 3)]
