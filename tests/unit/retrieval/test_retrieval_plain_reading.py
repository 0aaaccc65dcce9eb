"""Text without Markdown, and the original positions of its characters."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.retrieval.markdown_stripping import plain_cells, plain_line, strip_markdown


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("a **bold** and ***bolder*** word", "a bold and bolder word"),
        ("**bold over\ntwo lines**, *some*", "bold over\ntwo lines, some"),
        ("**bold *in* bold**", "bold in bold"),
        ("**保修期**为两年", "保修期为两年"),
        ("_so_ and __two words__", "so and two words"),
        ("> > deeper\n> quote", "deeper\nquote"),
        ("> - **item** of a quote", "item of a quote"),
        ("## Heading\nwords", "Heading\nwords"),
        ("see [the page](https://x.y/z) or ![a map](map.png)", "see the page or a map"),
        ('<span class="caption">Figure 8: a map</span>', "Figure 8: a map"),
        ("a Vec<T>, a < b > c and <b>bold</b>", "a Vec<T>, a < b > c and <b>bold</b>"),
    ],
)
def test_marks_are_taken_away(source: str, read: str) -> None:
    assert strip_markdown(source).text == read


@pytest.mark.parametrize(
    "source",
    [
        *("2 * 3 * 4", "a**b and c**d", "*args and **kwargs", "__init__ and snake_case", "`*x*` and `# y`"),
        *(
            "x < y > z",
            "limit\n> 5 mm",
            "Price* and tax*",
            "C:\\dir\\*new*",
            "\\*so\\*",
            "[3](see) and [12]",
            "C# and #1",
        ),
    ],
)
def test_characters_that_may_be_literal_are_kept(source: str) -> None:
    assert strip_markdown(source).text == source


@given(st.text(alphabet="ab *_>#[]()!`\n/.\\|中", max_size=120))
def test_every_remaining_character_is_at_its_reported_position_in_the_source(source: str) -> None:
    plain = strip_markdown(source)
    assert "".join(source[origin] for origin in plain.origins) == plain.text
    assert list(plain.origins) == sorted(set(plain.origins))
    assert plain.part(0, len(source)) == plain.text
    if plain.text:
        start, end = plain.span(0, len(plain.text))
        assert plain.part(start, end) == plain.text


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        ("| | b | |", ["", "b", ""]),
        ("| a \\| b | **c**<br>d |", ["a | b", "c d"]),
        ("|", [""]),
        ("", [""]),
    ],
)
def test_cells_of_a_row(row: str, cells: list[str]) -> None:
    assert plain_cells(row) == cells


@pytest.mark.parametrize("unit", ["*a ", "**", "> ", "[", "_a", "a **b\n", "`", "# ", "![a](", "__a ", "***"])
def test_a_hundred_thousand_marks_take_a_second_at_most(unit: str) -> None:
    started = time.perf_counter()
    strip_markdown(unit * (100_000 // len(unit)))
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("passage", "line"),
    [
        ("### 3.3 Power\n\nThe **battery** lasts\n19 hours.", "3.3 Power The battery lasts 19 hours."),
        ("```text\nfloor: 0.06\n```", "floor: 0.06"),
        ("~~~\nfloor: 0.06\n~~~", "floor: 0.06"),
        ("• The gate leaks.\n- It waits.", "The gate leaks. It waits."),
        ("所有权**（*ownership*）是规则。", "所有权（ownership）是规则。"),
        ("| No. | Work |\n|--|:--|\n| 1 | Grease it |", "No. · Work 1 · Grease it"),
    ],
)
def test_a_passage_is_one_line_without_its_marks(passage: str, line: str) -> None:
    assert plain_line(passage) == line
