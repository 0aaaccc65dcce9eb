"""Compressed token vectors of a library, and the codec that reads them; light to import, as the window needs."""

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.store.configuration import SettingStore
from workbench.store.database import Database
from workbench.store.vectors import TokenCodeTable

if TYPE_CHECKING:
    from workbench.embedding.base import Embedder
    from workbench.indexing.token_codec import TokenCodec
    from workbench.retrieval.reranking.late_interaction import StoredTokens

logger = logging.getLogger(__name__)


class TokenStore:
    """The token codes of a library by embedder; safe on any thread.

    Attributes:
        table: The codes as they are stored.
    """

    def __init__(self, database: Database, settings: SettingStore, cache: Callable[[], Path]) -> None:
        self.table = TokenCodeTable(database)
        self._may_write = database.reader is None
        self._settings = settings
        self._cache = cache
        self._codecs: dict[str, TokenCodec] = {}
        self._fitting = threading.RLock()

    def codec(self, embedder: "Embedder") -> "TokenCodec | None":
        """Return what the token vectors of an embedder are compressed with; blocking, its first use takes 3 to 6 s.

        None where the settings ask for none to be kept, and where the embedder gives none.
        """
        if self._settings.load().token_codes == "no":
            return None
        with self._fitting:
            if (codec := self.stored_codec(embedder.id)) is None:
                from workbench.operations.token_codes import codec_of  # numpy and faiss

                codec = codec_of(embedder, self._cache())
                if codec is not None:
                    self._codecs[embedder.id] = codec
            return codec

    def stored_codec(self, embedder_id: str) -> "TokenCodec | None":
        """Return the codec that made the library's token codes of an embedder; None where there are none."""
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

    def reader(self, embedder_id: str) -> "StoredTokens":
        """Return what a search reads the token vectors of an embedder with."""
        from workbench.retrieval.reranking.late_interaction import StoredTokens  # numpy

        return StoredTokens(partial(self.stored_codec, embedder_id), partial(self.table.get, embedder_id))

    def delete_all(self) -> None:
        """Delete all compressed token vectors; blocking."""
        self._codecs.clear()
        self.table.delete_all()
