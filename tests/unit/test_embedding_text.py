"""What the embedder is given for a chunk."""

import pytest

from workbench.model.chunk import embedding_text


def test_title_and_headings_stand_in_front_each_once() -> None:
    assert embedding_text("Book", ("Book", "Part"), "Words.") == "Book > Part\nWords."


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
    assert embedding_text("", (), text) == f"\n{seen}"


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
def test_marks_that_only_fill_a_line_are_not_embedded(text: str, seen: str) -> None:
    assert embedding_text("", (), text) == f"\n{seen}"
