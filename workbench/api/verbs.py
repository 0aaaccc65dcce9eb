"""What a script writes -> the operations that do it: paths as text, filters as text or as a dict."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.errors import RetrievalError
from workbench.model.agent import Agent
from workbench.model.exhaustive import Reading
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import SearchResult
from workbench.model.progress import FileFinished
from workbench.model.run import Run, TimedEvent
from workbench.operations import Library
from workbench.retrieval.filters.forms import filter_of_json
from workbench.retrieval.filters.syntax import filter_of_text
from workbench.worker.job import JobContext, Operation

Filter = str | Mapping[str, Any] | Sequence[Any] | ChunkFilter | None
"""What a search may look at: “author=Nansen year>=1890”; {"author": "Nansen"}; a list of expressions."""

OnEvent = Callable[[Any], None] | None
"""Told each event of workbench.model.run or workbench.model.progress as it happens."""

Paths = str | Path | Iterable[str | Path]


def adding(library: Library, paths: Paths, knowledge_base: str) -> Operation[list[FileFinished]]:
    """Return the operation that adds files and folders."""
    several = [paths] if isinstance(paths, str | Path) else paths
    return operations.add_documents(library, [Path(path) for path in several], knowledge_base=knowledge_base)


def searching(
    library: Library, question: str, k: int | None, filter: Filter, knowledge_base: str | None
) -> Operation[SearchResult]:
    """Return the operation that searches.

    Raises:
        RetrievalError: The question is empty, or the filter cannot be understood.
    """
    if not question.strip():
        raise RetrievalError("The question is empty.", "Say what to search for.")
    return operations.search(library, question, k=k, filter=chunk_filter(filter, knowledge_base))


def asking(
    library: Library,
    question: str,
    *,
    agent: str | Agent | None,
    retrievers: Sequence[Any],
    filter: Filter,
    knowledge_base: str | None,
    profile: str | None,
    session: int | None,
    plan: bool | None = None,
) -> Operation[Run]:
    """Return the operation that answers a question.

    Raises:
        RetrievalError: The filter cannot be understood.
    """
    return operations.ask(
        library,
        question,
        agent=agent,
        retrievers=retrievers,
        filter=chunk_filter(filter, None),
        knowledge_base=knowledge_base,
        profile=profile,
        session=session,
        plan=plan,
    )


def reading_all(
    library: Library, question: str, *, filter: Filter, knowledge_base: str | None, profile: str | None
) -> Operation[Reading]:
    """Return the operation that asks every passage.

    Raises:
        RetrievalError: The filter cannot be understood.
    """
    return operations.read_all(library, question, filter=chunk_filter(filter, knowledge_base), profile=profile)


def chunk_filter(filter: Filter, knowledge_base: str | None) -> ChunkFilter:
    """Return what a search may look at.

    Raises:
        RetrievalError: The filter cannot be understood.
    """
    match filter:
        case None:
            chosen = EVERYTHING
        case ChunkFilter():
            chosen = filter
        case str():
            chosen = filter_of_text(filter)
        case _:
            chosen = filter_of_json(json.dumps(filter, default=str))
    return ChunkFilter(knowledge_base or chosen.knowledge_base, chosen.where)


def context(on_event: OnEvent) -> JobContext:
    """Return what an operation speaks with: the events of a run come without their number and time."""
    if on_event is None:
        return JobContext()

    def tell(event: Any) -> None:
        on_event(event.event if isinstance(event, TimedEvent) else event)

    return JobContext(tell)
