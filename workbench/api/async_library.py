"""Open library for programs with their own asyncio event loop; Library has the same methods, which block."""

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
from workbench.api.library_setup import AsyncAgents, AsyncEmbedder, AsyncProfiles, AsyncSettings
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
    """Open library, as returned by workbench.open_library_async. Several of its methods may be awaited concurrently.

    Cancelling a task stops the work that it awaits. on_event is called on the event loop's thread. At the end of the
    open_library_async block, methods still being awaited are cancelled.

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
        network: Requests that left this machine, and the air gap.
        plugins: Plug-in files with retrievers: list, allow, forbid.
        profiles: Model profiles: how chat models are reached.
        readings: Exhaustive readings (questions asked of every passage) and estimates of their cost.
        runs: Stored answers: list, compare, continue.
        sessions: Stored conversations and their export.
        settings: The settings, the same as in the window.
        tool_servers: MCP servers whose tools agents may use.
        tools: Tools that agents may name.
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

    def use_retriever(self, name: str, retriever: Any) -> "AsyncLibrary":
        """Register a retriever under a name that agents can use, and return the library.

        workbench.plugins describes the kinds of retrievers.

        Raises:
            ValueError: The name is taken.
            RuntimeError: A question has already been asked.
        """
        self._opened.retrievers.register(name, retriever)
        return self

    def use_tool(
        self, function: Callable[..., Any], *, name: str = "", reach: ToolReach | str = "local", seconds: float = 60.0
    ) -> "AsyncLibrary":
        """Register a function as a tool that the model of an agent that names it can call, and return the library.

        The model receives the function's name, its docstring, and its parameters with their annotations. The return
        value is passed to the model: a text, or anything that can be serialized as JSON.

        Args:
            function: Plain or asynchronous; it runs on a separate thread.
            name: Name that agents use; empty for the function's own name.
            reach: "network" if it sends data away, "changes" if it changes something: the settings then decide whether
                a person is asked first, and whether it may be called at all.
            seconds: Time limit of a call.

        Raises:
            ValueError: The name is taken or invalid, the function has no docstring, or there is no such reach.
            TypeError: The argument is not a function, or a parameter has a type that no model can write.
        """
        require_function("function", function)
        self._opened.tools.register(function, name=name, reach=choice_of("reach", reach, ToolReach), seconds=seconds)
        return self

    def knowledge(self, name: str = "default", *, max_results: int = 10) -> AsyncKnowledge:
        """Return a knowledge base of the library as an object; it is created when something is first added to it."""
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
        """Add documents, and return the outcome of each once all can be searched. A failure does not stop the others.

        Unchanged sources that the library already contains are skipped; changed ones replace their old version.

        Args:
            paths: Files and folders, one or several; an address that begins with http:// or https:// is a page.
            urls: Web pages; “https://” may be omitted.
            topics: Names of articles in the encyclopaedia of the settings.
            text: A note in Markdown, or several.
            query: One SELECT, with database: the path of an SQLite file, or postgresql://user:password@host/database.
            database: See query.
            name: Name of the text or the query, or title of the single file, page or article.
            tags: Tags for everything that was added.
            metadata: Your own keys with texts, numbers, dates or lists of these, set on everything that was added.
            knowledge_base: Knowledge base to add to; created if it does not exist.
            include: Patterns; a file must match one of them ("*.pdf", "2024/*").
            exclude: Patterns; a file must match none of them.
            password: Password to try on every encrypted file.
            remember_password: Store the password in the system's keyring if it fits.
            follow_links: Whether links to files in folders are followed; None uses the settings.
            check_contents: Read every file, even if its modification time has not changed.
            run_scripts: Let an installed Chromium run the scripts of pages first.
            allow_hosts: Servers from which pages, articles and queries may be fetched although the air gap is on, for
                this call only.
            on_event: Called with each event as it happens.

        Raises:
            ValueError: There is nothing to add, a query without its database, or one name for several sources.
            MetadataError: A tag, or a metadata key or value, is invalid.
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
            question: The query.
            k: Number of passages; None uses the settings.
            filter: Restricts the search: "format:pdf year>=2020", {"format": "pdf"}, or a list of expressions.
            knowledge_base: Search only this one.
            mode: "hybrid", "dense" (by meaning) or "keyword"; None uses the knowledge base's mode.
            rerank: Whether the results are reranked, as the settings have it.

        Raises:
            RetrievalError: The search failed, or the filter is invalid; a failure is never returned as "nothing found".
            NotFound: There is no such knowledge base.
            ValueError: k is below 1, or there is no such mode.
        """
        require_question(question)
        require_positive("k", k)
        scope = await chunk_filter(self._opened, filter, knowledge_base)
        steps = await search_steps(self._opened, scope.knowledge_base, mode, rerank=rerank)
        return await operations.search(self._opened, question, k=k, filter=scope, configuration=steps)(JobContext())

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
        """Answer a question and store the run with every step. A failure is recorded in the run's status and error.

        Args:
            question: The question to answer.
            agent: Name of the agent that answers, or an Agent; None uses the one of the settings.
            retrievers: A name, function or object, or several, that find passages instead of the library's search.
            filter: Restricts the searches.
            knowledge_base: Search only this one.
            profile: Name of the model profile that answers; None uses the agent's, or else that of the settings.
            session: Continue this session.
            after: Continue from this answer of the session (run.id) and not from its siblings.
            plan: Whether a plan is made first and its steps carried out; None leaves it to the agent and the settings.
            user: User who asks and who owns the session; None uses the user that the library was opened for.
            approve: Called with an ApprovalAsked before a tool that needs a person's approval; returns True, False, a
                dict of other arguments, or an Approval. Plain or asynchronous. None: such tools are not called. An
                exception that it raises stops the run and reaches the caller.
            on_event: Called with each event as it happens.

        Raises:
            NotFound: No such agent, profile, session of the user or knowledge base; or an Agent names something that
                does not exist.
            SettingError: The user name is invalid.
            RetrievalError: The question is empty, or the filter is invalid.
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
            question: The query; k, filter, knowledge_base, mode and rerank are those of search.
            document: The document; may be in the bin.
            page: Consider only this page, counted from 1.
            quote: Consider only the passages that contain these words.
            chunk: Consider only the span of this passage, as returned by chunks() or in a hit.
            k: See search.
            filter: See search.
            knowledge_base: See search.
            mode: See search.
            rerank: See search.

        Raises:
            NotFound: There is no such document, page or knowledge base, or the document does not contain the words.
            RetrievalError: The question is empty, or the filter is invalid.
            ValueError: More than one of page, quote and chunk is given, k is below 1, or there is no such mode.
        """
        if (page is not None) + bool(quote) + (chunk is not None) > 1:
            raise ValueError("Give only one of 'page', 'quote' and 'chunk'.")
        require_question(question)
        require_positive("k", k)
        scope = await chunk_filter(self._opened, filter, knowledge_base)
        steps = await search_steps(self._opened, scope.knowledge_base, mode, rerank=rerank)
        number = await document_number(self._opened, document, find=operations.explained_document)
        spot = DocumentSpot(chunk.start, chunk.end) if chunk is not None else DocumentSpot(page=page, quote=quote)
        explanation = operations.explain(self._opened, question, number, spot, k=k, filter=scope, configuration=steps)
        return await explanation(JobContext())

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
        """Ask a question of every passage that passes a filter, and return the table of all documents.

        The reading starts at once; readings.estimate returns its cost beforehand. If the model fails, the reading
        pauses: its info gives the reason, and readings.resume reads the remaining passages.

        Args:
            question: Question to ask of every passage.
            filter: Restricts the passages.
            knowledge_base: Read only this one.
            profile: Name of the model profile that reads; None uses that of the settings.
            user: Owner of the reading; None uses the user that the library was opened for.
            name: Name of the reading; empty uses the question.
            price: Cost of a million input tokens and a million output tokens, in any currency, to report with the
                reading.
            on_event: Called with each event as it happens.

        Raises:
            NotFound: No such profile or knowledge base.
            SettingError: The user name is invalid.
            RetrievalError: The question is empty, the filter is invalid, or no passage passes it.
        """
        scope = await chunk_filter(self._opened, filter, knowledge_base)
        reading = operations.read_all(
            self._opened, question, filter=scope, profile=profile, name=name, price=price_of(price), user=user
        )
        return await reading(context(on_event))

    async def continue_reading(
        self, reading: int, *, user: str | None = None, on_event: OnReadingEvent = None
    ) -> Reading:
        """Read the remaining passages of a reading of that user, and those changed since; the same as readings.resume.

        Raises:
            NotFound: The user has no such reading.
            SettingError: The user name is invalid.
        """
        return await self.readings.resume(reading, user=user, on_event=on_event)

    async def pause(self) -> None:
        """Pause the reading of documents; a waiting add returns, and the pause outlasts closing the library."""
        await operations.pause_imports(self._opened)(JobContext())

    async def resume(self, *, on_event: OnImportEvent = None) -> list[FileFinished]:
        """End a pause, read the waiting and unfinished documents, and return the outcome of each."""
        await operations.pause_imports(self._opened, False)(JobContext())
        return await operations.resume_import(self._opened)(context(on_event))

    async def is_paused(self) -> bool:
        """Return whether the reading of documents is paused."""
        return await operations.imports_paused(self._opened)(JobContext())

    async def put_agent(self, agent: Agent) -> None:
        """Store an agent, so that it can be used by name here and in the window; the same as agents.put."""
        await self.agents.put(agent)

    async def put_profile(self, profile: ModelProfile) -> None:
        """Store a model profile, so that it can be used here and in the window; the same as profiles.put."""
        await self.profiles.put(profile)
