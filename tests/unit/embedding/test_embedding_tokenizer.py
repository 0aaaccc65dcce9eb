"""Tokens of a text that the model receives."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer

from workbench.embedding.base import Embedder
from workbench.embedding.tokenizer import WINDOW_OVERLAP, ModelTokenizer


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
