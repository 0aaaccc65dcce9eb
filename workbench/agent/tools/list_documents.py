"""list_documents: the available documents, one page at a time."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.tools.access import DocumentAccess
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.tool_results import DATA, RemainingRoom, whole_number
from workbench.errors import NotFound, RetrievalError, ToolError
from workbench.language import mark
from workbench.model.document import Document
from workbench.model.message import ToolSpec

LIST_DOCUMENTS = "list_documents"
PAGE_SIZE = 50


class ListDocumentsTool:
    """Tool that lists the documents that the run may access."""

    def __init__(self, documents: DocumentAccess, room: RemainingRoom) -> None:
        self._documents = documents
        self._room = room

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            LIST_DOCUMENTS,
            f"Lists the documents that can be searched and read, {PAGE_SIZE} at a time, with how many there are.",
            {
                "type": "object",
                "properties": {
                    "filter": {
                        "type": "string",
                        "description": "Only those, for example “format:pdf year>=2020 -draft”, “author:Lee”.",
                    },
                    "page": {"type": "integer", "description": "Which page of the list, from 1.", "default": 1},
                },
                "additionalProperties": False,
            },
            aliases=("文档列表",),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the number of documents, and one page of the list as JSON.

        Raises:
            ToolError: The filter is invalid, or the page does not exist.
        """
        wanted = whole_number(arguments, "page", default=1, least=1)
        try:
            documents = await self._documents.documents(str(arguments.get("filter") or ""))
        except (RetrievalError, NotFound) as error:
            raise ToolError(f"{error.message} {error.hint}".strip()) from error
        if not documents:
            return ToolResult("There is no such document.")
        shown = documents[(wanted - 1) * PAGE_SIZE : wanted * PAGE_SIZE]
        if not shown:
            pages = -(-len(documents) // PAGE_SIZE)
            raise ToolError("The list has 1 page." if pages == 1 else f"The list has {pages} pages.")
        texts = [json.dumps(_object(one), ensure_ascii=False) for one in shown]
        texts = texts[: await self._room.take(texts)]
        return ToolResult("\n".join([_head(documents, wanted, len(texts), len(shown)), DATA, *texts]))


def _head(documents: Sequence[Document], page: int, shown: int, meant: int) -> str:
    formats = Counter(one.format for one in documents)
    counted = ", ".join(f"{count} {name}" for name, count in formats.most_common(8))
    total = "1 document" if len(documents) == 1 else f"{len(documents):,} documents"
    first = (page - 1) * PAGE_SIZE
    words = f"{total} ({counted}). These are {first + 1} to {first + shown}."
    if shown < meant:
        return f"{words} There is no room for more: give a filter."
    return f"{words} More: page {page + 1}." if first + shown < len(documents) else words


def _object(document: Document) -> dict[str, Any]:
    record = {
        "number": document.id,
        "name": document.name,
        "title": document.metadata.title,
        "author": document.metadata.author,
        "date": document.metadata.created[:10],
        "format": document.format,
        document.page_kind.plural: document.pages,
        "folder": document.folder,
        "knowledge_base": document.knowledge_base,
        "metadata": document.custom_values,
    }
    return {key: value for key, value in record.items() if value}


def _make(context: ToolContext) -> ListDocumentsTool:
    assert context.documents is not None
    return ListDocumentsTool(context.documents, RemainingRoom(context.window))


OFFER = ToolOffer(
    LIST_DOCUMENTS,
    mark("List documents"),
    mark("Tells the model which documents there are, within the chosen knowledge base and filter."),
    "library",
    _make,
    needs_documents=True,
)
