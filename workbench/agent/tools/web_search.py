"""web_search: results of a search engine: SearXNG, Brave or Tavily."""

import html
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tools.access import WebAccess, WebRequest
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.tool_results import FoundPassages, outside_result
from workbench.errors import DocumentError, ModelError, ToolError
from workbench.language import mark
from workbench.model.hit import OutsidePassage
from workbench.model.message import ToolReach, ToolSpec
from workbench.settings import Settings

WEB_SEARCH = "web_search"
SECONDS = 15.0
_LONGEST_QUERY = 400
_LONGEST_TEXT = 2000
_TAG = re.compile(r"<[^>]{1,200}>")


@dataclass(frozen=True, slots=True)
class _Service:
    """Protocol of one kind of search server.

    Attributes:
        request: Builds a request from the server's address, the query, the number of results and the key.
        results: Returns the results in a response.
        text: Name of the field of a result that contains its text.
    """

    request: Callable[[str, str, int, str], WebRequest]
    results: Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]]
    text: str


def _searxng(base: str, query: str, _count: int, key: str) -> WebRequest:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return WebRequest(
        f"{base}/search?{urlencode({'q': query, 'format': 'json'})}", headers, seconds=SECONDS, is_chosen=True
    )


def _brave(base: str, query: str, count: int, key: str) -> WebRequest:
    address = f"{base}/res/v1/web/search?{urlencode({'q': query, 'count': count})}"
    return WebRequest(address, {"X-Subscription-Token": key}, seconds=SECONDS, is_chosen=True)


def _tavily(base: str, query: str, count: int, key: str) -> WebRequest:
    body = {"query": query, "max_results": count}
    return WebRequest(f"{base}/search", {"Authorization": f"Bearer {key}"}, body, SECONDS, is_chosen=True)


_SERVICES = {
    "searxng": _Service(_searxng, lambda answer: answer.get("results") or (), "content"),
    "brave": _Service(_brave, lambda answer: (answer.get("web") or {}).get("results") or (), "description"),
    "tavily": _Service(_tavily, lambda answer: answer.get("results") or (), "content"),
}


class WebSearchTool:
    """Tool that searches the web with the server from the settings."""

    def __init__(self, web: WebAccess | None, settings: Settings, references: RunReferences) -> None:
        self._web = web
        self._settings = settings
        self._references = references

    @property
    def spec(self) -> ToolSpec:
        server = urlsplit(self._settings.web_search_url).netloc or "the search server"
        return ToolSpec(
            WEB_SEARCH,
            "Searches the web, for what the user's own documents cannot hold. Each result can be cited; web_page reads"
            " the page behind one.",
            {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "What to search for; nothing private."}},
                "required": ["query"],
                "additionalProperties": False,
            },
            reach=ToolReach.NETWORK,
            sends=mark(f"Sends the query to {server}."),
            aliases=("联网搜索", "搜索", "search_web"),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the first results, with citation numbers.

        Raises:
            ToolError: The query is empty, no server is set, or its response is missing or invalid.
        """
        query = " ".join(str(arguments["query"]).split())[:_LONGEST_QUERY]
        if not query:
            raise ToolError("The query is empty: say what to search for.")
        base = self._settings.web_search_url.strip().rstrip("/")
        if not base or self._web is None:
            raise ToolError(
                "There is no web search server: the user has to name one under “Web search server” in the settings."
            )
        service, count = _SERVICES[self._settings.web_search_format], self._settings.web_search_results
        began = time.perf_counter()
        try:
            key = await self._web.search_key()
            answer = await self._web.json(service.request(base, query, count, key))
            passages = [_passage(result, service.text) for result in service.results(answer) if result.get("url")]
        except (DocumentError, ModelError) as error:
            reason = error.message + self._hint(error)
            raise ToolError(f"The web search failed: {reason}") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise ToolError("The search server answered with something that cannot be read.") from error
        if not passages:
            return ToolResult("The web search found nothing.")
        found = FoundPassages(f"web: {query}", passages[:count], time.perf_counter() - began)
        return outside_result(self._references, mark("web search"), found)

    def _hint(self, error: Exception) -> str:
        if self._settings.web_search_format == "searxng" and "(403)" in str(error):
            return " " + mark(
                "A SearXNG server refuses searches unless “json” is among the formats in its settings.yml."
            )
        return ""


def _passage(result: Mapping[str, Any], text: str) -> OutsidePassage:
    address = str(result["url"])
    title = _plain(result.get("title")) or address
    # The address is included twice, because the model needs it to request the page.
    return OutsidePassage(_plain(result.get(text)) or title, title, json.dumps({"url": address}), address)


def _plain(value: object) -> str:
    text = html.unescape(_TAG.sub("", value)) if isinstance(value, str) else ""
    return " ".join(text.split())[:_LONGEST_TEXT]


def _make(context: ToolContext) -> WebSearchTool:
    return WebSearchTool(context.web, context.settings, context.references)


OFFER = ToolOffer(
    WEB_SEARCH,
    mark("Web search"),
    mark("Lets the model search the web with your server."),
    "search",
    _make,
    needs_network=True,
)
