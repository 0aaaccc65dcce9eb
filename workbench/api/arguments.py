"""Conversion of the arguments that scripts pass to those that operations take.

Filters, documents by name, event callbacks, approval functions, and sources to add.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import isawaitable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from workbench import operations
from workbench.errors import NotFound, RetrievalError
from workbench.model.agent import Agent
from workbench.model.approval import Approval, Decision
from workbench.model.custom_metadata import checked_metadata
from workbench.model.document import Document
from workbench.model.exhaustive import DocumentRead, ReadingBegan, ReadingProgress
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.import_progress import (
    DocumentChanged,
    DocumentsRemoved,
    FileDivided,
    FileFinished,
    FileOutcome,
    ImportProgress,
    IndexRepaired,
    PageRead,
    PagesRead,
)
from workbench.model.knowledge_base import FoldersChecked, KnowledgeBasesChanged
from workbench.model.metadata import checked_tags
from workbench.model.options import choice_of, require_function, texts_of
from workbench.model.run import ApprovalAsked, RunBegan, RunEvent, TimedEvent
from workbench.model.search_configuration import SearchConfiguration
from workbench.model.web_address import WEB, scheme_of
from workbench.plugins.custom_retriever import shape_of
from workbench.retrieval.filters.json_forms import filter_of
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.worker.job import JobContext, Operation

Filter = str | Mapping[str, Any] | Sequence[Any] | ChunkFilter | None
"""Restriction of a search: “author=Nansen year>=1890”; {"author": "Nansen"}; a list of expressions."""

ImportEvent = (
    DocumentChanged
    | DocumentsRemoved
    | FileDivided
    | FileFinished
    | ImportProgress
    | IndexRepaired
    | KnowledgeBasesChanged
    | PageRead
    | PagesRead
)
"""Events emitted while sources are added."""

AskEvent = RunBegan | RunEvent
"""Events emitted while a question is answered: its numbers, then each step."""

ReadingEvent = ReadingBegan | ReadingProgress | DocumentRead
"""Events emitted during an exhaustive reading."""

OnImportEvent = Callable[[ImportEvent], object] | None
OnAskEvent = Callable[[AskEvent], object] | None
FolderEvent = ImportEvent | FoldersChecked
"""Events emitted while linked folders are checked."""

OnFolderEvent = Callable[[FolderEvent], object] | None
OnReadingEvent = Callable[[ReadingEvent], object] | None

DocumentRef = int | str | Document
"""A document: its number, its path, its name, the start of its hash, or the Document itself."""


async def document_number(
    opened: operations.Library,
    document: DocumentRef,
    *,
    find: Callable[[operations.Library, str], Operation[int]] | None = None,
) -> int:
    """Return the number of a document; find resolves a name outside the searchable documents.

    Raises:
        NotFound: No document matches, or more than one.
        TypeError: The argument cannot refer to a document.
    """
    if isinstance(document, Document):
        return document.id
    if isinstance(document, bool) or not isinstance(document, int | str):
        raise TypeError(f"A document is a number, a path, a name or a Document, not {document!r}.")
    if find is not None:
        return await find(opened, str(document))(JobContext())
    return (await operations.show_document(opened, str(document))(JobContext())).id


async def document_numbers(opened: operations.Library, documents: DocumentRef | Iterable[DocumentRef]) -> list[int]:
    """Return the numbers of one document or several; raises as document_number does."""
    several = [documents] if isinstance(documents, DocumentRef) or not isinstance(documents, Iterable) else documents
    return [await document_number(opened, document) for document in several]


async def chunk_filter(opened: operations.Library, filter: Filter, knowledge_base: str | None = None) -> ChunkFilter:
    """Return the filter of a search; a text may also filter by the user's own metadata keys.

    Raises:
        RetrievalError: The filter is invalid.
    """
    match filter:
        case None:
            chosen = EVERYTHING
        case ChunkFilter():
            chosen = filter
        case str():
            custom = await opened.on_store(opened.documents.custom_keys)
            chosen = filter_of_text(filter, custom=custom)
        case _:
            chosen = filter_of(filter)
    return ChunkFilter(knowledge_base or chosen.knowledge_base, chosen.where)


async def search_steps(
    opened: operations.Library, knowledge_base: str | None, mode: SearchMode | str | None, *, rerank: bool
) -> SearchConfiguration:
    """Return the search configuration of a knowledge base, with another mode or without reranking if requested.

    Raises:
        NotFound: There is no such knowledge base.
        ValueError: There is no such mode; the message lists them.
    """
    usual = (await operations.search_settings(opened, knowledge_base)(JobContext())).configuration
    lists = usual.mode if mode is None else choice_of("mode", mode, SearchMode)
    return replace(usual, mode=lists, reranking=usual.reranking if rerank else "none")


async def asked_agent(opened: operations.Library, agent: str | Agent | None) -> str | Agent | None:
    """Return the agent to ask, with the instructions that its function returns now.

    The function may block and therefore runs on a thread, not on the event loop.

    Raises:
        NotFound: The agent names a tool, retriever, profile or knowledge base that does not exist; the message lists
            them.
    """
    if not isinstance(agent, Agent):
        return agent
    import asyncio  # here, because it adds 15 ms to importing the names of this package

    await require_named(opened, agent)
    return await asyncio.to_thread(lambda: replace(agent, instructions=agent.instructions))


async def asked_retrievers(opened: operations.Library, retrievers: Any) -> list[Any]:
    """Return one retriever or several, given by name or as objects.

    Raises:
        NotFound: No retriever has that name; the message lists them.
        ValueError: A retriever cannot be called because of its parameters or methods; the message says what it lacks.
    """
    is_several = isinstance(retrievers, Iterable) and not isinstance(retrievers, str)
    several = list(retrievers) if is_several else [retrievers]
    if names := [one for one in several if isinstance(one, str)]:
        await require_named(opened, Agent("", retrievers=names))
    for one in several:
        if not isinstance(one, str):
            shape_of(one)  # validated here: the run would only report that a search failed
    return several


async def require_named(opened: operations.Library, agent: Agent) -> None:
    """Raise unless everything that an agent names exists.

    Raises:
        NotFound: Something is missing; the message lists what exists.
    """
    missing = await operations.missing_of_agent(opened, agent)(JobContext())
    if missing:
        choices_by_kind = await operations.agent_choices(opened)(JobContext())
        kinds = {
            "retrievers": choices_by_kind.retrievers,
            "tools": choices_by_kind.tools,
            "profiles": choices_by_kind.profile,
            "knowledge bases": choices_by_kind.knowledge_bases,
        }
        listed = [f"{kind}: {', '.join(one.name for one in choices)}" for kind, choices in kinds.items() if choices]
        raise NotFound(" ".join(missing), f"There are {'; '.join(listed)}.")


def require_question(question: str) -> None:
    """Raise unless there is a question.

    Raises:
        RetrievalError: The question is empty.
    """
    if not question.strip():
        raise RetrievalError("The question is empty.", "Say what to search for.")


def require_positive(name: str, number: int | None) -> None:
    """Raise unless a number of passages is None or positive.

    Raises:
        ValueError: It is below 1.
    """
    if number is not None and number < 1:
        raise ValueError(f"{name!r} cannot be {number}. Give a whole number from 1 on.")


def context(on_event: Callable[[Any], object] | None) -> JobContext:
    """Return the job context of an operation; the events of a run are passed on without their number and time."""
    require_function("on_event", on_event, is_plain=True)
    if on_event is None:
        return JobContext()

    def emit(event: Any) -> None:
        on_event(event.event if isinstance(event, TimedEvent) else event)

    return JobContext(emit)


T = TypeVar("T")

Word = bool | Mapping[str, Any] | Approval
"""Decision on a tool call: True allows it, False denies it, a dict allows it with these arguments; or an Approval."""

Approve = Callable[[ApprovalAsked], Word | Awaitable[Word]]
"""Function called with the tool, its arguments and the reason for asking; plain or asynchronous."""


class CallbackApprover:
    """Approver that calls a function; an exception that it raises stops the run and reaches the caller of ask."""

    def __init__(self, approve: Approve) -> None:
        require_function("approve", approve)
        self._approve = approve
        self._asking: asyncio.Task[Any] | None = None
        self._error: Exception | None = None

    def remembers(self, tool: str) -> bool:  # noqa: ARG002
        """Return False: the function is called each time."""
        return False

    async def decide(self, asked: ApprovalAsked) -> Approval:
        """Return the function's decision."""
        try:
            reply = self._approve(asked)
            return _approval(await reply if isawaitable(reply) else reply)
        except Exception as error:
            self._error = error
            if self._asking is not None:
                self._asking.cancel()
            raise asyncio.CancelledError from error

    async def run(self, answer: Awaitable[T]) -> T:
        """Return an answer during which this approver is used, or raise what the function raised."""
        self._asking = asyncio.current_task()
        try:
            return await answer
        except asyncio.CancelledError:
            if self._error is None or self._asking is None:
                raise
            self._asking.uncancel()
            raise self._error from None


def _approval(word: object) -> Approval:
    match word:
        case Approval():
            return word
        case True:
            return Approval(Decision.APPROVE)
        case False:
            return Approval(Decision.DENY)
        case Mapping():
            return Approval(Decision.EDIT, json.dumps(dict(word), ensure_ascii=False))
    raise TypeError(f"'approve' must return True, False, a dict of other arguments or an Approval, not {word!r}.")


Paths = str | Path | Iterable[str | Path]
"""Path or web address, or several of them."""

Texts = str | Iterable[str]
"""Text, or several texts."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Validated sources to add: at least one, and a name only if there is exactly one source to be named.

    Attributes:
        name: Name of a text or a query, or title of the single file, page or article.
        reading: How files are read: options of operations.add_documents.
        metadata: Set on everything that was added.
    """

    paths: tuple[Path, ...]
    urls: tuple[str, ...]
    topics: tuple[str, ...]
    texts: tuple[str, ...]
    query: str
    database: str
    name: str
    tags: tuple[str, ...]
    run_scripts: bool
    allow_hosts: tuple[str, ...]
    reading: Mapping[str, Any]
    metadata: Mapping[str, Any]

    def __post_init__(self) -> None:
        checked_metadata(self.metadata)
        several = [*self.paths, *self.urls, *self.topics, *self.texts, *([self.query] if self.query else [])]
        if not several:
            raise ValueError("There is nothing to add. Give paths, urls, topics, a text, or a query with its database.")
        if bool(self.query) != bool(self.database):
            raise ValueError("A query needs its database, and a database its query: give both.")
        if self.name and (len(several) > 1 or any(path.is_dir() for path in self.paths)):
            raise ValueError("Only one file, page, article, text or query can be given a name. Add them one by one.")

    @property
    def has_own_title(self) -> bool:
        """True if the name replaces the title that is read from the source."""
        return bool(self.name and (self.paths or self.urls or self.topics))


def reading_of(
    include: Texts,
    exclude: Texts,
    password: str | None,
    remember_password: bool,
    follow_links: bool | None,
    check_contents: bool,
) -> dict[str, Any]:
    """Return the options of operations.add_documents for reading files; raises as sources_of does."""
    return {
        "include": texts_of("include", include),
        "exclude": texts_of("exclude", exclude),
        "password": password,
        "remember_password": remember_password,
        "follow_links": follow_links,
        "check_contents": check_contents,
    }


def sources_of(
    paths: Paths, urls: Texts, topics: Texts, texts: Texts, tags: Texts, *, reading: Mapping[str, Any], **more: Any
) -> Sources:
    """Return the sources to add; an address among the paths is a page.

    Raises:
        ValueError: There is nothing to add, or one name for several sources.
        TypeError: A path or a text has another type.
        MetadataError: A tag is blank or too long.
    """
    given = _several(paths)
    pages = [str(one) for one in given if isinstance(one, str) and scheme_of(one) in WEB]
    return Sources(
        tuple(Path(one) for one in given if not (isinstance(one, str) and scheme_of(one) in WEB)),
        (*pages, *texts_of("urls", urls)),
        texts_of("topics", topics),
        texts_of("text", texts),
        tags=checked_tags(texts_of("tags", tags)),
        reading=reading,
        **more,
    )


async def add(
    opened: operations.Library, sources: Sources, knowledge_base: str, context: JobContext
) -> list[FileFinished]:
    """Add all sources, and return the outcome of each file, page, article, text and query."""
    base = knowledge_base
    files: list[FileFinished] = []
    if sources.paths:
        files += await operations.add_documents(opened, sources.paths, knowledge_base=base, **sources.reading)(context)
    if sources.urls:
        add_urls = operations.add_urls(
            opened,
            sources.urls,
            knowledge_base=base,
            run_scripts=sources.run_scripts,
            allow_hosts=sources.allow_hosts,
        )
        files += await add_urls(context)
    if sources.topics:
        add_topics = operations.add_topics(opened, sources.topics, knowledge_base=base, allow_hosts=sources.allow_hosts)
        files += await add_topics(context)
    for text in sources.texts:
        files += await operations.add_note(opened, text, title=sources.name, knowledge_base=base)(context)
    if sources.query:
        add_query = operations.add_query(
            opened,
            sources.database,
            sources.query,
            title=sources.name,
            knowledge_base=base,
            allow_hosts=sources.allow_hosts,
        )
        files += await add_query(context)
    added = [file.document for file in files if file.document is not None]
    if sources.has_own_title:
        read = [file.document for file in files if file.outcome in (FileOutcome.READY, FileOutcome.UNCHANGED)]
        for document in filter(None, read):
            await operations.edit_metadata(opened, document, {"title": sources.name})(context)
    if sources.metadata and added:
        await operations.give_metadata(opened, added, sources.metadata)(context)
    if sources.tags:
        await operations.tag_documents(opened, added, add=sources.tags)(context)
    return files


def _several(paths: Any) -> list[str | Path]:
    is_one = isinstance(paths, str | PathLike) or not isinstance(paths, Iterable)
    several: list[str | Path] = [paths] if is_one else list(paths)
    for one in several:
        if not isinstance(one, str | PathLike) or not str(one):
            raise TypeError(f"'paths' takes a path or several, not {one!r}.")
    return several
