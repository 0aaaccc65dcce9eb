"""Open library: its stores, its index, its embedder, and the executors that work for it."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import LibraryLocked, LibraryUnwritable, SettingError, WorkbenchError
from workbench.logs.log_file import set_detail
from workbench.model.document import ORIGINALS
from workbench.model.memory import DEFAULT_USER, user_name
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.imports.archives import Archives
from workbench.operations.imports.import_queue import ImportQueue
from workbench.operations.imports.source_files import copies, original_path
from workbench.operations.imports.temp_files import CopyReferences, TempFiles, delete_orphans, delete_unfinished
from workbench.operations.library.background_work import BackgroundJobs, IdleMaintenance
from workbench.operations.library.models import SearchModels, SearchTables
from workbench.operations.library.trust import gate_of, is_trusted_library, trust_new_library
from workbench.operations.questions.pending_decisions import WaitingCalls, WaitingChoices
from workbench.operations.shared.federated_documents import FederatedDocuments
from workbench.operations.shared.federated_metadata import FederatedCustomMetadata, FederatedMetadata
from workbench.operations.shared.shared_library import SharedLibraries
from workbench.operations.shared.shared_search import FederatedSearch
from workbench.parsing.sandboxed import PRELOAD
from workbench.settings import Settings
from workbench.store.checksums import RowChecksums, fill_in_checksums
from workbench.store.chunk_edits import ChunkEditStore
from workbench.store.configuration import AgentStore, ProfileStore, SearchConfigurationStore
from workbench.store.database import Access, Database
from workbench.store.egress_ledger import EgressLedger
from workbench.store.evaluations import EvaluationStore, GoldenQuestionStore
from workbench.store.filtering import FilterValues
from workbench.store.intake import FileStamp, Intake
from workbench.store.knowledge_bases import KnowledgeBaseStore
from workbench.store.library_state import files_wanted
from workbench.store.linked_folders import LinkedFolderStore
from workbench.store.lock import WINDOW
from workbench.store.memories import MemoryStore
from workbench.store.readings import ReadingPassageStore, ReadingStore
from workbench.store.recycle_bin import RecycleBin
from workbench.store.sessions import SessionMaintenance, SessionOrganizer, SessionStore
from workbench.store.temporary_store import TemporaryDatabase, TemporaryLedger, TemporarySessions
from workbench.worker.confinement import Confinement
from workbench.worker.job import offload
from workbench.worker.process_memory import lower_priority, release_memory
from workbench.worker.processes import ProcessPool

if TYPE_CHECKING:  # numpy is not needed to show the window.
    from mcp_types import Tool as ServerTool

    from workbench.agent.retrievers.retriever_registry import RetrieverRegistry
    from workbench.agent.tools.function_tool import FunctionTools
    from workbench.embedding.base import Embedder
    from workbench.retrieval.unknown_abbreviations import AbbreviationReader

T = TypeVar("T")

PARSERS = 2
"""Number of parser processes: parsing is 20 to 100 times faster than embedding, so more would only wait."""


logger = logging.getLogger(__name__)

_CLOSING_SECONDS = 0.2
"""Maximum time that closing spends on checksums: those of 5,000 rows."""


class Library:
    """Open library with all that operations work on. Opened once; thread-safe.

    Attributes:
        database: The database; folder: the library's folder.
        models: Embedder, index and retriever, loaded when first needed, on the executor that needs them.
        shared: Shared libraries that this one is connected to; federated_search: search of all of them.
        documents: The documents, their text and chunks; what is read by an id may belong to a shared library.
        knowledge_bases: The knowledge bases: named parts of the library.
        chunk_edits: Edits of chunks by the user.
        metadata: Metadata fields and tags of documents as edited by the user.
        linked_sidecars: The sidecar files of linked folders, by the folder's id, as of the last check.
        custom_metadata: Metadata of documents under custom keys.
        keywords: The keyword index.
        names: Index of the names of documents, so that a question can name one.
        vectors: The vectors stored in the database.
        user: The user who asks. All operations use this user's sessions, memories, readings, golden questions,
            evaluations and cited answers, unless another user is given.
        sessions: That user's sessions and their runs; session_shelf: their pins, archive, drafts and search.
        session_upkeep: Maintenance of the sessions of all users.
        profiles: Model profiles; agents: agents that the user created.
        memories: Memories of conversations; afterwards: background jobs after an answer.
        golden: Golden questions; evaluations: the runs that measured searches with them.
        search_configurations: Search configurations of knowledge bases.
        readings: Exhaustive readings: questions asked of every passage; reading_passages: the answers of passages.
        setting_values: Settings and window state, as stored.
        gate: The only access to the network; network: ledger of the requests.
        intake: The same documents before they are read.
        queue: Order and pause of running imports.
        archives: Unpacked contents of ZIP archives.
        held_copies: Copies of files that imports use before a document refers to them.
        unfinished: Temporary files of unfinished writes outside the library's folder.
        approvals: Tool calls that wait for approval; choices: searches that wait for a choice of hits.
        tool_lists: Tools of MCP servers, by the hash of the server's setup, so that a server is not started twice.
        passwords: Passwords of encrypted files that were opened, kept in memory only, by sha256.
        remembered_passwords: Passwords in the keyring; None before it was read (reader_process.py).
        active: Ids of the documents that an import is working on.
        linked: Linked folders.
        bin: Removed documents that can still be restored.
        embedders: Which embedder produced the vectors in use.
        unwatched: Linked folders whose changes the operating system does not report.
        checking: Lock for the check of linked folders: one at a time.
        changing: Lock for a change of the embedder.
        retrievers: Custom retrievers, by name.
        closing: Set before jobs are stopped because the library is about to be closed, not because the user cancelled.
    """

    def __init__(self, database: Database, *, embedder: "Embedder | None" = None, user: str = DEFAULT_USER) -> None:
        self.database = database
        self.folder = database.folder
        self.user = user
        tables = SearchTables.of(database)
        self.keywords = tables.keywords
        self.names = tables.names
        self.abbreviations = tables.abbreviations
        self.vectors = tables.vectors
        self.embedders = tables.embedders
        self.setting_values = tables.setting_values
        self.unstored = TemporaryDatabase(database) if database.reader is not None else None
        self.network = self._open_ledger()
        self.gate = gate_of(database, self.network)
        self.active: set[int] = set()
        self.ending = threading.Event()
        self.upkeep = IdleMaintenance(self._maintain, is_busy=lambda: bool(self.active))
        if database.reader is not None:
            self.upkeep.close()  # idle maintenance writes to the library
        self.models = SearchModels(
            database, tables, self.gate, embedder, ending=self.ending, maintain_soon=self.upkeep.request
        )
        self.shared = SharedLibraries(self.setting_values, self.gate, self.models, self.ending)
        self.documents = FederatedDocuments(database, self.shared)
        self.federated_search = FederatedSearch(self.documents, self.shared)
        self.linked = LinkedFolderStore(database)
        self.bin = RecycleBin(database)
        self.intake = Intake(database)
        self.knowledge_bases = KnowledgeBaseStore(database)
        self.chunk_edits = ChunkEditStore(database, self.vectors)
        self.metadata = FederatedMetadata(database, self.shared)
        self.linked_sidecars: dict[int, dict[str, FileStamp]] = {}
        self.custom_metadata = FederatedCustomMetadata(database, self.shared)
        self.filter_values = FilterValues(database)
        self.sessions = self._sessions_of(user)
        self.session_shelf = SessionOrganizer(database, user)
        self.session_upkeep = SessionMaintenance(database)
        self.profiles = ProfileStore(database)
        self.agents = AgentStore(database)
        self.memories = MemoryStore(database)
        self.afterwards = BackgroundJobs()
        self.golden = GoldenQuestionStore(database, user)
        self.evaluations = EvaluationStore(database, user)
        self.readings = ReadingStore(database, user)
        self.reading_passages = ReadingPassageStore(database)
        self.search_configurations = SearchConfigurationStore(database)
        self._row_checksums = RowChecksums(database)
        self.queue = ImportQueue(self.setting_values)
        # Only a program that adds documents unpacks files; a read-only one loses its notes with a kill, without harm.
        beside = self.folder if self.unstored is None else self.unstored.folder
        self.archives = Archives(beside / "unpacked")
        self.held_copies = CopyReferences(self.folder)
        self.unfinished = TempFiles(beside / "unfinished")
        self._prepare_work()

    def _prepare_work(self) -> None:
        """Prepare what work in progress shares, the threads, and the processes that start when first needed."""
        self.approvals = WaitingCalls()
        self.choices = WaitingChoices()
        self.tool_lists: dict[str, Sequence[ServerTool]] = {}
        self.passwords: dict[str, str] = {}
        self.remembered_passwords: list[str] | None = None
        self.closing = False
        self.unwatched: frozenset[str] = frozenset()
        self.checking = asyncio.Lock()
        self.changing = asyncio.Lock()
        self._reading: set[int] = set()
        self._claiming = threading.Lock()
        self._embedding = ThreadPoolExecutor(1, thread_name_prefix="embedding", initializer=lower_priority)
        self._searching = ThreadPoolExecutor(2, thread_name_prefix="search")
        self._storing = ThreadPoolExecutor(2, thread_name_prefix="store")
        self._starting = threading.RLock()
        self._parsers: ProcessPool | None = None
        self._renderer: ProcessPool | None = None
        self._retrievers: RetrieverRegistry | None = None
        self._tools: FunctionTools | None = None

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        create: bool = True,
        embedder: "Embedder | None" = None,
        access: Access = Access.WRITE,
        program: str = WINDOW,
        user: str = DEFAULT_USER,
    ) -> "Library":
        """Open the library in a folder, creating it if there is none, unless create is false.

        Args:
            folder: The library's folder.
            create: Create a library if there is none.
            embedder: An embedder that is already loaded; None loads the one of the settings when it is first needed.
            access: Read or write access. With read access, nothing in the folder is created, changed or deleted, other
                programs may have it open, and runs are kept in a temporary store until this program closes the library.
            program: Name of this program for the messages of other programs; see LibraryLock.
            user: The user who asks. Only this user's sessions, memories, readings, golden questions and evaluations
                are visible; this is a separation, not a protection.

        Raises:
            SettingError: The user name is invalid.
            LibraryError: Absent, locked by another program, from a later version, not writable, damaged.
            LibraryOutdated: With read access: another program must update the library first.
        """
        user = user_name(user)
        database = Database.open(folder, create=create, access=access, program=program)
        if database.reader is not None:
            return cls._of_reader(database, embedder, user)
        try:
            library = cls(database, embedder=embedder, user=user)
            library._hand_over_preferences()
            set_detail(more=library.settings.log_detail == "more")
            library._tidy_up()
            if database.is_new:
                trust_new_library(database)
            if database.was_left:
                library.store_soon(delete_orphans, library)
        except BaseException:
            # For example a full disk: the lock must not remain held for a library that is not open.
            database.close()
            raise
        return library

    @classmethod
    def _of_reader(cls, database: Database, embedder: "Embedder | None", user: str) -> "Library":
        assert database.reader is not None
        try:
            library = cls(database, embedder=embedder, user=user)
        except (LibraryLocked, LibraryUnwritable) as error:
            database.close()
            # The version of the keyword index or the name index has changed: a writing program must rebuild it first.
            raise database.reader.outdated() from error
        except BaseException:
            database.close()
            raise
        set_detail(more=library.settings.log_detail == "more")
        return library

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.setting_values.load()

    @property
    def is_read_only(self) -> bool:
        """True if it was opened with read access only."""
        return self.database.reader is not None

    def resolve_user(self, user: str | None) -> str:
        """Return the name of a user as it is stored; None means the one that the library was opened for.

        Raises:
            SettingError: The user name is invalid.
        """
        return self.user if user is None else user_name(user)

    def search_steps(self, knowledge_base: str | None) -> SearchConfiguration:
        """Return the lists and steps with which a knowledge base is searched; None means all of them."""
        return self.search_configurations.in_force(self.shared.personal(knowledge_base)).configuration

    @cached_property
    def abbreviation_reader(self) -> "AbbreviationReader":
        """Reader of abbreviations that stand in no document of this library."""
        from workbench.retrieval.unknown_abbreviations import AbbreviationReader  # numpy

        return AbbreviationReader(self.keywords, self.documents, lambda: self.database.revision)

    def sessions_of(self, user: str) -> SessionStore:
        """Return the sessions of a user, given the name returned by whose()."""
        return self.sessions if user == self.user else self._sessions_of(user)

    def readings_of(self, user: str) -> ReadingStore:
        """Return the readings of a user, given the name returned by whose()."""
        return self.readings if user == self.user else ReadingStore(self.database, user)

    def _open_ledger(self) -> EgressLedger:
        if self.unstored is not None:
            return TemporaryLedger(self.database, self.unstored, self.user)
        return EgressLedger(self.database, self.user)

    def _sessions_of(self, user: str) -> SessionStore:
        if self.unstored is not None:
            return TemporarySessions(self.database, self.unstored, user)
        return SessionStore(self.database, user)

    def _hand_over_preferences(self) -> None:
        """Move personal settings of earlier versions to the user's file, unless the library belongs to another user."""
        if is_trusted_library(self.database):
            try:
                self.setting_values.hand_over_preferences()
            except SettingError as error:
                logger.warning("The library keeps the personal settings of an earlier version: %s", error)

    def _tidy_up(self) -> None:
        self.documents.ensure_knowledge_base("default")
        if self.bin.purge(self.bin.expired(self.settings.bin_days)):
            self.drop_copies()
        self.knowledge_bases.purge_removed()
        self.session_upkeep.purge_removed()
        delete_unfinished(self)
        self.session_upkeep.interrupt_unfinished()
        self.network.interrupt_unfinished()
        self.readings.purge_removed()
        self.readings.interrupt_unfinished()
        self.memories.drop_expired()
        self.upkeep.add(self._delete_unused_stores)
        self.upkeep.add(self._forget_expired)
        self.upkeep.add(self.abbreviations.fill_in)
        self.upkeep.add(partial(fill_in_checksums, self.database))
        self.upkeep.add(self._row_checksums.add)
        self.upkeep.add(self._fill_in_token_codes)
        self.upkeep.add(self.models.make_static_embedding)

    def _maintain(self, stop: Callable[[], bool]) -> None:
        """Check and optimise the index, then the keyword index, if that is worthwhile."""
        self.models.tend(stop)
        while not stop() and self.keywords.tidy():
            pass
        self.keywords.keep_common_words(stop)
        self.database.rest()
        release_memory()

    def _fill_in_token_codes(self, stop: Callable[[], bool]) -> None:
        from workbench.operations.library.derived_vectors import fill_in  # numpy and faiss

        fill_in(self.models, self.vectors, stop)

    def _delete_unused_stores(self, _stop: Callable[[], bool]) -> None:
        self.models.stores.delete_unused(self.knowledge_bases.numbers(with_removed=True).values())

    def _forget_expired(self, _stop: Callable[[], bool]) -> None:
        self.memories.drop_expired()
        self.network.drop_old()

    def drop_copy(self, sha256: str) -> None:
        """Delete the copy of a file that its document no longer uses, unless another document does; blocking."""
        self.held_copies.begin_sweep()
        try:
            if not files_wanted(self.database) and not self.intake.holds(sha256):
                self.held_copies.delete(original_path(self.originals, sha256, "-").parent)
        finally:
            self.held_copies.end_sweep()

    def drop_copies(self) -> None:
        """Delete the copies of files whose documents are neither in the library nor in the bin; blocking.

        Does nothing while copies may be all that remains of documents that are missing in a damaged or older database.
        """
        if files_wanted(self.database):
            return
        self.held_copies.begin_sweep()
        try:
            kept = {document.sha256 for document in self.documents.list()} | self.bin.hashes()
            for folder in copies(self.originals):
                if folder.name not in kept:
                    self.held_copies.delete(folder)
        finally:
            self.held_copies.end_sweep()

    def claim(self, document: int) -> bool:
        """Mark a document as being read; returns False if another import is reading it. Ends with release()."""
        with self._claiming:
            if document in self._reading:
                return False
            self._reading.add(document)
            self.active.add(document)
            return True

    def is_reading(self, document: int) -> bool:
        """Return whether an import is reading new content of a document."""
        return document in self._reading

    def release(self, document: int, *, read_only: bool = False) -> None:
        """End the claim on a document that was read; with read_only it remains active, as its import continues."""
        with self._claiming:
            self._reading.discard(document)
            if not read_only:
                self.active.discard(document)

    @property
    def originals(self) -> Path:
        """Folder of the content-addressed copies of the source files."""
        return self.folder / ORIGINALS

    def _reader_rights(self) -> Confinement:
        from workbench.operations.imports.reader_process import reader_rights  # circular import

        return reader_rights(self)

    @property
    def parsers(self) -> ProcessPool:
        """Pool of parser processes."""
        with self._starting:
            if self._parsers is None:
                self._parsers = ProcessPool(
                    PARSERS,
                    preload=("workbench.preparation", *PRELOAD),
                    in_background=True,
                    confined=self._reader_rights,
                )
            return self._parsers

    @property
    def renderer(self) -> ProcessPool:
        """Child process for drawing pages, separate so that a click never waits for an import."""
        with self._starting:
            if self._renderer is None:
                preload = ("workbench.parsing.page_renderer", *PRELOAD)
                self._renderer = ProcessPool(1, preload=preload, confined=self._reader_rights)
            return self._renderer

    @property
    def retrievers(self) -> "RetrieverRegistry":
        """Custom retrievers; each is loaded when it is first called."""
        from workbench.operations.questions.plugin_files import retrievers_of  # not needed to show the window

        with self._starting:
            if self._retrievers is None:
                self._retrievers = retrievers_of(self)
            return self._retrievers

    @property
    def tools(self) -> "FunctionTools":
        """Functions of a script that are offered to agents as tools."""
        from workbench.agent.tools.function_tool import FunctionTools  # not needed to show the window

        with self._starting:
            if self._tools is None:
                self._tools = FunctionTools()
            return self._tools

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
        """Run embedding and index writes on a single thread, so that batches never compete for the cores."""
        return await offload(self._embedding, function, *args)

    def _add_row_checksums(self) -> None:
        """Add checksums to the rows written since the library was opened, for at most _CLOSING_SECONDS."""
        if not self.database.writes:
            return
        deadline = time.monotonic() + _CLOSING_SECONDS
        try:
            self._row_checksums.add(lambda: time.monotonic() > deadline)
        except WorkbenchError as error:
            logger.info("Rows got no checksums: %s", error)

    def close(self) -> None:
        """End the child processes and executors and release the library's lock."""
        self.ending.set()
        self.afterwards.close()
        self.upkeep.close()
        if self._retrievers is not None:
            self._retrievers.close()
        if self._tools is not None:
            self._tools.close()
        self.models.servers.abort()
        for executor in (self._embedding, self._searching, self._storing):
            executor.shutdown(wait=True, cancel_futures=True)
        self.models.servers.close()
        self.shared.close()
        self.gate.close()
        for pool in (self._parsers, self._renderer):
            if pool is not None:
                pool.close()
        self.archives.close()
        # Released now, not at the next garbage collection: embedder and index hold 30 MB and more.
        self.models.forget_models()
        if self.unstored is None:
            self._add_row_checksums()
        else:
            self.unstored.close()
        self.database.close()
