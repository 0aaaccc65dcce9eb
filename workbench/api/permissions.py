"""What may leave this machine or run on it: network, plug-in files, tools, tool servers. Awaited, and waited for."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from workbench import operations
from workbench.api.arguments import Texts
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.egress import (
    AirGap,
    AirGapChoice,
    HostTotal,
    NetworkFilter,
    NetworkOutcome,
    NetworkPage,
    Purpose,
    SentChunk,
)
from workbench.model.extensions import PluginInfo, PluginText, RetrieverInfo, ToolInfo, ToolServer, ToolServerState
from workbench.model.options import choice_of, known_options, texts_of
from workbench.worker.job import JobContext

# Methods are called “list” below, which then is no type there.
Plugins = list[PluginInfo]
Retrievers = list[RetrieverInfo]
Tools = list[ToolInfo]
Servers = list[ToolServerState]
Sent = list[SentChunk]


@known_options
class AsyncNetwork(Awaited):
    """What left this machine, request by request, and the air gap; library.network."""

    async def air_gap(self) -> AirGap:
        """Return whether anything may leave this machine (is_on), its exceptions, and what was set up that needs it."""
        return await operations.air_gap_state(self._opened)(JobContext())

    async def set_air_gap(self, choice: AirGapChoice | str) -> AirGap:
        """Switch the air gap and return what holds now; what is under way ends, nothing new begins.

        Args:
            choice: "on" lets nothing leave, "auto" nothing but what was set up to (a model profile, an allowed tool
                server), each for itself only; "off" whatever is asked for.

        Raises:
            ValueError: It is none of these.
        """
        return await operations.put_air_gap(self._opened, choice_of("choice", choice, AirGapChoice))(JobContext())

    async def requests(
        self,
        *,
        purpose: Purpose | str | None = None,
        outcome: NetworkOutcome | str | None = None,
        outside: bool | None = None,
        host: str = "",
        text: str = "",
        session: int | None = None,
        run: int | None = None,
        before: int | None = None,
        limit: int = 200,
    ) -> NetworkPage:
        """Return what was asked of the network, the newest first, with the totals of all that match.

        Args:
            purpose: Only what was asked for this: "answer", "web_page", "model_download"...
            outcome: Only what came to this: "under_way", "done", "failed" or "refused" (by the air gap).
            outside: True: only what left this machine; False: only what stayed on it.
            host: Only this one.
            text: Only where this stands in host, address or note.
            session: Only those of a session.
            run: Only those of one answer.
            before: Only those older than this number: result.older of the call before.
            limit: How many at most.

        Raises:
            ValueError: There is no such purpose or outcome; the message lists them.
        """
        wanted = _requests(purpose, outcome, outside, host, text, session, run)
        return await operations.list_network_requests(self._opened, wanted, before=before, limit=limit)(JobContext())

    async def hosts(self) -> tuple[HostTotal, ...]:
        """Return what the requests to each host add up to, bytes included: those that left this machine first."""
        return await operations.network_hosts(self._opened)(JobContext())

    async def chunks_sent(self, request: int) -> Sent:
        """Return the passages whose text went with a request.

        Raises:
            NotFound: There is no such request.
        """
        return await operations.chunks_sent(self._opened, request)(JobContext())

    async def export(self, path: str | Path, *, format: str = "") -> int:
        """Write all requests, the oldest first, and return how many.

        Args:
            path: The file.
            format: "jsonl" or "csv"; empty means what the file is called.

        Raises:
            ExportError: There is no such format, or the file cannot be written.
        """
        return await operations.export_network_requests(self._opened, Path(path), format=format)(JobContext())

    async def clear(self) -> int:
        """Forget all requests and return how many there were; there is no way back."""
        return await operations.clear_network_requests(self._opened)(JobContext())


@known_options
class AsyncPlugins(Awaited):
    """The Python files of the library's folder “plugins”, whose retrievers agents may ask; library.plugins.

    None runs before it is allowed, and a file that was changed since is asked about again.
    """

    async def list(self) -> Plugins:
        """Return the files, by name, and whether each may run; none is run."""
        return await operations.list_plugins(self._opened)(JobContext())

    async def retrievers(self) -> Retrievers:
        """Return the retrievers of files, packages and this script, and whether each can be asked."""
        return await operations.list_retrievers(self._opened)(JobContext())

    async def read(self, name: str) -> PluginText:
        """Return what stands in a file, with its hash, to be looked at before it is allowed.

        Raises:
            NotFound: There is no such file; the message lists them.
            PluginError: It cannot be read.
        """
        return await operations.read_plugin(self._opened, name)(JobContext())

    async def allow(self, name: str, *, sha256: str | None = None) -> PluginInfo:
        """Let a file run as it stands now, with the rights of the user; returns what it offers.

        Args:
            name: The file's name, with or without its .py.
            sha256: Of what was looked at (read); None for the file as it is now.

        Raises:
            NotFound: There is no such file.
            PluginError: It cannot be read, has changed since it was looked at, or does not load.
        """
        return await operations.allow_plugin(self._opened, name, sha256=sha256)(JobContext())

    async def forbid(self, name: str) -> PluginInfo:
        """Let a file run no longer, and end its process.

        Raises:
            NotFound: There is no such file.
        """
        return await operations.forbid_plugin(self._opened, name)(JobContext())


@known_options
class AsyncTools(Awaited):
    """The tools that agents may name; library.tools. library.use_tool adds a function as one."""

    async def list(self) -> Tools:
        """Return them, the built-in ones first; is_on says whether the settings let each be called."""
        return await operations.list_tools(self._opened)(JobContext())

    async def set_web_search_key(self, key: str) -> bool:
        """Keep the key of the server that searches the web; an empty one removes it.

        Returns:
            Whether the system's keyring keeps it; False: only this process knows it.

        Raises:
            SettingError: The settings name no server that searches the web.
        """
        return await operations.put_web_search_key(self._opened, key.strip())(JobContext())


@known_options
class AsyncToolServers(Awaited):
    """MCP servers whose tools agents may use, as “name.tool”; library.tool_servers. Each has to be allowed first."""

    async def list(self) -> Servers:
        """Return them, by name, and whether each is allowed as it is set up; none is started."""
        return await operations.list_tool_servers(self._opened)(JobContext())

    async def put(
        self,
        name: str,
        *,
        command: str | Iterable[str] = (),
        url: str = "",
        variables: Texts = (),
        token_env: str = "",
        allow: bool = False,
    ) -> ToolServer:
        """Set up a server in the place of one of the same name, and return it.

        Args:
            name: Its tools are called “name.tool”.
            command: The program and its arguments: a list, or one text as it is typed in a shell.
            url: In place of a command, its address (Streamable HTTP).
            variables: Names of environment variables that the program is handed besides the usual ones.
            token_env: Name of the variable whose value is sent to the address as its token; see set_token.
            allow: Consent to it: a program may do on this machine whatever the user can.

        Raises:
            SettingError: Its name or address is none, a key stands in it, or it has both a command and an address.
        """
        typed = shlex.split(command) if isinstance(command, str) else [*texts_of("command", command)]
        server = ToolServer(name, tuple(typed), url, texts_of("variables", variables), token_env)
        await operations.put_tool_server(self._opened, server, allow=allow)(JobContext())
        return server

    async def allow(self, name: str, *, sha256: str | None = None) -> ToolServer:
        """Let a server be started or asked as it is set up now; another command or address asks anew.

        Args:
            name: Its name.
            sha256: Of the server that was looked at (server.sha256); None for it as it is now.

        Raises:
            NotFound: There is none of that name.
            PluginError: It was changed since, or the consent cannot be kept.
        """
        return await operations.allow_tool_server(self._opened, name, sha256=sha256)(JobContext())

    async def forbid(self, name: str) -> None:
        """Take the consent back: it stays set up, is asked no more, and a program that runs is ended."""
        await operations.forbid_tool_server(self._opened, name)(JobContext())

    async def set_token(self, name: str, token: str) -> bool:
        """Keep the token that an address is sent; an empty one removes it.

        Returns:
            Whether the system's keyring keeps it; False: only this process knows it.

        Raises:
            NotFound: There is no server of that name.
            SettingError: It is a program, or what was given cannot be a token.
        """
        return await operations.put_tool_server_token(self._opened, name, token)(JobContext())

    async def check(self, name: str) -> tuple[str, ...]:
        """Start or reach a server, and return the names of its tools.

        Raises:
            NotFound: There is none of that name.
            SettingError: It is not allowed.
            ToolError: It cannot be reached.
        """
        return await operations.check_tool_server(self._opened, name)(JobContext())

    async def delete(self, name: str) -> ToolServer:
        """Remove a server, the consent to it and its token, and return it.

        Raises:
            NotFound: There is none of that name.
        """
        return await operations.remove_tool_server(self._opened, name)(JobContext())


class Network(Waiting[AsyncNetwork]):
    """What left this machine, request by request, and the air gap; library.network."""

    air_gap = waited(AsyncNetwork.air_gap)
    set_air_gap = waited(AsyncNetwork.set_air_gap)
    requests = waited(AsyncNetwork.requests)
    hosts = waited(AsyncNetwork.hosts)
    chunks_sent = waited(AsyncNetwork.chunks_sent)
    export = waited(AsyncNetwork.export)
    clear = waited(AsyncNetwork.clear)


class PluginsOf(Waiting[AsyncPlugins]):
    """The Python files of the library's folder “plugins”, whose retrievers agents may ask; library.plugins."""

    list = waited(AsyncPlugins.list)
    retrievers = waited(AsyncPlugins.retrievers)
    read = waited(AsyncPlugins.read)
    allow = waited(AsyncPlugins.allow)
    forbid = waited(AsyncPlugins.forbid)


class ToolsOf(Waiting[AsyncTools]):
    """The tools that agents may name; library.tools."""

    list = waited(AsyncTools.list)
    set_web_search_key = waited(AsyncTools.set_web_search_key)


class ToolServers(Waiting[AsyncToolServers]):
    """MCP servers whose tools agents may use; library.tool_servers."""

    list = waited(AsyncToolServers.list)
    put = waited(AsyncToolServers.put)
    allow = waited(AsyncToolServers.allow)
    forbid = waited(AsyncToolServers.forbid)
    set_token = waited(AsyncToolServers.set_token)
    check = waited(AsyncToolServers.check)
    delete = waited(AsyncToolServers.delete)


def _requests(
    purpose: Purpose | str | None,
    outcome: NetworkOutcome | str | None,
    outside: bool | None,
    host: str,
    text: str,
    session: int | None,
    run: int | None,
) -> NetworkFilter:
    return NetworkFilter(
        None if purpose is None else choice_of("purpose", purpose, Purpose),
        None if outcome is None else choice_of("outcome", outcome, NetworkOutcome),
        outside,
        host,
        text,
        session,
        run,
    )
