"""The tools of one run: made of the library, and ended with it; and which there are to be named."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from workbench.agent.base import Tool
from workbench.agent.mcp.server_connection import CONNECT_SECONDS
from workbench.agent.references import RunReferences
from workbench.agent.search_step import ContextPacker
from workbench.agent.token_budget import ContextWindow
from workbench.agent.tools.access import NoteTaking
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.tool_offer import ToolContext
from workbench.agent.tools.toolbox import tool_offers, tools_named, unknown_tools
from workbench.language import mark
from workbench.model.extensions import ToolInfo
from workbench.model.filter import ChunkFilter
from workbench.operations.library import Library
from workbench.operations.server_tools import is_server_tool, reached
from workbench.operations.tool_documents import LibraryDocuments
from workbench.operations.tool_web import LibraryWeb
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation


@dataclass(frozen=True, slots=True)
class OpenedTools:
    """The tools of one run, and sentences for the user on those that there are not."""

    tools: tuple[Tool, ...]
    notices: tuple[str, ...] = ()


@asynccontextmanager
async def opened_tools(
    library: Library,
    names: Sequence[str],
    *,
    allowed: ChunkFilter,
    settings: Settings,
    references: RunReferences,
    window: ContextWindow | None = None,
    search: SearchFunction | None = None,
    handing_over: ContextPacker | None = None,
    notes: NoteTaking | None = None,
    seconds: float = CONNECT_SECONDS,
) -> AsyncIterator[OpenedTools]:
    """Make the tools of these names for one run; leaving the block ends what they opened.

    Args:
        library: The open library.
        names: As an agent lists them, in the order in which they are declared to the model.
        allowed: What the run may see; the tools see nothing else.
        settings: Those in force.
        references: Numbers what the run finds.
        window: The room that the model has left; None for an answerer without a limit.
        search: Finds passages, for tools that search.
        handing_over: Fits what a search found into the room.
        notes: Adds what a model wants kept; None where it may not.
        seconds: How long tool servers may take to be reached.
    """
    context = ToolContext(
        settings,
        references,
        documents=LibraryDocuments(library, allowed),
        web=LibraryWeb(library, settings),
        window=window,
        search=search,
        handing_over=handing_over,
        notes=notes,
    )
    ours, own = [name for name in names if not is_server_tool(name)], library.tools.offers()
    theirs = await reached(library, filter(is_server_tool, names), references, seconds)
    notices = tuple(
        mark(f"There is no tool “{name}” here; the answer was made without it.") for name in unknown_tools(ours, own)
    )
    try:
        yield OpenedTools((*tools_named(ours, context, own), *theirs.tools), (*notices, *theirs.notices))
    except BaseException:
        # Stop must be through in 100 ms; a program takes up to two seconds to end, which nobody waits for.
        for connection in theirs.connections:
            connection.close_soon()
        raise
    await asyncio.gather(*(connection.close() for connection in theirs.connections))


def list_tools(library: Library) -> Operation[list[ToolInfo]]:
    """Return the tools that agents may name, ours first, then those of scripts; those of tool servers are not in it."""

    async def operation(_context: JobContext) -> list[ToolInfo]:
        allowed = (await library.on_store(library.setting_values.load)).network_tools == "yes"
        return [
            ToolInfo(
                one.name,
                one.title,
                one.help,
                one.needs_network,
                one.has_side_effects,
                is_on=allowed or not one.needs_network,
            )
            for one in (*tool_offers(), *library.tools.offers())
        ]

    return operation
