"""Fakes for tests of the agent: a scripted model, a recorder of events, and hand-made hits."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.agent.agent_loop import AgentLoop, RunLimits, RunOutcome
from workbench.agent.references import RunReferences
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.toolbox import run_tools
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind
from workbench.model.hit import Hit, Scores, SearchMode, SearchResult
from workbench.model.message import ModelEvent, ModelRequest, TextDelta, ToolCall, TurnEnd
from workbench.model.run import TimedEvent

T = TypeVar("T")
Step = ModelEvent | Exception | Callable[[], Awaitable[None]]


class ScriptedProvider:
    """A scripted model that records every request.

    A turn is a list of events; an exception in it is raised, a coroutine function in it is awaited.
    """

    mode = "Scripted"
    counts = None

    def __init__(self, *turns: Sequence[Step]) -> None:
        self._turns = list(turns)
        self.requests: list[ModelRequest] = []
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        turn = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        for step in turn:
            if isinstance(step, Exception):
                raise step
            if callable(step):
                await step()
            else:
                yield step

    async def close(self) -> None:
        self.closed = True


class NoWords:
    """Word counts of an empty library."""

    count = 0

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(terms, 0)

    def words_around(
        self, words: Sequence[str], chunks: Sequence[int], reach: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        size = len(words), len(chunks)
        return np.zeros(size, np.bool_), np.zeros(size, np.float32)


class Recorder:
    """Records the events of a run."""

    def __init__(self) -> None:
        self.timed: list[TimedEvent] = []

    def __call__(self, event: TimedEvent) -> None:
        self.timed.append(event)

    @property
    def events(self) -> list[Any]:
        return [timed.event for timed in self.timed]

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def says(*pieces: str, finish: str = "stop") -> list[Step]:
    """Return a turn that answers."""
    return [*(TextDelta(piece) for piece in pieces), TurnEnd(finish=finish)]


def calls(*wanted: tuple[str, dict[str, Any] | str], beside: str = "") -> list[Step]:
    """Return a turn that calls tools: (name, arguments)."""
    made = tuple(
        ToolCall(f"call_{name}_{index}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for index, (name, arguments) in enumerate(wanted)
    )
    said: list[Step] = [TextDelta(beside)] if beside else []
    return [*said, TurnEnd(tool_calls=made, finish="tool_calls")]


def search_call(query: str) -> tuple[str, dict[str, Any]]:
    return ("search_knowledge_base", {"query": query})


def make_hit(
    text: str,
    *,
    chunk: int = 1,
    name: str = "report.pdf",
    start: int = 0,
    page: int | None = 3,
    rank: int = 1,
    **more: Any,
) -> Hit:
    """Return a hit on a chunk of an invented document."""
    made = Chunk(
        ordinal=more.get("ordinal", chunk - 1),
        start=start,
        end=start + len(text),
        text=text,
        page=page,
        page_end=page,
        headings=more.get("headings", ("Results",)),
        kind=more.get("kind", BlockKind.PARAGRAPH),
        tokens=len(text.split()),
        id=chunk,
        document=more.get("document", 7),
    )
    return Hit(rank, made, name, more.get("title", "Annual report"), f"/docs/{name}", "default", Scores(fused=1.0))


def found(*hits: Hit, query: str = "", notes: tuple[str, ...] = ()) -> SearchResult:
    return SearchResult(query, SearchMode.HYBRID, hits, 1.0, notes=notes)


def searching(*hits: Hit, notes: tuple[str, ...] = ()) -> SearchFunction:
    """Return a search that always returns the same hits."""

    async def search(query: str) -> SearchResult:
        return found(*hits, query=query, notes=notes)

    return search


def runner_for(
    provider: Any,
    search: SearchFunction | None = None,
    *,
    limits: RunLimits | None = None,
    extra_tools: Sequence[Any] = (),
) -> AgentLoop:
    """Return a runner with the real tools over a search."""
    references = RunReferences()
    tools = (*run_tools(search or searching(), references), *extra_tools)
    return AgentLoop(provider, tools, references=references, limits=limits, profile="scripted")


def run_to_end(runner: AgentLoop, question: str = "How much?", **more: Any) -> tuple[RunOutcome, Recorder]:
    """Run in a separate event loop and return the outcome and the recorder."""
    recorder = Recorder()
    return asyncio.run(runner.run(question, emit=recorder, **more)), recorder
