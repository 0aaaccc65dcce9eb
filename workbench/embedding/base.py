"""The embedder protocol: texts in, unit vectors out."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.model.tokens import TokenCounter


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
