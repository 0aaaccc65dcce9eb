"""Tokenizers are passed to parser processes by name, and loaded there once."""

import pickle
from typing import Any


def test_a_pickled_tokenizer_is_small_and_read_once(embedder: Any) -> None:
    pickled = pickle.dumps(embedder.tokenizer)
    assert len(pickled) < 1000
    assert pickle.loads(pickled) is pickle.loads(pickled)


def test_a_travelled_tokenizer_counts_the_same(embedder: Any) -> None:
    travelled = pickle.loads(pickle.dumps(embedder.tokenizer))
    text = "The ferry Aurora stayed in port for nine days. 渡轮停航九天。"
    assert travelled.count(text) == embedder.tokenizer.count(text) > 10
    assert travelled.max_tokens == embedder.tokenizer.max_tokens
