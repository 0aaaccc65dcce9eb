"""Tools of one run: opened from the library, from MCP servers, and for web requests through the fetcher."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from workbench.agent.base import Tool
from workbench.agent.mcp_servers import CONNECT_SECONDS, ServerConnection, server_tools
from workbench.agent.references import RunReferences
from workbench.agent.search_step import ContextPacker
from workbench.agent.token_budget import ContextWindow
from workbench.agent.tools.access import NoteTaking, WebRequest, WebText
from workbench.agent.tools.offer import ToolContext
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.toolbox import tool_offers, tools_named, unknown_tools
from workbench.errors import PageNotFetched, SettingError, ToolError
from workbench.fetching.address import AddressGuard, web_address
from workbench.fetching.base import Fetched, FetchLimits, RequestPreferences
from workbench.fetching.web_fetcher import WebFetcher
from workbench.language import mark
from workbench.logs import without_secrets
from workbench.model.egress import Purpose
from workbench.model.extensions import ToolInfo, ToolServer
from workbench.model.filter import ChunkFilter
from workbench.model.profile import ModelProfile
from workbench.operations.imports.temp_files import staging_folder
from workbench.operations.library.credentials import load_key, store_secret
from workbench.operations.library.library import Library
from workbench.operations.questions.tool_documents import LibraryDocuments
from workbench.operations.questions.tool_servers import connection_to, is_allowed, not_allowed
from workbench.parsing.parser_registry import supported_suffixes
from workbench.parsing.sandboxed import SandboxedParser
from workbench.settings import Settings
from workbench.store.configuration import ToolServerStore
from workbench.worker.job import JobContext, Operation


@dataclass(frozen=True, slots=True)
class OpenedTools:
    """Tools of one run, and sentences for the user about missing ones."""

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
    """Create the named tools for one run; the exit of the context manager closes their connections.

    Args:
        library: The open library.
        names: Names of tools as an agent lists them, in the order in which they are declared to the model.
        allowed: Filter of what the run, and therefore its tools, may see.
        settings: The current settings.
        references: Numbers the passages that the run finds.
        window: The context window of the model; None for an answerer without a limit.
        search: Search function for tools that search.
        handing_over: Fits the results of a search into the window.
        notes: Adds notes that a model writes; None if it may not.
        seconds: Timeout for connecting to tool servers.
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
    built_in, functions = [name for name in names if not is_server_tool(name)], library.tools.offers()
    from_servers = await reached(library, filter(is_server_tool, names), references, seconds)
    notices = tuple(
        mark(f"There is no tool “{name}” here; the answer was made without it.")
        for name in unknown_tools(built_in, functions)
    )
    try:
        yield OpenedTools(
            (*tools_named(built_in, context, functions), *from_servers.tools), (*notices, *from_servers.notices)
        )
    except BaseException:
        # A stop must take effect within 100 ms; a program takes up to two seconds to end, which is not awaited.
        for connection in from_servers.connections:
            connection.close_soon()
        raise
    await asyncio.gather(*(connection.close() for connection in from_servers.connections))


def list_tools(library: Library) -> Operation[list[ToolInfo]]:
    """Return the tools that agents may name: built-in ones, then those of scripts; excludes those of tool servers."""

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


@dataclass(frozen=True, slots=True)
class ServerTools:
    """Tools of the servers that were reached, connections to close, and sentences about missing tools."""

    tools: tuple[Tool, ...] = ()
    connections: tuple[ServerConnection, ...] = ()
    notices: tuple[str, ...] = ()


def is_server_tool(name: str) -> bool:
    """Return whether a name refers to a tool of a server: “server.tool”, or “server.*” for all of them."""
    return "." in name


async def reached(
    library: Library, names: Iterable[str], references: RunReferences, seconds: float = CONNECT_SECONDS
) -> ServerTools:
    """Connect to the servers whose tools are named, concurrently; a server that cannot be reached never stops the run.

    Args:
        library: The open library.
        names: Names for which is_server_tool is True, in the agent's order.
        references: Numbers the results for citations.
        seconds: Timeout for connecting.
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
    for tool_server in (known[name] for name in wanted if name in known):
        if await library.on_store(is_allowed, library, tool_server):
            allowed.append(connection_to(library, tool_server, connect_seconds=min(CONNECT_SECONDS, seconds)))
        else:
            notices.append(mark(f"{not_allowed(tool_server)} The answer was made without it."))
    try:
        found = await asyncio.gather(*(_tools(library, one, wanted[one.server.name], references) for one in allowed))
    except BaseException:
        for connection in allowed:
            connection.close_soon()
        raise
    notices += [notice for _, server_notices in found for notice in server_notices]
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


_JSON_MEGABYTES = 4
_PAGE_MEGABYTES = 10
"""Maximum size of a page that a model reads; it sees at most some thousand words of it."""


class LibraryWeb:
    """Web access of tools, within the limits of the settings."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self._library = library
        self._settings = settings

    async def json(self, request: WebRequest) -> Any:
        """Return the response of a server, parsed as JSON.

        Raises:
            DocumentError: There is no response, or it cannot be parsed.
        """
        headers = {"Accept": "application/json", **request.headers}
        body = None
        if request.body is not None:
            body = json.dumps(request.body, ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        host = urlsplit(web_address(request.address)).hostname or ""
        chosen = frozenset({host}) if request.is_chosen else frozenset[str]()
        limits = self._limits(_JSON_MEGABYTES, request.seconds)
        with staging_folder(self._library) as folder:
            async with WebFetcher(
                limits,
                frozenset({".json"}),
                guard=self._guard(chosen),
                gate=self._library.gate,
                purpose=request.purpose,
            ) as fetcher:
                fetched = _require_response(
                    await fetcher.fetch(request.address, folder, asking=RequestPreferences(headers, body))
                )
            data = await self._library.on_store(fetched.file.read_bytes)
        try:
            # A server can echo the request, including the key.
            return json.loads(without_secrets(data.decode("utf-8-sig")))
        except (ValueError, RecursionError) as error:
            raise PageNotFetched(
                f"“{host}” did not answer with JSON.", "Check the address of the server in the settings."
            ) from error

    async def page(self, address: str, seconds: float) -> WebText:
        """Return the main text of a page or document of the web.

        Raises:
            DocumentError: It cannot be fetched or read.
        """
        limits = self._limits(min(_PAGE_MEGABYTES, self._settings.fetch_megabytes), seconds)
        parser = SandboxedParser(self._library.parsers, seconds=seconds, megabytes=self._settings.parser_megabytes)
        with staging_folder(self._library) as folder:
            async with WebFetcher(
                limits,
                supported_suffixes(),
                guard=self._guard(frozenset()),
                gate=self._library.gate,
                purpose=Purpose.WEB_TOOL,
            ) as fetcher:
                fetched = _require_response(await fetcher.fetch(address, folder))
            parsed = await parser.parse(fetched.file)
        return WebText(fetched.address, parsed.metadata.title or fetched.name, parsed.text)

    async def search_key(self) -> str:
        """Return the key of the server that searches the web; empty if it has none.

        Raises:
            ModelKeyRefused: The settings name an environment variable that is not set.
        """
        profile = ModelProfile(search_key_name(self._settings), key_env=self._settings.web_search_key_env)
        return (await self._library.on_store(load_key, profile)).strip()

    def _limits(self, megabytes: int, seconds: float) -> FetchLimits:
        return FetchLimits(megabytes, seconds, allow_private=self._allows_private)

    def _guard(self, chosen: frozenset[str]) -> AddressGuard:
        return AddressGuard(allow_private=self._allows_private, chosen=chosen)

    @property
    def _allows_private(self) -> bool:
        return self._settings.allow_private_addresses == "yes"


def put_web_search_key(library: Library, key: str) -> Operation[bool]:
    """Store the key of the server that searches the web, as store_secret does; an empty one removes it.

    Raises:
        SettingError: No server is set.
    """

    async def operation(_context: JobContext) -> bool:
        settings = await library.on_store(library.setting_values.load)
        if not settings.web_search_url:
            raise SettingError("No server for web searches is set.", "Set “web_search_url” first.")
        return await library.on_store(store_secret, search_key_name(settings), key)

    return operation


def search_key_name(settings: Settings) -> str:
    """Return the keyring entry of the web search key; it contains the host, so that the key is sent to no other."""
    return f"web search at {urlsplit(settings.web_search_url).netloc}"


def _require_response(fetched: Fetched | None) -> Fetched:
    if fetched is None:
        raise PageNotFetched("The server sent nothing.")
    return fetched
