"""Embedding model of a library: the progress of changing it, token counting, and the packages that others need."""

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


@dataclass(frozen=True, slots=True)
class ModelPackages:
    """State of the packages that load other models than the built-in one.

    Attributes:
        are_installed: Other embedding and reranking models can be loaded.
        hosts: Hosts from which they would be downloaded.
        command: Command that installs them, as typed in a terminal; empty if this installation cannot be extended.
    """

    are_installed: bool
    hosts: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class PackageInstallProgress:
    """Progress of the installation of these packages.

    Attributes:
        text: Last line of the installer, such as the name of the file that is downloaded.
        done: Bytes of this file that have arrived.
        total: Bytes of this file; 0 if unknown.
    """

    text: str
    done: int = 0
    total: int = 0
