"""Embedder protocols: unit vectors of texts, and one vector per token for late interaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from workbench.model.embedder import TokenCounter


class Embedder(Protocol):
    """Turns text into vectors; safe to call from several threads.

    Attributes of an instance:
        id: Model, revision and width ("all-MiniLM-L6-v2/384/…"): vectors with different ids are never compared.
        dim: Width of a vector.
        tokenizer: The model's tokenizer, for the chunker.
    """

    @property
    def id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def tokenizer(self) -> TokenCounter: ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 [n, dim], rows of length 1, in the order of the texts.

        A text that exceeds the embedder's limit is embedded in windows whose vectors are averaged.

        Raises:
            EmbeddingError: The model failed; no partial result is returned.
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
    """Tokens of a question, without special tokens and without the model's prompt.

    Attributes:
        vectors: float32 [tokens, width], rows of length 1.
        spans: (start, end) of each token in the question.
    """

    vectors: NDArray[np.float32]
    spans: tuple[tuple[int, int], ...]


class TokenVocabulary(TokenCounter, Protocol):
    """Tokenizer that can list its vocabulary."""

    def vocabulary_texts(self, texts: int, *, words: int) -> list[str]:
        """Return texts made of the vocabulary's words, in a random but reproducible order."""
        ...


@runtime_checkable
class TokenEmbedder(Protocol):
    """Embedder that also returns the vectors of tokens; safe to call from several threads."""

    @property
    def has_token_vectors(self) -> bool:
        """True if its model has token vectors; a model without a transformer has none."""
        ...

    @property
    def tokenizer(self) -> TokenVocabulary:
        """The model's tokenizer."""
        ...

    def embed_with_tokens(
        self, texts: Sequence[str], keep: Callable[[NDArray[np.float32], NDArray[np.float32]], T]
    ) -> tuple[NDArray[np.float32], list[T]]:
        """Return the texts' vectors, float32 [n, dim], and the results of `keep` for the words of each.

        Args:
            texts: Texts of any length.
            keep: Called with a text's vector, float32 [dim], and those of its words, float32 [words, width]: rows of
                length 1, without tokens that have no letter or digit. Runs on the embedding threads, concurrently.

        Raises:
            EmbeddingError: The model failed.
        """
        ...

    def question_tokens(self, question: str) -> QuestionTokens:
        """Return the vectors of a question's tokens; for a very long question those of its beginning.

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
    """Tokenizer that returns token ids."""

    @property
    def is_word(self) -> NDArray[np.bool_]:
        """True for each token id whose token has a letter or digit, bool [vocabulary]."""
        ...

    def windows(self, texts: Sequence[str]) -> list[list[list[int]]]:
        """Return, for each text, the token ids of its windows."""
        ...

    def word_starts(self, text: str, count: int) -> NDArray[np.int32]:
        """Return the start of each token of a document that has a letter or digit, int32 [words].

        The order is that of the token vectors of embed_with_tokens(): window by window, and windows overlap. Tokens of
        the embedder's own prompt have negative starts.

        Args:
            text: Text as embedded.
            count: Number of its stored token vectors: usually a fast method finds as many starts.
        """
        ...


@runtime_checkable
class VocabularyEmbedder(Protocol):
    """Embedder that can embed single tokens of its vocabulary; safe to call from several threads."""

    @property
    def tokenizer(self) -> Vocabulary:
        """The model's tokenizer."""
        ...

    def embed_single_tokens(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Return the vector of each token as a separate text, float32 [n, dim], rows of length 1.

        Raises:
            EmbeddingError: The model failed.
        """
        ...


@runtime_checkable
class RemoteEmbedder(Protocol):
    """Embedder on a server, which may be slow: embed_documents and embed_query wait only as long as a search may.

    Safe to call from several threads.
    """

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of questions in few requests, float32 [n, dim], rows of length 1.

        Raises:
            EmbeddingError: The server failed; EmbedderUnreachable if it may succeed later.
        """
        ...

    def embed_for_import(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return what embed_documents returns, but wait for a slow or busy server.

        Raises:
            EmbeddingError: The server failed; EmbedderUnreachable if it may succeed later.
        """
        ...


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of one or more questions, float32 [n, dim], rows of length 1.

    Raises:
        EmbeddingError: The model failed.
    """
    if isinstance(embedder, RemoteEmbedder):
        return embedder.embed_queries(texts)
    return np.stack([embedder.embed_query(text) for text in texts])


def words_alone(_: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vectors of a text's words unchanged."""
    return words


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows scaled to length 1; a row of zeros is unchanged."""
    rows: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return rows
