"""web_page: main text of a page or document on the web, as passages for citation."""

import re
import time
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tools.access import WebAccess
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.tool_results import FoundPassages, RemainingRoom, outside_result, whole_number
from workbench.errors import DocumentError, ToolError
from workbench.language import mark
from workbench.model.hit import OutsidePassage
from workbench.model.message import ToolReach, ToolSpec

WEB_PAGE = "web_page"
SECONDS = 15.0
_PASSAGE = 1500
"""Maximum length of a passage in characters, about the length of a chunk of the library."""

_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


class WebPageTool:
    """Tool that reads the page at one address."""

    def __init__(self, web: WebAccess | None, references: RunReferences, room: RemainingRoom) -> None:
        self._web = web
        self._references = references
        self._room = room

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            WEB_PAGE,
            "Reads the main text of one web page, or of a document on the web. What is read can be cited.",
            {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "description": "The address, from the user or from a web search."},
                    "first": {"type": "integer", "description": "Go on with this passage of the page.", "default": 1},
                },
                "required": ["url"],
                "additionalProperties": False,
            },
            reach=ToolReach.NETWORK,
            sends=mark("Requests the page from its server."),
            aliases=("网页", "读取网页", "fetch_page"),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the text of the page as numbered passages.

        Raises:
            ToolError: The page cannot be read or contains no text, or there is no space left for it.
        """
        first = whole_number(arguments, "first", default=1, least=1)
        address = str(arguments["url"]).strip()
        if self._web is None:
            raise ToolError("This computer has no network connection.")
        began = time.perf_counter()
        try:
            page = await self._web.page(address, SECONDS)
        except DocumentError as error:
            raise ToolError(f"The page could not be read: {error.message}") from error
        texts = passages_of(page.text)
        if first > max(1, len(texts)):
            raise ToolError("The page has 1 passage." if len(texts) == 1 else f"The page has {len(texts)} passages.")
        shown = texts[first - 1 :]
        shown = shown[: await self._room.take(shown)]
        if not shown:
            raise ToolError("The page holds no text." if not texts else "There is no room left for the page.")
        last = first - 1 + len(shown)
        more = f" There was no room for all of it: go on with first={last + 1}." if last < len(texts) else ""
        head = f"“{page.title}”, {page.address}, passages {first} to {last} of {len(texts)}.{more}"
        passages = [OutsidePassage(text, page.title, uri=page.address) for text in shown]
        found = FoundPassages(f"read {page.address}", passages, time.perf_counter() - began, head)
        return outside_result(self._references, mark("web page"), found)


def passages_of(text: str) -> list[str]:
    """Split a text into pieces of about 1,500 characters, between paragraphs, or between sentences of longer ones."""
    pieces: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        for part in [paragraph] if len(paragraph) <= _PASSAGE else _SENTENCE_END.split(paragraph):
            stripped = part.strip()
            if not stripped:
                continue
            if pieces and len(pieces[-1]) + len(stripped) < _PASSAGE:
                pieces[-1] += ("\n\n" if part is paragraph else " ") + stripped
            else:
                pieces.extend(stripped[start : start + 2 * _PASSAGE] for start in range(0, len(stripped), 2 * _PASSAGE))
    return pieces


def _make(context: ToolContext) -> WebPageTool:
    return WebPageTool(context.web, context.references, RemainingRoom(context.window))


OFFER = ToolOffer(
    WEB_PAGE, mark("Web page"), mark("Lets the model read a page of the web."), "globe", _make, needs_network=True
)
