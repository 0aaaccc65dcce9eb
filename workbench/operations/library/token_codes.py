"""Token vectors of the chunks, stored compressed with the chunk vectors for late interaction.

The codec that compresses them is fitted once per model and machine, to texts from the model's own vocabulary, and
stored in the cache. A library also stores the codec of its codes, so that it can be moved to another machine.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import RemoteEmbedder, TokenEmbedder, words_alone
from workbench.errors import EmbeddingError
from workbench.indexing.token_codec import TokenCodec
from workbench.model.chunk import embedding_text
from workbench.operations.library.models import cached_file_path, read_cached_file, write_cached_file
from workbench.store.vectors import CodedTokens, VectorTable

if TYPE_CHECKING:
    from workbench.embedding.base import Embedder
    from workbench.operations.library.models import SearchModels

logger = logging.getLogger(__name__)

# 14,000 tokens are 55 for each of 256 centroids. Embedding and fitting take 3 to 6 s, once per model and machine.
_TEXTS = 120
_WORDS = 100
_FORMAT = "3"

# Chunks per batch in the background, which can be stopped between two batches: 0.2 to 0.8 s.
_BATCH = 32


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
    embedder: "Embedder", codec: TokenCodec | None, texts: Sequence[str]
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
        batch = models.tokens.table.lacking(embedder.id, _BATCH, after=last)
        if not batch:
            return
        last = batch[-1][0].id
        texts = {chunk.id: embedding_text(name, title, chunk.headings, chunk.text) for chunk, name, title in batch}
        ids, own_vectors = vectors.get(embedder.id, list(texts))
        _, words = embedder.embed_with_tokens([texts[int(id)] for id in ids], words_alone)
        codes = [codec.encode(own, of_text).packed() for own, of_text in zip(own_vectors, words, strict=True)]
        models.tokens.table.add(embedder.id, ids, own_vectors, CodedTokens(codec.packed(), codes))


def codec_of(embedder: "Embedder", cache: Path) -> TokenCodec | None:
    """Return the codec of a model, fitted at its first use (3 to 6 s) and then read from the cache; blocking.

    None if the model has no token vectors, fails, or yields fewer than LEAST_TOKENS tokens.
    """
    if not isinstance(embedder, TokenEmbedder) or not embedder.has_token_vectors:
        return None
    path = cached_file_path(cache, "token-codecs", embedder.id, _FORMAT)
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
