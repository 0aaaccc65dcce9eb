"""Rerankers: built from the settings and tested; and the stored token vectors that late interaction reads."""

import dataclasses
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.egress.hub import NO_HUB, ModelHub
from workbench.errors import RerankingError
from workbench.language import mark
from workbench.operations.library.credentials import load_key, store_secret
from workbench.settings import declaration
from workbench.store.configuration import SettingStore
from workbench.store.database import Database
from workbench.store.vectors import TokenCodeTable
from workbench.worker.job import JobContext, Operation

if TYPE_CHECKING:
    from workbench.embedding.base import Embedder
    from workbench.indexing.token_codec import TokenCodec
    from workbench.operations.library.library import Library
    from workbench.retrieval.base import WordPlaces
    from workbench.retrieval.reranking.base import Reranker
    from workbench.retrieval.reranking.late_interaction import StoredTokens
    from workbench.retrieval.reranking.rerank_server import RerankServer
    from workbench.settings import Settings


OF_RERANKING = frozenset((
    "reranking", "rerank_model", "rerank_url", "rerank_format", "rerank_name", "rerank_key_env", "rerank_patience",
    "model_hub",
))  # fmt: skip
"""Settings that determine the reranker."""

COHERE_MODEL = "rerank-multilingual-v3.0"
"""Model requested from Cohere's own service if none is named; the service refuses requests without one."""

_COHERE_HOSTS = frozenset(("api.cohere.com", "api.cohere.ai"))
_QUESTION = "When was the bridge over the river opened?"
_PASSAGES = (
    "In winter the birds fly south to the coast of Africa.",
    "The bridge across the river was opened to traffic in 1932.",
    "To reset the password, open the settings and choose a new one.",
)
_RIGHT = 1


@dataclass(frozen=True, slots=True)
class RerankerResources:
    """Resources of the built-in rerankers.

    Attributes:
        embedder: Embedder of the library; None if it has none.
        keywords: Counts and positions of words.
        tokens: The stored token vectors of the chunks; None if none are stored.
    """

    embedder: "Embedder | None"
    keywords: "WordPlaces"
    tokens: "StoredTokens | None" = None


def reranker_of(
    settings: "Settings",
    resources: RerankerResources,
    pause: "Callable[[float], bool] | None" = None,
    hub: ModelHub = NO_HUB,
) -> "Reranker | None":
    """Return the reranker of the settings, or None; before a search it loads nothing and sends no request.

    Args:
        settings: The current settings.
        resources: Resources of the built-in rerankers.
        pause: Waits when a server limits requests; returns True if the result is no longer needed.
        hub: Source of models; requests to a server go through its gate.
    """
    match settings.reranking:
        case "tokens" if resources.embedder is not None:
            from workbench.retrieval.reranking.late_interaction import LateInteraction

            return LateInteraction(resources.embedder, resources.keywords, resources.tokens)
        case "letters":
            from workbench.retrieval.reranking.lexical_overlap import LexicalReranker

            return LexicalReranker(resources.keywords)
        case "model":
            from workbench.retrieval.reranking.cross_encoder import CrossEncoderReranker

            return CrossEncoderReranker(settings.rerank_model, hub)
        case "server":
            from workbench.retrieval.reranking.rerank_server import ServerReranker

            return ServerReranker(partial(_server_of, settings), pause=pause, gate=hub.gate)
    return None


def reranker_named(
    settings: "Settings",
    resources: RerankerResources,
    pause: "Callable[[float], bool] | None",
    hub: ModelHub,
    name: str,
) -> "Reranker | None":
    """Return the reranker for a given value of the setting “reranking”, not its current value; see reranker_of.

    Raises:
        SettingError: There is no such reranker.
    """
    chosen = declaration("reranking").check(name)
    return reranker_of(dataclasses.replace(settings, reranking=chosen), resources, pause, hub)


def _server_of(settings: "Settings") -> "RerankServer":
    from workbench.agent.providers.base_url import is_loopback, normalise
    from workbench.model.profile import ModelProfile
    from workbench.retrieval.reranking.rerank_server import WIRES, RerankFormat, RerankServer

    base, wire = normalise(settings.rerank_url), RerankFormat(settings.rerank_format)
    root = base.removesuffix("/v1").removesuffix("/v2")
    url = base if urlsplit(base).path.endswith("/rerank") else root + WIRES[wire].path
    key = load_key(ModelProfile(key_name(base), key_env=settings.rerank_key_env)).strip()
    name = settings.rerank_name or (COHERE_MODEL if urlsplit(url).hostname in _COHERE_HOSTS else "")
    waits = settings.rerank_patience == "yes"
    return RerankServer(url, wire, name, by_proxy=not is_loopback(url), is_awaited=waits, key=key)


def key_name(url: str) -> str:
    """Return the keyring entry of a server's key; it contains the host, so that the key is sent to no other."""
    return f"reranking at {urlsplit(url).netloc}"


def put_rerank_key(library: "Library", key: str) -> Operation[bool]:
    """Store the key of the reranking server, as store_secret does; an empty one removes it.

    Raises:
        SettingError: The server's address is invalid.
    """

    async def operation(_context: JobContext) -> bool:
        from workbench.agent.providers.base_url import normalise

        base = normalise(library.settings.rerank_url)
        return await library.on_store(store_secret, key_name(base), key)

    return operation


def check_reranker(library: "Library") -> Operation[str]:
    """Test the reranker of the settings on three sentences and return a sentence with the result.

    Raises:
        RerankingError: It cannot be used; the hint states what to change.
        SettingError: The key is not available.
    """

    async def operation(_context: JobContext) -> str:
        return await library.on_search(_test_reranker, library)

    return operation


def word_vector_size(library: "Library") -> Operation[tuple[int, int]]:
    """Return the number of passages with stored word vectors, and the bytes of these on disk."""

    async def operation(_context: JobContext) -> tuple[int, int]:
        return await library.on_store(library.models.tokens.table.size)

    return operation


def _test_reranker(library: "Library") -> str:
    from workbench.retrieval.reranking.base import Candidate

    resources = RerankerResources(library.models.embedder_or_none(), library.keywords)
    reranker = reranker_of(library.settings, resources, hub=library.models.hub())
    if reranker is None:
        return mark("Nothing is reranked: passages keep the order of the search.")
    began = time.perf_counter()
    scores = reranker.rerank(_QUESTION, [Candidate(text) for text in _PASSAGES])
    milliseconds = (time.perf_counter() - began) * 1000
    others = [score for place, score in enumerate(scores) if place != _RIGHT]
    if len(scores) != len(_PASSAGES) or scores[_RIGHT] <= max(others):
        raise RerankingError(
            "In the test, it ranked an unrelated sentence above the right one.",
            "The model may not be made for reranking.",
        )
    return mark(f"In the test, it ranked the right one of three sentences first, in {milliseconds:.0f} ms.")


logger = logging.getLogger(__name__)


class TokenStore:
    """Token codes of a library by embedder; thread-safe.

    Attributes:
        table: The table of stored codes.
    """

    def __init__(self, database: Database, settings: SettingStore, cache: Callable[[], Path]) -> None:
        self.table = TokenCodeTable(database)
        self._may_write = database.reader is None
        self._settings = settings
        self._cache = cache
        self._codecs: dict[str, TokenCodec] = {}
        self._fitting = threading.RLock()

    def codec(self, embedder: "Embedder") -> "TokenCodec | None":
        """Return the codec that compresses the token vectors of an embedder; blocking, its first use takes 3 to 6 s.

        None if the settings turn storage of token vectors off, or the embedder has none.
        """
        if self._settings.load().token_codes == "no":
            return None
        with self._fitting:
            if (codec := self.stored_codec(embedder.id)) is None:
                from workbench.operations.library.derived_vectors import codec_of  # numpy and faiss

                codec = codec_of(embedder, self._cache())
                if codec is not None:
                    self._codecs[embedder.id] = codec
            return codec

    def stored_codec(self, embedder_id: str) -> "TokenCodec | None":
        """Return the codec of the library's stored token codes of an embedder; None if there are none."""
        if embedder_id not in self._codecs and (packed := self.table.codec(embedder_id)) is not None:
            from workbench.indexing.token_codec import TokenCodec  # faiss

            codec = TokenCodec.unpacked(packed)
            if codec is None:
                logger.warning("The codec of the token vectors cannot be read: they are made again")
                if self._may_write:
                    self.delete_all()
            else:
                self._codecs[embedder_id] = codec
        return self._codecs.get(embedder_id)

    def use_codec(self, embedder_id: str, packed: bytes) -> None:
        """Compress token vectors by a codec of another library; before the first ones are stored."""
        from workbench.indexing.token_codec import TokenCodec  # faiss

        codec = TokenCodec.unpacked(packed)
        if codec is not None:
            with self._fitting:
                self._codecs[embedder_id] = codec

    def reader(self, embedder_id: str) -> "StoredTokens":
        """Return the reader of the stored token vectors of an embedder, for searches."""
        from workbench.retrieval.reranking.late_interaction import StoredTokens  # numpy

        return StoredTokens(partial(self.stored_codec, embedder_id), partial(self.table.get, embedder_id))

    def delete_all(self) -> None:
        """Delete all compressed token vectors; blocking."""
        self._codecs.clear()
        self.table.delete_all()
