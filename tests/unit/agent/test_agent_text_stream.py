"""Streamed text, divided at any place."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.agent.providers.wire_format import SurrogateJoiner, ThinkSplitter, join_surrogates
from workbench.model.message import ReasoningDelta, TextDelta


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(edges)]


def split(pieces: list[str]) -> tuple[str, str]:
    splitter = ThinkSplitter()
    deltas = [delta for piece in pieces for delta in splitter.feed(piece)] + splitter.finish()
    return (
        "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)),
        "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)),
    )


THINKING = "\n<think>a < b </thin k> </think>Five <think>no</think>."


@given(st.lists(st.integers(0, 200), max_size=12))
def test_thinking_is_separated_from_the_answer_wherever_the_stream_is_split(cuts: list[int]) -> None:
    assert split(pieces_of(THINKING, cuts)) == ("a < b </thin k> ", "Five <think>no</think>.")


@given(st.text(), st.lists(st.integers(0, 200), max_size=12))
def test_an_emoji_cut_by_utf_16_units_is_whole_again(text: str, cuts: list[int]) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    halves = "".join(chr(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2))
    joiner = SurrogateJoiner()
    assert "".join(map(joiner.feed, pieces_of(halves, cuts))) + joiner.finish() == text


def test_a_lone_half_becomes_the_replacement_character() -> None:
    joiner = SurrogateJoiner()
    assert joiner.feed("a\ud83d") + joiner.feed("b") + joiner.feed("\ud83d") + joiner.finish() == "a\ufffdb\ufffd"
    assert join_surrogates("\ude00x") == "\ufffdx"


def test_an_answer_without_thinking_is_passed_on_at_once() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("<b>") == [TextDelta("<b>")]
    assert splitter.feed("<think>") == [TextDelta("<think>")]


def test_thinking_that_never_ends_is_all_thinking() -> None:
    assert split(["<think>Hm", ". </th"]) == ("Hm. </th", "")


def test_the_beginning_of_a_tag_at_the_end_is_text() -> None:
    assert split(["<thi"]) == ("", "<thi")
