"""Citation markers in Markdown."""

import time

import pytest

from workbench.agent.markers import find_markers, without_markers


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("It rose [1].", [1]),
        ("It rose [1][2].", [1, 2]),
        ("It rose [1, 2].", [1, 2]),
        ("It rose [1; 2、3，4].", [1, 2, 3, 4]),
        ("It rose [1-3].", [1, 2, 3]),
        ("It rose [2–4, 7].", [2, 3, 4, 7]),
        ("It rose [5-2].", [5, 2]),
        ("增长了【1】。", [1]),
        ("增长了【1†来源】。", [1]),
        ("It rose[ 12 ].", [12]),
        ("**Bold [1]** and | a table [2] |", [1, 2]),
        ("> quoted [3]\n- item [4]", [3, 4]),
    ],
)
def test_markers_are_found(answer: str, numbers: list[int]) -> None:
    assert [marker.number for marker in find_markers(answer)] == numbers


@pytest.mark.parametrize(
    "answer",
    [
        "Use `a[1]` here.",
        "Use ``a`[1]`` here.",
        "```python\na[1]\n```",
        "~~~\na[1]\n~~~",
        "```\nnever closed [1]",
        "See [1](https://example.com).",
        "See [part [1]](https://example.com).",
        "![1](image.png)",
        "[1]: https://example.com",
        "In [2024] it rose.",
        "Within [0, 1].",
        r"Literally \[1].",
        "$$x_{[1]}$$",
        "[one] [a1] [] [^1] [1.5]",
    ],
)
def test_text_that_is_not_a_citation_marker_is_ignored(answer: str) -> None:
    assert find_markers(answer) == ()


def test_a_marker_after_a_closed_code_block_is_found() -> None:
    assert [marker.number for marker in find_markers("```\na[1]\n```\nIt rose [2].")] == [2]


def test_positions_are_those_of_the_answer() -> None:
    answer = "`x[1]` rose [2] and 【3】."
    assert [answer[marker.start : marker.end] for marker in find_markers(answer)] == ["[2]", "【3】"]


def test_numbers_of_one_marker_share_its_place() -> None:
    answer = "It rose [1, 3-4]."
    assert {answer[marker.start : marker.end] for marker in find_markers(answer)} == {"[1, 3-4]"}


def test_an_absurd_range_is_its_two_ends() -> None:
    assert [marker.number for marker in find_markers("[1-999]")] == [1, 999]


def test_zero_alone_is_a_marker_so_that_it_can_be_flagged() -> None:
    assert [marker.number for marker in find_markers("It rose [0].")] == [0]


def test_markers_are_cut_out_with_the_space_before_them() -> None:
    assert without_markers("It rose [1] to 5 [2, 3]. `a[1]`") == "It rose to 5. `a[1]`"


@pytest.mark.parametrize("hostile", ["[", "`", "~", "[1, ", "[1](", "$$a ", "```\n", "[[a] ", "` "])
def test_a_hostile_answer_is_searched_in_time_that_grows_with_its_length(hostile: str) -> None:
    began = time.perf_counter()
    find_markers(hostile * 40_000)
    assert time.perf_counter() - began < 2  # with a quadratic algorithm, most of these take minutes
