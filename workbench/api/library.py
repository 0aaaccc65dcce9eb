"""An open library for scripts.

Opened and closed around a block, each method does its work and returns when it is done.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api.async_library import AsyncLibrary
from workbench.api.documents import Map
from workbench.api.integrity import Integrity
from workbench.api.knowledge import Knowledge
from workbench.api.library_collections import Bin, Folders, KnowledgeBases, Memories, Sessions
from workbench.api.library_setup import Agents, EmbedderOf, Profiles, SettingsOf, VectorStoreOf
from workbench.api.permissions import Network, PluginsOf, ToolServers, ToolsOf
from workbench.api.runs_and_readings import ReadingsOf, Runs
from workbench.api.search_evaluation import EvaluationOf
from workbench.api.waiting import Waiter, Waiting, cancel_pending, waited
from workbench.model.memory import DEFAULT_USER
from workbench.model.message import ToolReach
from workbench.model.options import checked, hints_at_names, known_options
from workbench.store.database import Access
from workbench.store.lock import PYTHON


@hints_at_names
@known_options
class Library(Waiting[AsyncLibrary]):
    """An open library; workbench.open_library gives one. Safe to use from several threads.

    Its verbs are those of AsyncLibrary. The work is done on a thread of its own. on_event and approve are called on the
    thread that waits; what they raise stops the work and reaches the caller, and so does Ctrl+C.

    Attributes:
        agents: The agents that are kept.
        bin: Documents that were removed and can come back.
        embedder: The embedding model: its state, a change, the way back.
        evaluation: Searches measured with golden questions.
        folders: Linked folders, which the library follows.
        integrity: Whether library and documents are in order; backups.
        knowledge_bases: Which there are; knowledge(name) gives one as a thing.
        map: Where each passage stands among those that are like it, and their topics.
        memories: What is remembered of conversations.
        network: What left this machine, and the air gap.
        plugins: Plug-in files with retrievers: listed, allowed, forbidden.
        profiles: How chat models are reached.
        readings: Questions that were asked of every passage, and what one would take.
        runs: Answers as they were kept: compared, gone on from.
        sessions: Conversations as they were kept, and their export.
        settings: What can be set, as in the window.
        tool_servers: MCP servers whose tools agents may use.
        tools: The tools that agents may name.
        vector_store: Where the vectors of passages are searched: its state, a move, its key.
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
        self.tool_servers = ToolServers(awaited.tool_servers, waiter)
        self.tools = ToolsOf(awaited.tools, waiter)
        self.vector_store = VectorStoreOf(awaited.vector_store, waiter)

    def use_retriever(self, name: str, retriever: Any) -> "Library":
        """Let agents ask a retriever by this name; returns the library. See AsyncLibrary.use_retriever."""
        self._awaited.use_retriever(name, retriever)
        return self

    def use_tool(
        self, function: Callable[..., Any], *, name: str = "", reach: ToolReach | str = "local", seconds: float = 60.0
    ) -> "Library":
        """Let agents have their model call a function; returns the library. See AsyncLibrary.use_tool."""
        self._awaited.use_tool(function, name=name, reach=reach, seconds=seconds)
        return self

    def knowledge(self, name: str = "default", *, max_results: int = 10) -> Knowledge:
        """Return a knowledge base of the library as a thing; it is there once something is added to it."""
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
    """Open a library, made where there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: Nothing in the folder is made or changed, and another program may have it open. What changes
            documents raises LibraryLocked or LibraryUnwritable; answers are kept until the end of the block.
        user: Who asks: sessions, memories, readings and evaluations of other users are not seen. This separates, it
            does not protect: whoever can open the folder can read those of all users.

    Raises:
        SettingError: No user can be called so.
        LibraryError: Open in another program, from a later version, not writable, damaged.
        LibraryOutdated: read_only: there is none, or it has to be opened once to be brought up to date.
    """
    opened = _opened(folder, read_only=read_only, user=user)
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
    """Open a library, made where there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: As for open_library.
        user: As for open_library.

    Raises:
        SettingError: No user can be called so.
        LibraryError: Open in another program, from a later version, not writable, damaged.
        LibraryOutdated: read_only: there is none, or it has to be opened once to be brought up to date.
    """
    import asyncio  # 15 ms that importing the names of this package need not take

    opened = await asyncio.to_thread(_opened, folder, read_only=read_only, user=user)
    try:
        yield AsyncLibrary(opened)
    finally:
        opened.closing = True
        await cancel_pending(opened)
        await asyncio.to_thread(opened.close)


def _opened(folder: str | Path, *, read_only: bool, user: str) -> operations.Library:
    access = Access.READ if read_only else Access.WRITE
    return operations.Library.open(Path(folder), access=access, program=PYTHON, user=user)
