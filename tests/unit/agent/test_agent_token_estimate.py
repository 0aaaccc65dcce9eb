"""Token estimates of texts: the number of pieces, whichever way they are counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.agent.token_budget import _PIECE, TokenBudget, _extra, estimate
from workbench.errors import LimitReached
from workbench.model.message import Message, ModelRequest, Role, Usage


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("Sales rose by 12 %.", 7),
        ("harbour", 2),
        ("one\n\n  two", 3),
        ("港口", 2.4),
        ("Ærø’s café", 6.1),
    ],
)
def test_words_digits_marks_and_line_ends_are_tokens(text: str, tokens: float) -> None:
    assert estimate(text) == pytest.approx(tokens)


@given(st.text(st.sampled_from("abcXYZ09 _-.,\n\t\x1c\u00a0\u3000éüЖ中٣’–😀")))
def test_every_way_of_counting_counts_the_pieces_of_the_pattern(text: str) -> None:
    pieces = _PIECE.findall(text)
    assert estimate(text) == pytest.approx(sum(1 + _extra(piece) * (not piece.isascii()) for piece in pieces))


def test_a_budget_of_no_tokens_counts_nothing_and_one_of_a_few_ends_the_run() -> None:
    request = ModelRequest((Message(Role.USER, "word " * 100),), ())
    free = TokenBudget(0)
    free.ask(request)
    free.count_output("word " * 1000)
    assert free.end(request, Usage()) == (Usage(), False)
    assert not free.is_short
    with pytest.raises(LimitReached):
        TokenBudget(50).ask(request)
