"""What a chunker needs to know of an embedder: how it counts tokens."""

from collections.abc import Sequence
from typing import Protocol


class TokenCounter(Protocol):
    """The embedder's own tokenizer."""

    @property
    def max_tokens(self) -> int:
        """How many tokens the embedder sees, special tokens included (256 for the default)."""
        ...

    def count(self, text: str) -> int:
        """Return how many tokens the text is, special tokens left out."""
        ...

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the (start, end) characters of each token of the text, special tokens left out."""
        ...
