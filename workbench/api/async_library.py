"""An open library for programs that have an asyncio loop of their own."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api import verbs
from workbench.api.verbs import Filter, OnEvent, Paths
from workbench.model.agent import Agent
from workbench.model.document import Document
from workbench.model.exhaustive import Reading
from workbench.model.hit import SearchResult
from workbench.model.profile import ModelProfile
from workbench.model.progress import FileFinished
from workbench.model.run import Run
from workbench.worker.job import JobContext


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

    async def add(
        self, paths: Paths, *, knowledge_base: str = "default", on_event: OnEvent = None
    ) -> list[FileFinished]:
        """Add files and folders, and return how each file ended once all can be searched."""
        return await verbs.adding(self._opened, paths, knowledge_base)(verbs.context(on_event))

    async def search(
        self, question: str, k: int | None = None, filter: Filter = None, *, knowledge_base: str | None = None
    ) -> SearchResult:
        """Return the k passages that answer a question best.

        Raises:
            RetrievalError: The search failed, or the filter cannot be understood; never "nothing found" instead.
        """
        return await verbs.searching(self._opened, question, k, filter, knowledge_base)(JobContext())

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
        """Answer a question; see Library.ask."""
        operation = verbs.asking(
            self._opened,
            question,
            agent=agent,
            retrievers=retrievers,
            filter=filter,
            knowledge_base=knowledge_base,
            profile=profile,
            session=session,
            plan=plan,
        )
        return await operation(verbs.context(on_event))

    async def read_all(
        self,
        question: str,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        profile: str | None = None,
        on_event: OnEvent = None,
    ) -> Reading:
        """Ask every passage that passes a filter; see Library.read_all."""
        operation = verbs.reading_all(
            self._opened, question, filter=filter, knowledge_base=knowledge_base, profile=profile
        )
        return await operation(verbs.context(on_event))

    async def continue_reading(self, reading: int, *, on_event: OnEvent = None) -> Reading:
        """Read what is left of a reading, and what has changed since."""
        return await operations.continue_reading(self._opened, reading)(verbs.context(on_event))

    async def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return await operations.list_documents(self._opened, knowledge_base)(JobContext())

    async def put_agent(self, agent: Agent) -> None:
        """Keep an agent, so that it can be asked by its name here and in the window."""
        await operations.put_agent(self._opened, agent)(JobContext())

    async def put_profile(self, profile: ModelProfile) -> None:
        """Keep a model profile, so that it can answer here and in the window."""
        await operations.put_profile(self._opened, profile)(JobContext())


@asynccontextmanager
async def open_library_async(folder: str | Path) -> AsyncIterator[AsyncLibrary]:
    """Open a library, made where there is none, and close it at the end of the block.

    Raises:
        LibraryError: Open in another program, from a later version, not writable, damaged.
    """
    import asyncio  # 15 ms that importing the names of this package need not take

    opened = await asyncio.to_thread(operations.Library.open, Path(folder))
    try:
        yield AsyncLibrary(opened)
    finally:
        await asyncio.to_thread(opened.close)
