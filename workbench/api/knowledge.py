"""Knowledge base of an open library as an object, asynchronous and blocking."""

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
    """Knowledge base: documents kept apart from all others, as returned by AsyncLibrary.knowledge(name).

    Attributes:
        library: The open library.
        name: Name of the knowledge base in the library.
        max_results: Default number of passages that a search returns.
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
        """Add a file or folder, a web page, a text or articles, and return the outcome of each; see also Library.add.

        Args:
            path: A file, a folder, or several.
            url: A web page, or several.
            text: A note in Markdown.
            topics: Names of articles in the encyclopaedia of the settings.
            name: Name of the text, or title of the single file, page or article.
            tags: Tags for everything that was added.
            metadata: Your own keys with texts, numbers, dates or lists of these, set on everything that was added.
            include: Patterns; a file must match one of them.
            exclude: Patterns; a file must match none of them.
            password: Password to try on every encrypted file.
            on_event: Called with each event as it happens.

        Raises:
            ValueError: There is nothing to add, or one name for several sources.
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
        """Add many files, pages, texts and articles, and return the outcome of each; a failure stops no other.

        Raises:
            ValueError: There is nothing to add.
        """
        return await self.insert(
            paths, url=urls, text=texts, topics=topics, tags=tags, metadata=metadata, on_event=on_event
        )

    async def add(self, paths: Paths, *, on_event: OnImportEvent = None) -> list[FileFinished]:
        """Add files and folders, and return the outcome of each file."""
        return await self.insert(paths, on_event=on_event)

    async def search(
        self,
        query: str,
        max_results: int | None = None,
        filters: Filter = None,
        *,
        mode: SearchMode | str | None = None,
    ) -> list[Hit]:
        """Return the passages that answer a question best; Library.search documents the options in full.

        Raises:
            RetrievalError: The search failed, or the filter is invalid or names a field that cannot be filtered by; a
                failure is never returned as "nothing found".
            NotFound: Nothing was ever added to the knowledge base.
            ValueError: max_results is below 1, or there is no such mode.
        """
        require_positive("max_results", max_results)
        k = self.max_results if max_results is None else max_results
        scope = await chunk_filter(self._opened, filters)
        if problem := await self._opened.on_store(self._opened.documents.filter_problem, scope):
            raise RetrievalError(problem)  # the returned list of hits cannot carry a note about the problem
        return list((await self.library.search(query, k, scope, knowledge_base=self.name, mode=mode)).hits)

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
        """Return the documents of the knowledge base, in the order they were added."""
        return await self.library.documents(self.name)

    async def remove(self, documents: DocumentRef | Iterable[DocumentRef], *, for_good: bool = False) -> None:
        """Move documents to the bin, or delete them permanently with for_good.

        Raises:
            NotFound: There is no such document.
        """
        await self.library.remove(documents, for_good=for_good)


@hints_at_names
class Knowledge(Waiting[AsyncKnowledge]):
    """Knowledge base: documents kept apart from all others, as returned by Library.knowledge(name).

    Attributes:
        library: The open library.
        name: Name of the knowledge base in the library.
        max_results: Default number of passages that a search returns.
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
