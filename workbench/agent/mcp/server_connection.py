"""One MCP server for one run: reached when it is first asked, reached anew when it has ended, and ended in the end."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote, urlsplit

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest
from workbench.errors import LibraryError, ModelKeyRefused, NetworkClosed, SettingError, ToolError
from workbench.files.changes import temporary_folder
from workbench.language import in_seconds, mark
from workbench.logs import keep_secret, masked
from workbench.model.egress import Purpose, port_of
from workbench.model.extensions import ToolServer
from workbench.worker.confinement import without_network

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, Tool

CONNECT_SECONDS = 20.0
"""A program may have to be fetched first, by uvx or npx."""
CALL_SECONDS = 60.0

_CLOSE_SECONDS = 5.0
_MOST_TOOLS = 200
_TAIL = 400
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class ServerEnded(ToolError):
    """A tool server cannot be reached, or ended.

    Its message goes to the model, its hint to the user only: a program's last words may hold paths and passwords.
    """


class _OnceCancelledTask(asyncio.Task[None]):
    """A task that is cancelled once, and no more while it ends.

    The SDK asks a program to end, waits, and kills it; a second cancel, as that of a loop that is closed meanwhile,
    would leave the program behind. The cancels by which anyio keeps its limits of time say what they are, and go
    through.
    """

    is_ending = False

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel it, unless that was done, or it ends by itself."""
        if msg is None and self.is_ending:
            return False
        self.is_ending = self.is_ending or msg is None
        return super().cancel(msg)


class ServerConnection:
    """A server, and the task that holds the connection: the SDK wants it opened and closed by the same one."""

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
        """Start or ask nothing yet.

        Args:
            server: How it is reached.
            connect_seconds: How long that may take.
            call_seconds: How long an answer may take.
            gate: Through which it is asked; a program that is no exception of the air gap is started without any
                network.
            may_be_asked: Whether the user still allows it; asked for every call, blocking.
            token: Returns what an address is sent as a bearer token with each request, nothing for none; called
                whenever it is reached anew, blocking. A program is sent none.
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
        self._said: Path | None = None

    async def tools(self) -> Sequence["Tool"]:
        """Return what the server offers.

        Raises:
            ServerEnded: It cannot be reached, or does not answer.
        """
        client = await self._connected()
        found: list[Tool] = []
        cursor = None
        while len(found) < _MOST_TOOLS:
            page = await self._answered(client.list_tools(cursor=cursor), self._connect_seconds)
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found[:_MOST_TOOLS]

    async def call(self, tool: str, arguments: dict[str, Any]) -> "CallToolResult":
        """Call a tool; a server that has ended since it was last asked is started again.

        Raises:
            ServerEnded: It cannot be reached, ended, or did not answer in time.
            ToolError: It refused the call.
        """
        client = await self._connected()
        result: CallToolResult = await self._answered(client.call_tool(tool, arguments), self._call_seconds)
        return result

    def close_soon(self) -> None:
        """Let the connection end by itself: a program gets two seconds for that, which nobody waits for."""
        self._client = None
        self._over.set()

    async def close(self) -> None:
        """End the connection and wait until it has, for some seconds at most; one that never began ends by itself."""
        was_open = self._client is not None
        self.close_soon()
        if was_open and self._holder is not None:
            await asyncio.wait([self._holder], timeout=_CLOSE_SECONDS)

    async def _answered(self, asking: Any, seconds: float) -> Any:
        """Return an answer, or what is wrong in a sentence; a connection that failed is given up."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED

        try:
            async with asyncio.timeout(seconds):
                return await asking
        except TimeoutError as error:
            raise ServerEnded(f"“{self.server.name}” did not answer within {in_seconds(seconds)}.") from error
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise self._ended() from error
            raise ToolError(f"“{self.server.name}” refused: {_short(error.message)}") from error
        # The streams of the SDK raise several kinds when the other end is gone; a run must not end with them.
        except Exception as error:
            raise self._ended() from error

    def _ended(self) -> ServerEnded:
        self.close_soon()
        return ServerEnded(f"The tool server “{self.server.name}” ended.", self._last_words())

    async def _connected(self) -> "Client":
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
        """Open the connection, keep it until it is over, and close it."""
        # 0.6 s, and only runs with such tools need it.
        from mcp import Client

        holder = asyncio.current_task()
        assert isinstance(holder, _OnceCancelledTask)
        with (
            temporary_folder("tool-server-") as folder,
            (folder / "said").open("w") as said,
        ):
            self._said = Path(said.name)
            try:
                token = "" if self.server.is_program else await asyncio.to_thread(self._token)
                reached = _reached(self.server, self._gate, said, self._ender(over), token)
                async with reached as transport, Client(transport) as client:
                    if not ready.done():
                        ready.set_result(client)
                    try:
                        await over.wait()
                    finally:
                        holder.is_ending = True
            except (NetworkClosed, LibraryError, ModelKeyRefused, SettingError) as error:
                if not ready.done():
                    ready.set_exception(ServerEnded(error.message, error.hint))
            # The boundary to a foreign program: whatever goes wrong there is told, and the run goes on.
            except Exception as error:  # noqa: BLE001
                if not ready.done():
                    why = self._last_words() or _reason(error)
                    ready.set_exception(ServerEnded(f"“{self.server.name}” cannot be reached.", why))
            finally:
                if self._over is over:
                    self._client = None

    def _ender(self, over: asyncio.Event) -> Callable[[], None]:
        """Return what ends a connection from any thread, and no later one."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            if self._over is over:
                self._client = None
            over.set()

        def end_soon() -> None:
            with suppress(RuntimeError):  # the loop is closed, and the program with it
                loop.call_soon_threadsafe(end)

        return end_soon

    def _last_words(self) -> str:
        """Return the end of what the program wrote on its standard error, which says why it ended."""
        try:
            data = self._said.read_bytes() if self._said is not None else b""
        except OSError:
            return ""
        return masked(" ".join(data[-_TAIL:].decode("utf-8", "replace").split()))


@asynccontextmanager
async def _reached(
    server: ToolServer, gate: EgressGate, said: TextIO, end: Callable[[], None], token: str
) -> AsyncIterator[Any]:
    """Give the SDK's transport to a server that may be asked, or to a program that may be started.

    Raises:
        NetworkClosed: The air gap is on.
        SettingError: As _address does.
    """
    if server.is_program:
        async with _started(server, gate, said, end) as transport:
            yield transport
        return
    # httpx2 and the SDK take 0.1 and 0.6 s.
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import MCP_DEFAULT_SSE_READ_TIMEOUT, MCP_DEFAULT_TIMEOUT

    from workbench.egress.clients import async_client, patience

    parts = urlsplit(server.url)
    await gate.check_soon(Purpose.TOOL_SERVER, parts.hostname or "", port=port_of(parts), address=server.url)
    timeout = patience(MCP_DEFAULT_SSE_READ_TIMEOUT, MCP_DEFAULT_TIMEOUT)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # The SDK would make a client of its own, which asks the environment for proxies and certificates.
    async with async_client(gate, Purpose.TOOL_SERVER, by_proxy=True, timeout=timeout, headers=headers) as client:
        yield streamable_http_client(_address(server), http_client=client)


@asynccontextmanager
async def _started(server: ToolServer, gate: EgressGate, said: TextIO, end: Callable[[], None]) -> AsyncIterator[Any]:
    """Give the transport to a program; under the air gap it has no network, or it is not started.

    One that the user made an exception for has the network until that is taken back: then it is ended.
    """
    from mcp.client.stdio import StdioServerParameters, stdio_client

    confined = None
    asked = PendingRequest(Purpose.TOOL_SERVER, "", address=server.reached_by, seen=False, program=server.sha256)
    if not await asyncio.to_thread(gate.allows, asked):
        confined = without_network(server.command)
        asked = replace(asked, confined=confined is not None)
    handed = {name: os.environ[name] for name in server.variables if name in os.environ}
    for value in handed.values():
        keep_secret(value)
    command, *arguments = confined or server.command
    with await gate.enter_soon(asked), gate.running(asked, end):
        await asyncio.to_thread(gate.enforce)  # a consent may have been taken back meanwhile
        yield stdio_client(StdioServerParameters(command=command, args=arguments, env=handed), errlog=said)


def _address(server: ToolServer) -> str:
    """Return a server's address with the variables that are named in it: a key in it stands in no library.

    Raises:
        SettingError: One of them is not set.
    """

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in os.environ:
            raise SettingError(
                f"The environment variable {name}, which stands in the address of “{server.name}”, is not set.",
                "Set it before starting the program.",
            )
        keep_secret(os.environ[name])
        return quote(os.environ[name], safe="")

    return _VARIABLE.sub(value, server.url)


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return "There is no such program."
    return _short(str(error)) or type(error).__name__


def _short(text: str) -> str:
    return masked(" ".join(text.split()))[:300]
