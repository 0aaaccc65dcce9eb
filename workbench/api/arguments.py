"""What scripts write -> what operations take: filters as text or as a dict, documents by name, listeners."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench import operations
from workbench.errors import NotFound, RetrievalError
from workbench.model.agent import Agent
from workbench.model.document import Document
from workbench.model.exhaustive import DocumentRead, ReadingBegan, ReadingProgress
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.knowledge_base import KnowledgeBasesChanged
from workbench.model.linked_folder import FoldersChecked
from workbench.model.options import choice_of, require_function
from workbench.model.progress import (
    DocumentChanged,
    DocumentsRemoved,
    FileDivided,
    FileFinished,
    ImportProgress,
    IndexRepaired,
    PageRead,
    PagesRead,
)
from workbench.model.run import RunBegan, RunEvent, TimedEvent
from workbench.model.search_configuration import SearchConfiguration
from workbench.plugins.shapes import shape_of
from workbench.retrieval.filters.forms import filter_of
from workbench.retrieval.filters.syntax import filter_of_text
from workbench.worker.job import JobContext, Operation

Filter = str | Mapping[str, Any] | Sequence[Any] | ChunkFilter | None
"""What a search may look at: “author=Nansen year>=1890”; {"author": "Nansen"}; a list of expressions."""

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
"""What is told while something is added."""

AskEvent = RunBegan | RunEvent
"""What is told while a question is answered: its numbers, then each step."""

ReadingEvent = ReadingBegan | ReadingProgress | DocumentRead
"""What is told while every passage is read."""

OnImportEvent = Callable[[ImportEvent], object] | None
OnAskEvent = Callable[[AskEvent], object] | None
FolderEvent = ImportEvent | FoldersChecked
"""What is told while linked folders are looked at."""

OnFolderEvent = Callable[[FolderEvent], object] | None
OnReadingEvent = Callable[[ReadingEvent], object] | None

DocumentRef = int | str | Document
"""A document: its number, its path, its name, the start of its hash, or itself."""


async def document_number(
    opened: operations.Library,
    document: DocumentRef,
    *,
    find: Callable[[operations.Library, str], Operation[int]] | None = None,
) -> int:
    """Return the number of a document; find looks for one of a name elsewhere than among those that can be searched.

    Raises:
        NotFound: There is none, or more than one is meant.
        TypeError: It cannot be one.
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
    """Return what a search may look at; a text may ask for the keys of the user's own metadata that there are.

    Raises:
        RetrievalError: The filter cannot be understood.
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
    """Return how a knowledge base is searched, with other lists or without reranking where these are asked for.

    Raises:
        NotFound: There is no such knowledge base.
        ValueError: There is no such mode; the message lists them.
    """
    usual = (await operations.search_settings(opened, knowledge_base)(JobContext())).configuration
    lists = usual.mode if mode is None else choice_of("mode", mode, SearchMode)
    return replace(usual, mode=lists, reranking=usual.reranking if rerank else "none")


async def asked_agent(opened: operations.Library, agent: str | Agent | None) -> str | Agent | None:
    """Return who is asked, with the instructions that its function returns now; that may block, so not on the loop.

    Raises:
        NotFound: It names a tool, retriever, profile or knowledge base that is not there; the message lists them.
    """
    if not isinstance(agent, Agent):
        return agent
    import asyncio  # 15 ms that importing the names of this package need not take

    await require_named(opened, agent)
    return await asyncio.to_thread(lambda: replace(agent, instructions=agent.instructions))


async def asked_retrievers(opened: operations.Library, retrievers: Any) -> list[Any]:
    """Return one retriever or several, by name or themselves.

    Raises:
        NotFound: There is none of a name; the message lists them.
        ValueError: One cannot be asked, as its parameters or methods are; the message says what it lacks.
    """
    is_several = isinstance(retrievers, Iterable) and not isinstance(retrievers, str)
    several = list(retrievers) if is_several else [retrievers]
    if names := [one for one in several if isinstance(one, str)]:
        await require_named(opened, Agent("", retrievers=names))
    for one in several:
        if not isinstance(one, str):
            shape_of(one)  # told here: the run would only say that a search did not work
    return several


async def require_named(opened: operations.Library, agent: Agent) -> None:
    """Go on only where everything that an agent names is there.

    Raises:
        NotFound: Something is not.
    """
    missing = await operations.missing_of_agent(opened, agent)(JobContext())
    if missing:
        there = await operations.agent_choices(opened)(JobContext())
        kinds = {
            "retrievers": there.retrievers,
            "tools": there.tools,
            "profiles": there.profile,
            "knowledge bases": there.knowledge_bases,
        }
        listed = [f"{kind}: {', '.join(one.name for one in choices)}" for kind, choices in kinds.items() if choices]
        raise NotFound(" ".join(missing), f"There are {'; '.join(listed)}.")


def require_question(question: str) -> None:
    """Go on only where something is asked.

    Raises:
        RetrievalError: The question is empty.
    """
    if not question.strip():
        raise RetrievalError("The question is empty.", "Say what to search for.")


def require_positive(name: str, number: int | None) -> None:
    """Go on only where a number of passages is one.

    Raises:
        ValueError: It is below 1.
    """
    if number is not None and number < 1:
        raise ValueError(f"{name!r} cannot be {number}. Give a whole number from 1 on.")


def context(on_event: Callable[[Any], object] | None) -> JobContext:
    """Return what an operation speaks with: the events of a run come without their number and time."""
    require_function("on_event", on_event, is_plain=True)
    if on_event is None:
        return JobContext()

    def tell(event: Any) -> None:
        on_event(event.event if isinstance(event, TimedEvent) else event)

    return JobContext(tell)
