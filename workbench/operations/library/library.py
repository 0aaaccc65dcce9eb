"""One open library: its stores, its index, its embedder, and the executors that work for it."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import LibraryLocked, LibraryUnwritable, WorkbenchError
from workbench.logs.log_file import set_detail
from workbench.model.memory import DEFAULT_USER, user_name
from workbench.operations.imports.archives import Archives
from workbench.operations.imports.import_queue import ImportQueue
from workbench.operations.imports.source_files import copies, original_path
from workbench.operations.imports.temp_files import CopyReferences, TempFiles, delete_orphans, delete_unfinished
from workbench.operations.library.models import Models
from workbench.operations.library.trust import trust_new_library
from workbench.operations.questions.background_jobs import BackgroundJobs
from workbench.operations.questions.pending_decisions import WaitingCalls, WaitingChoices
from workbench.parsing.sandboxed import PRELOAD
from workbench.store.checksums import RowChecksums, fill_in_checksums
from workbench.store.chunk_edits import ChunkEditStore
from workbench.store.configuration import AgentStore, ProfileStore, SearchConfigurationStore
from workbench.store.database import Access, Database
from workbench.store.document_writes import CustomMetadataStore, MetadataStore
from workbench.store.evaluations import EvaluationStore, GoldenQuestionStore
from workbench.store.exhaustive import ReadingPassageStore, ReadingStore
from workbench.store.filtering import FilterValues
from workbench.store.intake import FileStamp, Intake
from workbench.store.knowledge_bases import KnowledgeBaseStore
from workbench.store.library_state import files_wanted
from workbench.store.linked_folders import LinkedFolderStore
from workbench.store.lock import WINDOW
from workbench.store.memories import MemoryStore
from workbench.store.recycle_bin import RecycleBin
from workbench.store.sessions import SessionMaintenance, SessionOrganizer, SessionStore
from workbench.store.temporary_store import TemporarySessions
from workbench.worker.confinement import Confinement
from workbench.worker.job import offload
from workbench.worker.process_memory import lower_priority
from workbench.worker.processes import ProcessPool

if TYPE_CHECKING:  # numpy is not needed to show the window.
    from mcp_types import Tool as ServerTool

    from workbench.agent.retrievers.retriever_registry import RetrieverRegistry
    from workbench.agent.tools.function_tool import FunctionTools
    from workbench.embedding.base import Embedder

T = TypeVar("T")

PARSERS = 2
"""Parser processes: parsing is 20 to 100 times faster than embedding, so more would only wait."""


logger = logging.getLogger(__name__)

_CLOSING_SECONDS = 0.2
"""So long closing may take longer for checksums: those of 5,000 rows."""


class Library(Models):
    """Everything that operations work on. Opened once; safe to use from several threads.

    The embedder and the index (models.py) are loaded when first needed, on the executor that needs them.

    Attributes:
        documents: The documents, their text and chunks.
        knowledge_bases: What stands apart from one another.
        chunk_edits: What the user changed about chunks by hand.
        metadata: What the user writes of documents: fields and tags.
        beside_linked: The sidecar files of linked folders, by the folder's number, as they were last looked at.
        custom_metadata: What they write under keys of their own.
        keywords: The keyword index.
        names: What documents are called, so that a question can name one.
        vectors: The vectors, as the database holds them.
        user: Who asks; whose sessions, memories, readings, golden questions, evaluations and cited answers all
            operations are about unless they say another one.
        sessions: That user's sessions and their runs; session_shelf: where they stand, and what is typed there.
        session_upkeep: What is done to the sessions of all users.
        profiles: Model profiles; agents: those that the user made.
        memories: What is remembered of conversations; afterwards: what is done behind an answer.
        golden: Golden questions; evaluations: the runs that measured searches with them.
        search_configurations: How knowledge bases are searched.
        readings: Questions asked of every passage; reading_passages: what each said.
        setting_values: Settings and window state, as stored.
        gate: The one way to the network; network: what was asked of it.
        intake: The same documents before they are read.
        queue: What the imports under way obey.
        archives: What ZIP archives hold.
        held_copies: Copies of files that imports rely on before a document says so.
        unfinished: What is on its way outside the library's folder.
        approvals: Tool calls that wait for a person's word; choices: searches that do.
        tool_lists: What MCP servers offer, by how they are reached: a server is not started to be asked twice.
        passwords: Passwords of encrypted files that were opened, kept in memory only, by sha256.
        remembered_passwords: Those that the keyring keeps; None before it was asked (prepare.py).
        active: Ids of the documents that an import is working on.
        linked: Folders that are followed.
        bin: Removed documents that can still come back.
        embedders: Which embedder the vectors in use are of.
        unwatched: Linked folders of whose changes the system does not tell.
        checking: Held while linked folders are checked: one look at a time.
        changing: Held while the embedder is changed.
        retrievers: Custom retrievers, by name.
        closing: Set before jobs are stopped because the library is about to be closed, not because the user cancelled.
    """

    def __init__(self, database: Database, *, embedder: "Embedder | None" = None, user: str = DEFAULT_USER) -> None:
        super().__init__(database, embedder, user)
        self.user = user
        self.linked = LinkedFolderStore(database)
        self.bin = RecycleBin(database)
        self.intake = Intake(database)
        self.knowledge_bases = KnowledgeBaseStore(database)
        self.chunk_edits = ChunkEditStore(database, self.vectors)
        self.metadata = MetadataStore(database)
        self.beside_linked: dict[int, dict[str, FileStamp]] = {}
        self.custom_metadata = CustomMetadataStore(database)
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
        # Only who adds documents unpacks anything; the notes of who reads are lost with a kill, and harm nothing.
        beside = self.folder if self.unstored is None else self.unstored.folder
        self.archives = Archives(beside / "unpacked")
        self.held_copies = CopyReferences(self.folder)
        self.unfinished = TempFiles(beside / "unfinished")
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
        """Open the library in a folder, creating it when there is none, unless create is false.

        Args:
            folder: The library's folder.
            create: Make one where there is none.
            embedder: One that is loaded already; None loads that of the settings when it is first needed.
            access: What for. To read, nothing is made, changed or deleted in the folder, other programs may have it
                open, and what this one is asked is kept until it closes the library.
            program: Who opens it, for the message of another program; see LibraryLock.
            user: Who asks: only what is this one's own is seen: sessions, memories, readings, golden questions,
                evaluations. That separates, it does not protect.

        Raises:
            SettingError: No user can be called so.
            LibraryError: Absent, locked by another program, from a later version, not writable, damaged.
            LibraryOutdated: To read: it has to be brought up to date first.
        """
        user = user_name(user)
        database = Database.open(folder, create=create, access=access, program=program)
        if database.reader is not None:
            return cls._of_reader(database, embedder, user)
        try:
            library = cls(database, embedder=embedder, user=user)
            set_detail(more=library.settings.log_detail == "more")
            library._tidy_up()
            if database.is_new:
                trust_new_library(database)
            if database.was_left:
                library.store_soon(delete_orphans, library)
        except BaseException:
            # A full disk, say: the lock must not stay with a library that nobody has.
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
            # What its keyword index or its names are made by has changed since: they are made anew first.
            raise database.reader.outdated() from error
        except BaseException:
            database.close()
            raise
        set_detail(more=library.settings.log_detail == "more")
        return library

    @property
    def is_read_only(self) -> bool:
        """Whether it was opened to read."""
        return self.database.reader is not None

    def whose(self, user: str | None) -> str:
        """Return the name of a user as it is kept; None means the one that the library was opened for.

        Raises:
            SettingError: No user can be called so.
        """
        return self.user if user is None else user_name(user)

    def sessions_of(self, user: str) -> SessionStore:
        """Return the sessions of a user, whose name is as whose() returns it."""
        return self.sessions if user == self.user else self._sessions_of(user)

    def readings_of(self, user: str) -> ReadingStore:
        """Return the readings of a user, whose name is as whose() returns it."""
        return self.readings if user == self.user else ReadingStore(self.database, user)

    def _sessions_of(self, user: str) -> SessionStore:
        if self.unstored is not None:
            return TemporarySessions(self.database, self.unstored, user)
        return SessionStore(self.database, user)

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
        self.upkeep.at_last(self._forget_expired)
        self.upkeep.at_last(self.abbreviations.fill_in)
        self.upkeep.at_last(partial(fill_in_checksums, self.database))
        self.upkeep.at_last(self._row_checksums.add)
        self.upkeep.at_last(self._fill_in_token_codes)
        self.upkeep.at_last(self._make_static_embedding)

    def _fill_in_token_codes(self, stop: Callable[[], bool]) -> None:
        from workbench.operations.library.token_codes import fill_in  # numpy and faiss

        fill_in(self, stop)

    def _forget_expired(self, _stop: Callable[[], bool]) -> None:
        self.memories.drop_expired()
        self.network.drop_old()

    def drop_copy(self, sha256: str) -> None:
        """Delete the copy of a file that its document no longer holds, unless another one does; blocking."""
        self.held_copies.begin_sweep()
        try:
            if not files_wanted(self.database) and not self.intake.holds(sha256):
                self.held_copies.delete(original_path(self.originals, sha256, "-").parent)
        finally:
            self.held_copies.end_sweep()

    def drop_copies(self) -> None:
        """Delete the copies of files whose documents are neither there nor in the bin; blocking.

        Not while some of those are all that is left of documents that a damaged or an older database does not know.
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
    def originals(self) -> Path:
        """Folder of the content-addressed copies of the source files."""
        return self.folder / "originals"

    def _reader_rights(self) -> Confinement:
        from workbench.operations.imports.reader_process import reader_rights  # it knows this class

        return reader_rights(self)

    @property
    def parsers(self) -> ProcessPool:
        """Child processes for reading documents."""
        with self._loading:
            if self._parsers is None:
                self._parsers = ProcessPool(
                    PARSERS,
                    preload=("workbench.preparation.prepare", *PRELOAD),
                    in_background=True,
                    confined=self._reader_rights,
                )
            return self._parsers

    @property
    def renderer(self) -> ProcessPool:
        """One child process for drawing pages, so that a click never waits for an import."""
        with self._loading:
            if self._renderer is None:
                preload = ("workbench.parsing.page_renderer", *PRELOAD)
                self._renderer = ProcessPool(1, preload=preload, confined=self._reader_rights)
            return self._renderer

    @property
    def retrievers(self) -> "RetrieverRegistry":
        """Custom retrievers; none of them is loaded before it is asked."""
        from workbench.operations.questions.plugin_files import retrievers_of  # not needed to show the window

        with self._loading:
            if self._retrievers is None:
                self._retrievers = retrievers_of(self)
            return self._retrievers

    @property
    def tools(self) -> "FunctionTools":
        """Functions of a script that agents may have called."""
        from workbench.agent.tools.function_tool import FunctionTools  # not needed to show the window

        with self._loading:
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
        """Run embedding and index writes: one thread, so that batches never compete for the cores."""
        return await offload(self._embedding, function, *args)

    def _add_row_checksums(self) -> None:
        """Give what was written since the library was opened its checksums, as far as that takes no time."""
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
        for executor in (self._embedding, self._searching, self._storing):
            executor.shutdown(wait=True, cancel_futures=True)
        self.gate.close()
        for pool in (self._parsers, self._renderer):
            if pool is not None:
                pool.close()
        self.archives.close()
        # Now, not when Python happens to look for garbage: embedder and index hold 30 MB and more.
        self.forget_models()
        if self.unstored is None:
            self._add_row_checksums()
        else:
            self.unstored.close()
        self.database.close()
