"""Connected shared libraries: their stores, and the retriever that searches them."""

import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from workbench.egress.gate import EgressGate
from workbench.errors import EmbeddingError, LibraryError, NotFound, SharedLibraryUnreachable, WorkbenchError
from workbench.language import mark
from workbench.model.document import Document
from workbench.operations.library.credentials import load_secret, store_secret
from workbench.operations.library.models import SearchModels, model_cache
from workbench.operations.questions.reranking import RerankerResources, reranker_named, reranker_of
from workbench.operations.shared.connections import STATE, SharedConnection, connections_of
from workbench.operations.shared.federated_ids import SEPARATOR, IdSpace, slot_of
from workbench.store.configuration import SettingStore

if TYPE_CHECKING:  # The window starts without numpy, and without the stores of PostgreSQL.
    from workbench.embedding.base import Embedder
    from workbench.indexing.token_codec import TokenCodec
    from workbench.operations.shared.shared_tables import SharedTables
    from workbench.retrieval.retriever import Retriever
    from workbench.store.postgres.postgres_database import SharedLocation
    from workbench.store.postgres.shared_vectors import SharedVectors

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 15.0
"""Delay before a library that could not be reached is tried again, so that not every search waits for a connection."""
SEARCHES = 4
"""Maximum number of searches of shared libraries at the same time."""
_MOST_SLOTS = 1000


class SharedLibrary:
    """Shared library that a personal library is connected to; opened when first needed. Thread-safe.

    Attributes:
        connection: The connection.
        ids: Translation of its ids and names.
    """

    def __init__(
        self,
        connection: SharedConnection,
        values: SettingStore,
        gate: EgressGate,
        models: SearchModels,
        ending: threading.Event,
    ) -> None:
        """Prepare the connection; nothing is opened.

        Args:
            connection: The connection.
            values: Settings of the personal library.
            gate: Its access to the network.
            models: Its models, which are used if the shared library has the same.
            ending: Set when the personal library closes.
        """
        self.connection = connection
        self.ids = IdSpace(connection.slot, connection.name)
        self._values = values
        self._gate = gate
        self._models = models
        self._ending = ending
        self._opening = threading.RLock()
        self._tables: SharedTables | None = None
        self._retriever: Retriever | None = None
        self._vectors: SharedVectors | None = None
        self._embedder: Embedder | None = None
        self._failed: tuple[float, WorkbenchError] | None = None
        self._listed: tuple[int, list[Document]] = (-1, [])

    @property
    def name(self) -> str:
        """The name chosen by the user."""
        return self.connection.name

    @property
    def is_open(self) -> bool:
        """True if it was opened and has not failed since."""
        return self._tables is not None and self._failed is None

    def tables(self) -> "SharedTables":
        """Return its stores; blocking, the first call connects.

        After a failure it is not tried again for 15 s.

        Raises:
            SharedLibraryUnreachable: It cannot be reached.
            LibraryError: It cannot be used.
        """
        with self._opening:
            if self._failed is not None and time.monotonic() < self._failed[0]:
                raise self._failed[1]
            if self._tables is None:
                self._tables = self._connected()
            self._failed = None
            return self._tables

    def reach(self) -> "SharedTables":
        """Return its stores; blocking. After a failure it is tried now, and searches do not wait for that.

        Raises:
            SharedLibraryUnreachable: It cannot be reached.
            LibraryError: It cannot be used.
        """
        if self._failed is None:
            return self.tables()
        if (there := self._tables) is not None:
            return there
        made = self._connected()
        with self._opening:
            if self._tables is None and not self._ending.is_set():
                self._tables = made
            else:
                made.database.close()
            self._failed = None
            return self._tables or made

    def _connected(self) -> "SharedTables":
        from workbench.operations.shared.shared_tables import SharedTables
        from workbench.store.postgres.postgres_database import PostgresDatabase

        try:
            database = PostgresDatabase.open(location_of(self.connection.url, self._gate))
            return SharedTables(database, self.ids.knowledge_base)
        except WorkbenchError as error:
            self.failed(error)
            raise

    def failed(self, error: WorkbenchError) -> None:
        """Record that it cannot be reached now."""
        self._failed = (time.monotonic() + _RETRY_SECONDS, error)

    def try_again(self) -> None:
        """Allow it to be tried at its next use."""
        self._failed = None

    def documents(self) -> list[Document]:
        """Return its documents with ids of all libraries; cached until it changes; the last ones if it is unreachable.

        Blocking.
        """
        try:
            tables = self.tables()
            generation = tables.database.refresh()
            if self._listed[0] != generation:
                self._listed = generation, self.ids.value(tables.documents.list())
        except WorkbenchError as error:
            logger.warning("The documents of a shared library are not up to date: %s", error)
        return self._listed[1]

    def embedder(self) -> "Embedder":
        """Return the embedder of its vectors; blocking, loaded when first needed.

        Raises:
            EmbeddingError: It cannot be loaded here.
        """
        tables = self.tables()
        with self._opening:
            if self._embedder is None:
                own = self._models.embedder_if_loaded or self._models.embedder_or_none()
                if own is None or own.id != tables.embedder_id:
                    own = self._models.load_embedder(tables.embedder_choice)
                if own.id != tables.embedder_id:
                    raise EmbeddingError(
                        mark(
                            f"The vectors of the shared library “{self.name}” come from another version of the model."
                        ),
                        mark("Install the newest version of the program; until then it is searched by keyword only."),
                    )
                self._embedder = own
            return self._embedder

    def vectors(self) -> "SharedVectors":
        """Return its vectors.

        Raises:
            SharedLibraryUnreachable: It cannot be reached.
        """
        from workbench.store.postgres.shared_vectors import SharedVectors  # numpy

        tables = self.tables()
        with self._opening:
            if self._vectors is None:
                self._vectors = SharedVectors(tables.database, tables.dim)
            return self._vectors

    def retriever(self) -> "Retriever":
        """Return its retriever; without its embedder it searches by keyword only. Blocking.

        Raises:
            SharedLibraryUnreachable: It cannot be reached.
        """
        tables = self.tables()
        with self._opening:
            if self._retriever is None:
                try:
                    embedder = self.embedder()
                except EmbeddingError as error:
                    logger.warning("A shared library is searched by keyword only. %s", error)
                    return self._made(tables, None)
                self._retriever = self._made(tables, embedder)
            return self._retriever

    def _made(self, tables: "SharedTables", embedder: "Embedder | None") -> "Retriever":
        from workbench.operations.library.derived_vectors import phrase_vectors  # numpy
        from workbench.retrieval.reranking.late_interaction import StoredTokens
        from workbench.retrieval.retriever import Retriever

        vectors = self.vectors()
        tokens = StoredTokens(CodecReader(vectors, tables.embedder_id), vectors.codes) if embedder is not None else None
        resources = RerankerResources(embedder, tables.keywords, tokens)
        hub = self._models.hub()
        pause = self._ending.wait
        return Retriever(
            tables.documents,
            tables.keywords,
            vectors if embedder is not None else None,
            embedder,
            reranker_of(self._values.load(), resources, pause, hub),
            rerankers=partial(reranker_named, self._values.load(), resources, pause, hub),
            names=tables.names,
            abbreviations=tables.abbreviations,
            vectors_of=vectors.get if embedder is not None else None,
            phrase_vectors=partial(phrase_vectors, embedder, model_cache()) if embedder is not None else None,
        )

    def forget_retriever(self) -> None:
        """Create the retriever again at its next use, with another reranker."""
        with self._opening:
            self._retriever = None

    def close(self) -> None:
        """Close its connections."""
        with self._opening:
            if self._tables is not None:
                self._tables.database.close()
            self._tables = self._retriever = self._vectors = self._embedder = None


class CodecReader:
    """Reads the codec of token vectors once it is there."""

    def __init__(self, vectors: "SharedVectors", embedder_id: str) -> None:
        """Read the codec of an embedder."""
        self._vectors = vectors
        self._embedder_id = embedder_id
        self._codec: TokenCodec | None = None

    def __call__(self) -> "TokenCodec | None":
        """Return the codec; None if no chunk has token vectors yet."""
        if self._codec is None and (packed := self._vectors.codec(self._embedder_id)) is not None:
            from workbench.indexing.token_codec import TokenCodec  # faiss

            self._codec = TokenCodec.unpacked(packed)
        return self._codec


class SharedLibraries:
    """Shared libraries that a personal library is connected to; thread-safe."""

    def __init__(self, values: SettingStore, gate: EgressGate, models: SearchModels, ending: threading.Event) -> None:
        """Use the settings, network access and models of the personal library; ending is set when it closes."""
        self._values = values
        self._gate = gate
        self._models = models
        self._ending = ending
        self._changing = threading.Lock()
        self._open: dict[int, SharedLibrary] = {}
        self._executor: ThreadPoolExecutor | None = None

    def __iter__(self) -> Iterator[SharedLibrary]:
        return iter(self._libraries())

    def __bool__(self) -> bool:
        return bool(connections_of(self._values))

    def _libraries(self) -> list[SharedLibrary]:
        connections = connections_of(self._values)
        with self._changing:
            for slot in [*self._open]:
                if self._open[slot].connection not in connections:
                    self._open.pop(slot).close()
            for one in connections:
                if one.slot not in self._open:
                    self._open[one.slot] = SharedLibrary(one, self._values, self._gate, self._models, self._ending)
            return [self._open[one.slot] for one in connections]

    def named(self, name: str) -> SharedLibrary:
        """Return a connected library by its name.

        Raises:
            NotFound: There is none of that name.
        """
        for one in self:
            if one.name == name:
                return one
        raise NotFound(
            mark(f"You are not connected to a shared library “{name}”."), mark("“workbench shared list” shows them.")
        )

    def of_number(self, number: int) -> SharedLibrary | None:
        """Return the library that a document or chunk belongs to; None for the personal library.

        Raises:
            NotFound: The connection was removed.
        """
        slot = slot_of(number)
        if not slot:
            return None
        for one in self:
            if one.connection.slot == slot:
                return one
        raise NotFound(
            mark("This document belongs to a shared library that you are not connected to any more."),
            mark("Connect to it again: “workbench shared connect”."),
        )

    def of_knowledge_base(self, name: str) -> tuple[SharedLibrary, str] | None:
        """Return the library of a knowledge base by its full name, and its local name; None for a personal one."""
        for one in self if SEPARATOR in name else ():
            local = one.ids.local_knowledge_base(name)
            if local is not None:
                return one, local
        return None

    def personal(self, name: str | None) -> str | None:
        """Return the name of a knowledge base of the personal library; None for one of a shared library, or for all."""
        return None if name is None or self.of_knowledge_base(name) is not None else name

    def knowledge_bases(self) -> list[str]:
        """Return the full names of the knowledge bases of all libraries that can be reached. Blocking."""
        names: list[str] = []
        for one in self:
            try:
                names += [one.ids.knowledge_base(name) for name, _ in one.tables().knowledge_bases.list()]
            except WorkbenchError as error:
                logger.warning("The knowledge bases of a shared library are not known: %s", error)
        return names

    def holding_all(self, words: Sequence[str]) -> list[int]:
        """Return the ids of the chunks of all libraries that can be reached that contain every word. Blocking."""
        found: list[int] = []
        for one in self:
            try:
                found += map(one.ids.number, one.tables().keywords.holding_all(words))
            except WorkbenchError as error:
                logger.warning("The words of a shared library were not searched: %s", error)
        return found

    def connect(self, name: str, url: str, key: str = "") -> SharedLibrary:
        """Connect to a shared library, after checking that it can be opened, and return it. Blocking.

        Raises:
            LibraryError: The name is taken or invalid, or the library cannot be used.
            SharedLibraryUnreachable: It cannot be reached.
        """
        from workbench.store.postgres.postgres_database import PostgresDatabase

        name, url = name.strip(), without_password(url.strip())
        connections = connections_of(self._values)
        if not name or SEPARATOR in name or any(one.name == name for one in connections):
            raise LibraryError(
                mark(f"A shared library cannot be named “{name}” here."),
                mark("Choose a short name without “/” that no other one has."),
            )
        if any(one.url == url for one in connections):
            raise LibraryError(
                mark("You are connected to this shared library already."), mark("“workbench shared list” shows it.")
            )
        slots = json.loads(self._values.state(f"{STATE}, slots") or "{}")
        slot = slots.setdefault(url, 1 + max(slots.values(), default=0))
        if slot > _MOST_SLOTS:
            raise LibraryError(mark("There are too many shared libraries."), mark("Make a new library."))
        if key:
            store_secret(key_name(url), key)
        added = SharedConnection(slot, name, url)
        # Stored before the first request: as a part of the library's setup, it is an exception of offline mode.
        self._values.set_state(STATE, json.dumps([asdict(one) for one in (*connections, added)]))
        try:
            PostgresDatabase.open(location_of(url, self._gate, key)).close()
        except BaseException:
            self._values.set_state(STATE, json.dumps([asdict(one) for one in connections]))
            raise
        # A library that is connected to again keeps its ids, so that stored citations find their passages.
        self._values.set_state(f"{STATE}, slots", json.dumps(slots))
        return self.named(name)

    def disconnect(self, name: str) -> None:
        """Remove a connection; the shared library itself is not changed.

        Raises:
            NotFound: There is none of that name.
        """
        gone = self.named(name)
        kept = [one for one in connections_of(self._values) if one != gone.connection]
        self._values.set_state(STATE, json.dumps([asdict(one) for one in kept]))
        self._libraries()

    def executor(self) -> ThreadPoolExecutor:
        """Return the threads on which shared libraries are searched."""
        with self._changing:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(SEARCHES, thread_name_prefix="shared-search")
            return self._executor

    def forget_retrievers(self) -> None:
        """Create the retrievers again at their next use, with another reranker."""
        for one in self:
            one.forget_retriever()

    def close(self) -> None:
        """End the searches and close the connections."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
        with self._changing:
            for one in self._open.values():
                one.close()
            self._open.clear()


def location_of(url: str, gate: EgressGate, key: str = "") -> "SharedLocation":
    """Return the location of a shared library, with the given password or the stored one.

    Raises:
        SharedLibraryUnreachable: The address is no URL.
    """
    from workbench.store.postgres.postgres_database import SharedLocation

    return SharedLocation(url, key or load_secret(key_name(url)), gate)


def key_name(url: str) -> str:
    """Return the name of a password in the keyring; it contains user and host, so that no other server gets it.

    Raises:
        SharedLibraryUnreachable: The address is no URL.
    """
    return f"shared library at {_parts(url).netloc.rpartition('@')[0].partition(':')[0]}@{_host_of(url)}"


def without_password(url: str) -> str:
    """Return an address without its password."""
    parts = _parts(url)
    user = parts.netloc.rpartition("@")[0].partition(":")[0]
    return parts._replace(netloc=f"{user}@{_host_of(url)}" if user else _host_of(url)).geturl()


def _host_of(url: str) -> str:
    return _parts(url).netloc.rpartition("@")[2]


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise SharedLibraryUnreachable(
            mark("The address of the shared library is not a valid URL."),
            mark("Enter it like postgresql://name@localhost:5432/database."),
        ) from error
