"""Tokens of a text that the model receives."""

import random
import string
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from workbench.embedding import tokenizer as tokenizer_module
from workbench.embedding.base import Embedder
from workbench.embedding.tokenizer import WINDOW_OVERLAP, ModelTokenizer, TokenStarts


@pytest.fixture(scope="module")
def path(embedder: Embedder) -> Path:
    tokenizer = embedder.tokenizer
    assert isinstance(tokenizer, ModelTokenizer)
    found: Path = tokenizer.__reduce__()[1][0]
    return found


def test_windows_are_those_that_the_tokenizer_itself_cuts(path: Path) -> None:
    cutting = Tokenizer.from_file(str(path))
    cutting.no_padding()
    cutting.enable_truncation(40, stride=10)
    texts = ["", "ferry", *("The ferry stayed in port. " * n for n in range(1, 30)), "渡轮停航九天。" * 40]
    expected = [[cut.ids, *(more.ids for more in cut.overflowing)] for cut in cutting.encode_batch(texts)]
    assert ModelTokenizer(path, max_tokens=40).windows(texts) == expected
    assert {len(windows) for windows in expected} > {1, 2, 3}
    assert WINDOW_OVERLAP > 10  # so that the quarter matters


def test_a_second_tokenizer_is_read_only_where_a_text_is_too_long(path: Path) -> None:
    tokenizer = ModelTokenizer(path, max_tokens=40)
    tokenizer.windows(["short"])
    assert "_cutting" not in vars(tokenizer)
    tokenizer.windows(["long " * 50])
    assert "_cutting" in vars(tokenizer)


def _starts_by_offsets(tokenizer: ModelTokenizer, text: str) -> list[int]:
    return [start for start, end in tokenizer.offsets(text) if end > start]


@pytest.mark.parametrize("first", [*range(0, 0x10000, 0x2000), 0x1E000], ids=hex)
def test_token_starts_around_each_character_are_those_of_the_tokenizer(path: Path, first: int) -> None:
    tokenizer = ModelTokenizer(path, max_tokens=40)
    characters = [chr(code) for code in range(first, first + 0x2000) if not 0xD800 <= code < 0xE000]
    text = " ".join(f"air{character}port {character}" for character in characters)
    assert list(tokenizer.starts(text)) == _starts_by_offsets(tokenizer, text)


def _random_words(number: int) -> list[str]:
    """Words of 1 to 40 letters and digits, of which several begin with the same 8 or 16 characters."""
    chosen = random.Random(number)
    letters = string.ascii_letters + string.digits
    words = ["".join(chosen.choices(letters, k=chosen.randint(1, 40))) for _ in range(400)]
    return [*words, *(word[:length] + chosen.choice(letters) for word in words for length in (8, 15, 16))]


def test_words_that_begin_alike_keep_their_own_token_starts(path: Path) -> None:
    tokenizer = ModelTokenizer(path, max_tokens=40)
    for number in range(5):
        text = " ".join(_random_words(number))
        assert list(tokenizer.starts(text)) == _starts_by_offsets(tokenizer, text)


def test_token_starts_are_the_same_after_the_cache_was_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_module._ShortWords, "_MOST_WORDS", 3000)
    monkeypatch.setattr(tokenizer_module, "_MOST_OTHER_WORDS", 500)
    finder, tokenizer = TokenStarts(Tokenizer.from_file(str(path))), ModelTokenizer(path, max_tokens=40)
    for number in [*range(6), 0]:
        text = " ".join(_random_words(number))
        found = finder.of(text)
        assert found is not None
        assert found.tolist() == _starts_by_offsets(tokenizer, text)
        assert finder._short._count <= 3000 + 1600


def test_threads_that_share_a_tokenizer_find_the_same_token_starts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_module._ShortWords, "_MOST_WORDS", 2000)
    monkeypatch.setattr(tokenizer_module, "_MOST_OTHER_WORDS", 300)
    finder, tokenizer = TokenStarts(Tokenizer.from_file(str(path))), ModelTokenizer(path, max_tokens=40)
    texts = [" ".join(_random_words(number)) for number in range(6)]

    def starts(text: str) -> list[int]:
        found = finder.of(text)
        return found.tolist() if found is not None else []

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(starts, texts * 5))
    assert found == [_starts_by_offsets(tokenizer, text) for text in texts] * 5


def test_words_that_share_a_slot_of_the_hash_table_are_distinguished(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer_module._ShortWords, "_BITS", 12)
    finder, tokenizer = TokenStarts(Tokenizer.from_file(str(path))), ModelTokenizer(path, max_tokens=40)
    text = " ".join(_random_words(0))
    for _ in range(2):
        found = finder.of(text)
        assert found is not None
        assert found.tolist() == _starts_by_offsets(tokenizer, text)


@pytest.mark.parametrize("prompt", ["", "passage: "])
@pytest.mark.parametrize(
    "text",
    ["The ferry runs.", "  −5 °C, m², /tᵻˈnɒf/ and 渡轮停航。", "\nThe ferry of May 2018 stayed in port. " * 9],
    ids=["short", "letters that the vocabulary lacks", "several windows"],
)
def test_word_starts_are_those_of_the_stored_token_vectors(path: Path, text: str, prompt: str) -> None:
    tokenizer = ModelTokenizer(path, max_tokens=40, prompt=prompt)
    (windows,) = tokenizer.windows([prompt + text])
    vocabulary = Tokenizer.from_file(str(path))
    tokens = [vocabulary.id_to_token(token) for ids in windows for token in ids]
    words = [token.removeprefix("##") for token in tokens if token[0] != "[" and any(map(str.isalnum, token))]
    starts = tokenizer.word_starts(text, len(words)).tolist()
    assert len(starts) == len(words) >= 3
    whole = (prompt + text).lower()
    assert all(whole[len(prompt) + start :].startswith(word) for start, word in zip(starts, words, strict=True))
