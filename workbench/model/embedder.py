"""Embedding model and vector store of a library, the progress of changing them, and token counting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Embedding model as chosen by the user.

    Attributes:
        model: A folder, a hub name, or "" for the built-in one.
        backend: "auto", "fp32" or "int8".
    """

    model: str = ""
    backend: str = "auto"


@dataclass(frozen=True, slots=True)
class BoundEmbedder:
    """Embedder of a library, or its previous one.

    Attributes:
        id: Id of the embedder: "name/width/revision/backend"; vectors of different ids are never compared.
        choice: Options for loading it.
    """

    id: str
    choice: EmbedderChoice

    @property
    def name(self) -> str:
        """Name of the model, for users."""
        return self.id.rsplit("/", 3)[0] if self.id.count("/") >= 3 else self.id


@dataclass(frozen=True, slots=True)
class EmbedderState:
    """State of a library's embedder.

    Attributes:
        current: The embedder in use; None before the first document.
        previous: The embedder before it, whose vectors are kept, so that switching back is fast.
        wanted: The embedder of the settings if it is another one; a change is in progress or pending.
        dim: Width of a vector of the current embedder; 0 if unknown.
        max_tokens: Size of its window in tokens; 0 if unknown.
        too_long: Number of passages longer than the window: their vectors are means of windows.
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
    """Event: progress of computing the new vectors. seconds_left is None until it can be estimated."""

    name: str
    chunks_done: int
    chunks: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class EmbedderChanged:
    """Event: the library is searched with another embedder from now on."""

    state: EmbedderState


class TokenCounter(Protocol):
    """The embedder's own tokenizer."""

    @property
    def max_tokens(self) -> int:
        """Size of the embedder's window in tokens, special tokens included (256 for the default)."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of the text, without special tokens."""
        ...

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the (start, end) characters of each token of the text, without special tokens."""
        ...


@runtime_checkable
class StartFinder(Protocol):
    """Tokenizer that finds only the starts of tokens, at less cost than starts and ends."""

    def starts(self, text: str) -> Sequence[int]:
        """Return the first character of each token that has one, in order, without special tokens."""
        ...


def token_starts(tokenizer: TokenCounter, text: str) -> Sequence[int]:
    """Return the starts of the tokens of a text, in order."""
    if isinstance(tokenizer, StartFinder):
        return tokenizer.starts(text)
    return [start for start, end in tokenizer.offsets(text) if end > start]


BUILT_IN_STORE = "faiss"
"""Name of the store that needs no database."""


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Vector store chosen by the user.

    Attributes:
        name: Name in the registry of stores.
        url: Address of its server; empty for an embedded database.
    """

    name: str = BUILT_IN_STORE
    url: str = ""


@dataclass(frozen=True, slots=True)
class StoreState:
    """The vector stores of a library.

    Attributes:
        current: The store in use.
        wanted: Store requested by the settings, if it is another one: a move is in progress, or waits to be started.
        vectors: Number of vectors in the current store; None if it cannot be opened.
        problem: Reason why it cannot be opened; empty if it can.
        others: Stores kept after a move; until they are deleted, moving back to one is fast.
        names: All stores that can be chosen.
    """

    current: StoreChoice
    wanted: StoreChoice | None = None
    vectors: int | None = None
    problem: str = ""
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreMoveProgress:
    """Event: number of vectors in the new store. seconds_left is None until it can be estimated."""

    name: str
    done: int
    total: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class StoreMoved:
    """Event: the library uses another store from now on."""

    state: StoreState
