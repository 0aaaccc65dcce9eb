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
    """Return “server.tool” as a name that OpenAI's API accepts: without dots, and at most 64 characters."""
    plain = _REFUSED.sub("_", f"{server}__{tool}")
    if len(plain) <= _LONGEST_NAME and plain == f"{server}__{tool}":
        return plain
    # Two names may differ only in the characters that were cut off or replaced.
    digest = hashlib.sha256(f"{server}.{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{plain[: _LONGEST_NAME - 7]}_{digest}"


class ServerToolCaller:
    """A tool of a server."""

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
        """Return the server's answer as a numbered reference.

        Raises:
            ToolError: The server refused the call, or the tool reported an error.
        """
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            try:
                result = await self._connection.call(self._tool.name, arguments)
            except ServerEnded as error:
                notice = Notice(mark(f"{error} The answer was made without “{self._title}”."))
                return ToolResult(error.message, events=(notice,), failed=True)
            # A program can print the secrets that it got in its environment.
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
    """Return the requested tools of a server.

    Args:
        connection: Connection to the server.
        offered: Tools that the server offers.
        wanted: Name of a tool, or “*” for all.
        references: Numbers the results for citation.
    """
    return [ServerToolCaller(connection, tool, references) for tool in offered if wanted in ("*", tool.name)]


def _clean_schema(given: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments, without a server's invalid “properties” or “required”."""
    properties, required = given.get("properties"), given.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    plain = {name: value for name, value in given.items() if name not in ("properties", "required")}
    known = {"properties": properties} if isinstance(properties, dict) else {}
    return {"type": "object", **plain, **known, **({"required": names} if names else {})}


def _spec(connection: ServerConnection, tool: "ServerTool") -> ToolSpec:
    server = connection.server
    hints = tool.annotations
    destination = mark(f"the program “{server.reached_by}”") if server.is_program else server.url
    return ToolSpec(
        safe_name(server.name, tool.name),
        (tool.description or tool.title or tool.name)[:_LONGEST_DESCRIPTION],
        _clean_schema(tool.input_schema),
        reach=ToolReach.NETWORK if hints is not None and hints.read_only_hint else ToolReach.CHANGES,
        sends=mark(f"Hands the arguments to {destination}, which may do with them what it likes."),
        aliases=(f"{server.name}.{tool.name}", tool.name),
    )


def text_of(result: "CallToolResult") -> str:
    """Return the readable text of a result, up to the size limit for results of tools."""
    parts = [part for block in result.content if (part := _format_block(block))]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False, indent=2)]
    text = "\n".join(parts).strip()
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}\n[the rest, {len(text) - MOST_CHARACTERS:,} characters, is left out]"


def _format_block(block: "ContentBlock") -> str:
    from mcp_types import AudioContent, EmbeddedResource, ImageContent, ResourceLink, TextContent, TextResourceContents

    match block:
        case TextContent():
            return block.text
        case ImageContent():
            return f"[a picture, {block.mime_type}, {_format_size(block.data)}: not shown]"
        case AudioContent():
            return f"[a sound, {block.mime_type}, {_format_size(block.data)}: not played]"
        case ResourceLink():
            return f"[a resource: {block.name}, {block.uri}]"
        case EmbeddedResource(resource=TextResourceContents() as resource):
            return resource.text
        case EmbeddedResource():
            return f"[a resource: {block.resource.uri}, not shown]"


def _format_size(data: str) -> str:
    try:
        return f"{len(base64.b64decode(data)) / 1000:,.0f} KB"
    except (binascii.Error, ValueError):
        return "damaged"
