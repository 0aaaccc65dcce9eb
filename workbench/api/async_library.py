"""Open library for programs with their own asyncio event loop; Library has the same methods, which block."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
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
    document_numbers,
    reading_of,
    require_positive,
    require_question,
    search_steps,
    sources_of,
)
from workbench.api.integrity import AsyncIntegrity
from workbench.api.knowledge import AsyncKnowledge
from workbench.api.library_collections import (
    AsyncBin,
    AsyncFolders,
    AsyncKnowledgeBases,
    AsyncMap,
    AsyncMemories,
    AsyncSessions,
)
from workbench.api.library_setup import AsyncAgents, AsyncEmbedder, AsyncProfiles, AsyncSettings, AsyncVectorStore
from workbench.api.permissions import AsyncNetwork, AsyncPlugins, AsyncTools, AsyncToolServers
from workbench.api.runs_and_readings import AsyncReadings, AsyncRuns, price_of
from workbench.api.search_evaluation import AsyncEvaluation
from workbench.api.shared_libraries import AsyncSharedLibraries
from workbench.api.waiting import Awaited
from workbench.model.agent import Agent
from workbench.model.chunk import Chunk, ChunkEdit, Stretch
from workbench.model.document import Document, Origin
from workbench.model.exhaustive import Price, Reading
from workbench.model.explanation import DocumentSpot, Explanation
from workbench.model.hit import SearchMode, SearchResult
from workbench.model.import_progress import FileFinished
from workbench.model.message import ToolReach
from workbench.model.metadata import MetadataImport
from workbench.model.options import choice_of, hints_at_names, known_options, require_function, texts_of
from workbench.model.profile import ModelProfile
from workbench.model.run import Run
from workbench.worker.job import JobContext


@hints_at_names
@known_options
class AsyncLibrary(Awaited):
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
        network: Requests that left this machine, and offline mode.
        plugins: Plug-in files with retrievers: list, allow, forbid.
        profiles: Model profiles: how chat models are reached.
        readings: Exhaustive readings (questions asked of every passage) and estimates of their cost.
        runs: Stored answers: list, compare, continue.
        sessions: Stored conversations and their export.
        settings: The settings, the same as in the window.
        shared_libraries: Shared libraries in PostgreSQL: connections, members, reading their documents.
        tool_servers: MCP servers whose tools agents may use.
        tools: Tools that agents may name.
        vector_store: The vector store: its state, moving the library to another one, its key.
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
        self.shared_libraries = AsyncSharedLibraries(opened)
        self.tool_servers = AsyncToolServers(opened)
        self.tools = AsyncTools(opened)
        self.vector_store = AsyncVectorStore(opened)

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
            allow_hosts: Servers from which pages, articles and queries may be fetched although offline mode is on, for
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

    async def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return await operations.list_documents(self._opened, knowledge_base)(JobContext())

    async def document(self, document: DocumentRef) -> Document:
        """Return a document by its number, path, name or the start of its hash.

        Raises:
            NotFound: No document matches, or more than one.
        """
        number = await document_number(self._opened, document)
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def remove(self, documents: DocumentRef | Iterable[DocumentRef], *, for_good: bool = False) -> None:
        """Move documents to the bin, or delete them permanently with for_good.

        Raises:
            NotFound: There is no such document; nothing is removed then.
        """
        numbers = await document_numbers(self._opened, documents)
        await operations.remove_documents(self._opened, numbers, for_good=for_good)(JobContext())

    async def reindex(
        self,
        documents: DocumentRef | Iterable[DocumentRef] | None = None,
        *,
        more_time: bool = False,
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Process all documents, or these, again from the library's copies; needed after some settings change.

        more_time extends the time limit per file, for documents that it ended.

        Raises:
            NotFound: There is no such document.
        """
        chosen = await self.documents() if documents is None else documents
        numbers = await document_numbers(self._opened, chosen)
        reading = operations.reindex_documents(self._opened, numbers, more_time=more_time)
        return await reading(context(on_event))

    async def refetch(
        self,
        documents: DocumentRef | Iterable[DocumentRef] | None = None,
        *,
        allow_hosts: Texts = (),
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Fetch all web pages and run all queries again, or these; files and notes are skipped.

        Args:
            documents: Only these.
            allow_hosts: As for add.
            on_event: Called with each event as it happens.

        Raises:
            NotFound: There is no such document.
        """
        fetched = (Origin.URL, Origin.QUERY)
        chosen = (
            documents if documents is not None else [one for one in await self.documents() if one.origin in fetched]
        )
        numbers = await document_numbers(self._opened, chosen)
        allowed = texts_of("allow_hosts", allow_hosts)
        return await operations.refetch(self._opened, numbers, allow_hosts=allowed)(context(on_event))

    async def unlock(
        self, password: str, documents: DocumentRef | Iterable[DocumentRef] | None = None, *, remember: bool = False
    ) -> list[FileFinished]:
        """Try a password on all locked documents, or on these, and read those that it fits.

        Raises:
            NotFound: There is no such document.
        """
        chosen = None if documents is None else await document_numbers(self._opened, documents)
        return await operations.unlock_documents(self._opened, password, chosen, remember=remember)(JobContext())

    async def tag(self, documents: DocumentRef | Iterable[DocumentRef], add: Texts = (), *, remove: Texts = ()) -> None:
        """Add tags to documents, and remove others; a filter selects them with “tag:”.

        Raises:
            NotFound: There is no such document.
            MetadataError: A tag is blank or too long.
        """
        numbers = await document_numbers(self._opened, documents)
        wanted, unwanted = texts_of("add", add), texts_of("remove", remove)
        await operations.tag_documents(self._opened, numbers, add=wanted, remove=unwanted)(JobContext())

    async def tags(self, knowledge_base: str | None = None) -> dict[str, int]:
        """Return the tags in use with the number of their documents, the most used first."""
        return dict(await operations.list_tags(self._opened, knowledge_base)(JobContext()))

    async def set_metadata(self, document: DocumentRef, metadata: Mapping[str, Any]) -> Document:
        """Set your own metadata on a document, and return it; None removes a key, and keys not given are kept.

        Raises:
            NotFound: There is no such document.
            MetadataError: A key or a value is invalid.
        """
        number = await document_number(self._opened, document)
        await operations.give_metadata(self._opened, [number], metadata)(JobContext())
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def metadata_keys(self, knowledge_base: str | None = None) -> dict[str, int]:
        """Return your own metadata keys with the number of their documents, the most used first."""
        return dict(await operations.list_metadata_keys(self._opened, knowledge_base)(JobContext()))

    async def import_metadata(self, table: str | Path, knowledge_base: str | None = None) -> MetadataImport:
        """Set metadata from a CSV file: a column headed “file” with names or paths, and one column per key.

        Returns:
            The earlier metadata of each document by its number, the names that match no document, and what was skipped.

        Raises:
            DocumentError: The file cannot be read.
            MetadataError: The file has no such table.
            NotFound: There is no such knowledge base.
        """
        return await operations.import_metadata(self._opened, Path(table), knowledge_base)(JobContext())

    async def edit_document(
        self,
        document: DocumentRef,
        *,
        title: str | None = None,
        author: str | None = None,
        created: str | None = None,
        modified: str | None = None,
        keywords: Texts | None = None,
        language: str | None = None,
    ) -> Document:
        """Set fields of a document, and return it; they persist when the file is read again. None keeps a field.

        Args:
            document: Its number, path, name, or the Document itself.
            title: Searchable by keyword at once; the document is embedded again.
            author: Name of the author.
            created: Date of creation, like "2024", "2024-05" or "2024-05-31".
            modified: Date of the last change, in the same format.
            keywords: One or several.
            language: Language code, like "en".

        Raises:
            NotFound: There is no such document.
            MetadataError: A value is invalid, or the document is being read.
        """
        number = await document_number(self._opened, document)
        words = None if keywords is None else texts_of("keywords", keywords)
        given = {"title": title, "author": author, "created": created, "modified": modified, "language": language}
        fields: dict[str, object] = {key: value for key, value in given.items() if value is not None}
        if words is not None:
            fields["keywords"] = words
        return (await operations.edit_metadata(self._opened, number, fields)(JobContext())).after

    async def edit_note(
        self, document: DocumentRef, text: str, *, title: str = "", on_event: OnImportEvent = None
    ) -> list[FileFinished]:
        """Replace the text of a note, and return the outcome; searches use the old text until the new one is ready.

        Raises:
            NotFound: There is no such note.
            DocumentError: The text is empty.
        """
        number = await document_number(self._opened, document)
        return await operations.edit_note(self._opened, number, text, title=title)(context(on_event))

    async def chunks(self, document: DocumentRef) -> list[Chunk]:
        """Return the passages of a document in reading order, in the same form as hit.chunk of a search.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.list_chunks(self._opened, number)(JobContext())

    async def neighbours(self, chunk: Chunk, *, before: int = 1, after: int = 1) -> Stretch:
        """Return a passage with the given numbers of passages before and after it, in document order.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.neighbours(self._opened, chunk, before=before, after=after)(JobContext())

    async def section(self, chunk: Chunk) -> Stretch:
        """Return the section that contains a passage; for a very long section, the part around the passage.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.section(self._opened, chunk)(JobContext())

    async def edit_chunk(self, chunk: int, text: str) -> ChunkEdit | None:
        """Replace the text of a passage; the file is not changed, and citations show the file's own text.

        This method and the next five return the edit, or None if there was nothing to do. Passages whose text or bounds
        change get new numbers, listed in the edit's `after`; undo_chunk_edit reverts the edit.

        Raises:
            NotFound: There is no such passage.
            ChunkError: The text is empty or too long, or the document is being read.
        """
        return await operations.edit_chunk(self._opened, chunk, text)(JobContext())

    async def merge_chunks(self, chunk: int, *, other: int = 1) -> ChunkEdit | None:
        """Merge a passage with its neighbours: the next one (1), the previous one (-1), the next two (2), and so on.

        Raises:
            NotFound: There is no such passage.
            ChunkError: It has no such neighbour.
        """
        return await operations.merge_chunks(self._opened, chunk, other=other)(JobContext())

    async def split_chunk(self, chunk: int, at: int) -> ChunkEdit | None:
        """Split a passage in two; at is the offset of the second one's first character in the passage's text.

        Raises:
            NotFound: There is no such passage.
            ChunkError: One of the two would be empty.
        """
        return await operations.split_chunk(self._opened, chunk, at)(JobContext())

    async def disable_chunk(self, chunk: int, *, disabled: bool = True) -> ChunkEdit | None:
        """Exclude a passage from all searches, or include it again."""
        return await operations.disable_chunk(self._opened, chunk, disabled=disabled)(JobContext())

    async def tag_chunk(self, chunk: int, tags: Texts) -> ChunkEdit | None:
        """Replace the tags of a passage; a filter selects them with “passage_tag:”.

        Raises:
            MetadataError: A tag is blank or too long.
        """
        return await operations.tag_chunk(self._opened, chunk, texts_of("tags", tags))(JobContext())

    async def reset_chunk(self, chunk: int) -> ChunkEdit | None:
        """Restore the original of an edited passage, together with the passages that were merged or split with it."""
        return await operations.reset_chunk(self._opened, chunk)(JobContext())

    async def undo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Undo an edit of a document; by default the last one that can be undone.

        Raises:
            NotFound: There is no such edit.
            ChunkError: A later edit depends on it.
        """
        number = await document_number(self._opened, document)
        return await operations.undo_chunk_edit(self._opened, number, edit)(JobContext())

    async def redo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Apply an undone edit again; by default the one undone last.

        Raises:
            NotFound: There is no such edit.
            ChunkError: The passages that it changed have changed since.
        """
        number = await document_number(self._opened, document)
        return await operations.redo_chunk_edit(self._opened, number, edit)(JobContext())

    async def chunk_edits(self, document: DocumentRef) -> list[ChunkEdit]:
        """Return the edits of a document, oldest first: those in effect, undone, and no longer applicable."""
        number = await document_number(self._opened, document)
        return await operations.list_chunk_edits(self._opened, number)(JobContext())

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
