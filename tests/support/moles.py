"""Programs that try to connect to a port of this machine and report “reached” or the type of the error."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import raw_tool_server

from workbench import operations
from workbench.agent.mcp_servers import ServerConnection
from workbench.egress.gate import EgressGate
from workbench.model.extensions import RetrieverQuestion, RunContext, ToolServer
from workbench.operations import Library

REACHING = """
import socket
def reached():
    try:
        socket.create_connection(("127.0.0.1", {port}), 2).close()
        return "reached"
    except OSError as error:
        return type(error).__name__
"""
_TOOL = """
serve("mole", {{"reached": reached}})
"""
_SERVER = Path(raw_tool_server.__file__)
_PLUGIN = """
def retrieve(query, num_documents=None):
    return [{{"name": "Mole", "content": reached()}}]
"""


def tool_program(folder: Path, port: int) -> Path:
    """Write a tool server with one tool, “reached”."""
    program = folder / "mole.py"
    program.write_text(_SERVER.read_text("utf-8") + (REACHING + _TOOL).format(port=port), "utf-8")
    return program


def plugin(library: Library, port: int) -> None:
    """Add a plug-in “mole” to a library, not yet allowed."""
    folder = library.folder / "plugins"
    folder.mkdir()
    (folder / "mole.py").write_text((REACHING + _PLUGIN).format(port=port), "utf-8")


def said_by_plugin(library: Library, run: Callable[[Any], Any]) -> list[str]:
    """Allow the plug-in, query it, and stop it."""
    run(operations.allow_plugin(library, "mole.py"))
    result = asyncio.run(library.retrievers.ask(["mole"], RetrieverQuestion("x", 1, "", RunContext())))
    library.retrievers.close()
    return [hit.chunk.text for hit in result.hits]


async def said_by(connection: ServerConnection) -> str:
    """Call the tool of a server."""
    (content,) = (await connection.call("reached", {})).content
    return str(getattr(content, "text", ""))


def said_by_server(server: ToolServer, gate: EgressGate) -> str:
    """Start a server, call its tool, and stop it."""

    async def main() -> str:
        connection = ServerConnection(server, gate=gate)
        try:
            return await said_by(connection)
        finally:
            await connection.close()

    return asyncio.run(main())
