"""What scripts give -> what operations take: filters as text or as a dict, one path or several, a listener."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.run import TimedEvent
from workbench.retrieval.filters.forms import filter_of_json
from workbench.retrieval.filters.syntax import filter_of_text
from workbench.worker.job import JobContext

Filter = str | Mapping[str, Any] | Sequence[Any] | ChunkFilter | None
"""What a search may look at: “author=Nansen year>=1890”; {"author": "Nansen"}; a list of expressions."""

OnEvent = Callable[[Any], None] | None
"""Told each event of workbench.model.run or workbench.model.progress as it happens."""

Paths = str | Path | Iterable[str | Path]


def several(paths: Paths) -> list[Path]:
    """Return what was given as paths."""
    return [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def chunk_filter(
    filter: Filter, knowledge_base: str | None = None, custom: Collection[str] | None = None
) -> ChunkFilter:
    """Return what a search may look at.

    Args:
        filter: As it was given.
        knowledge_base: The only one that may be searched.
        custom: The keys of the user's metadata in the library.

    Raises:
        RetrievalError: The filter cannot be understood.
    """
    match filter:
        case None:
            chosen = EVERYTHING
        case ChunkFilter():
            chosen = filter
        case str():
            chosen = filter_of_text(filter, custom=custom)
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
