"""Embedder protocols: unit vectors of texts, and one vector a token for late interaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from workbench.model.embedder import TokenCounter


class Embedder(Protocol):
    """Turns text into vectors; safe to call from several threads at once.

    Attributes of an instance:
        id: Names model, revision and width ("all-MiniLM-L6-v2/384/…"): vectors of different ids never meet.
        dim: Width of a vector.
        tokenizer: Its own tokenizer, for the chunker.
    """

    @property
    def id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def tokenizer(self) -> TokenCounter: ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 [n, dim], rows of length 1, in the order of the texts.

        A text longer than the embedder sees is embedded in windows whose vectors are averaged.

        Raises:
            EmbeddingError: The model failed; nothing is returned half-done.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return float32 [dim] of length 1.

        Raises:
            EmbeddingError: The model failed.
        """
        ...


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QuestionTokens:
    """The tokens of a question, without special tokens and without the model's prompt.

    Attributes:
        vectors: float32 [tokens, width], rows of length 1.
        spans: Where each token stands in the question.
    """

    vectors: NDArray[np.float32]
    spans: tuple[tuple[int, int], ...]


class TokenVocabulary(TokenCounter, Protocol):
    """A tokenizer that can list what it knows."""

    def vocabulary_texts(self, texts: int, *, words: int) -> list[str]:
        """Return texts of the vocabulary's words in a random order that is always the same."""
        ...


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that gives its tokens' vectors, too; safe to call from several threads at once."""

    @property
    def has_token_vectors(self) -> bool:
        """Whether its model has such: one without a transformer has not."""
        ...

    @property
    def tokenizer(self) -> TokenVocabulary:
        """Its own tokenizer."""
        ...

    def embed_with_tokens(
        self, texts: Sequence[str], keep: Callable[[NDArray[np.float32], NDArray[np.float32]], T]
    ) -> tuple[NDArray[np.float32], list[T]]:
        """Return the texts' own vectors, float32 [n, dim], and what is kept of the words of each.

        Args:
            texts: Any.
            keep: Called with a text's own vector, float32 [dim], and those of its words, float32 [words, width]: rows
                of length 1, tokens without a letter or digit left out. On the threads that embed, several at a time.

        Raises:
            EmbeddingError: The model failed.
        """
        ...

    def question_tokens(self, question: str) -> QuestionTokens:
        """Return the vectors of a question's tokens; of a very long one those of its beginning.

        Raises:
            EmbeddingError: The model failed.
        """
        ...

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return for each text float32 [tokens, width], rows of length 1, special tokens included.

        Raises:
            EmbeddingError: The model failed.
        """
        ...


class Vocabulary(TokenCounter, Protocol):
    """A tokenizer that gives the numbers of tokens."""

    @property
    def is_word(self) -> NDArray[np.bool_]:
        """Whether each token has a letter or digit in it, by its number. bool [vocabulary]."""
        ...

    def windows(self, texts: Sequence[str]) -> list[list[list[int]]]:
        """Return for each text the token numbers of its windows."""
        ...


@runtime_checkable
class VocabularyEmbedder(Protocol):
    """An embedder that embeds single tokens of its vocabulary; safe to call from several threads at once."""

    @property
    def tokenizer(self) -> Vocabulary:
        """Its own tokenizer."""
        ...

    def embed_single_tokens(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Return the vector of each token as a text of its own, float32 [n, dim], rows of length 1.

        Raises:
            EmbeddingError: The model failed.
        """
        ...


def words_alone(_: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
    """Keep the vectors of a text's words as they are."""
    return words


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows with length 1; a row of zeros stays."""
    rows: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return rows
