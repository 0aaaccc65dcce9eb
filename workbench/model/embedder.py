"""Which embedding model a library is bound to, a change of it in progress, and how an embedder counts tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """A model as the user chooses it.

    Attributes:
        model: A folder, a hub name, or "" for the built-in one.
        backend: "auto", "fp32" or "int8".
    """

    model: str = ""
    backend: str = "auto"


@dataclass(frozen=True, slots=True)
class BoundEmbedder:
    """The embedder whose vectors a library is searched with, or was before the last change.

    Attributes:
        id: Of the embedder: "name/width/revision/backend"; its vectors meet no others.
        choice: How it is loaded.
    """

    id: str
    choice: EmbedderChoice

    @property
    def name(self) -> str:
        """The model's name, for people."""
        return self.id.rsplit("/", 3)[0] if self.id.count("/") >= 3 else self.id


@dataclass(frozen=True, slots=True)
class EmbedderState:
    """How a library stands with its embedder.

    Attributes:
        current: What it is searched with; None before the first document.
        previous: What it was searched with before: its vectors are kept, so the way back is short.
        wanted: What the settings ask for, where that is another; a change goes on, or waits to.
        dim: Width of a vector of the current one; 0 when not known.
        max_tokens: How many tokens it sees; 0 when not known.
        too_long: How many passages are longer than it sees: their vectors are means of windows.
        warnings: Sentences for the user.
    """

    current: BoundEmbedder | None
    previous: BoundEmbedder | None = None
    wanted: EmbedderChoice | None = None
    dim: int = 0
    max_tokens: int = 0
    too_long: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbedderChangeProgress:
    """How far the new vectors are; an event. seconds_left is None until it can be told."""

    name: str
    chunks_done: int
    chunks: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class EmbedderChanged:
    """The library is searched with another embedder from now on; an event."""

    state: EmbedderState


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
