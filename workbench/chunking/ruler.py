"""How many tokens any slice of a text has, from one tokenisation of the whole."""

from bisect import bisect_left
from collections.abc import Sequence

from workbench.model.embedder import TokenCounter, token_starts


class TokenRuler:
    """Counts the tokens of slices by where tokens start: a call per sentence would cost several times as much."""

    def __init__(self, text: str, tokenizer: TokenCounter) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self._starts = token_starts(tokenizer, text)

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in text[start:end]."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def alone(self, start: int, end: int) -> int:
        """Return how many tokens text[start:end] is by itself: a piece out of a token may be many."""
        return self._tokenizer.count(self._text[start:end])

    def token_starts(self, start: int, end: int) -> Sequence[int]:
        """Return where the tokens of text[start:end] start."""
        return self._starts[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
