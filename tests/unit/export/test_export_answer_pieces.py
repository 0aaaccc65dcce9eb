"""Pieces of an answer while it streams are equal to those of the complete answer."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.agent.markers import find_markers
from workbench.export.answer_pieces import AnswerPieces, HtmlPiece
from workbench.export.rendering import LIGHT_CODE, answer_html, blocks_html
from workbench.model.hit import Citation

CODE = "".join(f"def f{number}(x):\n    return x * {number}  # twice\n" for number in range(60))
BLOCKS = (
    "A line, **bold** and `code` [1].",
    "Two\nlines",
    "# Head",
    "Under\n---",
    "- a\n- b [2]\n  - c",
    "- a\n\n- loose [1]",
    "- a\n\n  inside\n\n  ```python\n  x = 1\n\n  y = 2\n  ```",
    "1. x\n2. y",
    "7) x",
    "* other\n+ mark",
    "| a | b |\n|---|--:|\n| 1 [1] | `x\\|y` |",
    "Text\n| a | b |\n|---|---|\n| 1 | 2 |",
    "2. x | y\n--|--\n1 | 2",
    "```python\ndef f():\n    return '''\n\n# [1]\n'''\n```",
    "~~~\n```\n~~~",
    "    indented\n\n    code",
    "> quote\nlazy\n> - list",
    "***",
    "$$\na = b\n\n[1]\n$$",
    "$$ open",
    "x $$",
    "\\[\nx\n\n- y\n\\]",
    "See [here] and [there][Here].",
    "[here]: https://example.org/a",
    "[^1]: A note [2]",
    "Formula $x_1$ and `open",
    "close` it [1,\n2] and [3",
    "中文段落 [1]。",
    "tab\n\t- item",
)
GAPS = ("\n\n", "\n", "\n\n\n", "\n \n", "\n  ", "\n    ", "\r\n")


def cited(text: str) -> tuple[Citation, ...]:
    """Return the citations of an answer so far; [3] is invented."""
    return tuple(
        Citation(marker.number, marker.number != 3, answer_start=marker.start, answer_end=marker.end)
        for marker in find_markers(text)
    )


def link(citation: Citation) -> str:
    return f"#c{citation.answer_start}-{citation.marker}"


def at_once(text: str) -> list[HtmlPiece]:
    return AnswerPieces(link=link).read(text, cited(text))


def streamed(text: str, ends: list[int]) -> Iterator[tuple[str, list[HtmlPiece]]]:
    """Yield each prefix of an answer and its pieces, read by one reader."""
    reader = AnswerPieces(link=link)
    for end in [*ends, len(text)]:
        yield text[:end], reader.read(text[:end], cited(text[:end]))


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, list[int]]:
    """Draw an answer and the places at which its pieces end."""
    parts = draw(st.lists(st.tuples(st.sampled_from(BLOCKS), st.sampled_from(GAPS)), max_size=9))
    text = "".join(block + gap for block, gap in parts)
    ends = draw(st.lists(st.integers(0, len(text)), max_size=12))
    return text, sorted(ends)


@settings(max_examples=300, deadline=None)
@given(answers())
def test_pieces_of_a_stream_are_those_of_the_whole(answer: tuple[str, list[int]]) -> None:
    for text, pieces in streamed(*answer):
        assert pieces == at_once(text)
        if all(piece.begins and piece.ends for piece in pieces):
            assert "".join(piece.html for piece in pieces).strip() == answer_html(text, cited(text), link=link).strip()


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="[]()1`$*_|\\<>#:-~=+. \n\t\ra中", max_size=80), st.data())
def test_pieces_of_any_text_are_those_of_the_whole(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    for beginning, pieces in streamed(text, ends):
        assert pieces == at_once(beginning)
        whole = answer_html(beginning, cited(beginning), link=link)
        assert "".join(piece.html for piece in pieces).strip() == whole.strip()


def test_finished_blocks_of_an_answer_are_never_rendered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(f"Paragraph {number} [1].\n\n- a\n- b" for number in range(50))
    rendered: list[int] = []

    def counted(*arguments: object, **options: str) -> str:
        rendered.append(1)
        return blocks_html(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("workbench.export.answer_pieces.blocks_html", counted)
    for _ in streamed(text, list(range(0, len(text), 5))):
        pass
    # Each step renders the last block, and the new one if it begins in it.
    assert len(rendered) < 2.2 * len(text) / 5


def test_code_of_many_lines_is_several_pieces_with_the_colours_of_the_whole() -> None:
    text = f"```python\n{CODE}```\n"
    reader = AnswerPieces(link=link, code_style=LIGHT_CODE)
    pieces = reader.read(text)
    inside = "\n".join(re.sub(r"</?div[^>]*>|</?pre>", "", piece.html).strip("\n") for piece in pieces)
    whole = answer_html(text, link=link, code_style=LIGHT_CODE)
    assert inside == re.sub(r"</?div[^>]*>|</?pre>", "", whole).strip("\n")
    assert [piece.begins for piece in pieces] == [True, *[False] * (len(pieces) - 1)]
    assert [piece.ends for piece in pieces] == [*[False] * (len(pieces) - 1), True]
    assert len(pieces) > 3


def test_code_is_never_cut_inside_a_long_string() -> None:
    words = "".join(f"for each of {number} words in this text\n" for number in range(40))
    text = f"```python\nx = '''\n{words}'''\n{CODE}```\n"
    pieces = AnswerPieces(link=link, code_style=LIGHT_CODE).read(text)
    assert "39 words in this text" in pieces[0].html
    assert len(pieces) > 2


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_long_list_is_several_pieces_that_go_on_counting(gap: str) -> None:
    text = gap.join(f"{number}. Item {number} of the list, with some words" for number in range(1, 141))
    pieces = AnswerPieces(link=link).read(text)
    starts = [int(match[1]) for match in re.finditer(r'<ol start="(\d+)"', "".join(piece.html for piece in pieces))]
    assert len(starts) > 2
    assert all(f"Item {start} " in piece.html for start, piece in zip(starts, pieces[1:], strict=True))
    assert [(piece.begins, piece.ends) for piece in pieces[:2]] == [(True, False), (False, False)]
    assert re.sub(r"</?ol[^>]*>\n?", "", "".join(piece.html for piece in pieces)) == re.sub(
        r"</?ol[^>]*>\n?", "", answer_html(text, link=link)
    )


def test_a_long_table_is_several_pieces_with_the_columns_of_the_first() -> None:
    rows = "".join(f"| {number} | some words of row {number} [1] | {number * 7} |\n" for number in range(70))
    text = f"| a | b | c |\n|---|---|--:|\n{rows}"
    pieces = AnswerPieces(link=link).read(text, cited(text))
    assert [piece.html.count("<tr>") for piece in pieces] == [21, 20, 20, 10]
    assert [piece.html.count("<thead>") for piece in pieces] == [1, 0, 0, 0]
    assert all('<td style="text-align:right"' in piece.html for piece in pieces)
    assert len({piece.widths for piece in pieces}) == 1
    assert abs(sum(pieces[0].widths) - 100) <= 2
    assert AnswerPieces(link=link).read(text[:900], cited(text[:900]))[0].widths == pieces[0].widths
    assert AnswerPieces(link=link).read(text[:300], cited(text[:300]))[0].widths == ()


def test_a_wide_table_gives_each_column_room_for_its_longest_word() -> None:
    text = (
        "| (dollars in millions) | % Change 2022 | % Change 2021 | % Change 2020 | % Change 2022-2021 | |\n"
        "|---|---|---|---|---|---|\n| Research and development | $ 2,987 | $ 2,540 | $ 2,188 | 18 % | [1] |\n"
    )
    (piece,) = AnswerPieces(link=link).read(text, cited(text))
    first, *others = piece.widths
    assert first > max(others)
    assert first >= 100 * len("development") / 48  # characters in an answer of 480 pixels, padding subtracted


def test_a_narrow_table_is_as_wide_as_its_cells() -> None:
    (piece,) = AnswerPieces(link=link).read("| a | b |\n|---|---|\n| one | two |\n")
    assert piece.widths == ()


def test_a_definition_that_comes_late_reaches_back() -> None:
    text = "See [here].\n\nMore.\n\nAnd more.\n\n[here]: https://example.org/a\n\nThe end.\n\n"
    (_, before), (_, after) = streamed(text, [30])
    assert "<a" not in before[0].html
    assert 'href="https://example.org/a"' in after[0].html


def test_a_marker_that_becomes_code_is_taken_back() -> None:
    text = "A ` tick [1].\n\n" + "More words. " * 20 + "\n\nAnd ` one.\n\nThe end."
    (_, before), (_, after) = streamed(text, [200])
    assert 'class="citation"' in before[0].html
    assert 'class="citation"' not in after[0].html
