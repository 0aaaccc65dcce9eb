"""MCP servers whose tools agents may use: set up, allow, check, remove.

A program that runs here has all permissions of the user. Therefore none runs before the user has consented to its
exact command. The consent is stored for the user, not in the library, which may come from another person.
"""

import re
from functools import partial
from urllib.parse import urlsplit

from workbench.agent.mcp_servers import CONNECT_SECONDS, ServerConnection
from workbench.errors import PluginError, SettingError
from workbench.language import mark
from workbench.logs import masked
from workbench.model.extensions import ToolServer, ToolServerState
from workbench.model.profile import ModelProfile
from workbench.operations.library.credentials import load_key, require_variable, store_secret
from workbench.operations.library.library import Library
from workbench.operations.library.trust import consent_key, consents, is_consented
from workbench.store.configuration import ToolServerStore
from workbench.worker.job import JobContext, Operation

_NAMED_THERE = re.compile(r"[\w-]*=?\$\{\w+\}")
_TOKEN = re.compile(r"[!-~]+")
_KEY_OPTION = re.compile(r"-{1,2}(?:[\w-]*-)?(?:api-?key|key|token|password|secret)", re.IGNORECASE)


def list_tool_servers(library: Library) -> Operation[list[ToolServerState]]:
    """Return the servers, by name, and whether each is allowed; none is started."""

    async def operation(_context: JobContext) -> list[ToolServerState]:
        servers = await library.on_store(_store(library).list)
        return [ToolServerState(server, await library.on_store(is_allowed, library, server)) for server in servers]

    return operation


def put_tool_server(library: Library, server: ToolServer, *, allow: bool = False) -> Operation[None]:
    """Store a server, replacing one of the same name; it receives no request before it is allowed.

    Args:
        library: The open library.
        server: Its name and its command or address.
        allow: The user has seen its command or address, and consents to it.

    Raises:
        SettingError: Its name or address is invalid, or it contains a key instead of the name of a variable.
    """

    async def operation(_context: JobContext) -> None:
        if server.url and not server.url.startswith(("http://", "https://")):
            raise SettingError("The address of a tool server begins with http:// or https://.", "Check its spelling.")
        require_variable(server.token_env)
        _refuse_keys(server)
        await library.on_store(_store(library).put, server)
        if allow:
            await library.on_store(_allow, library, server)
        await library.on_store(library.gate.enforce)  # the server that it replaces may be running

    return operation


def put_tool_server_token(library: Library, name: str, token: str) -> Operation[bool]:
    """Store the token that is sent to a server with each request, as store_secret does; an empty one removes it.

    Raises:
        NotFound: There is no server of that name.
        SettingError: The server is a program, or the token is invalid.
    """

    async def operation(_context: JobContext) -> bool:
        server = await library.on_store(_store(library).get, name)
        if server.is_program:
            raise SettingError(
                "A tool server that is a program cannot receive a token.", "Pass it an environment variable instead."
            )
        return await library.on_store(store_secret, _token_entry(server), _check_token(server, token.strip()))

    return operation


def tool_server_token(server: ToolServer) -> str:
    """Return the token that is sent to a server's address, empty if it has none; blocking.

    Raises:
        ModelKeyRefused: The server names an environment variable that is not set.
        SettingError: The stored token is invalid.
    """
    return _check_token(server, load_key(ModelProfile(_token_entry(server), key_env=server.token_env)).strip())


def _token_entry(server: ToolServer) -> str:
    """Return the keyring entry of a token; it contains the host, so that the token is sent to no other."""
    return f"tool server {server.name} at {urlsplit(server.url).netloc}"


def _check_token(server: ToolServer, text: str) -> str:
    if text and not _TOKEN.fullmatch(text):
        raise SettingError(
            f"The token of the tool server “{server.name}” contains spaces or characters that tokens never contain.",
            "Enter only the token, without “Bearer” before it.",
        )
    return text


def allow_tool_server(library: Library, name: str, *, sha256: str | None = None) -> Operation[ToolServer]:
    """Allow a server to be started or called with its current setup; a changed command needs consent again.

    Args:
        library: The open library.
        name: Its name.
        sha256: Hash of the server that the user reviewed; None for the current one.

    Raises:
        NotFound: There is no server of that name.
        PluginError: It was changed since, or the consent cannot be stored.
    """

    async def operation(_context: JobContext) -> ToolServer:
        server = await library.on_store(_store(library).get, name)
        if sha256 not in (None, server.sha256):
            raise PluginError(f"“{name}” has changed since you looked at it.", "Look at it again.")
        await library.on_store(_allow, library, server)
        return server

    return operation


def forbid_tool_server(library: Library, name: str) -> Operation[None]:
    """Withdraw the consent to a server; it stays set up but receives no requests, and a running program is ended."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(_forbid, library, name)

    return operation


def remove_tool_server(library: Library, name: str) -> Operation[ToolServer]:
    """Delete a server, the consent to it and its token; returns it, so that it can be restored without these.

    Raises:
        NotFound: There is no server of that name.
    """

    async def operation(_context: JobContext) -> ToolServer:
        server = await library.on_store(_store(library).remove, name)
        await library.on_store(_forbid, library, name)
        if not server.is_program:
            await library.on_store(store_secret, _token_entry(server), "")
        return server

    return operation


def check_tool_server(library: Library, name: str) -> Operation[tuple[str, ...]]:
    """Start a server or connect to it, and return the names of its tools.

    Raises:
        NotFound: There is no server of that name.
        SettingError: It is not allowed.
        ToolError: It cannot be reached.
    """

    async def operation(_context: JobContext) -> tuple[str, ...]:
        server = await library.on_store(_store(library).get, name)
        if not await library.on_store(is_allowed, library, server):
            raise SettingError(not_allowed(server), "Allow it first, if you trust it.")
        connection = connection_to(library, server)
        try:
            offered = library.tool_lists[server.sha256] = await connection.tools()
            return tuple(tool.name for tool in offered)
        finally:
            await connection.close()

    return operation


def connection_to(
    library: Library, server: ToolServer, *, connect_seconds: float = CONNECT_SECONDS
) -> ServerConnection:
    """Return a connection to a server that ends when the consent is withdrawn; nothing is started or requested yet."""
    return ServerConnection(
        server,
        connect_seconds=connect_seconds,
        gate=library.gate,
        may_be_asked=partial(is_allowed, library, server),
        token=partial(tool_server_token, server),
    )


def _refuse_keys(server: ToolServer) -> None:
    """Refuse a command or address that contains a key, which would be stored in the library and shown on the screen.

    Raises:
        SettingError: It contains a key, or text that looks like one.
    """
    address = _NAMED_THERE.sub("", server.url)
    if masked(address) != address:
        raise SettingError(
            "The address of the tool server contains something that looks like a key or a password.",
            "Put it into an environment variable, and ${NAME} of that variable in its place.",
        )
    pairs = zip(server.command, (*server.command[1:], ""), strict=False)
    if any(
        masked(part) != part or (_KEY_OPTION.fullmatch(part) and value[:1] not in ("", "-")) for part, value in pairs
    ):
        raise SettingError(
            "The command of the tool server contains something that looks like a key or a password.",
            "Put it into an environment variable, and pass that to the program by its name.",
        )


def is_allowed(library: Library, server: ToolServer) -> bool:
    """Return whether the user consents to a server exactly as it is set up; blocking."""
    return is_consented(library.folder, server)


def not_allowed(server: ToolServer) -> str:
    """Return the sentence which states that a server is not allowed."""
    if server.is_program:
        return mark(f"The tool server “{server.name}” is not allowed: it runs “{server.reached_by}” on this computer.")
    if server.token_env:
        return mark(
            f"The tool server “{server.name}” is not allowed: it connects to {server.url} and sends it the value of"
            f" {server.token_env}."
        )
    return mark(f"The tool server “{server.name}” is not allowed: it asks {server.url}.")


def _store(library: Library) -> ToolServerStore:
    return ToolServerStore(library.database)


def _forbid(library: Library, name: str) -> None:
    consents().forbid(consent_key(library.folder, name))
    library.gate.enforce()


def _allow(library: Library, server: ToolServer) -> None:
    consents().allow(consent_key(library.folder, server.name), server.sha256, ())
