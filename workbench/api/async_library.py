"""An open library for programs that have an asyncio loop of their own; Library has the same verbs and waits."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from workbench import operations
from workbench.api.approving import Approve, CallbackApprover
from workbench.api.arguments import (
    DocumentRef,
    Filter,
    OnAskEvent,
    OnImportEvent,
    OnReadingEvent,
    asked_agent,
    asked_retrievers,
    chunk_filter,
    context,
    document_number,
    document_numbers,
    require_positive,
)
from workbench.api.knowledge import AsyncKnowledge
from workbench.api.setup import AsyncAgents, AsyncEmbedder, AsyncProfiles, AsyncSettings
from workbench.api.shelves import AsyncBin, AsyncKnowledgeBases, AsyncMemories, AsyncSessions
from workbench.api.sources import Paths, Texts, add, reading_of, sources_of
from workbench.api.waiting import Awaited
from workbench.errors import RetrievalError
from workbench.model.agent import Agent
from workbench.model.chunk import Chunk
from workbench.model.chunk_edit import ChunkEdit
from workbench.model.document import Document
from workbench.model.exhaustive import Reading
from workbench.model.hit import SearchMode, SearchResult
from workbench.model.message import ToolReach
from workbench.model.options import choice_of, known_options, require_function, texts_of
from workbench.model.profile import ModelProfile
from workbench.model.progress import FileFinished
from workbench.model.run import Run
from workbench.worker.job import JobContext


@known_options
class AsyncLibrary(Awaited):
    """An open library; workbench.open_library_async gives one. Several of its methods may be awaited side by side.

    Cancelling a task stops what it awaits. on_event is called on the loop's thread. Where the block of
    open_library_async ends, what is still awaited is cancelled.

    Attributes:
        agents: The agents that are kept.
        bin: Documents that were removed and can come back.
        embedder: The embedding model: its state, a change, the way back.
        knowledge_bases: Which there are; knowledge(name) gives one as a thing.
        memories: What is remembered of conversations.
        profiles: How chat models are reached.
        sessions: Conversations as they were kept, and their export.
        settings: What can be set, as in the window.
    """

    def __init__(self, opened: operations.Library) -> None:
        super().__init__(opened)
        self.agents = AsyncAgents(opened)
        self.bin = AsyncBin(opened)
        self.embedder = AsyncEmbedder(opened)
        self.knowledge_bases = AsyncKnowledgeBases(opened)
        self.memories = AsyncMemories(opened)
        self.profiles = AsyncProfiles(opened)
        self.sessions = AsyncSessions(opened)
        self.settings = AsyncSettings(opened)

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

    async def remove(self, documents: DocumentRef | Iterable[DocumentRef], *, for_good: bool = False) -> None:
        """Remove documents; they lie in the bin, unless they are to go for good.

        Raises:
            NotFound: There is no such document; nothing is removed then.
        """
        numbers = await document_numbers(self._opened, documents)
        await operations.remove_documents(self._opened, numbers, for_good=for_good)(JobContext())

    async def reindex(
        self, documents: DocumentRef | Iterable[DocumentRef], *, on_event: OnImportEvent = None
    ) -> list[FileFinished]:
        """Read documents anew from the library's copies, as settings changed since then ask for.

        Raises:
            NotFound: There is no such document.
        """
        numbers = await document_numbers(self._opened, documents)
        return await operations.reindex_documents(self._opened, numbers)(context(on_event))

    async def refetch(
        self,
        documents: DocumentRef | Iterable[DocumentRef],
        *,
        allow_hosts: Texts = (),
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Fetch web pages and run queries again; files and notes are passed over. allow_hosts: as for add.

        Raises:
            NotFound: There is no such document.
        """
        numbers = await document_numbers(self._opened, documents)
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
        """Add tags to documents, and take others away; a filter asks for them by “tag:”.

        Raises:
            NotFound: There is no such document.
            MetadataError: A tag is blank or too long.
        """
        numbers = await document_numbers(self._opened, documents)
        wanted, unwanted = texts_of("add", add), texts_of("remove", remove)
        await operations.tag_documents(self._opened, numbers, add=wanted, remove=unwanted)(JobContext())

    async def set_metadata(self, document: DocumentRef, metadata: Mapping[str, Any]) -> Document:
        """Give a document metadata of your own, and return it; None takes a key away, other keys stay.

        Raises:
            NotFound: There is no such document.
            MetadataError: A key or a value cannot be.
        """
        number = await document_number(self._opened, document)
        await operations.give_metadata(self._opened, [number], metadata)(JobContext())
        return await operations.show_document(self._opened, str(number))(JobContext())

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
        if not question.strip():
            raise RetrievalError("The question is empty.", "Say what to search for.")
        require_positive("k", k)
        wanted = await chunk_filter(self._opened, filter, knowledge_base)
        usual = await operations.search_settings(self._opened, wanted.knowledge_base)(JobContext())
        lists = usual.configuration.mode if mode is None else choice_of("mode", mode, SearchMode)
        reranking = usual.configuration.reranking if rerank else "none"
        steps = replace(usual.configuration, mode=lists, reranking=reranking)
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
            plan=plan,
            user=user,
            approver=(lambda _session, _run: approver) if approver is not None else None,
        )
        answer = operation(context(on_event))
        return await (approver.run(answer) if approver is not None else answer)

    async def read_all(
        self,
        question: str,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        profile: str | None = None,
        user: str | None = None,
        on_event: OnReadingEvent = None,
    ) -> Reading:
        """Ask every passage that passes a filter, and return the table of all documents.

        It begins at once: who wants to know before what it takes asks the command line or the window. A failure of the
        model pauses it: its info says why, and continue_reading reads what is left. It is the user's whom the library
        was opened for, unless another one is named.

        Raises:
            NotFound: No such profile or knowledge base.
            SettingError: No user can be called so.
            RetrievalError: The question is empty, the filter cannot be understood, or no passage passes it.
        """
        wanted = await chunk_filter(self._opened, filter, knowledge_base)
        reading = operations.read_all(self._opened, question, filter=wanted, profile=profile, user=user)
        return await reading(context(on_event))

    async def continue_reading(
        self, reading: int, *, user: str | None = None, on_event: OnReadingEvent = None
    ) -> Reading:
        """Read what is left of a reading of that user, and what has changed since.

        Raises:
            NotFound: The user has no such reading.
            SettingError: No user can be called so.
        """
        return await operations.continue_reading(self._opened, reading, user=user)(context(on_event))

    async def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return await operations.list_documents(self._opened, knowledge_base)(JobContext())

    async def document(self, document: DocumentRef) -> Document:
        """Return a document by its number, path, name or the start of its hash.

        Raises:
            NotFound: There is none, or more than one is meant.
        """
        number = await document_number(self._opened, document)
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def chunks(self, document: DocumentRef) -> list[Chunk]:
        """Return the passages of a document in order; hit.chunk of a search is one of them, too.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.list_chunks(self._opened, number)(JobContext())

    async def edit_chunk(self, chunk: int, text: str) -> ChunkEdit | None:
        """Give a passage another text; the file is not changed, and a citation shows what stands there.

        This and the next five return what was done, None where there was nothing to do. Passages of another text or
        other ends have new numbers, in its `after`; undo_chunk_edit takes it back.

        Raises:
            NotFound: There is no such passage.
            ChunkError: There is no text or too much, or the document is just being read.
        """
        return await operations.edit_chunk(self._opened, chunk, text)(JobContext())

    async def merge_chunks(self, chunk: int, *, other: int = 1) -> ChunkEdit | None:
        """Make one passage of a passage and those beside it: the next (1), the one before (-1), the next two (2)...

        Raises:
            NotFound: There is no such passage.
            ChunkError: There is none beside it.
        """
        return await operations.merge_chunks(self._opened, chunk, other=other)(JobContext())

    async def split_chunk(self, chunk: int, at: int) -> ChunkEdit | None:
        """Make two passages of one; at is the first character of the second, in the passage's text.

        Raises:
            NotFound: There is no such passage.
            ChunkError: One of them would be empty.
        """
        return await operations.split_chunk(self._opened, chunk, at)(JobContext())

    async def disable_chunk(self, chunk: int, *, disabled: bool = True) -> ChunkEdit | None:
        """Have a passage found by no search any more, or again."""
        return await operations.disable_chunk(self._opened, chunk, disabled=disabled)(JobContext())

    async def tag_chunk(self, chunk: int, tags: Texts) -> ChunkEdit | None:
        """Give a passage these tags in the place of its own; a filter asks for them by “passage_tag:”.

        Raises:
            MetadataError: A tag is blank or too long.
        """
        return await operations.tag_chunk(self._opened, chunk, texts_of("tags", tags))(JobContext())

    async def reset_chunk(self, chunk: int) -> ChunkEdit | None:
        """Give back what a passage was made of; what was merged or split together goes back together."""
        return await operations.reset_chunk(self._opened, chunk)(JobContext())

    async def undo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Undo an edit of a document, the last one that can be undone if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: A later edit was built upon it.
        """
        number = await document_number(self._opened, document)
        return await operations.undo_chunk_edit(self._opened, number, edit)(JobContext())

    async def redo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Do an edit again that was undone, the one undone last if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: What it changed is not there as it was.
        """
        number = await document_number(self._opened, document)
        return await operations.redo_chunk_edit(self._opened, number, edit)(JobContext())

    async def chunk_edits(self, document: DocumentRef) -> list[ChunkEdit]:
        """Return the edits of a document, oldest first: in force, undone, and not to be applied again."""
        number = await document_number(self._opened, document)
        return await operations.list_chunk_edits(self._opened, number)(JobContext())

    async def put_agent(self, agent: Agent) -> None:
        """Keep an agent, so that it can be asked by its name here and in the window; as agents.put."""
        await self.agents.put(agent)

    async def put_profile(self, profile: ModelProfile) -> None:
        """Keep a model profile, so that it can answer here and in the window; as profiles.put."""
        await self.profiles.put(profile)
