"""One knowledge base of an open library, as a thing of its own. Awaited, and waited for."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from workbench import operations
from workbench.api.arguments import (
    DocumentRef,
    Filter,
    OnAskEvent,
    OnImportEvent,
    Paths,
    Texts,
    chunk_filter,
    require_positive,
)
from workbench.api.waiting import Waiter, Waiting, waited
from workbench.errors import RetrievalError
from workbench.model.agent import Agent
from workbench.model.document import Document
from workbench.model.hit import Hit, SearchMode
from workbench.model.import_progress import FileFinished
from workbench.model.options import hints_at_names, known_options
from workbench.model.run import Run

if TYPE_CHECKING:
    from workbench.api.async_library import AsyncLibrary
    from workbench.api.library import Library


@hints_at_names
@known_options
class AsyncKnowledge:
    """Documents that are kept apart from all others; AsyncLibrary.knowledge(name) gives it.

    Attributes:
        library: The open library.
        name: What it is called there.
        max_results: How many passages a search gives where it is not told.
    """

    def __init__(self, library: "AsyncLibrary", opened: operations.Library, name: str, max_results: int) -> None:
        self.library = library
        self._opened = opened
        self.name = name
        self.max_results = max_results

    async def insert(
        self,
        path: Paths = (),
        *,
        url: Texts = (),
        text: Texts = (),
        topics: Texts = (),
        name: str = "",
        tags: Texts = (),
        metadata: Mapping[str, Any] = MappingProxyType({}),
        include: Texts = (),
        exclude: Texts = (),
        password: str | None = None,
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Add a file or folder, a web page, a text or articles, and return how each ended; see Library.add for more.

        Args:
            path: A file, a folder, or several.
            url: A web page, or several.
            text: A note in Markdown.
            topics: Names of articles in the encyclopaedia of the settings.
            name: What the text is called, or the title of the one file, page or article.
            tags: Given to everything that was added.
            metadata: Keys of your own with texts, numbers, dates or lists of these, given to everything that was added.
            include: Patterns of which a file must match one; exclude: of which it must match none.
            exclude: See include.
            password: Tried on every encrypted file.
            on_event: Told each event as it happens.

        Raises:
            ValueError: There is nothing to add, or one name for several things.
            MetadataError: A tag is blank or too long.
        """
        return await self.library.add(
            path,
            urls=url,
            text=text,
            topics=topics,
            name=name,
            tags=tags,
            metadata=metadata,
            include=include,
            exclude=exclude,
            password=password,
            knowledge_base=self.name,
            on_event=on_event,
        )

    async def insert_many(
        self,
        paths: Paths = (),
        *,
        urls: Texts = (),
        texts: Texts = (),
        topics: Texts = (),
        tags: Texts = (),
        metadata: Mapping[str, Any] = MappingProxyType({}),
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Add many files, pages, texts and articles, and return how each ended; one that fails stops no other.

        Raises:
            ValueError: There is nothing to add.
        """
        return await self.insert(
            paths, url=urls, text=texts, topics=topics, tags=tags, metadata=metadata, on_event=on_event
        )

    async def add(self, paths: Paths, *, on_event: OnImportEvent = None) -> list[FileFinished]:
        """Add files and folders; returns how each file ended."""
        return await self.insert(paths, on_event=on_event)

    async def search(
        self,
        query: str,
        max_results: int | None = None,
        filters: Filter = None,
        *,
        mode: SearchMode | str | None = None,
    ) -> list[Hit]:
        """Return the passages that answer a question best; Library.search says the options in full.

        Raises:
            RetrievalError: The search failed, or the filter cannot be understood, or names what cannot be filtered by;
                never "nothing found" instead.
            NotFound: Nothing was ever added to it.
            ValueError: max_results is below 1, or there is no such mode.
        """
        require_positive("max_results", max_results)
        k = self.max_results if max_results is None else max_results
        wanted = await chunk_filter(self._opened, filters)
        if problem := await self._opened.on_store(self._opened.documents.filter_problem, wanted):
            raise RetrievalError(problem)  # a list of hits has no place for the note of it
        return list((await self.library.search(query, k, wanted, knowledge_base=self.name, mode=mode)).hits)

    async def ask(
        self,
        question: str,
        *,
        agent: str | Agent | None = None,
        filter: Filter = None,
        profile: str | None = None,
        session: int | None = None,
        on_event: OnAskEvent = None,
    ) -> Run:
        """Answer a question from its documents only; for the options, and further ones, see Library.ask.

        Raises:
            NotFound: Nothing was ever added to it, or there is no such agent, profile or session.
            RetrievalError: The question is empty, or the filter cannot be understood.
        """
        return await self.library.ask(
            question,
            agent=agent,
            filter=filter,
            knowledge_base=self.name,
            profile=profile,
            session=session,
            on_event=on_event,
        )

    async def documents(self) -> list[Document]:
        """Return its documents, in the order they were added."""
        return await self.library.documents(self.name)

    async def remove(self, documents: DocumentRef | Iterable[DocumentRef], *, for_good: bool = False) -> None:
        """Remove documents; they lie in the bin, unless they are to go for good.

        Raises:
            NotFound: There is no such document.
        """
        await self.library.remove(documents, for_good=for_good)


@hints_at_names
class Knowledge(Waiting[AsyncKnowledge]):
    """Documents that are kept apart from all others; Library.knowledge(name) gives it.

    Attributes:
        library: The open library.
        name: What it is called there.
        max_results: How many passages a search gives where it is not told.
    """

    def __init__(self, library: "Library", awaited: AsyncKnowledge, waiter: Waiter) -> None:
        super().__init__(awaited, waiter)
        self.library = library
        self.name = awaited.name
        self.max_results = awaited.max_results

    insert = waited(AsyncKnowledge.insert)
    insert_many = waited(AsyncKnowledge.insert_many)
    add = waited(AsyncKnowledge.add)
    search = waited(AsyncKnowledge.search)
    ask = waited(AsyncKnowledge.ask)
    documents = waited(AsyncKnowledge.documents)
    remove = waited(AsyncKnowledge.remove)
