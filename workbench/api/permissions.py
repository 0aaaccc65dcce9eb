"""Permissions: network access, plug-in files, tools, tool servers.

Each has an asynchronous and a blocking class.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path

from workbench import operations
from workbench.api.arguments import Texts
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.egress import (
    HostTotal,
    NetworkFilter,
    NetworkOutcome,
    NetworkPage,
    OfflineMode,
    OfflineModeChoice,
    Purpose,
    SentChunk,
)
from workbench.model.extensions import PluginInfo, PluginText, RetrieverInfo, ToolInfo, ToolServer, ToolServerState
from workbench.model.options import choice_of, known_options, texts_of
from workbench.worker.job import JobContext

# Aliases, because the methods named “list” below shadow the type in their classes.
Plugins = list[PluginInfo]
Retrievers = list[RetrieverInfo]
Tools = list[ToolInfo]
Servers = list[ToolServerState]
Sent = list[SentChunk]


@known_options
class AsyncNetwork(Awaited):
    """Network requests of the program, and offline mode; library.network."""

    async def offline_mode(self) -> OfflineMode:
        """Return the state of offline mode: whether it is on (is_on), its exceptions, and what needs the network."""
        return await operations.offline_mode_state(self._opened)(JobContext())

    async def set_offline_mode(self, choice: OfflineModeChoice | str) -> OfflineMode:
        """Switch offline mode and return its new state.

        When it is switched on, requests under way complete, programs that may no longer use the network are ended, and
        new requests are refused.

        Args:
            choice: "on" blocks every request that would leave this machine; "auto" allows only what the user has set up
                (a model profile, an allowed tool server), each for its own purpose; "off" allows every request.

        Raises:
            ValueError: There is no such choice.
        """
        return await operations.put_offline_mode(self._opened, choice_of("choice", choice, OfflineModeChoice))(
            JobContext()
        )

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
        """Return the recorded network requests, the newest first, with the totals of all that match.

        Args:
            purpose: Only requests for this purpose: "answer", "web_page", "model_download"...
            outcome: Only requests with this outcome: "under_way", "done", "failed" or "refused" (by offline mode).
            outside: True: only requests that left this machine; False: only those that stayed on it.
            host: Only requests to this host.
            text: Only requests whose host, address or note contains this text.
            session: Only the requests of a session.
            run: Only the requests of one answer.
            before: Only requests older than this number: result.older of the previous call.
            limit: Maximum number of requests.

        Raises:
            ValueError: There is no such purpose or outcome; the message lists them.
        """
        query = _network_filter(purpose, outcome, outside, host, text, session, run)
        return await operations.list_network_requests(self._opened, query, before=before, limit=limit)(JobContext())

    async def hosts(self) -> tuple[HostTotal, ...]:
        """Return the totals of the requests to each host, bytes included; hosts outside this machine come first."""
        return await operations.network_hosts(self._opened)(JobContext())

    async def chunks_sent(self, request: int) -> Sent:
        """Return the passages whose text was sent with a request.

        Raises:
            NotFound: There is no such request.
        """
        return await operations.chunks_sent(self._opened, request)(JobContext())

    async def export(self, path: str | Path, *, format: str = "") -> int:
        """Write all requests to a file, the oldest first, and return their number.

        Args:
            path: The file.
            format: "jsonl" or "csv"; empty uses the suffix of the file.

        Raises:
            ExportError: There is no such format, or the file cannot be written.
        """
        return await operations.export_network_requests(self._opened, Path(path), format=format)(JobContext())

    async def clear(self) -> int:
        """Delete all recorded requests and return their number; this cannot be undone."""
        return await operations.clear_network_requests(self._opened)(JobContext())


@known_options
class AsyncPlugins(Awaited):
    """Plug-in files: Python files in the library's folder “plugins” that define retrievers; library.plugins.

    A file runs only after it is allowed, and a file that was changed since has to be allowed again.
    """

    async def list(self) -> Plugins:
        """Return the files by name, and whether each may run; none is run."""
        return await operations.list_plugins(self._opened)(JobContext())

    async def retrievers(self) -> Retrievers:
        """Return the retrievers of files, packages and this script, and whether each can be used."""
        return await operations.list_retrievers(self._opened)(JobContext())

    async def read(self, name: str) -> PluginText:
        """Return the text of a file with its hash, for review before it is allowed.

        Raises:
            NotFound: There is no such file; the message lists them.
            PluginError: The file cannot be read.
        """
        return await operations.read_plugin(self._opened, name)(JobContext())

    async def allow(self, name: str, *, sha256: str | None = None) -> PluginInfo:
        """Allow the present version of a file to run with the rights of the user, and return its retrievers.

        Args:
            name: Name of the file, with or without .py.
            sha256: Hash of the version that was reviewed (read); None uses the present one.

        Raises:
            NotFound: There is no such file.
            PluginError: The file cannot be read, has changed since it was reviewed, or cannot be loaded.
        """
        return await operations.allow_plugin(self._opened, name, sha256=sha256)(JobContext())

    async def forbid(self, name: str) -> PluginInfo:
        """Withdraw the permission of a file to run, and end its process.

        Raises:
            NotFound: There is no such file.
        """
        return await operations.forbid_plugin(self._opened, name)(JobContext())


@known_options
class AsyncTools(Awaited):
    """Tools that agents may name; library.tools. library.use_tool registers a function as a tool."""

    async def list(self) -> Tools:
        """Return the tools, the built-in ones first; is_on is True if the settings allow a tool to be called."""
        return await operations.list_tools(self._opened)(JobContext())

    async def set_web_search_key(self, key: str) -> bool:
        """Store the key of the web search server; an empty one deletes it.

        Returns:
            True if the system's keyring stores it; False if only this process has it.

        Raises:
            SettingError: The settings name no web search server.
        """
        return await operations.put_web_search_key(self._opened, key.strip())(JobContext())


@known_options
class AsyncToolServers(Awaited):
    """MCP servers whose tools agents may use as “name.tool”; library.tool_servers. Each has to be allowed first."""

    async def list(self) -> Servers:
        """Return the servers by name, and whether each is allowed in its present configuration; none is started."""
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
        """Set up a server, replacing one of the same name, and return it.

        Args:
            name: Name of the server, the prefix of its tools: “name.tool”.
            command: The program and its arguments: a list, or one text in shell syntax.
            url: Address of the server (Streamable HTTP), instead of a command.
            variables: Names of environment variables that are passed to the program in addition to the usual ones.
            token_env: Name of the variable whose value is sent to the address as its token; see set_token.
            allow: Allow the server at once: a program can do on this machine whatever the user can.

        Raises:
            SettingError: The name or address is invalid or contains a key, or both a command and an address are given.
        """
        command_line = shlex.split(command) if isinstance(command, str) else [*texts_of("command", command)]
        server = ToolServer(name, tuple(command_line), url, texts_of("variables", variables), token_env)
        await operations.put_tool_server(self._opened, server, allow=allow)(JobContext())
        return server

    async def allow(self, name: str, *, sha256: str | None = None) -> ToolServer:
        """Allow a server in its present configuration; a change of its command or address revokes the consent.

        Args:
            name: Name of the server.
            sha256: Hash of the server that was reviewed (server.sha256); None uses the present one.

        Raises:
            NotFound: There is no server of that name.
            PluginError: The server was changed since, or the consent cannot be stored.
        """
        return await operations.allow_tool_server(self._opened, name, sha256=sha256)(JobContext())

    async def forbid(self, name: str) -> None:
        """Withdraw the consent: the server stays set up but is not used, and a running program is ended."""
        await operations.forbid_tool_server(self._opened, name)(JobContext())

    async def set_token(self, name: str, token: str) -> bool:
        """Store the token that is sent to a server's address; an empty one deletes it.

        Returns:
            True if the system's keyring stores it; False if only this process has it.

        Raises:
            NotFound: There is no server of that name.
            SettingError: The server is a program, or the token is invalid.
        """
        return await operations.put_tool_server_token(self._opened, name, token)(JobContext())

    async def check(self, name: str) -> tuple[str, ...]:
        """Start or reach a server, and return the names of its tools.

        Raises:
            NotFound: There is no server of that name.
            SettingError: The server is not allowed.
            ToolError: The server cannot be reached.
        """
        return await operations.check_tool_server(self._opened, name)(JobContext())

    async def delete(self, name: str) -> ToolServer:
        """Delete a server, its consent and its token, and return it.

        Raises:
            NotFound: There is no server of that name.
        """
        return await operations.remove_tool_server(self._opened, name)(JobContext())


class Network(Waiting[AsyncNetwork]):
    """Network requests of the program, and offline mode; library.network."""

    offline_mode = waited(AsyncNetwork.offline_mode)
    set_offline_mode = waited(AsyncNetwork.set_offline_mode)
    requests = waited(AsyncNetwork.requests)
    hosts = waited(AsyncNetwork.hosts)
    chunks_sent = waited(AsyncNetwork.chunks_sent)
    export = waited(AsyncNetwork.export)
    clear = waited(AsyncNetwork.clear)


class PluginsOf(Waiting[AsyncPlugins]):
    """Plug-in files: Python files in the library's folder “plugins” that define retrievers; library.plugins."""

    list = waited(AsyncPlugins.list)
    retrievers = waited(AsyncPlugins.retrievers)
    read = waited(AsyncPlugins.read)
    allow = waited(AsyncPlugins.allow)
    forbid = waited(AsyncPlugins.forbid)


class ToolsOf(Waiting[AsyncTools]):
    """Tools that agents may name; library.tools."""

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


def _network_filter(
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
