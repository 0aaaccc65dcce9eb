"""Texts cut for a model whose tokenizer is not known: nothing is lost, and no piece is too long."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.embedding.servers.known_models import MARGIN, ServerLimits
from workbench.embedding.servers.server_embedder import (
    batches,
    counting_tokenizer,
    weighed,
    window_tokens,
    windows,
)

LIMIT = 40


@pytest.mark.parametrize(
    "text",
    [
        "word " * 500,
        "渡轮在码头等候" * 60,
        "QUJD" * 400,
        "🙂" * 300,
        "a\ud800b " * 90,
        "x" + " " * 900 + "y",
        "\t\n.\n" * 200,
    ],
)
@pytest.mark.parametrize("characters", [0, 60])
def test_no_piece_is_heavier_or_longer_than_allowed(text: str, characters: int) -> None:
    tokenizer = counting_tokenizer(LIMIT)
    pieces = windows(tokenizer, text, LIMIT, characters)
    assert all(0 < weight <= LIMIT for _, weight in pieces)
    assert not characters or all(len(piece) <= characters for piece, _ in pieces)
    assert all(piece.strip() for piece, _ in pieces)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=200))
def test_every_letter_of_a_text_is_in_a_piece(text: str) -> None:
    pieces = windows(counting_tokenizer(LIMIT), text, 8)
    letters = {letter for letter in text if letter.isalpha() and letter.isascii()}
    assert letters <= set("".join(piece for piece, _ in pieces))
    assert len(pieces) <= len(text) + 1


def test_a_short_text_stays_whole_and_an_empty_one_is_not_sent_empty() -> None:
    tokenizer = counting_tokenizer(LIMIT)
    assert windows(tokenizer, " One two. ", LIMIT) == [("One two.", 3)]
    assert windows(tokenizer, " \n ", LIMIT) == [(".", 1)]


def test_text_unknown_to_the_built_in_tokenizer_counts_by_its_length() -> None:
    tokenizer = counting_tokenizer(LIMIT)
    assert tokenizer.count("Q" * 500) == 1
    assert sum(weight for _, weight in weighed(tokenizer, "Q" * 500)) == 500


@pytest.mark.parametrize(("tokens", "seen"), [(512, int(510 / MARGIN)), (256, int(254 / MARGIN)), (8192, 510)])
def test_the_window_leaves_a_margin_for_an_unknown_tokenizer(tokens: int, seen: int) -> None:
    assert window_tokens(ServerLimits(tokens)) == seen


def test_the_window_of_a_model_with_the_built_in_vocabulary_is_used_to_the_full() -> None:
    assert window_tokens(ServerLimits(256, margin=1.0)) == 254


def test_batches_keep_the_order_and_leave_nothing_out() -> None:
    weights = [5, 5, 5, 50_000, 5]
    found = list(batches(weights, ServerLimits(batch=2)))
    assert [number for batch in found for number in batch] == [0, 1, 2, 3, 4]
    assert [len(batch) for batch in found] == [2, 1, 1, 1]
