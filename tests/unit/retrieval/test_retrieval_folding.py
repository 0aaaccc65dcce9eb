"""Which passages count as the same text."""

import pytest

from workbench.retrieval.folding import folded


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
    assert folded(other) == folded('The pump is guaranteed - for "two" years.')


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
    assert folded(one) != folded(other)


@pytest.mark.parametrize("text", ["", "\ud800", "中文、日本語", "x" * 100_000])
def test_any_text_can_be_folded(text: str) -> None:
    assert folded(folded(text)) == folded(text)
