"""MCP servers as tools of agents: a connection per run and server, and their tools; the SDK is imported when used."""

import asyncio
import base64
import binascii
import hashlib
import json
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote, urlsplit

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tools.tool_results import MOST_CHARACTERS, FoundPassages, outside_result
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest
from workbench.errors import LibraryError, ModelKeyRefused, NetworkClosed, SettingError, ToolError
from workbench.files.changes import temporary_folder
from workbench.language import in_seconds, mark
from workbench.logs import keep_secret, masked, without_secrets
from workbench.model.egress import Purpose, port_of
from workbench.model.extensions import ToolServer
from workbench.model.hit import OutsidePassage
from workbench.model.message import ToolReach, ToolSpec
from workbench.model.run import Notice
from workbench.worker.confinement import without_network

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, ContentBlock, Tool
    from mcp_types import Tool as ServerTool


CONNECT_SECONDS = 20.0
"""Includes the time in which uvx or npx may first download the program."""
CALL_SECONDS = 60.0

_CLOSE_SECONDS = 5.0
_MOST_TOOLS = 200
_TAIL = 400
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class ServerEnded(ToolError):
    """A tool server cannot be reached, or ended.

    The message goes to the model, the hint only to the user: a program's last output may contain paths and passwords.
    """


class _OnceCancelledTask(asyncio.Task[None]):
    """A task that accepts one cancellation, and none while it ends.

    The SDK asks a program to end, waits, and kills it. A second cancellation, such as that of an event loop that is
    closed meanwhile, would leave the program running. anyio's cancellations for its timeouts have a message and pass.
    """

    is_ending = False

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel the task, unless it has been cancelled or is ending."""
        if msg is None and self.is_ending:
            return False
        self.is_ending = self.is_ending or msg is None
        return super().cancel(msg)


class ServerConnection:
    """A server, and the task that holds the connection: the SDK requires that one task both opens and closes it."""

    def __init__(
        self,
        server: ToolServer,
        *,
        connect_seconds: float = CONNECT_SECONDS,
        call_seconds: float = CALL_SECONDS,
        gate: EgressGate = LOOPBACK_ONLY,
        may_be_asked: Callable[[], bool] = lambda: True,
        token: Callable[[], str] = str,
    ) -> None:
        """Prepare the connection; no program is started and no request is made yet.

        Args:
            server: The server, with its address or its command.
            connect_seconds: Timeout for connecting.
            call_seconds: Timeout for an answer.
            gate: Egress gate for all requests; a program without an exception from offline mode is started without
                network access.
            may_be_asked: Returns whether the user still allows the server; called before each request, blocking.
            token: Returns the bearer token that is sent to an address with each request, empty for none; called at each
                connection, blocking. It is not sent to a program.
        """
        self._token = token
        self._may_be_asked = may_be_asked
        self._gate = gate
        self.server = server
        self._connect_seconds = connect_seconds
        self._call_seconds = call_seconds
        self._client: Client | None = None
        self._holder: _OnceCancelledTask | None = None
        self._over = asyncio.Event()
        self._connecting = asyncio.Lock()
        self._stderr_path: Path | None = None

    async def tools(self) -> Sequence["Tool"]:
        """Return the tools that the server offers.

        Raises:
            ServerEnded: The server cannot be reached, or does not answer.
        """
        client = await self._connect()
        found: list[Tool] = []
        cursor = None
        while len(found) < _MOST_TOOLS:
            page = await self._await_answer(client.list_tools(cursor=cursor), self._connect_seconds)
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found[:_MOST_TOOLS]

    async def call(self, tool: str, arguments: dict[str, Any]) -> "CallToolResult":
        """Call a tool; a server that has ended since its last request is started again.

        Raises:
            ServerEnded: The server cannot be reached, ended, or did not answer in time.
            ToolError: The server refused the call.
        """
        client = await self._connect()
        result: CallToolResult = await self._await_answer(client.call_tool(tool, arguments), self._call_seconds)
        return result

    def close_soon(self) -> None:
        """Start closing the connection without waiting; a program gets two seconds to end."""
        self._client = None
        self._over.set()

    async def close(self) -> None:
        """Close the connection and wait for that, up to a timeout; one that was never open is not waited for."""
        was_open = self._client is not None
        self.close_soon()
        if was_open and self._holder is not None:
            await asyncio.wait([self._holder], timeout=_CLOSE_SECONDS)

    async def _await_answer(self, asking: Any, seconds: float) -> Any:
        """Return an answer, or raise an error with a message for it; a connection that failed is closed."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED

        try:
            async with asyncio.timeout(seconds):
                return await asking
        except TimeoutError as error:
            raise ServerEnded(f"“{self.server.name}” did not answer within {in_seconds(seconds)}.") from error
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise self._close_with_error() from error
            raise ToolError(f"“{self.server.name}” refused: {_shorten(error.message)}") from error
        # The streams of the SDK raise several kinds of exceptions when the connection is lost; they must not end a run.
        except Exception as error:
            raise self._close_with_error() from error

    def _close_with_error(self) -> ServerEnded:
        self.close_soon()
        return ServerEnded(f"The tool server “{self.server.name}” ended.", self._read_stderr_tail())

    async def _connect(self) -> "Client":
        async with self._connecting:
            if not await asyncio.to_thread(self._may_be_asked):
                self.close_soon()
                raise ServerEnded(mark(f"The tool server “{self.server.name}” is no longer allowed."))
            if self._client is not None and self._holder is not None and not self._holder.done():
                return self._client
            self._over = asyncio.Event()
            loop = asyncio.get_running_loop()
            ready: asyncio.Future[Client] = loop.create_future()
            self._holder = _OnceCancelledTask(self._hold(ready, self._over), loop=loop)
            try:
                async with asyncio.timeout(self._connect_seconds):
                    self._client = await ready
            except TimeoutError as error:
                self._holder.cancel()
                raise ServerEnded(f"“{self.server.name}” did not start within {self._connect_seconds:g} s.") from error
            except asyncio.CancelledError:
                self._holder.cancel()
                raise
            return self._client

    async def _hold(self, ready: "asyncio.Future[Client]", over: asyncio.Event) -> None:
        """Open the connection, keep it open until the event is set, and close it."""
        # The import takes 0.6 s, and only runs with such tools need it.
        from mcp import Client

        holder = asyncio.current_task()
        assert isinstance(holder, _OnceCancelledTask)
        with (
            temporary_folder("tool-server-") as folder,
            (folder / "said").open("w") as stderr,
        ):
            self._stderr_path = Path(stderr.name)
            try:
                token = "" if self.server.is_program else await asyncio.to_thread(self._token)
                transport_context = _open_transport(self.server, self._gate, stderr, self._make_closer(over), token)
                async with transport_context as transport, Client(transport) as client:
                    if not ready.done():
                        ready.set_result(client)
                    try:
                        await over.wait()
                    finally:
                        holder.is_ending = True
            except (NetworkClosed, LibraryError, ModelKeyRefused, SettingError) as error:
                if not ready.done():
                    ready.set_exception(ServerEnded(error.message, error.hint))
            # A foreign program may fail in any way: every exception is reported, and the run continues.
            except Exception as error:  # noqa: BLE001
                if not ready.done():
                    reason = self._read_stderr_tail() or _describe_error(error)
                    ready.set_exception(ServerEnded(f"“{self.server.name}” cannot be reached.", reason))
            finally:
                if self._over is over:
                    self._client = None

    def _make_closer(self, over: asyncio.Event) -> Callable[[], None]:
        """Return a function that closes this connection, but no later one, from any thread."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            if self._over is over:
                self._client = None
            over.set()

        def end_soon() -> None:
            with suppress(RuntimeError):  # the event loop is closed, and the program has ended with it
                loop.call_soon_threadsafe(end)

        return end_soon

    def _read_stderr_tail(self) -> str:
        """Return the end of the program's standard error, which usually contains the reason why it ended."""
        try:
            data = self._stderr_path.read_bytes() if self._stderr_path is not None else b""
        except OSError:
            return ""
        return masked(" ".join(data[-_TAIL:].decode("utf-8", "replace").split()))


@asynccontextmanager
async def _open_transport(
    server: ToolServer, gate: EgressGate, said: TextIO, end: Callable[[], None], token: str
) -> AsyncIterator[Any]:
    """Yield the SDK's transport for a server that may be contacted, or for a program that may be started.

    Raises:
        NetworkClosed: Offline mode is on.
        SettingError: See _address().
    """
    if server.is_program:
        async with _start(server, gate, said, end) as transport:
            yield transport
        return
    # Importing httpx2 takes 0.1 s, and the SDK 0.6 s.
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import MCP_DEFAULT_SSE_READ_TIMEOUT, MCP_DEFAULT_TIMEOUT

    from workbench.egress.clients import async_client, patience

    parts = urlsplit(server.url)
    await gate.check_soon(Purpose.TOOL_SERVER, parts.hostname or "", port=port_of(parts), address=server.url)
    timeout = patience(MCP_DEFAULT_SSE_READ_TIMEOUT, MCP_DEFAULT_TIMEOUT)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # The SDK would create its own client, which reads proxies and certificates from the environment.
    async with async_client(gate, Purpose.TOOL_SERVER, by_proxy=True, timeout=timeout, headers=headers) as client:
        yield streamable_http_client(_address(server), http_client=client)


@asynccontextmanager
async def _start(server: ToolServer, gate: EgressGate, said: TextIO, end: Callable[[], None]) -> AsyncIterator[Any]:
    """Yield the transport to a program; in offline mode it has no network access, or it is not started.

    A program for which the user made an exception has network access until the exception is revoked: then it is ended.
    """
    from mcp.client.stdio import StdioServerParameters, stdio_client

    confined = None
    request = PendingRequest(Purpose.TOOL_SERVER, "", address=server.reached_by, seen=False, program=server.sha256)
    if not await asyncio.to_thread(gate.allows, request):
        confined = without_network(server.command)
        request = replace(request, confined=confined is not None)
    environment = {name: os.environ[name] for name in server.variables if name in os.environ}
    for value in environment.values():
        keep_secret(value)
    command, *arguments = confined or server.command
    with await gate.enter_soon(request), gate.running(request, end):
        await asyncio.to_thread(gate.enforce)  # consent may have been revoked meanwhile
        yield stdio_client(StdioServerParameters(command=command, args=arguments, env=environment), errlog=said)


def _address(server: ToolServer) -> str:
    """Return a server's address with its environment variables expanded; a key in them is never stored in a library.

    Raises:
        SettingError: A variable is not set.
    """

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in os.environ:
            raise SettingError(
                f"The environment variable {name}, which the address of “{server.name}” contains, is not set.",
                "Set it before starting the program.",
            )
        keep_secret(os.environ[name])
        return quote(os.environ[name], safe="")

    return _VARIABLE.sub(value, server.url)


def _describe_error(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return "There is no such program."
    return _shorten(str(error)) or type(error).__name__


def _shorten(text: str) -> str:
    return masked(" ".join(text.split()))[:300]


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
        sends=mark(f"Passes the arguments to {destination}, which may do anything with them."),
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
