"""What a chunker needs to know of an embedder: how it counts tokens."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


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


@runtime_checkable
class StartFinder(Protocol):
    """A tokenizer that finds where tokens start at less cost than where they start and end."""

    def starts(self, text: str) -> Sequence[int]:
        """Return the first character of each token that has one, in order, special tokens left out."""
        ...


def token_starts(tokenizer: TokenCounter, text: str) -> Sequence[int]:
    """Return where the tokens of a text start, in order."""
    if isinstance(tokenizer, StartFinder):
        return tokenizer.starts(text)
    return [start for start, end in tokenizer.offsets(text) if end > start]
