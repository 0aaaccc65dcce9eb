"""The token vectors of the passages seen last: an answer, or an explanation, searches for much the same ones again."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.token_vectors import TokenEmbedder

# 200 tokens of 384 in half precision are 0.15 MB.
_MOST_BYTES = 16_000_000


class PassageVectors:
    """Embeds passages, and keeps them up to a limit; safe to call from several threads at once."""

    def __init__(self, embedder: TokenEmbedder, *, most_bytes: int = _MOST_BYTES) -> None:
        self._embedder = embedder
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one matrix a text, float32 [tokens, width].

        Raises:
            EmbeddingError: The model failed.
        """
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            vectors = [one.astype(np.float16) for one in self._embedder.token_vectors(missing)]
            found.update(zip(missing, vectors, strict=True))
            self._keep({text: found[text] for text in missing})
        return [found[text].astype(np.float32) for text in texts]

    def _keep(self, new: dict[str, NDArray[np.float16]]) -> None:
        with self._lock:
            for text, vectors in new.items():
                if text not in self._kept:
                    self._kept[text] = vectors
                    self._bytes += vectors.nbytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes
