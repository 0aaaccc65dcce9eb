"""An open library for programs that have an asyncio loop of their own; Library has the same verbs and waits."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from workbench import operations
from workbench.api.given import Filter, OnEvent, Paths, chunk_filter, context, several
from workbench.errors import RetrievalError
from workbench.model.agent import Agent
from workbench.model.chunk import Chunk
from workbench.model.chunk_edit import ChunkEdit
from workbench.model.document import Document
from workbench.model.exhaustive import Reading
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchResult
from workbench.model.message import ToolReach
from workbench.model.profile import ModelProfile
from workbench.model.progress import FileFinished
from workbench.model.run import Run
from workbench.store.database import Access
from workbench.store.lock import PYTHON
from workbench.worker.job import JobContext

Reach = Literal["local", "network", "changes"]


class AsyncLibrary:
    """An open library; open_library_async gives one. Several of its methods may be awaited side by side.

    Cancelling a task stops what it awaits. on_event is called on the loop's thread.
    """

    def __init__(self, opened: operations.Library) -> None:
        self._opened = opened

    def use_retriever(self, name: str, retriever: Any) -> "AsyncLibrary":
        """Let agents ask a retriever by this name; returns the library. See workbench.plugins for what it may be.

        Raises:
            ValueError: The name is taken.
            RuntimeError: A retriever was asked already.
        """
        self._opened.retrievers.register(name, retriever)
        return self

    def use_tool(
        self, function: Callable[..., Any], *, name: str = "", reach: Reach = "local", seconds: float = 60.0
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
            ValueError: The name is taken or cannot be one, or the function has no docstring.
            TypeError: A parameter is of a kind that no model can write.
        """
        self._opened.tools.register(function, name=name, reach=ToolReach(reach), seconds=seconds)
        return self

    async def add(
        self,
        paths: Paths,
        *,
        knowledge_base: str = "default",
        metadata: Mapping[str, Any] = MappingProxyType({}),
        on_event: OnEvent = None,
    ) -> list[FileFinished]:
        """Add files and folders, and return how each file ended once all can be searched.

        Args:
            paths: Files and folders.
            knowledge_base: Where new documents go.
            metadata: Keys of your own with texts, numbers, dates or lists of these, given to each document.
            on_event: Told each event of workbench.model.progress as it happens.

        Raises:
            MetadataError: A key or a value cannot be; nothing is added then.
        """
        operation = operations.add_documents(
            self._opened, several(paths), knowledge_base=knowledge_base, metadata=metadata
        )
        return await operation(context(on_event))

    async def search(
        self, question: str, k: int | None = None, filter: Filter = None, *, knowledge_base: str | None = None
    ) -> SearchResult:
        """Return the k passages that answer a question best.

        Raises:
            RetrievalError: The search failed, or the filter cannot be understood; never "nothing found" instead.
        """
        if not question.strip():
            raise RetrievalError("The question is empty.", "Say what to search for.")
        wanted = await self._filter(filter, knowledge_base)
        return await operations.search(self._opened, question, k=k, filter=wanted)(JobContext())

    async def ask(
        self,
        question: str,
        *,
        agent: str | Agent | None = None,
        retrievers: Sequence[Any] = (),
        filter: Filter = None,
        knowledge_base: str | None = None,
        profile: str | None = None,
        session: int | None = None,
        plan: bool | None = None,
        on_event: OnEvent = None,
    ) -> Run:
        """Answer a question; the run is kept in the library, with every step. A failure is in its status and error.

        Args:
            question: What is asked.
            agent: Who is asked: a name, or an Agent; None means the one of the settings.
            retrievers: Names, functions or objects that find passages in the library's stead.
            filter: Search only what it lets through.
            knowledge_base: Search only this one.
            profile: Name of the model profile that answers; None means the agent's, else that of the settings.
            session: Go on with this session.
            plan: Whether a plan is made first and its steps carried out; None leaves it to the agent and the settings.
            on_event: Told each event of workbench.model.run as it happens.

        Raises:
            NotFound: No such agent, profile, session or knowledge base.
            RetrievalError: The question is empty, or the filter cannot be understood.
        """
        operation = operations.ask(
            self._opened,
            question,
            agent=agent,
            retrievers=retrievers,
            filter=await self._filter(filter),
            knowledge_base=knowledge_base,
            profile=profile,
            session=session,
            plan=plan,
        )
        return await operation(context(on_event))

    async def read_all(
        self,
        question: str,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        profile: str | None = None,
        on_event: OnEvent = None,
    ) -> Reading:
        """Ask every passage that passes a filter, and return the table of all documents.

        It begins at once: who wants to know before what it takes asks the command line or the window. A failure of the
        model pauses it: its info says why, and continue_reading reads what is left.

        Raises:
            NotFound: No such profile or knowledge base.
            RetrievalError: The question is empty, the filter cannot be understood, or no passage passes it.
        """
        wanted = await self._filter(filter, knowledge_base)
        return await operations.read_all(self._opened, question, filter=wanted, profile=profile)(context(on_event))

    async def continue_reading(self, reading: int, *, on_event: OnEvent = None) -> Reading:
        """Read what is left of a reading, and what has changed since."""
        return await operations.continue_reading(self._opened, reading)(context(on_event))

    async def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return await operations.list_documents(self._opened, knowledge_base)(JobContext())

    async def chunks(self, document: int) -> list[Chunk]:
        """Return the passages of a document in order; hit.chunk of a search is one of them, too."""
        return await operations.list_chunks(self._opened, document)(JobContext())

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

    async def tag_chunk(self, chunk: int, tags: Sequence[str]) -> ChunkEdit | None:
        """Give a passage these tags in the place of its own; a filter asks for them by “passage_tag:”.

        Raises:
            MetadataError: A tag is blank or too long.
        """
        return await operations.tag_chunk(self._opened, chunk, tags)(JobContext())

    async def set_metadata(self, document: int, metadata: Mapping[str, Any]) -> Document:
        """Give a document metadata of your own, and return it; None takes a key away, other keys stay.

        Raises:
            NotFound: There is no such document.
            MetadataError: A key or a value cannot be.
        """
        await operations.give_metadata(self._opened, [document], metadata)(JobContext())
        return await operations.show_document(self._opened, str(document))(JobContext())

    async def reset_chunk(self, chunk: int) -> ChunkEdit | None:
        """Give back what a passage was made of; what was merged or split together goes back together."""
        return await operations.reset_chunk(self._opened, chunk)(JobContext())

    async def undo_chunk_edit(self, document: int, edit: int | None = None) -> ChunkEdit:
        """Undo an edit of a document, the last one that can be undone if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: A later edit was built upon it.
        """
        return await operations.undo_chunk_edit(self._opened, document, edit)(JobContext())

    async def redo_chunk_edit(self, document: int, edit: int | None = None) -> ChunkEdit:
        """Do an edit again that was undone, the one undone last if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: What it changed is not there as it was.
        """
        return await operations.redo_chunk_edit(self._opened, document, edit)(JobContext())

    async def chunk_edits(self, document: int) -> list[ChunkEdit]:
        """Return the edits of a document, oldest first: in force, undone, and not to be applied again."""
        return await operations.list_chunk_edits(self._opened, document)(JobContext())

    async def put_agent(self, agent: Agent) -> None:
        """Keep an agent, so that it can be asked by its name here and in the window."""
        await operations.put_agent(self._opened, agent)(JobContext())

    async def put_profile(self, profile: ModelProfile) -> None:
        """Keep a model profile, so that it can answer here and in the window."""
        await operations.put_profile(self._opened, profile)(JobContext())

    async def _filter(self, filter: Filter, knowledge_base: str | None = None) -> ChunkFilter:
        custom = await self._opened.on_store(self._opened.documents.custom_keys) if isinstance(filter, str) else None
        return chunk_filter(filter, knowledge_base, custom)


@asynccontextmanager
async def open_library_async(folder: str | Path, *, read_only: bool = False) -> AsyncIterator[AsyncLibrary]:
    """Open a library, made where there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: As for open_library.

    Raises:
        LibraryError: Open in another program, from a later version, not writable, damaged.
        LibraryOutdated: read_only: there is none, or it has to be opened once to be brought up to date.
    """
    import asyncio  # 15 ms that importing the names of this package need not take

    opened = await asyncio.to_thread(opened_for, Path(folder), read_only=read_only)
    try:
        yield AsyncLibrary(opened)
    finally:
        await asyncio.to_thread(opened.close)


def opened_for(folder: Path, *, read_only: bool) -> operations.Library:
    """Return the opened library of a folder; raises as open_library_async does."""
    access = Access.READ if read_only else Access.WRITE
    return operations.Library.open(folder, access=access, program=PYTHON)
