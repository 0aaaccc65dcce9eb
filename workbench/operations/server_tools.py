"""The tools of MCP servers for one run: the servers that its agent names, as far as the user allows them."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.agent.base import Tool
from workbench.agent.mcp.server_connection import CONNECT_SECONDS, ServerConnection
from workbench.agent.mcp.server_tools import server_tools
from workbench.agent.references import RunReferences
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.extensions import ToolServer
from workbench.operations.library import Library
from workbench.operations.tool_servers import connection_to, is_allowed, not_allowed
from workbench.store.configuration import ToolServerStore


@dataclass(frozen=True, slots=True)
class ServerTools:
    """What was reached: the tools, the connections that have to be ended, and sentences on what is missing."""

    tools: tuple[Tool, ...] = ()
    connections: tuple[ServerConnection, ...] = ()
    notices: tuple[str, ...] = ()


def is_server_tool(name: str) -> bool:
    """Tell whether an agent means a tool of a server by a name: “server.tool”, or “server.*” for all."""
    return "." in name


async def reached(
    library: Library, names: Iterable[str], references: RunReferences, seconds: float = CONNECT_SECONDS
) -> ServerTools:
    """Reach the servers whose tools are named, side by side; one that cannot be reached never stops the run.

    Args:
        library: The open library.
        names: Those of is_server_tool, in the agent's order.
        references: Give the numbers by which results are cited.
        seconds: How long that may take at most.
    """
    wanted: defaultdict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        server, _, tool = name.partition(".")
        wanted[server].append(tool)
    if not wanted:
        return ServerTools()
    known = {server.name: server for server in await library.on_store(ToolServerStore(library.database).list)}
    missing = [name for name in wanted if name not in known]
    notices = [mark(f"There is no tool server “{name}” here; the answer was made without it.") for name in missing]
    allowed: list[ServerConnection] = []
    for meant in (known[name] for name in wanted if name in known):
        if await library.on_store(is_allowed, library, meant):
            allowed.append(connection_to(library, meant, connect_seconds=min(CONNECT_SECONDS, seconds)))
        else:
            notices.append(mark(f"{not_allowed(meant)} The answer was made without it."))
    try:
        found = await asyncio.gather(*(_tools(library, one, wanted[one.server.name], references) for one in allowed))
    except BaseException:
        for connection in allowed:
            connection.close_soon()
        raise
    notices += [notice for _, told in found for notice in told]
    return ServerTools(tuple(tool for tools, _ in found for tool in tools), tuple(allowed), tuple(notices))


async def _tools(
    library: Library, connection: ServerConnection, wanted: Sequence[str], references: RunReferences
) -> tuple[list[Tool], list[str]]:
    server: ToolServer = connection.server
    offered = library.tool_lists.get(server.sha256)
    if offered is None:
        try:
            offered = library.tool_lists[server.sha256] = await connection.tools()
        except ToolError as error:
            return [], [mark(f"{error} The answer was made without it.")]
    tools: dict[str, Tool] = {}
    missing = []
    for name in wanted:
        found = server_tools(connection, offered, name, references)
        tools.update((tool.spec.name, tool) for tool in found)
        if not found:
            missing.append(
                mark(f"The tool server “{server.name}” has no tool “{name}”; the answer was made without it.")
            )
    return list(tools.values()), missing
