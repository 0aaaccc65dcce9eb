"""A second, cheap embedding model: words hashed into a few dimensions."""

import threading
import zlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.tokenizer import ModelTokenizer
from workbench.errors import EmbeddingError
from workbench.model.embedder import TokenCounter


class SmallEmbedder:
    """Counts embedded texts; a test can intervene before each batch.

    Attributes:
        texts: Every embedded text, without questions.
        before: Called before each batch of documents.
    """

    def __init__(self, tokenizer: TokenCounter, *, name: str = "small", dim: int = 192, max_tokens: int = 0) -> None:
        self.id = f"{name}/{dim}/0123456789ab/fp32"
        self.dim = dim
        self.tokenizer = tokenizer
        if max_tokens:
            assert isinstance(tokenizer, ModelTokenizer)
            self.tokenizer = ModelTokenizer(tokenizer._recipe[0], max_tokens=max_tokens)
        self.texts: list[str] = []
        self.before: Callable[[Sequence[str]], None] = lambda _texts: None
        self._lock = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.before(texts)
        with self._lock:
            self.texts.extend(texts)
        return np.array([self._vector(text) for text in texts], np.float32).reshape(len(texts), self.dim)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dim, 0.01, np.float32)
        for word in text.lower().split():
            vector[zlib.crc32(word.strip(".,#?").encode("utf-8", "replace")) % self.dim] += 1
        return vector / np.float32(np.linalg.norm(vector))


def failing(after: int) -> Callable[[Sequence[str]], None]:
    """Return a callback that lets the given number of batches pass and then fails."""
    passed = 0

    def step(_texts: Sequence[str]) -> None:
        nonlocal passed
        passed += 1
        if passed > after:
            raise EmbeddingError("The embedding model failed: out of memory.", "Close other programs.")

    return step
