"""Search models of a library: embedder, index and retriever, loaded on demand; and a cache of files made from them."""

import logging
import re
import sys
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from workbench.egress.gate import EgressGate
from workbench.egress.hub import ModelHub
from workbench.errors import EmbedderUnreachable, EmbeddingError, IndexUnavailable, SettingError, StoreUnreachable
from workbench.files.changes import move_into_place
from workbench.language import mark
from workbench.model.egress import MODEL_HUB
from workbench.model.embedder import EmbedderChoice
from workbench.model.embedding_server import EmbeddingServer
from workbench.model.vector_store import BUILT_IN_STORE
from workbench.operations.library.embedding_servers import EmbeddingServers, checked_server
from workbench.operations.library.index_stores import IndexStores
from workbench.operations.questions.reranking import RerankerResources, TokenStore, reranker_named, reranker_of
from workbench.retrieval.recent_chunks import RecentChunks
from workbench.store.abbreviation_table import AbbreviationTable
from workbench.store.configuration import SettingStore
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.embedders import EmbedderStore
from workbench.store.keywords import KeywordIndex
from workbench.store.name_index import NameIndex
from workbench.store.vectors import VectorTable

if TYPE_CHECKING:  # numpy, faiss and onnxruntime are not needed to show the window.
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.base import Embedder
    from workbench.indexing.base import VectorSearch, VectorStore
    from workbench.indexing.first_vectors import FirstVectors
    from workbench.indexing.saved_index import LibraryVectors, ReadOnlyIndex
    from workbench.model.embedder import TokenCounter
    from workbench.operations.library.derived_vectors import ChunksFirstVectors
    from workbench.retrieval.retriever import Retriever
    from workbench.retrieval.sentence_similarity import SentenceSimilarity


logger = logging.getLogger(__name__)

REPAIRED = mark("The search index was damaged. It was rebuilt from the library; nothing is lost.")
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


@dataclass(frozen=True, slots=True)
class SearchTables:
    """Tables of a library that searches and embedding work on; each is opened once, because they cache what they read.

    Attributes:
        documents: The documents, their text and chunks.
        keywords: The keyword index.
        names: Index of the names of documents, so that a question can name one.
        abbreviations: Abbreviations with their definitions.
        vectors: The vectors stored in the database.
        embedders: Which embedder produced the vectors in use.
        setting_values: Settings and window state, as stored.
    """

    documents: DocumentStore
    keywords: KeywordIndex
    names: NameIndex
    abbreviations: AbbreviationTable
    vectors: VectorTable
    embedders: EmbedderStore
    setting_values: SettingStore

    @classmethod
    def of(cls, database: Database) -> "SearchTables":
        """Return the tables of a database."""
        vectors = VectorTable(database)
        return cls(
            DocumentStore(database),
            KeywordIndex(database),
            NameIndex(database),
            AbbreviationTable(database),
            vectors,
            EmbedderStore(database, vectors),
            SettingStore(database),
        )


class SearchModels:
    """Search models of a library, which is bound to the embedder that computed its vectors; thread-safe.

    They are loaded when first needed, on the thread that needs them. If the settings name another embedder,
    embedder_change.py computes the vectors of that one next to the others, and then swaps.

    Attributes:
        stores: The vector stores in which the index can be.
        servers: The embedding servers that the library uses.
        tokens: Token vectors of the chunks, for late interaction.
        computing: The lock of turn_of().
    """

    def __init__(
        self,
        database: Database,
        tables: SearchTables,
        gate: EgressGate,
        embedder: "Embedder | None",
        *,
        ending: threading.Event,
        maintain_soon: "Callable[[], None]",
    ) -> None:
        """Prepare the models; nothing is loaded.

        Args:
            database: The library's database.
            tables: Its tables.
            gate: The library's access to the network.
            embedder: An embedder that is already loaded; None loads the one of the settings when it is first needed.
            ending: Set when the library closes; waiting for a server then ends.
            maintain_soon: Requests the idle maintenance, which calls tend().
        """
        self._database = database
        self._documents = tables.documents
        self._keywords = tables.keywords
        self._names = tables.names
        self._abbreviations = tables.abbreviations
        self._vectors = tables.vectors
        self._embedders = tables.embedders
        self._setting_values = tables.setting_values
        self._gate = gate
        self._ending = ending
        self._maintain_soon = maintain_soon
        self.tokens = TokenStore(database, self._setting_values, model_cache)
        self._recent = RecentChunks()
        self.stores = IndexStores(database.folder, self._setting_values, gate, self._vectors, self._note_behind)
        self.servers = EmbeddingServers(database.folder, self._setting_values, gate, can_write=database.reader is None)
        self._loading = threading.RLock()
        self.computing = threading.RLock()
        self._embedder = embedder
        # What the settings named when the embedder was loaded; they may have changed before the library is bound to it.
        self._loaded_choice: EmbedderChoice | None = None
        self._notice = ""
        self._is_behind = self._is_mended = False
        self._seen = -1
        self._bound = self._embedders.current if database.reader is not None else None
        self._read_index: ReadOnlyIndex | None = None
        self._index: VectorStore | None = None
        # The index that contained all findable vectors when changed_chunks was last read.
        self._in_step: VectorStore | None = None
        self._first: ChunksFirstVectors | None = None
        self._retriever: Retriever | None = None

    def hub(self, gate: EgressGate | None = None) -> ModelHub:
        """Return the source of models with a Hugging Face name; requests go through gate, or the library's own."""
        address = self._setting_values.load().model_hub or MODEL_HUB
        return ModelHub(gate or self._gate, model_cache().parent / "downloads", address)

    def embedder(self) -> "Embedder":
        """Return the embedder that the library is bound to; blocking, the first call loads it.

        Raises:
            EmbeddingError: It cannot be loaded.
        """
        if (loaded := self._embedder) is not None:
            return loaded  # without the lock, which is held for seconds while an index is opened
        with self._loading:
            if self._embedder is None:
                current = self._embedders.current
                choice = current.choice if current else self._asked_for()
                self._embedder, self._loaded_choice = self.load_embedder(choice), choice
            return self._embedder

    def tokenizer(self) -> "TokenCounter":
        """Return the embedder's tokenizer, which cuts passages; a server need not be reached for it. Blocking.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
        """
        with self._loading:
            if self._embedder is None:
                current = self._embedders.current
                if (server := _server_of(current.choice if current else self._asked_for())) is not None:
                    return self.servers.tokenizer(server)
            return self.embedder().tokenizer

    def embedder_or_none(self) -> "Embedder | None":
        """Return the embedder, or None if it cannot be loaded: then searches use keywords only."""
        try:
            return self.embedder()
        except EmbedderUnreachable as error:
            logger.warning("No embedder: going by keyword only. %s", error)
        except EmbeddingError:
            logger.exception("No embedder: going by keyword only")
        return None

    @property
    def embedder_if_loaded(self) -> "Embedder | None":
        """The embedder if it was loaded, else None; loads nothing."""
        return self._embedder

    def load_embedder(self, choice: EmbedderChoice) -> "Embedder":
        """Load and return any embedder; blocking, the first use of a model takes about 10 s.

        Raises:
            EmbeddingError: It cannot be loaded.
        """
        if (server := _server_of(choice)) is not None:
            from workbench.embedding.servers.server_embedder import known_dim  # numpy, as above

            return self.servers.load(server, known_dim(server, self._embedders.names()))
        # onnxruntime takes 0.1 s to import: not during the start of the window.
        from workbench.embedding.sentence_transformer import load_embedder

        return load_embedder(choice.model, cache=model_cache(), backend=choice.backend, hub=self.hub())

    def wanted(self) -> EmbedderChoice | None:
        """Return the embedder of the settings; None if the library is already bound to it, or to none yet."""
        asked, current = self._asked_for(), self._embedders.current
        return None if current is None or asked == current.choice else asked

    def bind(self) -> None:
        """Bind the library to the current embedder; vectors of another embedder, if any, are no longer used.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
        """
        embedder, current = self.embedder(), self._embedders.current
        if current is None or current.id != embedder.id:
            asked = current.choice if current else self._loaded_choice or self._asked_for()
            self._embedders.bind(embedder.id, as_loaded(embedder, asked))

    def index(self) -> "VectorStore":
        """Return the vector index of the embedder; blocking, the first call opens or rebuilds it.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
            IndexUnavailable: The index can be neither read nor rebuilt.
        """
        with self._loading:
            if self._index is None and self._database.reader is not None:
                self._index = self._open_index_to_read(self.embedder())
            elif self._index is None:
                self.bind()
                self._database.changed_chunks.take()  # before it is opened: later changes are noted
                self._index = self._open_index(self.embedder(), at_once=_AT_ONCE)
                self._in_step = None if self._is_behind else self._index
                self._maintain_soon()
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

    def make_static_embedding(self, stop: "Callable[[], bool]") -> None:
        """Make the static embedding of the loaded embedder, unless it is cached; blocking, for idle time."""
        from workbench.operations.library.derived_vectors import make_static_embedding  # numpy

        if self._embedder is not None:
            make_static_embedding(self._embedder, model_cache(), stop)

    def save_index(self, *, of_all: bool = False) -> None:
        """Write changes of the index to disk, stamped with the generation of its vectors; blocking.

        Args:
            of_all: Update it from all vectors first, instead of only from the changed ones.
        """
        with self._loading:
            if of_all:
                self._in_step = None
            if self._index is not None:
                # If the library's folder was moved, saving would create the index folder again at the old place.
                self._database.require_place()
                self.follow_documents()
                embedder = self.embedder().id
                self._index.save(self.index_path(embedder), generation=self._vectors.generation(embedder))

    def follow_documents(self) -> None:
        """Update the index after chunks were removed, restored or edited, so that it matches the library. Blocking."""
        with self._loading:
            if self._first is not None and self._first.vectors.count:
                self._first.keep({document.id for document in self._documents.list()})
            if self._index is not None:
                self._follow(self._index, self.embedder().id)
                self._is_behind = False
                self._maintain_soon()

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
            self._maintain_soon()
            return
        # Their document may have been deleted after they were stored, and the index updated before they were added.
        self._database.changed_chunks.note(ids.tolist())

    def rebuild_index(self) -> None:
        """Rebuild the index: remove all vectors, add them again from the library, and save it. Blocking.

        Raises:
            EmbeddingError: As index().
            IndexUnavailable: As index(), or it cannot be saved.
        """
        with self._loading:
            index = self.index()
            index.remove(index.ids)
            self.save_index(of_all=True)

    def take_notice(self) -> str:
        """Return a notice about the index that was not shown yet, or about a rebuild in progress; usually empty."""
        if self._is_behind:
            return BEING_MADE
        notice, self._notice = self._notice, ""
        return notice

    def tend(self, stop: "Callable[[], bool]") -> None:
        """Check and optimise the index, until stop returns True; blocking, for idle time."""
        index = self._index
        if index is not None and self._is_behind:
            self._catch_up(index, stop)
        if index is not None and (index.maintain(stop) or self._is_mended):
            self._notice = REPAIRED
            self._is_mended = False
            self.save_index(of_all=True)  # quarantined vectors are read from the library again

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
                    self._notice = REPAIRED
            elif loss := index.loss:
                self._is_mended = True
                self._is_behind = len(self._vectors.ids(embedder_id)) - index.count > _AT_ONCE
                if self._is_behind:
                    index.acknowledge_loss(loss)  # the notice reports the loss
                else:
                    self._follow(index, embedder_id)
                    self._notice = REPAIRED
                self._maintain_soon()

    def index_path(self, embedder_id: str) -> Path:
        """Return the folder of an embedder's index in the store in use."""
        return self.stores.path(embedder_id)

    def retriever(self) -> "Retriever":
        """Return the retriever; without a usable embedder or index it searches by keyword and reports that."""
        self._maintain_soon()
        return self.background_retriever()

    def background_retriever(self) -> "Retriever":
        """Return the retriever for a background search, which does not postpone the idle maintenance."""
        if self._database.reader is not None:
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
        revision = self._database.revision
        if revision == self._seen:
            return
        with self._loading:
            bound = self._embedders.current
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

    def swap_store(self, index: "VectorStore", path: Path, record: "Callable[[], None]") -> None:
        """Search in another vector store, or several, of the same embedder from now on. Blocking.

        Searches under way end with the one they began with. The store takes in what changed since it was filled.

        Args:
            index: The new store.
            path: Its folder.
            record: Writes to the state of the library which stores it uses from now on.

        Raises:
            EmbeddingError: The embedder cannot be loaded.
            IndexUnavailable: The new store failed; the old one stays in use.
        """
        with self._loading:
            embedder = self.embedder()
            self._in_step = None
            self._follow(index, embedder.id)
            index.save(path, generation=self._vectors.generation(embedder.id))
            record()
            self._index, self._in_step, self._is_behind = index, index, False
            self._retriever = self._made(index, embedder)
        self._maintain_soon()

    def _note_behind(self) -> None:
        """Let the idle maintenance add the vectors that the store of a knowledge base lacks."""
        self._is_behind = True
        self._maintain_soon()

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
            if not self._embedders.swap(embedder.id, as_loaded(embedder, choice)):
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
        resources = RerankerResources(embedder, self._keywords, self.tokens.reader(embedder.id) if embedder else None)
        reranker = reranker_of(self._setting_values.load(), resources, self._ending.wait, self.hub())
        named = partial(reranker_named, self._setting_values.load(), resources, self._ending.wait, self.hub())
        return Retriever(
            self._documents,
            self._keywords,
            vectors,
            embedder,
            reranker,
            rerankers=named,
            names=self._names,
            abbreviations=self._abbreviations,
            vectors_of=partial(self._vectors.get, embedder.id) if embedder is not None else None,
            phrase_vectors=partial(phrase_vectors, embedder, model_cache()) if embedder is not None else None,
            recent=self._recent,
            turn=turn_of(self, embedder) if self.stores.are_built_in else None,
        )

    def sentence_similarity(self) -> "SentenceSimilarity | None":
        """Return the comparison of questions with sentences of recent hits; blocks until the embedder is loaded.

        None if there is no embedder.
        """
        from workbench.retrieval.sentence_similarity import SentenceSimilarity  # numpy

        embedder = self.embedder_or_none()
        if embedder is None:
            return None
        return SentenceSimilarity(embedder, self.tokens.reader(embedder.id), self._recent)

    def forget_retriever(self) -> None:
        """Create the retriever again at its next use, with another reranker."""
        with self._loading:
            self._retriever = None
        self._maintain_soon()

    def forget_models(self) -> None:
        """Load embedder, index and retriever again at their next use."""
        with self._loading:
            if self._index is not None:
                self._index.close()
            self._embedder = self._index = self._read_index = self._retriever = self._first = self._in_step = None
            self._loaded_choice = None

    def _asked_for(self) -> EmbedderChoice:
        """Return the embedder of the settings; "auto" becomes the backend that computed the library's vectors.

        Vectors of different backends are not comparable: a library that was moved to another machine, where the other
        backend is faster, would have to be embedded again.
        """
        settings, current = self._setting_values.load(), self._embedders.current
        asked = EmbedderChoice(settings.embedder, settings.embedding_backend)
        made_by = self._vectors.embedder.rpartition("/")[2]
        is_same_model = current is None or current.choice.model == asked.model
        if asked.backend == "auto" and is_same_model and made_by in BACKENDS:
            return EmbedderChoice(asked.model, made_by)
        return asked

    def _open_index(self, embedder: "Embedder", *, at_once: int = sys.maxsize) -> "VectorStore":
        opened = self.stores.open(embedder.id, truth_of(self._vectors, embedder.id, embedder.dim), at_once=at_once)
        if opened.was_damaged:
            self._notice = REPAIRED
        self._is_behind = not opened.is_whole
        return opened.store

    def _open_index_to_read(self, embedder: "Embedder") -> "VectorStore":
        from workbench.indexing.saved_index import ReadOnlyIndex  # faiss, as above

        truth = partial(truth_of, self._vectors, embedder.id, embedder.dim)
        # Where another program writes to a database, the vectors of the library are searched in memory instead.
        self._read_index = ReadOnlyIndex(self.stores.path(embedder.id, BUILT_IN_STORE), truth)
        return self._read_index.store

    def _follow(self, index: "VectorStore", embedder_id: str) -> None:
        """Update an index from the chunks changed since its last update, or from all vectors if these are unknown."""
        from workbench.indexing.saved_index import follow  # numpy, as above

        changed = self._database.changed_chunks.take()
        # If the update fails, the changes that were taken are lost: the next one uses all vectors.
        is_in_step, self._in_step = self._in_step is index, None
        if not is_in_step or changed is None or index.loss:
            self._follow_all(index, embedder_id)
        elif len(changed):
            found = self._vectors.found_among(embedder_id, changed)
            follow(index, found, partial(self._vectors.get, embedder_id), among=changed)
        self._in_step = index

    def _follow_all(self, index: "VectorStore", embedder_id: str, stop: "Callable[[], bool]" = lambda: False) -> None:
        from workbench.indexing.saved_index import follow  # numpy, as above

        follow(index, self._vectors.ids(embedder_id), partial(self._vectors.get, embedder_id), stop)


def _server_of(choice: EmbedderChoice) -> EmbeddingServer | None:
    """Return the server of a choice; None for a model that runs in this program.

    Raises:
        EmbeddingError: The choice is invalid.
    """
    try:
        return checked_server(choice.model)
    except SettingError as error:
        raise EmbeddingError(error.message, error.hint) from error


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


def turn_of(models: SearchModels, embedder: "Embedder | None") -> "AbstractContextManager[object]":
    """Return the lock under which hits are made and sentences are ranked, one question after the other.

    Python runs one thread at a time anyway, and threads that compute at once lose time by handing the interpreter
    to one another: with the lock, 20 questions at once take 0.85 to 0.96 of the time among 6,000 passages (medians
    of 9 pairs each, 2 cores), and the same time among 100,000, where SQLite and FAISS take most of it, with 0.84 to
    0.96 of the processor time. An embedder that may wait for a server gets no lock.
    """
    from workbench.embedding.base import TokenEmbedder  # numpy

    computes_here = embedder is None or isinstance(embedder, TokenEmbedder)
    return models.computing if computes_here else nullcontext()


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
