"""An open library for scripts: each method does its work and returns when it is done."""

from collections.abc import Callable
from typing import Any

from workbench.api.async_library import AsyncLibrary
from workbench.api.evaluating import EvaluationOf
from workbench.api.integrity import Integrity
from workbench.api.kept import ReadingsOf, Runs
from workbench.api.knowledge import Knowledge
from workbench.api.mapping import Map
from workbench.api.permissions import Network, PluginsOf, ToolServers, ToolsOf
from workbench.api.setup import Agents, EmbedderOf, Profiles, SettingsOf
from workbench.api.shelves import Bin, Folders, KnowledgeBases, Memories, Sessions
from workbench.api.waiting import Waiter, Waiting, waited
from workbench.model.message import ToolReach
from workbench.model.options import hints_at_names, known_options


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
