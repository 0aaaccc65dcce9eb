"""Documents as resources of the MCP server: listed, and read page by page, for programs whose user picks them.

library://documents/7            from its beginning, as far as there is room; its end says where to go on
library://documents/7/pages/3    a page, or several: 3-5
library://documents/7/from/4000  from a character on
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.agent.tools.access import read_by_name
from workbench.agent.tools.documents import requested_parts
from workbench.agent.tools.tool_results import DATA, Part, Room
from workbench.errors import WorkbenchError
from workbench.model.document import Document
from workbench.operations.tool_documents import LibraryDocuments

if TYPE_CHECKING:
    from mcp.server import MCPServer

MOST_LISTED = 500
"""The SDK hands out the list in one piece; the tool list_documents has all of them, page by page."""

_ROOT = "library://documents"
_PLAIN = "text/plain"


def library_server(documents: LibraryDocuments, **options: Any) -> "MCPServer[None]":
    """Return a server that offers these documents as resources, and no tools yet.

    Args:
        documents: Those that it may give away.
        options: As the SDK's server takes them.
    """
    from mcp.server import MCPServer
    from mcp_types import Resource

    class LibraryServer(MCPServer[None]):
        """Lists what the library holds when it is asked, not what it held at the start."""

        async def list_resources(self) -> list[Resource]:
            return [_resource(one) for one in (await documents.documents())[:MOST_LISTED]]

    server = LibraryServer(**options)
    reading = _Reading(documents)
    for path, read, about in (
        ("{document}", reading.beginning, "A document from its beginning."),
        ("{document}/pages/{pages}", reading.pages, "Pages of a document, such as 3 or 3-5."),
        ("{document}/from/{start}", reading.onward, "A document from a character on."),
    ):
        server.resource(f"{_ROOT}/{path}", name=read.__name__, description=about, mime_type=_PLAIN)(read)
    return server


class _Reading:
    """The text of documents; a document is named by its number."""

    def __init__(self, documents: LibraryDocuments) -> None:
        self._documents = documents

    async def beginning(self, document: str) -> str:
        """Return a document from its beginning."""
        return await self._read(document, {})

    async def pages(self, document: str, pages: str) -> str:
        """Return pages of a document."""
        return await self._read(document, {"pages": pages})

    async def onward(self, document: str, start: str) -> str:
        """Return a document from a character on."""
        return await self._read(document, {"start": start})

    async def _read(self, document: str, asked: dict[str, Any]) -> str:
        from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

        try:
            readable = await read_by_name(self._documents, f"#{document}")
        except WorkbenchError as error:
            raise ResourceNotFoundError(error.message) from error
        try:
            meant = requested_parts(readable, asked)
            given = meant[: await Room(None).take([part.text for part in meant])]
        except WorkbenchError as error:
            raise ResourceError(error.message) from error
        # The boundary to another program: it is told the type only, since the message may hold a path.
        except Exception as error:
            raise ResourceError(type(error).__name__) from error
        more = f"\n\n[More: {_ROOT}/{document}/from/{given[-1].end}]" if len(given) < len(meant) else ""
        return f"{DATA}\n\n{_text(given)}{more}"


def _text(parts: Sequence[Part]) -> str:
    """Return what was read, each passage under what it is cited by."""
    return "\n\n".join(f"[{_place(part)}]\n{part.text}" for part in parts)


def _place(part: Part) -> str:
    hit = part.hit
    page = f"{hit.page_kind.value} {part.page}" if part.page is not None else ""
    return ", ".join(filter(None, (hit.document_name, hit.place if part.text == hit.chunk.text else page)))


def _resource(document: Document) -> Any:
    from mcp_types import Resource

    size = f"{document.pages:,} {document.page_kind.plural}" if document.pages else ""
    return Resource(
        uri=f"{_ROOT}/{document.id}",
        name=document.name,
        title=document.metadata.title or document.name,
        description=", ".join(filter(None, (document.format, size, document.knowledge_base))),
        mime_type=_PLAIN,
    )
