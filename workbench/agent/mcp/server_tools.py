"""The tools of an MCP server as tools of a run, and the text of their results."""

import base64
import binascii
import hashlib
import json
import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.agent.base import ToolResult
from workbench.agent.mcp.server_connection import ServerConnection, ServerEnded
from workbench.agent.references import RunReferences
from workbench.agent.tools.tool_results import MOST_CHARACTERS, FoundPassages, outside_result
from workbench.errors import ToolError
from workbench.language import mark
from workbench.logs import without_secrets
from workbench.model.hit import OutsidePassage
from workbench.model.message import ToolReach, ToolSpec
from workbench.model.run import Notice

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock
    from mcp_types import Tool as ServerTool


_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1500
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")


def safe_name(server: str, tool: str) -> str:
    """Return “server.tool” as OpenAI's API takes names: a dot is not among them, and 64 characters are the most."""
    plain = _REFUSED.sub("_", f"{server}__{tool}")
    if len(plain) <= _LONGEST_NAME and plain == f"{server}__{tool}":
        return plain
    # What was left out or replaced may be all in which two names differ.
    digest = hashlib.sha256(f"{server}.{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{plain[: _LONGEST_NAME - 7]}_{digest}"


class ServerToolCaller:
    """One tool of a server."""

    def __init__(self, connection: ServerConnection, tool: "ServerTool", references: RunReferences) -> None:
        self._connection = connection
        self._tool = tool
        self._references = references
        self._title = f"{connection.server.name}.{tool.name}"
        self._spec = _spec(connection, tool)

    @property
    def spec(self) -> ToolSpec:
        return self._spec

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return what the server answers, under a number to cite.

        Raises:
            ToolError: The server refused, or the tool says that it failed.
        """
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            try:
                result = await self._connection.call(self._tool.name, arguments)
            except ServerEnded as error:
                notice = Notice(mark(f"{error} The answer was made without “{self._title}”."))
                return ToolResult(error.message, events=(notice,), failed=True)
            # A program can print what it was handed in its environment.
            text = without_secrets(text_of(result))
            await turn.wait()
            if result.is_error:
                raise ToolError(text or f"{self._title} failed.")
            if not text:
                return ToolResult("The tool answered with nothing.")
            passage = OutsidePassage(text, self._title, uri=self._connection.server.url)
            found = FoundPassages(f"{self._title}", [passage], time.perf_counter() - began)
            return outside_result(self._references, self._title, found)


def server_tools(
    connection: ServerConnection, offered: Iterable["ServerTool"], wanted: str, references: RunReferences
) -> list[ServerToolCaller]:
    """Return those of a server's tools that are wanted.

    Args:
        connection: To the server.
        offered: What it offers.
        wanted: The name of one of them, or “*” for all.
        references: Give the numbers by which their results are cited.
    """
    return [ServerToolCaller(connection, tool, references) for tool in offered if wanted in ("*", tool.name)]


def _schema(given: dict[str, Any]) -> dict[str, Any]:
    """Return what a tool takes; of a server's schema that is no such object the parts that are are kept."""
    properties, required = given.get("properties"), given.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    plain = {name: value for name, value in given.items() if name not in ("properties", "required")}
    known = {"properties": properties} if isinstance(properties, dict) else {}
    return {"type": "object", **plain, **known, **({"required": names} if names else {})}


def _spec(connection: ServerConnection, tool: "ServerTool") -> ToolSpec:
    server = connection.server
    hints = tool.annotations
    where = mark(f"the program “{server.reached_by}”") if server.is_program else server.url
    return ToolSpec(
        safe_name(server.name, tool.name),
        (tool.description or tool.title or tool.name)[:_LONGEST_DESCRIPTION],
        _schema(tool.input_schema),
        reach=ToolReach.NETWORK if hints is not None and hints.read_only_hint else ToolReach.CHANGES,
        sends=mark(f"Hands the arguments to {where}, which may do with them what it likes."),
        aliases=(f"{server.name}.{tool.name}", tool.name),
    )


def text_of(result: "CallToolResult") -> str:
    """Return all that can be read of a result, up to the size of any tool's."""
    parts = [part for block in result.content if (part := _part(block))]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False, indent=2)]
    text = "\n".join(parts).strip()
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}\n[the rest, {len(text) - MOST_CHARACTERS:,} characters, is left out]"


def _part(block: "ContentBlock") -> str:
    from mcp_types import AudioContent, EmbeddedResource, ImageContent, ResourceLink, TextContent, TextResourceContents

    match block:
        case TextContent():
            return block.text
        case ImageContent():
            return f"[a picture, {block.mime_type}, {_size(block.data)}: not shown]"
        case AudioContent():
            return f"[a sound, {block.mime_type}, {_size(block.data)}: not played]"
        case ResourceLink():
            return f"[a resource: {block.name}, {block.uri}]"
        case EmbeddedResource(resource=TextResourceContents() as resource):
            return resource.text
        case EmbeddedResource():
            return f"[a resource: {block.resource.uri}, not shown]"


def _size(data: str) -> str:
    try:
        return f"{len(base64.b64decode(data)) / 1000:,.0f} KB"
    except (binascii.Error, ValueError):
        return "damaged"
