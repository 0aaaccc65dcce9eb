"""Search models of a library: embedder, index and retriever, loaded on demand; and a cache of files made from them."""

import logging
import re
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from workbench.egress.gate import EgressGate
from workbench.egress.hub import ModelHub
from workbench.errors import EmbeddingError, IndexUnavailable, StoreUnreachable
from workbench.files.changes import move_into_place
from workbench.language import mark
from workbench.model.egress import MODEL_HUB
from workbench.model.embedder import EmbedderChoice
from workbench.model.vector_store import BUILT_IN_STORE, StoreChoice
from workbench.operations.library.index_stores import IndexStores, put_store_in_use
from workbench.operations.library.trust import gate_of
from workbench.operations.library.upkeep import IdleMaintenance
from workbench.operations.questions.reranking import RerankerResources, TokenStore, reranker_named, reranker_of
from workbench.settings import Settings
from workbench.store.abbreviation_table import AbbreviationTable
from workbench.store.configuration import SettingStore
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.egress_ledger import EgressLedger
from workbench.store.embedders import EmbedderStore
from workbench.store.keywords import KeywordIndex
from workbench.store.name_index import NameIndex
from workbench.store.temporary_store import TemporaryDatabase, TemporaryLedger
from workbench.store.vectors import VectorTable
from workbench.worker.process_memory import release_memory

if TYPE_CHECKING:  # numpy, faiss and onnxruntime are not needed to show the window.
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.base import Embedder
    from workbench.indexing.base import VectorSearch, VectorStore
    from workbench.indexing.first_vectors import FirstVectors
    from workbench.indexing.saved_index import LibraryVectors, ReadOnlyIndex
    from workbench.operations.library.derived_vectors import ChunksFirstVectors
    from workbench.retrieval.retriever import Retriever


logger = logging.getLogger(__name__)

REPAIRED = mark("The search index was damaged. It was made anew from the library; nothing is lost.")
BEING_MADE = mark(
    "The search index is being made from the library; nothing is lost. Until it is ready, some passages are found by"
    " their words only."
)

# Maximum number of vectors that are added to the index while its opening is awaited: 1 s.
_AT_ONCE = 50_000

BACKENDS = ("fp32", "int8")
"""Backends of embedders; the last part of an embedder's id."""


def model_cache() -> Path:
    """Return the folder for exported models: a cache that is shared by all libraries and safe to delete."""
    return Path(platformdirs.user_cache_dir("knowledge-workbench", appauthor=False)) / "models"


class Models:
    """Search models of a library, which is bound to the embedder that computed its vectors.

    If the settings name another embedder, embedder_change.py computes the vectors of that one next to the others, and
    then swaps.
    """

    def __init__(self, database: Database, embedder: "Embedder | None", user: str) -> None:
        self.database = database
        self.folder = database.folder
        self.documents = DocumentStore(database)
        self.keywords = KeywordIndex(database)
        self.names = NameIndex(database)
        self.abbreviations = AbbreviationTable(database)
        self.vectors = VectorTable(database)
        self.embedders = EmbedderStore(database, self.vectors)
        self.setting_values = SettingStore(database)
        self.tokens = TokenStore(database, self.setting_values, model_cache)
        self.unstored = TemporaryDatabase(database) if database.reader is not None else None
        self.network = (
            TemporaryLedger(database, self.unstored, user)
            if self.unstored is not None
            else EgressLedger(database, user)
        )
        self.gate = gate_of(database, self.network)
        self.stores = IndexStores(database.folder, self.setting_values, self.gate)
        self._loading = threading.RLock()
        self._embedder = embedder
        self.active: set[int] = set()
        self.ending = threading.Event()
        self.index_notice = ""
        self._is_behind = self._is_mended = False
        self.upkeep = IdleMaintenance(self._tend, is_busy=lambda: bool(self.active))
        if database.reader is not None:
            self.upkeep.close()  # idle maintenance writes to the library
        self._seen = -1
        self._bound = self.embedders.current if database.reader is not None else None
        self._read_index: ReadOnlyIndex | None = None
        self._index: VectorStore | None = None
        # The index that contained all findable vectors when changed_chunks was last read.
        self._in_step: VectorStore | None = None
        self._first: ChunksFirstVectors | None = None
        self._retriever: Retriever | None = None

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.setting_values.load()

    def hub(self, gate: EgressGate | None = None) -> ModelHub:
        """Return the source of models with a Hugging Face name; requests go through gate, or the library's own."""
        return ModelHub(gate or self.gate, model_cache().parent / "downloads", self.settings.model_hub or MODEL_HUB)

    def embedder(self) -> "Embedder":
        """Return the embedder that the library is bound to; blocking, the first call loads it.

        Raises:
            EmbeddingError: It cannot be loaded.
        """
        with self._loading:
            if self._embedder is None:
                current = self.embedders.current
                self._embedder = self.load_embedder(current.choice if current else self._asked_for())
            return self._embedder

    def embedder_or_none(self) -> "Embedder | None":
        """Return the embedder, or None if it cannot be loaded: then searches use keywords only."""
        try:
            return self.embedder()
        except EmbeddingError:
            logger.exception("No embedder: going by keyword only")
            return None

    def load_embedder(self, choice: EmbedderChoice) -> "Embedder":
        """Load and return any embedder; blocking, the first use of a model takes about 10 s.

        Raises:
            EmbeddingError: It cannot be loaded.
        """
        # onnxruntime takes 0.1 s to import: not during the start of the window.
        from workbench.embedding.sentence_transformer import load_embedder

        return load_embedder(choice.model, cache=model_cache(), backend=choice.backend, hub=self.hub())

    def wanted(self) -> EmbedderChoice | None:
        """Return the embedder of the settings; None if the library is already bound to it, or to none yet."""
        asked, current = self._asked_for(), self.embedders.current
        return None if current is None or asked == current.choice else asked

    def bind(self) -> None:
        """Bind the library to the current embedder; vectors of another embedder, if any, are no longer used.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
        """
        embedder, current = self.embedder(), self.embedders.current
        if current is None or current.id != embedder.id:
            asked = current.choice if current else self._asked_for()
            self.embedders.bind(embedder.id, as_loaded(embedder, asked))

    def index(self) -> "VectorStore":
        """Return the vector index of the embedder; blocking, the first call opens or rebuilds it.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
            IndexUnavailable: The index can be neither read nor rebuilt.
        """
        with self._loading:
            if self._index is None and self.database.reader is not None:
                self._index = self._open_index_to_read(self.embedder())
            elif self._index is None:
                self.bind()
                self.database.changed_chunks.take()  # before it is opened: later changes are noted
                self._index = self._open_index(self.embedder(), at_once=_AT_ONCE)
                self._in_step = None if self._is_behind else self._index
                self.upkeep.request()
            return self._index

    def first_vectors(self) -> "ChunksFirstVectors | None":
        """Return the first vectors of chunks that wait for the embedder; blocking, the first call reads a cached file.

        None if the embedder has no static embedding yet, or the retriever was never used: a program that only adds
        files, such as a command, does not search them.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
        """
        from workbench.operations.library.derived_vectors import ChunksFirstVectors, static_embedding_of  # numpy

        with self._loading:
            if self._retriever is None:
                return None
            embedder = self.embedder()
            if self._first is None or self._first.embedder_id != embedder.id:
                static = static_embedding_of(embedder, model_cache())
                self._first = ChunksFirstVectors(embedder.id, static) if static is not None else None
            return self._first

    @property
    def first_vectors_held(self) -> "ChunksFirstVectors | None":
        """First vectors of chunks if they were loaded, else None; loads nothing."""
        return self._first

    def _first_vectors_of(self, embedder_id: str) -> "FirstVectors | None":
        held = self._first
        return held.vectors if held is not None and held.embedder_id == embedder_id else None

    def _make_static_embedding(self, stop: "Callable[[], bool]") -> None:
        from workbench.operations.library.derived_vectors import make_static_embedding  # numpy

        if self._embedder is not None:
            make_static_embedding(self._embedder, model_cache(), stop)

    def save_index(self) -> None:
        """Write changes of the index to disk, stamped with the generation of its vectors; blocking."""
        with self._loading:
            if self._index is not None:
                # If the library's folder was moved, saving would create the index folder again at the old place.
                self.database.require_place()
                self.follow_documents()
                embedder = self.embedder().id
                self._index.save(self.index_path(embedder), generation=self.vectors.generation(embedder))

    def follow_documents(self) -> None:
        """Update the index after chunks were removed, restored or edited, so that it matches the library. Blocking."""
        with self._loading:
            if self._first is not None and self._first.vectors.count:
                self._first.keep({document.id for document in self.documents.list()})
            if self._index is not None:
                self._follow(self._index, self.embedder().id)
                self._is_behind = False
                self.upkeep.request()

    def take_into_index(self, ids: "NDArray[np.int64]", vectors: "NDArray[np.float32]") -> None:
        """Add vectors that were just stored to the index, float32 [n, dim], so that they are found at once. Blocking.

        Raises:
            EmbeddingError: As index().
            IndexUnavailable: As index() for the built-in store, or the disk is full. A vector database that cannot be
                reached receives them later.
        """
        try:
            self.index().upsert(ids, vectors)
        except StoreUnreachable as error:
            # They are stored in the library: the index receives them when its database can be reached again.
            logger.warning("%s The vectors are put into the store later.", error.message)
            with self._loading:
                self._in_step, self._is_behind = None, self._index is not None
            self.upkeep.request()
            return
        # Their document may have been deleted after they were stored, and the index updated before they were added.
        self.database.changed_chunks.note(ids.tolist())

    def make_index_anew(self) -> None:
        """Rebuild the index: remove all vectors, add them again from the library, and save it. Blocking.

        Raises:
            EmbeddingError: As index().
            IndexUnavailable: As index(), or it cannot be saved.
        """
        with self._loading:
            index = self.index()
            index.remove(index.ids)
            self._save_index_of_all()

    def _save_index_of_all(self) -> None:
        """Save the index like save_index, but update it from all vectors instead of only the changed ones."""
        with self._loading:
            self._in_step = None
            self.save_index()

    def take_notice(self) -> str:
        """Return a notice about the index that was not shown yet, or about a rebuild in progress; usually empty."""
        if self._is_behind:
            return BEING_MADE
        notice, self.index_notice = self.index_notice, ""
        return notice

    def _tend(self, stop: "Callable[[], bool]") -> None:
        """Check and optimise the index, then the keyword index, if that is worthwhile."""
        index = self._index
        if index is not None and self._is_behind:
            self._catch_up(index, stop)
        if index is not None and (index.maintain(stop) or self._is_mended):
            self.index_notice = REPAIRED
            self._is_mended = False
            self._save_index_of_all()  # quarantined vectors are read from the library again
        while not stop() and self.keywords.tidy():
            pass
        self.keywords.keep_common_words(stop)
        self.database.rest()
        release_memory()

    def _catch_up(self, index: "VectorStore", stop: "Callable[[], bool]") -> None:
        """Add the vectors that the index lacked when it was opened, while it is being searched."""
        embedder = self.embedder().id
        self._follow_all(index, embedder, stop)
        with self._loading:
            # Documents may have been deleted meanwhile, and their vectors added after that update of the index.
            self._in_step = None
        if not stop():
            self.save_index()
        elif index is self._index:
            # Its present content is saved, with a generation of 0 that marks it as incomplete.
            index.save(self.index_path(embedder), generation=0)

    def _mend(self, index: "VectorStore", embedder_id: str) -> None:
        """Add the vectors of a damaged index file again, or leave that to the idle maintenance if there are many."""
        with self._loading:
            if self._read_index is not None and self._read_index.store is index:
                if index.loss:
                    self._read_index.follow()
                    self.index_notice = REPAIRED
            elif loss := index.loss:
                self._is_mended = True
                self._is_behind = len(self.vectors.ids(embedder_id)) - index.count > _AT_ONCE
                if self._is_behind:
                    index.acknowledge_loss(loss)  # the notice reports the loss
                else:
                    self._follow(index, embedder_id)
                    self.index_notice = REPAIRED
                self.upkeep.request()

    def index_path(self, embedder_id: str) -> Path:
        """Return the folder of an embedder's index in the store in use."""
        return self.stores.path(embedder_id)

    def retriever(self) -> "Retriever":
        """Return the retriever; without a usable embedder or index it searches by keyword and reports that."""
        self.upkeep.request()
        return self.background_retriever()

    def background_retriever(self) -> "Retriever":
        """Return the retriever for a background search, which does not postpone the idle maintenance."""
        if self.database.reader is not None:
            self._follow_other_program()
        if (made := self._retriever) is not None:
            return made  # without the lock, so that a search never waits for a save of the index
        with self._loading:
            if self._retriever is None:
                embedder = self.embedder_or_none()
                if embedder is None:
                    return self._made(None, None)
                try:
                    index = self.index()
                except IndexUnavailable as error:
                    logger.exception("No index: searching by keyword only")
                    return self._made(None, embedder, self._unopened(error))
                self._retriever = self._made(index, embedder)
            return self._retriever

    def _follow_other_program(self) -> None:
        """Apply changes of vectors or of the embedder that the writing program made since the last search."""
        revision = self.database.revision
        if revision == self._seen:
            return
        with self._loading:
            bound = self.embedders.current
            if bound != self._bound:
                self._bound = bound
                self.forget_models()
            elif self._read_index is not None:
                self._read_index.follow()
            self._seen = revision

    def prepare_index(self) -> None:
        """Open the index for vectors that are about to be made; a database that cannot be reached is no hindrance.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
            IndexUnavailable: The built-in store can be neither read nor rebuilt.
        """
        try:
            self.index()
        except StoreUnreachable as error:
            logger.warning("%s Vectors are put into the store later.", error.message)

    def swap_store(self, store: "VectorStore", choice: StoreChoice) -> None:
        """Search in another vector store of the same embedder from now on. Blocking.

        Searches under way end with the one they began with. The store takes in what changed since it was filled.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
            IndexUnavailable: The new store failed; the old one stays in use.
        """
        with self._loading:
            embedder = self.embedder()
            self._in_step = None
            self._follow(store, embedder.id)
            generation = self.vectors.generation(embedder.id)
            store.save(self.stores.path(embedder.id, choice.name), generation=generation)
            put_store_in_use(self.setting_values, choice)
            self._index, self._in_step, self._is_behind = store, store, False
            self._retriever = self._made(store, embedder)
        self.upkeep.request()

    def swap(self, embedder: "Embedder", choice: EmbedderChoice) -> bool:
        """Search with another embedder from now on; returns False without a change if some chunks lack its vectors.

        Searches in progress use the previous embedder to their end. Blocking.

        Raises:
            IndexUnavailable: The index of the new vectors cannot be created.
        """
        # Created before the lock is taken, so that nobody waits: 100,000 vectors of 384 dimensions take 1 s.
        index = self._open_index(embedder)
        retriever = self._made(index, embedder)
        with self._loading:
            if not self.embedders.swap(embedder.id, as_loaded(embedder, choice)):
                return False
            self._embedder, self._index, self._retriever = embedder, index, retriever
            self._follow(index, embedder.id)
        return True

    def _unopened(self, error: IndexUnavailable) -> "VectorSearch | None":
        """Return an index that tries to open an unreachable database at each search; None for the built-in store."""
        from workbench.indexing.saved_index import UnopenedIndex

        return UnopenedIndex(self.index) if isinstance(error, StoreUnreachable) else None

    def _made(
        self, index: "VectorStore | None", embedder: "Embedder | None", unopened: "VectorSearch | None" = None
    ) -> "Retriever":
        from workbench.indexing.first_vectors import IndexWithFirstVectors  # numpy
        from workbench.indexing.saved_index import SelfRepairingIndex
        from workbench.operations.library.derived_vectors import phrase_vectors
        from workbench.retrieval.retriever import Retriever

        vectors = unopened
        if index is not None and embedder is not None:
            mended = SelfRepairingIndex(index, partial(self._mend, index, embedder.id))
            vectors = IndexWithFirstVectors(mended, partial(self._first_vectors_of, embedder.id))
        rooms = RerankerResources(embedder, self.keywords, self.tokens.reader(embedder.id) if embedder else None)
        reranker = reranker_of(self.settings, rooms, self.ending.wait, self.hub())
        named = partial(reranker_named, self.settings, rooms, self.ending.wait, self.hub())
        return Retriever(
            self.documents,
            self.keywords,
            vectors,
            embedder,
            reranker,
            rerankers=named,
            names=self.names,
            abbreviations=self.abbreviations,
            vectors_of=partial(self.vectors.get, embedder.id) if embedder is not None else None,
            phrase_vectors=partial(phrase_vectors, embedder, model_cache()) if embedder is not None else None,
        )

    def forget_retriever(self) -> None:
        """Create the retriever again at its next use, with another reranker."""
        with self._loading:
            self._retriever = None
        self.upkeep.request()

    def forget_models(self) -> None:
        """Load embedder, index and retriever again at their next use."""
        with self._loading:
            if self._index is not None:
                self._index.close()
            self._embedder = self._index = self._read_index = self._retriever = self._first = self._in_step = None

    def _asked_for(self) -> EmbedderChoice:
        """Return the embedder of the settings; "auto" becomes the backend that computed the library's vectors.

        Vectors of different backends are not comparable: a library that was moved to another machine, where the other
        backend is faster, would have to be embedded again.
        """
        settings, current = self.settings, self.embedders.current
        asked = EmbedderChoice(settings.embedder, settings.embedding_backend)
        made_by = self.vectors.embedder.rpartition("/")[2]
        is_same_model = current is None or current.choice.model == asked.model
        if asked.backend == "auto" and is_same_model and made_by in BACKENDS:
            return EmbedderChoice(asked.model, made_by)
        return asked

    def _open_index(self, embedder: "Embedder", *, at_once: int = sys.maxsize) -> "VectorStore":
        opened = self.stores.open(embedder.id, truth_of(self.vectors, embedder.id, embedder.dim), at_once=at_once)
        if opened.was_damaged:
            self.index_notice = REPAIRED
        self._is_behind = not opened.is_whole
        return opened.store

    def _open_index_to_read(self, embedder: "Embedder") -> "VectorStore":
        from workbench.indexing.saved_index import ReadOnlyIndex  # faiss, as above

        truth = partial(truth_of, self.vectors, embedder.id, embedder.dim)
        # Where another program writes to a database, the vectors of the library are searched in memory instead.
        self._read_index = ReadOnlyIndex(self.stores.path(embedder.id, BUILT_IN_STORE), truth)
        return self._read_index.store

    def _follow(self, index: "VectorStore", embedder_id: str) -> None:
        """Update an index from the chunks changed since its last update, or from all vectors if these are unknown."""
        from workbench.indexing.saved_index import follow  # numpy, as above

        changed = self.database.changed_chunks.take()
        # If the update fails, the changes that were taken are lost: the next one uses all vectors.
        is_in_step, self._in_step = self._in_step is index, None
        if not is_in_step or changed is None or index.loss:
            self._follow_all(index, embedder_id)
        elif len(changed):
            found = self.vectors.found_among(embedder_id, changed)
            follow(index, found, partial(self.vectors.get, embedder_id), among=changed)
        self._in_step = index

    def _follow_all(self, index: "VectorStore", embedder_id: str, stop: "Callable[[], bool]" = lambda: False) -> None:
        from workbench.indexing.saved_index import follow  # numpy, as above

        follow(index, self.vectors.ids(embedder_id), partial(self.vectors.get, embedder_id), stop)


def truth_of(vectors: VectorTable, embedder_id: str, dim: int) -> "LibraryVectors":
    """Return the library's vectors of an embedder; an index is a cache of them."""
    from workbench.indexing.saved_index import LibraryVectors  # faiss, as above

    return LibraryVectors(
        dim,
        vectors.generation(embedder_id),
        partial(vectors.ids, embedder_id),
        partial(vectors.get, embedder_id),
        partial(vectors.beginnings, embedder_id),
        partial(vectors.found_among, embedder_id),
        vectors.changes_since,
    )


def as_loaded(embedder: "Embedder", choice: EmbedderChoice) -> EmbedderChoice:
    """Return the choice with the backend that was loaded: "auto" may choose another one on another machine."""
    backend = embedder.id.rpartition("/")[2]
    return EmbedderChoice(choice.model, backend if backend in BACKENDS else choice.backend)


def cached_file_path(cache: Path, folder: str, embedder_id: str, version: str) -> Path:
    """Return the path of an embedder's file in a folder of the cache."""
    return cache / folder / (re.sub(r"[^\w.-]+", "_", embedder_id) + f".{version}")


def read_cached_file(path: Path) -> bytes | None:
    """Return the content of a cached file; None if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_cached_file(path: Path, data: bytes) -> None:
    """Write a cached file atomically; if that fails, it is computed again the next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".unfinished")
        unfinished.write_bytes(data)
        move_into_place(unfinished, path, within=path.parent)
    except OSError:
        logger.info("%s could not be stored; it will be made again.", path.parent.name, exc_info=True)
