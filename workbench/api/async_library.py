"""An open library for programs that have an asyncio loop of their own; Library has the same verbs and waits."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from workbench import operations
from workbench.api.arguments import (
    Approve,
    CallbackApprover,
    DocumentRef,
    Filter,
    OnAskEvent,
    OnImportEvent,
    OnReadingEvent,
    Paths,
    Texts,
    add,
    asked_agent,
    asked_retrievers,
    chunk_filter,
    context,
    document_number,
    reading_of,
    require_positive,
    require_question,
    search_steps,
    sources_of,
)
from workbench.api.documents import AsyncDocuments, AsyncMap, AsyncPassages
from workbench.api.integrity import AsyncIntegrity
from workbench.api.knowledge import AsyncKnowledge
from workbench.api.library_collections import AsyncBin, AsyncFolders, AsyncKnowledgeBases, AsyncMemories, AsyncSessions
from workbench.api.library_setup import AsyncAgents, AsyncEmbedder, AsyncProfiles, AsyncSettings, AsyncVectorStore
from workbench.api.permissions import AsyncNetwork, AsyncPlugins, AsyncTools, AsyncToolServers
from workbench.api.runs_and_readings import AsyncReadings, AsyncRuns, price_of
from workbench.api.search_evaluation import AsyncEvaluation
from workbench.model.agent import Agent
from workbench.model.chunk import Chunk
from workbench.model.exhaustive import Price, Reading
from workbench.model.explanation import DocumentSpot, Explanation
from workbench.model.hit import SearchMode, SearchResult
from workbench.model.import_progress import FileFinished
from workbench.model.message import ToolReach
from workbench.model.options import choice_of, hints_at_names, known_options, require_function, texts_of
from workbench.model.profile import ModelProfile
from workbench.model.run import Run
from workbench.worker.job import JobContext


@hints_at_names
@known_options
class AsyncLibrary(AsyncDocuments, AsyncPassages):
    """An open library; workbench.open_library_async gives one. Several of its methods may be awaited side by side.

    Cancelling a task stops what it awaits. on_event is called on the loop's thread. Where the block of
    open_library_async ends, what is still awaited is cancelled.

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

    def __init__(self, opened: operations.Library) -> None:
        super().__init__(opened)
        self.agents = AsyncAgents(opened)
        self.bin = AsyncBin(opened)
        self.embedder = AsyncEmbedder(opened)
        self.evaluation = AsyncEvaluation(opened)
        self.folders = AsyncFolders(opened)
        self.integrity = AsyncIntegrity(opened)
        self.knowledge_bases = AsyncKnowledgeBases(opened)
        self.map = AsyncMap(opened)
        self.memories = AsyncMemories(opened)
        self.network = AsyncNetwork(opened)
        self.plugins = AsyncPlugins(opened)
        self.profiles = AsyncProfiles(opened)
        self.readings = AsyncReadings(opened)
        self.runs = AsyncRuns(opened)
        self.sessions = AsyncSessions(opened)
        self.settings = AsyncSettings(opened)
        self.tool_servers = AsyncToolServers(opened)
        self.tools = AsyncTools(opened)
        self.vector_store = AsyncVectorStore(opened)

    def use_retriever(self, name: str, retriever: Any) -> "AsyncLibrary":
        """Let agents ask a retriever by this name; returns the library. See workbench.plugins for what it may be.

        Raises:
            ValueError: The name is taken.
            RuntimeError: A retriever was asked already.
        """
        self._opened.retrievers.register(name, retriever)
        return self

    def use_tool(
        self, function: Callable[..., Any], *, name: str = "", reach: ToolReach | str = "local", seconds: float = 60.0
    ) -> "AsyncLibrary":
        """Let agents that name it have their model call a function; returns the library.

        The model is told the function's name, its docstring, and its parameters with their annotations. What it
        returns is what the model is told: a text, or anything that JSON can say.

        Args:
            function: Plain or asynchronous; it runs on a thread of its own.
            name: What agents call it; empty for the function's own name.
            reach: "network" if it sends something away, "changes" if it changes something: the settings then say
                whether a person is asked first, and whether it may be called at all.
            seconds: How long a call may take.

        Raises:
            ValueError: The name is taken or cannot be one, the function has no docstring, or there is no such reach.
            TypeError: It is no function, or a parameter is of a kind that no model can write.
        """
        require_function("function", function)
        self._opened.tools.register(function, name=name, reach=choice_of("reach", reach, ToolReach), seconds=seconds)
        return self

    def knowledge(self, name: str = "default", *, max_results: int = 10) -> AsyncKnowledge:
        """Return a knowledge base of the library as a thing; it is there once something is added to it."""
        return AsyncKnowledge(self, self._opened, name, max_results)

    async def add(
        self,
        paths: Paths = (),
        *,
        urls: Texts = (),
        topics: Texts = (),
        text: Texts = (),
        query: str = "",
        database: str = "",
        name: str = "",
        tags: Texts = (),
        metadata: Mapping[str, Any] = MappingProxyType({}),
        knowledge_base: str = "default",
        include: Texts = (),
        exclude: Texts = (),
        password: str | None = None,
        remember_password: bool = False,
        follow_links: bool | None = None,
        check_contents: bool = False,
        run_scripts: bool = False,
        allow_hosts: Texts = (),
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Add documents, and return how each ended once all can be searched. One that fails stops no other.

        What is here already and unchanged costs nothing; what changed replaces its old version.

        Args:
            paths: Files and folders, one or several; an address that begins with http:// or https:// is a page.
            urls: Web pages; “https://” may be left out.
            topics: Names of articles in the encyclopaedia of the settings.
            text: A note in Markdown, or several.
            query: One SELECT, with database: the path of an SQLite file, or postgresql://user:password@host/database.
            database: See query.
            name: What the text or the query is called, or the title of the one file, page or article.
            tags: Given to everything that was added.
            metadata: Keys of your own with texts, numbers, dates or lists of these, given to everything that was added.
            knowledge_base: Where to; made if there is none of that name.
            include: Patterns of which a file must match one ("*.pdf", "2024/*"); exclude: of which it must match none.
            exclude: See include.
            password: Tried on every encrypted file; remember_password: kept in the system's keyring if it fits.
            remember_password: See password.
            follow_links: Whether links to files in folders are followed; None leaves it to the settings.
            check_contents: Read every file, whatever its time says.
            run_scripts: Let an installed Chromium run the scripts of pages first.
            allow_hosts: Servers that pages, articles and queries may be fetched from although the air gap is on, for
                this once.
            on_event: Told each event as it happens.

        Raises:
            ValueError: There is nothing to add, a query without its database, or one name for several things.
            MetadataError: A tag, or a key or value of the metadata, cannot be.
        """
        reading = reading_of(include, exclude, password, remember_password, follow_links, check_contents)
        named = {"name": name, "query": query, "database": database}
        web = {"run_scripts": run_scripts, "allow_hosts": texts_of("allow_hosts", allow_hosts)}
        sources = sources_of(paths, urls, topics, text, tags, reading=reading, metadata=dict(metadata), **named, **web)
        return await add(self._opened, sources, knowledge_base, context(on_event))

    async def search(
        self,
        question: str,
        k: int | None = None,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        mode: SearchMode | str | None = None,
        rerank: bool = True,
    ) -> SearchResult:
        """Return the k passages that answer a question best.

        Args:
            question: What is searched for.
            k: How many; None means as the settings have it.
            filter: Search only what it lets through: "format:pdf year>=2020", {"format": "pdf"}, a list of expressions.
            knowledge_base: Search only this one.
            mode: Which lists: "hybrid", "dense" (by meaning) or "keyword"; None means as the knowledge base has it.
            rerank: Whether what was found is put in order once more, as the settings have it.

        Raises:
            RetrievalError: The search failed, or the filter cannot be understood; never "nothing found" instead.
            NotFound: There is no such knowledge base.
            ValueError: k is below 1, or there is no such mode.
        """
        require_question(question)
        require_positive("k", k)
        wanted = await chunk_filter(self._opened, filter, knowledge_base)
        steps = await search_steps(self._opened, wanted.knowledge_base, mode, rerank=rerank)
        return await operations.search(self._opened, question, k=k, filter=wanted, configuration=steps)(JobContext())

    async def ask(
        self,
        question: str,
        *,
        agent: str | Agent | None = None,
        retrievers: Any = (),
        filter: Filter = None,
        knowledge_base: str | None = None,
        profile: str | None = None,
        session: int | None = None,
        after: int | None = None,
        plan: bool | None = None,
        user: str | None = None,
        approve: Approve | None = None,
        on_event: OnAskEvent = None,
    ) -> Run:
        """Answer a question; the run is kept in the library, with every step. A failure is in its status and error.

        Args:
            question: What is asked.
            agent: Who is asked: a name, or an Agent; None means the one of the settings.
            retrievers: A name, function or object, or several, that find passages in the library's stead.
            filter: Search only what it lets through.
            knowledge_base: Search only this one.
            profile: Name of the model profile that answers; None means the agent's, else that of the settings.
            session: Go on with this session.
            after: Go on from this answer of it (run.id), not from those beside it.
            plan: Whether a plan is made first and its steps carried out; None leaves it to the agent and the settings.
            user: Who asks, and whose the session is; None means the user that the library was opened for.
            approve: Asked before a tool is called that must not be without a person's word, with an ApprovalAsked;
                returns True, False, a dict of other arguments, or an Approval. Plain or asynchronous. None: such tools
                are not called. What it raises stops the run and reaches the caller.
            on_event: Told each event as it happens.

        Raises:
            NotFound: No such agent, profile, session of the user or knowledge base; or an Agent names what is not
                there.
            SettingError: No user can be called so.
            RetrievalError: The question is empty, or the filter cannot be understood.
        """
        approver = CallbackApprover(approve) if approve is not None else None
        operation = operations.ask(
            self._opened,
            question,
            agent=await asked_agent(self._opened, agent),
            retrievers=await asked_retrievers(self._opened, retrievers),
            filter=await chunk_filter(self._opened, filter),
            knowledge_base=knowledge_base,
            profile=profile,
            session=session,
            after=after,
            plan=plan,
            user=user,
            approver=(lambda _session, _run: approver) if approver is not None else None,
        )
        answer = operation(context(on_event))
        return await (approver.run(answer) if approver is not None else answer)

    async def explain(
        self,
        question: str,
        document: DocumentRef,
        *,
        page: int | None = None,
        quote: str = "",
        chunk: Chunk | None = None,
        k: int | None = None,
        filter: Filter = None,
        knowledge_base: str | None = None,
        mode: SearchMode | str | None = None,
        rerank: bool = True,
    ) -> Explanation:
        """Return why a search finds a passage of a document, or at which step it is lost, and what would help.

        Args:
            question: What is searched for; k, filter, knowledge_base, mode and rerank: as for search.
            document: Also one in the bin.
            page: Only what stands on this page, from 1 on.
            quote: Only where these words stand.
            chunk: Only where this passage stands, as chunks() or a hit has it.
            k: See question.
            filter: See question.
            knowledge_base: See question.
            mode: See question.
            rerank: See question.

        Raises:
            NotFound: There is no such document, page or knowledge base, or the words stand nowhere in it.
            RetrievalError: The question is empty, or the filter cannot be understood.
            ValueError: More than one of page, quote and chunk is given, k is below 1, or there is no such mode.
        """
        if (page is not None) + bool(quote) + (chunk is not None) > 1:
            raise ValueError("Give only one of 'page', 'quote' and 'chunk'.")
        require_question(question)
        require_positive("k", k)
        wanted = await chunk_filter(self._opened, filter, knowledge_base)
        steps = await search_steps(self._opened, wanted.knowledge_base, mode, rerank=rerank)
        number = await document_number(self._opened, document, find=operations.explained_document)
        spot = DocumentSpot(chunk.start, chunk.end) if chunk is not None else DocumentSpot(page=page, quote=quote)
        told = operations.explain(self._opened, question, number, spot, k=k, filter=wanted, configuration=steps)
        return await told(JobContext())

    async def read_all(
        self,
        question: str,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        profile: str | None = None,
        user: str | None = None,
        name: str = "",
        price: Price | tuple[float, float] | None = None,
        on_event: OnReadingEvent = None,
    ) -> Reading:
        """Ask every passage that passes a filter, and return the table of all documents.

        It begins at once: readings.estimate says before what it takes. A failure of the model pauses it: its info says
        why, and readings.resume reads what is left.

        Args:
            question: What every passage is asked.
            filter: Only what it lets through.
            knowledge_base: Only this one.
            profile: Name of the model profile that reads; None means that of the settings.
            user: Whose reading it is; None means the user for whom the library was opened.
            name: What the reading is called; empty takes the question.
            price: What a million tokens read and written cost, in whatever money, to be told with it.
            on_event: Told each event as it happens.

        Raises:
            NotFound: No such profile or knowledge base.
            SettingError: No user can be called so.
            RetrievalError: The question is empty, the filter cannot be understood, or no passage passes it.
        """
        wanted = await chunk_filter(self._opened, filter, knowledge_base)
        reading = operations.read_all(
            self._opened, question, filter=wanted, profile=profile, name=name, price=price_of(price), user=user
        )
        return await reading(context(on_event))

    async def continue_reading(
        self, reading: int, *, user: str | None = None, on_event: OnReadingEvent = None
    ) -> Reading:
        """Read what is left of a reading of that user, and what has changed since; as readings.resume.

        Raises:
            NotFound: The user has no such reading.
            SettingError: No user can be called so.
        """
        return await self.readings.resume(reading, user=user, on_event=on_event)

    async def pause(self) -> None:
        """Let the library wait with what it has not read yet; add returns then, and a pause outlasts closing it."""
        await operations.pause_imports(self._opened)(JobContext())

    async def resume(self, *, on_event: OnImportEvent = None) -> list[FileFinished]:
        """End a pause, read what waits, also what a stop left unfinished, and return how each document ended."""
        await operations.pause_imports(self._opened, False)(JobContext())
        return await operations.resume_import(self._opened)(context(on_event))

    async def is_paused(self) -> bool:
        """Return whether the library waits with what it has not read yet."""
        return await operations.imports_paused(self._opened)(JobContext())

    async def put_agent(self, agent: Agent) -> None:
        """Keep an agent, so that it can be asked by its name here and in the window; as agents.put."""
        await self.agents.put(agent)

    async def put_profile(self, profile: ModelProfile) -> None:
        """Keep a model profile, so that it can answer here and in the window; as profiles.put."""
        await self.profiles.put(profile)
