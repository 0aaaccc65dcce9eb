"""Masking of keys in texts: known ones, and everything that looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.logs import keep_secret, masked, redaction, without_secrets
from workbench.logs.redaction import MaskedStream

KEY = "Zk4-canary_0917/täglich=="


@pytest.fixture(autouse=True)
def _knows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_secrets", {})
    monkeypatch.setattr(redaction, "_known", None)
    monkeypatch.setattr(redaction, "_unmistakable", None)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [key]"),
        ("{'authorization': 'Basic dXNlcjpwYXNz'}", "{'authorization': 'Basic [key]'}"),
        ("refused sk-proj-abcdefghijkl0123 there", "refused [key] there"),
        ("https://ada:hunter2@example.com/x", "https://[key]@example.com/x"),
        ("postgresql://ada:p%40ss@db/shop", "postgresql://[key]@db/shop"),
        ("GET /v1?api_key=s3cr3tvalue&q=1", "GET /v1?api_key=[key]&q=1"),
        ('{"api-key": "s3cr3tvalue", "n": 1}', '{"api-key": "[key]", "n": 1}'),
        ("X-Subscription-Token: s3cr3tvalue", "X-Subscription-Token: [key]"),
        ("Cookie: session=abc; theme=dark", "Cookie: [key]"),
        ("OPENAI_API_KEY=s3cr3tvalue", "OPENAI_API_KEY=[key]"),
        ("password: s3cr3tvalue", "password: [key]"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- behind", "[key] behind"),
    ],
)
def test_text_that_looks_like_a_key_is_masked_and_the_rest_is_kept(text: str, left: str) -> None:
    assert masked(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "The key point is: tokens=1024 of the answer, and the monkey=tree.",
        "There is no connection to http://127.0.0.1:8080/v1. Check that the server is running.",
        "120 tokens, 3 cookies, a basic understanding, the bearer of news",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    "text",
    [f"it said {KEY}.", "in JSON Zk4-canary_0917/t\\u00e4glich==", "in a URL Zk4-canary_0917%2Ft%C3%A4glich%3D%3D"],
)
def test_a_key_that_is_known_is_taken_out_in_every_form(text: str) -> None:
    keep_secret(KEY)
    assert "canary" not in masked(text)
    assert "canary" not in without_secrets(text)


def test_a_password_that_is_a_word_is_taken_out_of_the_log_and_left_in_answers() -> None:
    keep_secret("postgres")
    assert masked("no password postgres") == "no password [key]"
    assert without_secrets("We use postgres for that.") == "We use postgres for that."


def test_a_secret_too_short_to_distinguish_from_ordinary_words_is_not_masked() -> None:
    keep_secret("the")
    assert masked("the theatre") == "the theatre"


@given(st.lists(st.text(alphabet="abZk4-canry_0917/x", max_size=12)), st.integers(0, 40))
def test_a_key_cut_into_pieces_is_not_passed_on_by_any_of_them(pieces: list[str], at: int) -> None:
    redaction._secrets.clear()
    keep_secret("Zk4-canary_0917")
    whole = "".join(pieces)
    whole = whole[:at] + "Zk4-canary_0917" + whole[at:]
    stream = MaskedStream()
    told = "".join(stream.take(letter) for letter in whole) + stream.rest()
    assert "Zk4-canary_0917" not in told
    assert told == without_secrets(whole)
