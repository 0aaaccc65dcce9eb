"""Derived vectors: first vectors of chunks that wait for the embedder, vectors of phrases, and token vectors.

First vectors come from a static embedding (embedding/static_embedding.py). It is computed once per model and machine
while the program is idle (8 s on two cores for a vocabulary of 30,000 tokens), and then read from the cache.

A question for a ratio expands to up to eight phrases. To embed each takes 2 to 3 ms, together half of the time of its
search. Therefore all phrases are embedded at the first such question on a machine (0.3 s), and later read from cache.

The codec that compresses them is fitted once per model and machine, to texts from the model's own vocabulary, and
stored in the cache. A library also stores the codec of its codes, so that it can be moved to another machine.
"""

import hashlib
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import (
    Embedder,
    RemoteEmbedder,
    TokenEmbedder,
    VocabularyEmbedder,
    embed_queries,
    words_alone,
)
from workbench.embedding.static_embedding import StaticEmbedding
from workbench.errors import EmbeddingError
from workbench.model.chunk import Chunk, embedding_text
from workbench.operations.library.models import cached_file_path, read_cached_file, write_cached_file
from workbench.retrieval.query_expansion import PHRASES
from workbench.store.vectors import CodedTokens, VectorTable

if TYPE_CHECKING:  # faiss takes 0.1 to 0.4 s to import, and most commands need no vector
    from workbench.indexing.token_codec import TokenCodec
    from workbench.operations.library.models import SearchModels


logger = logging.getLogger(__name__)

_FOLDER = "static-embeddings"
_FORMAT = "1"

# Maximum size of the vocabulary: 250,000 tokens, as in multilingual models, would take a minute and 64 MB.
_MOST_TOKENS = 60_000

# Tokens per batch of the static embedding, which can be stopped between two batches: 0.3 s.
_BATCH = 1024


class ChunksFirstVectors:
    """First vectors of a library's chunks, for the embedder that the library is searched with; thread-safe."""

    def __init__(self, embedder_id: str, static: StaticEmbedding) -> None:
        from workbench.indexing.first_vectors import FirstVectors  # faiss, as above

        self.embedder_id = embedder_id
        self.vectors = FirstVectors(static.project)
        self._static = static
        self._by_document: dict[int, NDArray[np.int64]] = {}
        self._changing = threading.Lock()

    def put(self, chunks: Sequence[Chunk], embedder: VocabularyEmbedder) -> None:
        """Compute and store the first vectors of chunks that wait to be embedded.

        All previous first vectors of their documents are dropped. Chunks for which there is no room get none.
        """
        self.drop({chunk.document for chunk in chunks})
        chunks = chunks[: self.vectors.room]
        if not chunks:
            return
        texts = [embedding_text(chunk.headings, chunk.text) for chunk in chunks]
        rows = self._static.embed_documents(texts, embedder.tokenizer.windows)
        ids = np.array([chunk.id for chunk in chunks], np.int64)
        owners = np.array([chunk.document for chunk in chunks], np.int64)
        documents = np.unique(owners).tolist()
        with self._changing:
            self._by_document |= {document: ids[owners == document] for document in documents}
            self.vectors.put(ids, rows)

    def drop(self, documents: Collection[int]) -> None:
        """Drop the first vectors of documents that were embedded or deleted."""
        with self._changing:
            ids = [self._by_document.pop(one) for one in documents if one in self._by_document]
            if ids:
                self.vectors.discard(np.concatenate(ids))

    def keep(self, documents: Collection[int]) -> None:
        """Drop the first vectors of all other documents."""
        self.drop(self._by_document.keys() - documents)


def static_embedding_of(embedder: Embedder, cache: Path) -> StaticEmbedding | None:
    """Return the static embedding of a model; None if it was not computed on this machine yet. Blocking, 10 ms."""
    kept = read_cached_file(cached_file_path(cache, _FOLDER, embedder.id, _FORMAT))
    return StaticEmbedding.unpacked(kept) if kept is not None else None


def make_static_embedding(embedder: Embedder, cache: Path, stop: Callable[[], bool]) -> None:
    """Compute the static embedding of a model for the cache, unless it exists; ends if stop returns True. Blocking.

    Does nothing for a model without a vocabulary, or with a very large one.

    Raises:
        EmbeddingError: The model failed.
    """
    path = cached_file_path(cache, _FOLDER, embedder.id, _FORMAT)
    if not isinstance(embedder, VocabularyEmbedder) or path.exists():
        return
    is_word = embedder.tokenizer.is_word
    if not is_word.any() or len(is_word) > _MOST_TOKENS:
        return
    vectors = np.zeros((len(is_word), embedder.dim), np.float32)
    words = np.flatnonzero(is_word)
    for start in range(0, len(words), _BATCH):
        if stop():
            return
        tokens = words[start : start + _BATCH]
        vectors[tokens] = embedder.embed_single_tokens(tokens.tolist())
    write_cached_file(path, StaticEmbedding.train(vectors, is_word).packed())
    logger.info("A static embedding of %s was made", embedder.id)


_VERSION = hashlib.sha256("\n".join(PHRASES).encode()).hexdigest()[:12]


def phrase_vectors(embedder: "Embedder", cache: Path) -> dict[str, NDArray[np.float32]]:
    """Return the vector of each phrase, float32 [dim] of length 1, as embed_query() returns it; blocking.

    Raises:
        EmbeddingError: The model failed.
    """
    path = cached_file_path(cache, "phrase-vectors", embedder.id, _VERSION)
    kept = read_cached_file(path)
    if kept is not None and len(kept) == 4 * len(PHRASES) * embedder.dim:
        vectors = np.frombuffer(kept, "<f4").reshape(len(PHRASES), embedder.dim)
    else:
        vectors = embed_queries(embedder, PHRASES)
        write_cached_file(path, vectors.astype("<f4").tobytes())
    return dict(zip(PHRASES, vectors, strict=True))


# 14,000 tokens are 55 for each of 256 centroids. Embedding and fitting take 3 to 6 s, once per model and machine.
_TEXTS = 120
_WORDS = 100
_CODEC_FORMAT = "3"

# Chunks per batch in the background, which can be stopped between two batches: 0.2 to 0.8 s.
_CODED_AT_ONCE = 32


def embedded(
    models: "SearchModels", embedder: "Embedder", texts: Sequence[str], *, waits: bool = True
) -> tuple[NDArray[np.float32], CodedTokens | None]:
    """Return the vectors of texts, and their token codes if the library stores those; as embed_with_codes.

    Args:
        models: Search models of the library.
        embedder: The embedder.
        texts: The texts.
        waits: True to wait for a server that is slow or busy, as an import does.
    """
    if isinstance(embedder, RemoteEmbedder) and waits:
        return embedder.embed_for_import(texts), None
    return embed_with_codes(embedder, models.tokens.codec(embedder), texts)


def embed_with_codes(
    embedder: "Embedder", codec: "TokenCodec | None", texts: Sequence[str]
) -> tuple[NDArray[np.float32], CodedTokens | None]:
    """Return the vectors of texts, float32 [n, dim], and their token codes; None without a codec. Blocking.

    The codes cost 8 % more processor time than the vectors alone with int8 on AVX-512 VNNI, 1 to 3 % on AVX2.

    Raises:
        EmbeddingError: The model failed.
    """
    if codec is None or not isinstance(embedder, TokenEmbedder):
        return embedder.embed_documents(texts), None
    vectors, codes = embedder.embed_with_tokens(texts, lambda own, words: codec.encode(own, words).packed())
    return vectors, CodedTokens(codec.packed(), codes)


def fill_in(models: "SearchModels", vectors: VectorTable, stop: Callable[[], bool]) -> None:
    """Compute the codes of chunks that have a vector but no codes, until stop returns True; blocking, for idle time.

    Libraries of earlier versions have such chunks, and libraries in which the setting was off for a while.
    """
    embedder, last = models.embedder(), 0
    while not stop():
        codec = models.tokens.codec(embedder)
        if codec is None or not isinstance(embedder, TokenEmbedder):
            return
        batch = models.tokens.table.lacking(embedder.id, _CODED_AT_ONCE, after=last)
        if not batch:
            return
        last = batch[-1].id
        texts = {chunk.id: embedding_text(chunk.headings, chunk.text) for chunk in batch}
        ids, own_vectors = vectors.get(embedder.id, list(texts))
        _, words = embedder.embed_with_tokens([texts[int(id)] for id in ids], words_alone)
        codes = [codec.encode(own, of_text).packed() for own, of_text in zip(own_vectors, words, strict=True)]
        models.tokens.table.add(embedder.id, ids, own_vectors, CodedTokens(codec.packed(), codes))


def codec_of(embedder: "Embedder", cache: Path) -> "TokenCodec | None":
    """Return the codec of a model, fitted at its first use (3 to 6 s) and then read from the cache; blocking.

    None if the model has no token vectors, fails, or yields fewer than LEAST_TOKENS tokens.
    """
    from workbench.indexing.token_codec import TokenCodec  # faiss, as above

    if not isinstance(embedder, TokenEmbedder) or not embedder.has_token_vectors:
        return None
    path = cached_file_path(cache, "token-codecs", embedder.id, _CODEC_FORMAT)
    kept = read_cached_file(path)
    if kept is not None and (codec := TokenCodec.unpacked(kept)) is not None:
        return codec
    try:
        vectors, words = embedder.embed_with_tokens(
            embedder.tokenizer.vocabulary_texts(_TEXTS, words=_WORDS), words_alone
        )
    except EmbeddingError:
        logger.warning("No codec for token vectors: the model failed", exc_info=True)
        return None
    if sum(map(len, words)) < TokenCodec.LEAST_TOKENS:
        return None
    codec = TokenCodec.train(vectors, words)
    write_cached_file(path, codec.packed())
    return codec
