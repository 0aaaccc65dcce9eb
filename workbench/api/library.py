"""Open library for scripts: each method blocks until its work is done.

The library is opened and closed by a `with` block.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api.async_library import AsyncLibrary
from workbench.api.integrity import Integrity
from workbench.api.knowledge import Knowledge
from workbench.api.library_collections import Bin, Folders, KnowledgeBases, Map, Memories, Sessions
from workbench.api.library_setup import Agents, EmbedderOf, Profiles, SettingsOf, VectorStoreOf
from workbench.api.permissions import Network, PluginsOf, ToolServers, ToolsOf
from workbench.api.runs_and_readings import ReadingsOf, Runs
from workbench.api.search_evaluation import EvaluationOf
from workbench.api.shared_libraries import SharedLibraries
from workbench.api.waiting import Waiter, Waiting, cancel_pending, waited
from workbench.model.memory import DEFAULT_USER
from workbench.model.message import ToolReach
from workbench.model.options import checked, hints_at_names, known_options
from workbench.store.database import Access
from workbench.store.lock import PYTHON


@hints_at_names
@known_options
class Library(Waiting[AsyncLibrary]):
    """Open library, as returned by workbench.open_library. Safe to use from several threads.

    Its methods are those of AsyncLibrary. The work is done on a worker thread. on_event and approve are called on the
    calling thread; an exception that they raise stops the work and reaches the caller, and so does Ctrl+C.

    Attributes:
        agents: Stored agents.
        bin: Removed documents that can be restored.
        embedder: The embedding model: its state, changing it and reverting the change.
        evaluation: Measurement of searches with golden questions.
        folders: Linked folders, whose changes the library follows.
        integrity: Checks of the library and its documents; backups.
        knowledge_bases: The knowledge bases; knowledge(name) returns one as an object.
        map: Map of the passages, similar ones close together, with their topics.
        memories: Facts remembered from conversations.
        network: Requests that left this machine, and offline mode.
        plugins: Plug-in files with retrievers: list, allow, forbid.
        profiles: Model profiles: how chat models are reached.
        readings: Exhaustive readings (questions asked of every passage) and estimates of their cost.
        runs: Stored answers: list, compare, continue.
        sessions: Stored conversations and their export.
        settings: The settings, the same as in the window.
        tool_servers: MCP servers whose tools agents may use.
        tools: Tools that agents may name.
        vector_store: The vector store: its state, moving the library to another one, its key.
    """

    def __init__(self, awaited: AsyncLibrary, waiter: Waiter) -> None:
        super().__init__(awaited, waiter)
        self.agents = Agents(awaited.agents, waiter)
        self.bin = Bin(awaited.bin, waiter)
        self.embedder = EmbedderOf(awaited.embedder, waiter)
        self.evaluation = EvaluationOf(awaited.evaluation, waiter)
        self.folders = Folders(awaited.folders, waiter)
        self.integrity = Integrity(awaited.integrity, waiter)
        self.knowledge_bases = KnowledgeBases(awaited.knowledge_bases, waiter)
        self.map = Map(awaited.map, waiter)
        self.memories = Memories(awaited.memories, waiter)
        self.network = Network(awaited.network, waiter)
        self.plugins = PluginsOf(awaited.plugins, waiter)
        self.profiles = Profiles(awaited.profiles, waiter)
        self.readings = ReadingsOf(awaited.readings, waiter)
        self.runs = Runs(awaited.runs, waiter)
        self.sessions = Sessions(awaited.sessions, waiter)
        self.settings = SettingsOf(awaited.settings, waiter)
        self.shared_libraries = SharedLibraries(awaited.shared_libraries, waiter)
        self.tool_servers = ToolServers(awaited.tool_servers, waiter)
        self.tools = ToolsOf(awaited.tools, waiter)
        self.vector_store = VectorStoreOf(awaited.vector_store, waiter)

    def use_retriever(self, name: str, retriever: Any) -> "Library":
        """Register a retriever under a name for agents, and return the library. See AsyncLibrary.use_retriever."""
        self._awaited.use_retriever(name, retriever)
        return self

    def use_tool(
        self, function: Callable[..., Any], *, name: str = "", reach: ToolReach | str = "local", seconds: float = 60.0
    ) -> "Library":
        """Register a function as a tool for agents, and return the library. See AsyncLibrary.use_tool."""
        self._awaited.use_tool(function, name=name, reach=reach, seconds=seconds)
        return self

    def knowledge(self, name: str = "default", *, max_results: int = 10) -> Knowledge:
        """Return a knowledge base of the library as an object; it is created when something is first added to it."""
        return Knowledge(self, self._awaited.knowledge(name, max_results=max_results), self._waiter)

    add = waited(AsyncLibrary.add)
    search = waited(AsyncLibrary.search)
    ask = waited(AsyncLibrary.ask)
    explain = waited(AsyncLibrary.explain)
    neighbours = waited(AsyncLibrary.neighbours)
    section = waited(AsyncLibrary.section)
    read_all = waited(AsyncLibrary.read_all)
    continue_reading = waited(AsyncLibrary.continue_reading)

    documents = waited(AsyncLibrary.documents)
    document = waited(AsyncLibrary.document)
    remove = waited(AsyncLibrary.remove)
    reindex = waited(AsyncLibrary.reindex)
    refetch = waited(AsyncLibrary.refetch)
    unlock = waited(AsyncLibrary.unlock)
    tag = waited(AsyncLibrary.tag)
    set_metadata = waited(AsyncLibrary.set_metadata)
    edit_document = waited(AsyncLibrary.edit_document)
    edit_note = waited(AsyncLibrary.edit_note)
    tags = waited(AsyncLibrary.tags)
    metadata_keys = waited(AsyncLibrary.metadata_keys)
    import_metadata = waited(AsyncLibrary.import_metadata)
    pause = waited(AsyncLibrary.pause)
    resume = waited(AsyncLibrary.resume)
    is_paused = waited(AsyncLibrary.is_paused)

    chunks = waited(AsyncLibrary.chunks)
    edit_chunk = waited(AsyncLibrary.edit_chunk)
    merge_chunks = waited(AsyncLibrary.merge_chunks)
    split_chunk = waited(AsyncLibrary.split_chunk)
    disable_chunk = waited(AsyncLibrary.disable_chunk)
    tag_chunk = waited(AsyncLibrary.tag_chunk)
    reset_chunk = waited(AsyncLibrary.reset_chunk)
    undo_chunk_edit = waited(AsyncLibrary.undo_chunk_edit)
    redo_chunk_edit = waited(AsyncLibrary.redo_chunk_edit)
    chunk_edits = waited(AsyncLibrary.chunk_edits)

    put_agent = waited(AsyncLibrary.put_agent)
    put_profile = waited(AsyncLibrary.put_profile)


@checked
@contextmanager
def open_library(folder: str | Path, *, read_only: bool = False, user: str = DEFAULT_USER) -> Iterator[Library]:
    """Open a library, creating it if there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: Create or change nothing in the folder; another program may have the library open. Methods that
            change documents raise LibraryLocked or LibraryUnwritable; answers are kept until the end of the block.
        user: Current user: sessions, memories, readings and evaluations of other users are not visible. This separates
            users but protects nothing: anyone who can open the folder can read the data of all users.

    Raises:
        SettingError: The user name is invalid.
        LibraryError: The library is open in another program, from a later version, not writable, or damaged.
        LibraryOutdated: With read_only: there is no library, or it must first be opened for writing to be updated.
    """
    opened = _open(folder, read_only=read_only, user=user)
    waiter = Waiter()
    try:
        yield Library(AsyncLibrary(opened), waiter)
    finally:
        opened.closing = True
        waiter.stop()
        opened.close()


@checked
@asynccontextmanager
async def open_library_async(
    folder: str | Path, *, read_only: bool = False, user: str = DEFAULT_USER
) -> AsyncIterator[AsyncLibrary]:
    """Open a library, creating it if there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: As for open_library.
        user: As for open_library.

    Raises:
        SettingError: The user name is invalid.
        LibraryError: The library is open in another program, from a later version, not writable, or damaged.
        LibraryOutdated: With read_only: there is no library, or it must first be opened for writing to be updated.
    """
    import asyncio  # here, because it adds 15 ms to importing the names of this package

    opened = await asyncio.to_thread(_open, folder, read_only=read_only, user=user)
    try:
        yield AsyncLibrary(opened)
    finally:
        opened.closing = True
        await cancel_pending(opened)
        await asyncio.to_thread(opened.close)


def _open(folder: str | Path, *, read_only: bool, user: str) -> operations.Library:
    access = Access.READ if read_only else Access.WRITE
    return operations.Library.open(Path(folder), access=access, program=PYTHON, user=user)
