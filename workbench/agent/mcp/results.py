"""What an MCP tool answers -> text; pictures and sounds are named, not shown."""

import base64
import binascii
import json
from typing import TYPE_CHECKING

from workbench.agent.tools.room import MOST_CHARACTERS

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock


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
