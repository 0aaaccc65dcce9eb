"""An agent's retrievers -> the search that its run is given in place of the library's; and how each of them stands."""

from collections.abc import Sequence
from typing import Any

from workbench.agent.retrievers.retriever_registry import RetrieverLimits, Retrievers
from workbench.agent.tools.search import SearchFunction
from workbench.model.agent import Agent
from workbench.model.extensions import RetrieverInfo, RetrieverQuestion, RunContext
from workbench.model.hit import SearchResult
from workbench.operations.library import Library
from workbench.operations.plugins import FOLDER, consents
from workbench.worker.job import JobContext, Operation


def retrievers_of(library: Library) -> Retrievers:
    """Return every retriever that a library can ask; none of them is loaded yet."""
    return Retrievers(
        library.folder / FOLDER,
        consents(),
        lambda: _limits(library),
        lambda: library.settings.plugin_megabytes,
        gate=library.gate,
    )


def retriever_search(
    library: Library, wanted: Sequence[Any], context: RunContext, num_documents: int | None = None
) -> SearchFunction | None:
    """Return a search that asks retrievers, or None where none is wanted.

    Args:
        library: The open library.
        wanted: Names, or retrievers themselves; each is asked once, in this order.
        context: The run for which they are asked.
        num_documents: How many passages are wanted; None leaves it to them.
    """
    if not wanted:
        return None
    agent = context.agent
    agent_id = agent.key if agent is not None else ""

    async def search(query: str) -> SearchResult:
        question = RetrieverQuestion(query, num_documents, agent_id, context)
        limits = await library.on_store(_limits, library, agent)
        return await library.retrievers.ask(wanted, question, limits)

    return search


def _limits(library: Library, agent: Agent | None = None) -> RetrieverLimits:
    """Return what the settings allow, or what the workspace says that an agent was read from."""
    settings = library.settings
    said = agent.metadata if agent is not None else {}
    try:
        seconds = float(said.get("retriever_timeout_seconds", settings.retriever_seconds))
        return RetrieverLimits(seconds, int(said.get("max_retrieved_chars", settings.retriever_characters)))
    except ValueError:  # whoever edits an agent may write anything there
        return RetrieverLimits(settings.retriever_seconds, settings.retriever_characters)


def list_retrievers(library: Library) -> Operation[list[RetrieverInfo]]:
    """List the custom retrievers and how each stands; runs no plug-in."""

    async def operation(_context: JobContext) -> list[RetrieverInfo]:
        return await library.on_store(library.retrievers.infos)

    return operation
