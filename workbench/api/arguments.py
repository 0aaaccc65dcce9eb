"""What scripts write -> what operations take: filters as text or as a dict, one path or several, a listener."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.model.agent import Agent
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


def chunk_filter(filter: Filter, knowledge_base: str | None = None) -> ChunkFilter:
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


async def asked_agent(agent: str | Agent | None) -> str | Agent | None:
    """Return who is asked, with the instructions that its function returns now; that may block, so not on the loop."""
    if not isinstance(agent, Agent):
        return agent
    import asyncio  # 15 ms that importing the names of this package need not take

    return await asyncio.to_thread(lambda: replace(agent, instructions=agent.instructions))


def context(on_event: OnEvent) -> JobContext:
    """Return what an operation speaks with: the events of a run come without their number and time."""
    if on_event is None:
        return JobContext()

    def tell(event: Any) -> None:
        on_event(event.event if isinstance(event, TimedEvent) else event)

    return JobContext(tell)
