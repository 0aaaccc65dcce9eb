"""Quotes without the line ends of their page, and widths of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.export.text_lines import column_widths, display_width, flowing_quote

STAY = (
    "Year | m\n2024 | 14.2\n2025",
    "Insurance validation\nBilling systems\nAppointment systems",
    "apples\npears\nplums",
    "fn main() {\nlet x = 1;\n}",
    "def growth(now):\n    return now",
    "- press the button until the light is green\n- press it again until the light is red",
    "擒杀\n拦截\n擒抱",
    "A heading\n\nThe text below it",
)


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        (
            "Today, 59% of seniors report\nthey go online, a six-point increase\nin one year.",
            "Today, 59% of seniors report they go online, a six-point increase in one year.",
        ),
        ("But we\nlook at data that is stored on the heap", "But we look at data that is stored on the heap"),
        (
            "as well as upper respiratory products. Additionally, Skin\nHealth grew",
            "as well as upper respiratory products. Additionally, Skin Health grew",
        ),
        (
            "黑豹队的防守只丢了308分，在联赛中排名第六\n次拦截领先联盟。",
            "黑豹队的防守只丢了308分，在联赛中排名第六次拦截领先联盟。",
        ),
        ("those who are in their mid-\nto late sixties", "those who are in their mid-to late sixties"),
    ],
)
def test_lines_that_ended_with_their_column_are_joined(quote, shown):
    assert flowing_quote(quote) == shown


@pytest.mark.parametrize("quote", STAY)
def test_the_lines_of_tables_lists_and_code_stay(quote):
    assert flowing_quote(quote) == quote


def test_the_fences_of_quoted_code_are_left_out():
    assert flowing_quote('```rust\nlet s = String::from("hello");\n```') == 'let s = String::from("hello");'


@given(st.text())
def test_no_letter_of_a_quote_is_lost(quote):
    if "```" not in quote and "~~~" not in quote:
        assert "".join(flowing_quote(quote).split()) == "".join(quote.split())


def test_an_east_asian_letter_is_as_wide_as_two():
    assert [display_width(text) for text in ("Depth", "深度", "深 m")] == [5, 4, 4]


def test_columns_are_narrowed_only_where_they_are_wide_and_never_below_a_word():
    rows = [["No.", "Name"], ["1", "some words " * 20], ["20", "internationalisation"]]
    assert column_widths(rows, 300)[1] > 80
    number, name = column_widths(rows, 40)
    assert (number, name) == (column_widths(rows, 300)[0], pytest.approx(40 - number, abs=1))
    assert column_widths(rows, 10)[1] >= len("internationalisation")
