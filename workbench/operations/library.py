"""One open library: its stores, its index, its embedder, and the executors that work for it."""

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import platformdirs

from workbench.errors import EmbeddingError, IndexUnavailable
from workbench.operations.sources import drop_orphans, drop_partial
from workbench.parsing.isolated import PRELOAD
from workbench.settings import Settings
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.profiles import ProfileStore
from workbench.store.sessions import SessionStore
from workbench.store.setting_values import SettingStore
from workbench.store.vectors import VectorTable
from workbench.worker.job import offload
from workbench.worker.priority import give_way
from workbench.worker.processes import ProcessPool

if TYPE_CHECKING:  # numpy, faiss and onnxruntime are not needed to show the window.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.base import Embedder
    from workbench.indexing.base import VectorStore
    from workbench.retrieval.retriever import Retriever

logger = logging.getLogger(__name__)
T = TypeVar("T")

PARSERS = 2
"""Parser processes: parsing is 20 to 100 times faster than embedding, so more would only wait."""


BACKENDS = ("fp32", "int8")
"""The last part of an embedder's id."""


def model_cache() -> Path:
    """Return the folder for exported models: a cache, safe to delete, shared by all libraries."""
    return Path(platformdirs.user_cache_dir("knowledge-workbench", appauthor=False)) / "models"


class Library:
    """Everything that operations work on. Opened once; safe to use from several threads.

    The embedder and the index are loaded when first needed, on the executor that needs them.

    Attributes:
        documents: The documents, their text and chunks.
        keywords: The keyword index.
        vectors: The vectors, as the database holds them.
        sessions: Sessions and their runs.
        profiles: Model profiles.
        setting_values: Settings and window state, as stored.
        passwords: Passwords of encrypted files, kept in memory only, by sha256.
        active: Ids of the documents that an import is working on.
        closing: Set before jobs are stopped because the library is about to be closed, not because the user cancelled.
    """

    def __init__(self, database: Database, *, embedder: "Embedder | None" = None) -> None:
        self.database = database
        self.folder = database.folder
        self.documents = DocumentStore(database)
        self.keywords = KeywordIndex(database)
        self.vectors = VectorTable(database)
        self.sessions = SessionStore(database)
        self.profiles = ProfileStore(database)
        self.setting_values = SettingStore(database)
        self.passwords: dict[str, str] = {}
        self.active: set[int] = set()
        self.closing = False
        self._reading: set[int] = set()
        self._claiming = threading.Lock()
        self._embedding = ThreadPoolExecutor(1, thread_name_prefix="embedding", initializer=give_way)
        self._searching = ThreadPoolExecutor(2, thread_name_prefix="search")
        self._storing = ThreadPoolExecutor(2, thread_name_prefix="store")
        self._loading = threading.RLock()
        self._embedder = embedder
        self._index: VectorStore | None = None
        self._retriever: Retriever | None = None
        self._parsers: ProcessPool | None = None
        self._renderer: ProcessPool | None = None

    @classmethod
    def open(cls, folder: Path, *, embedder: "Embedder | None" = None) -> "Library":
        """Open the library in a folder, creating it when there is none.

        Args:
            folder: The library's folder.
            embedder: One that is loaded already; None loads that of the settings when it is first needed.

        Raises:
            LibraryError: Locked by another program, from a later version, not writable, damaged.
        """
        database = Database.open(folder)
        try:
            library = cls(database, embedder=embedder)
            library._tidy_up()
        except BaseException:
            # A full disk, say: the lock must not stay with a library that nobody has.
            database.close()
            raise
        return library

    def _tidy_up(self) -> None:
        self.documents.ensure_knowledge_base("default")
        if self.documents.purge_removed():
            drop_orphans(self.originals, {document.sha256 for document in self.documents.list()})
        drop_partial(self.originals)
        self.sessions.purge_removed()
        self.sessions.interrupt_unfinished()

    def claim(self, document: int) -> bool:
        """Begin to read a document; False when another import is reading it. Ends with release()."""
        with self._claiming:
            if document in self._reading:
                return False
            self._reading.add(document)
            self.active.add(document)
            return True

    def is_reading(self, document: int) -> bool:
        """Whether new content of a document is on the way."""
        return document in self._reading

    def release(self, document: int, *, read_only: bool = False) -> None:
        """Say that a document was read; read_only says that its import still works on it."""
        with self._claiming:
            self._reading.discard(document)
            if not read_only:
                self.active.discard(document)

    @property
    def settings(self) -> Settings:
        """The settings in force now."""
        return self.setting_values.load()

    @property
    def originals(self) -> Path:
        """Folder of the content-addressed copies of the source files."""
        return self.folder / "originals"

    @property
    def parsers(self) -> ProcessPool:
        """Child processes for reading documents."""
        with self._loading:
            if self._parsers is None:
                self._parsers = ProcessPool(
                    PARSERS, preload=("workbench.operations.prepare", *PRELOAD), in_background=True
                )
            return self._parsers

    @property
    def renderer(self) -> ProcessPool:
        """One child process for drawing pages, so that a click never waits for an import."""
        with self._loading:
            if self._renderer is None:
                self._renderer = ProcessPool(1, preload=("workbench.parsing.render", *PRELOAD))
            return self._renderer

    async def on_search(self, function: Callable[..., T], *args: object) -> T:
        """Run blocking search work; never behind an import."""
        return await offload(self._searching, function, *args)

    async def on_store(self, function: Callable[..., T], *args: object) -> T:
        """Run blocking database and file work."""
        return await offload(self._storing, function, *args)

    def store_soon(self, function: Callable[..., object], *args: object) -> None:
        """Start blocking database work that nobody waits for; callable from any thread."""
        self._storing.submit(function, *args)

    async def on_embedding(self, function: Callable[..., T], *args: object) -> T:
        """Run embedding and index writes: one thread, so that batches never compete for the cores."""
        return await offload(self._embedding, function, *args)

    def embedder(self) -> "Embedder":
        """Return the embedder of the settings; blocking, the first call loads it.

        Raises:
            EmbeddingError: It cannot be loaded.
        """
        with self._loading:
            if self._embedder is None:
                # onnxruntime takes 0.1 s to import: not on the way to the window.
                from workbench.embedding.sentence_transformer import load_embedder

                settings = self.settings
                self._embedder = load_embedder(settings.embedder, cache=model_cache(), backend=self._backend(settings))
            return self._embedder

    def embedder_or_none(self) -> "Embedder | None":
        """Return the embedder, or None where it cannot be loaded: then everything goes by keyword."""
        try:
            return self.embedder()
        except EmbeddingError:
            logger.exception("No embedder: going by keyword only")
            return None

    def index(self) -> "VectorStore":
        """Return the vector index of the embedder; blocking, the first call opens or rebuilds it.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
            IndexUnavailable: The index can be neither read nor rebuilt.
        """
        with self._loading:
            if self._index is None:
                # faiss takes 0.1 s to import: not on the way to the window.
                from workbench.indexing.faiss_store import open_index

                embedder = self.embedder()
                self.vectors.use(embedder.id)
                self._index = open_index(
                    self.index_path(),
                    dim=embedder.dim,
                    generation=self.vectors.generation(embedder.id),
                    rebuild=self._all_vectors,
                )
            return self._index

    def save_index(self) -> None:
        """Write the index file, stamped with the generation of the vectors that it holds; blocking."""
        with self._loading:
            if self._index is not None:
                generation = self.vectors.generation(self.embedder().id)
                self._index.save(self.index_path(), generation=generation)

    def index_path(self) -> Path:
        """Return the index file of the embedder in force."""
        return self.folder / "index" / (re.sub(r"[^\w.-]+", "_", self.embedder().id) + ".faiss")

    def retriever(self) -> "Retriever":
        """Return the retriever; without a usable embedder or index it searches by keyword and says so."""
        with self._loading:
            if self._retriever is None:
                from workbench.retrieval.retriever import Retriever

                embedder = self.embedder_or_none()
                if embedder is None:
                    return Retriever(self.documents, self.keywords, None, None)
                try:
                    index = self.index()
                except IndexUnavailable:
                    logger.exception("No index: searching by keyword only")
                    return Retriever(self.documents, self.keywords, None, embedder)
                self._retriever = Retriever(self.documents, self.keywords, index, embedder)
            return self._retriever

    def forget_models(self) -> None:
        """Load embedder, index and retriever anew at their next use: after a change of settings."""
        with self._loading:
            self._embedder = self._index = self._retriever = None

    def close(self) -> None:
        """End the child processes and executors and release the library's lock."""
        for executor in (self._embedding, self._searching, self._storing):
            executor.shutdown(wait=True, cancel_futures=True)
        for pool in (self._parsers, self._renderer):
            if pool is not None:
                pool.close()
        self.database.close()

    def _backend(self, settings: Settings) -> str:
        """Return the embedding backend; "auto" stays with the one that made the library's vectors.

        Vectors of different backends do not meet: a library that was taken to another machine, where the other backend
        is faster, would have to be embedded anew.
        """
        made_by = self.vectors.embedder.rpartition("/")[2]
        return made_by if settings.embedding_backend == "auto" and made_by in BACKENDS else settings.embedding_backend

    def _all_vectors(self) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        return self.vectors.all(self.embedder().id)
