"""Commands mcp, mcp-servers and tools.

The first serves the library to other programs; the others manage the tools that agents may use.
"""

import argparse
import json
import sys
from getpass import getpass

from workbench.cli.library_access import make_change, open_given_library
from workbench.cli.output import Output
from workbench.cli.search_arguments import chosen_filter
from workbench.errors import LibraryLocked, LibraryMissing, SettingError
from workbench.model.extensions import RUNS_OUTSIDE, ToolServer
from workbench.operations.library.library_changes import ForbidToolServer, PutToolServer, RemoveToolServer
from workbench.operations.questions.run_tools import list_tools, put_web_search_key
from workbench.operations.questions.tool_servers import (
    allow_tool_server,
    check_tool_server,
    list_tool_servers,
    not_allowed,
    put_tool_server_token,
)
from workbench.worker.job import JobContext

Options = argparse.Namespace

_NO_TOKEN = (
    "Warning: without a token, every program on this computer, including those of other users, can search and read"
    " the documents that are served."
)
_OFFERED = "Configuration for MCP clients (anyone who has the token can read the documents that are served):"

_LOCKED = (
    "That program must finish creating or updating the library first. Then start this server again: most clients do"
    " that when they are restarted."
)


async def mcp(options: Options, output: Output) -> int:
    """Serve the library until the client or Ctrl+C ends it."""
    # pydantic and the server's other imports take 0.3 s, and no other command needs them.
    from workbench.operations.mcp.mcp_server import refuse_stdio, serve_http, serve_stdio

    token, shown = _access(options)
    try:
        async with open_given_library(options) as library:
            chosen = await chosen_filter(library, options)
            # Standard output belongs to the protocol: messages for people go to stderr.
            if options.http is None:
                await serve_stdio(library, chosen)
            else:
                await serve_http(
                    library, chosen, options.http, lambda address: _print_address(address, shown, output), token=token
                )
    except LibraryMissing as error:
        if options.http is None and not sys.stdin.isatty():
            output.note(str(error))
            await refuse_stdio(str(error))
        raise
    except LibraryLocked as error:
        locked = LibraryLocked(error.message, _LOCKED)
        if options.http is None and not sys.stdin.isatty():
            output.note(str(locked))
            await refuse_stdio(str(locked))
        raise locked from error
    return 0


def _access(options: Options) -> tuple[str | None, str]:
    """Return the token that clients must send (None: no token), and the text that represents it in the output.

    Raises:
        SettingError: An option does not fit the transport, or the variable contains no token.
    """
    from workbench.operations.mcp.mcp_access import new_token, token_in

    if options.http is None:
        if options.no_token or options.token_env:
            raise SettingError(
                "A token is only used over HTTP: on standard input and output, only the parent program is a client.",
                "Add --http PORT, or leave the option out.",
            )
        return None, ""
    if options.no_token:
        return None, ""
    if options.token_env:
        return token_in(options.token_env), f"${{{options.token_env}}}"
    token = new_token()
    return token, token


def _print_address(address: str, told: str, output: Output) -> None:
    """Print the address of the server and, only here, its token, in the form in which most programs are configured."""
    output.note(f"Serving at {address}")
    if not told:
        output.note(_NO_TOKEN)
        return
    server = {"type": "http", "url": address, "headers": {"Authorization": f"Bearer {told}"}}
    output.note(_OFFERED)
    output.note(json.dumps({"mcpServers": {"documents": server}}))


SILENT = JobContext()


async def mcp_servers(options: Options, output: Output) -> int:
    """Add, list, allow, forbid, check or remove MCP servers."""
    async with open_given_library(options) as library:
        if options.action == "add":
            server = ToolServer(
                options.name, tuple(options.typed), options.url, tuple(options.variables), options.token_env
            )
            put = PutToolServer(server.name, server.command, server.url, server.variables, server.token_env)
            await make_change(library, put)
            if options.allow:
                # Consents belong to the user of this process and are never forwarded to the window.
                await allow_tool_server(library, server.name, sha256=server.sha256)(SILENT)
            if server.is_program:
                output.note(RUNS_OUTSIDE)
            if not options.allow:
                output.note(f"{not_allowed(server)} Allow it with: workbench mcp-servers allow {server.name}")
        elif options.action == "allow":
            server = await allow_tool_server(library, options.name)(SILENT)
            output.note(f"Allowed: {server.reached_by}")
            if server.is_program:
                output.note(RUNS_OUTSIDE)
        elif options.action == "token":
            kept = await put_tool_server_token(library, options.name, _read_secret("Token: "))(SILENT)
            _report_stored(kept, f"workbench mcp-servers add {options.name} --url … --token-env NAME", output)
        elif options.action == "forbid":
            await make_change(library, ForbidToolServer(options.name))
        elif options.action == "check":
            for name in await check_tool_server(library, options.name)(SILENT):
                output.record({"tool": f"{options.name}.{name}"}, f"{options.name}.{name}")
            return 0
        elif options.action == "remove":
            await make_change(library, RemoveToolServer(options.name))
        for state in await list_tool_servers(library)(SILENT):
            _show(state.server, state.is_allowed, output)
    return 0


async def tools(options: Options, output: Output) -> int:
    """List the tools that agents may name; with --web-search-key, store the key of the web search."""
    async with open_given_library(options) as library:
        if options.web_search_key:
            kept = await put_web_search_key(library, _read_secret("Key: "))(SILENT)
            _report_stored(kept, "workbench settings web_search_key_env NAME", output)
        offered = await list_tools(library)(SILENT)
    for offer in offered:
        record = {
            "name": offer.name,
            "title": offer.title,
            "help": offer.help,
            "needs_network": offer.needs_network,
            "has_side_effects": offer.has_side_effects,
            "on": offer.is_on,
        }
        output.record(record, f"{offer.name:<22} {offer.help}{'' if offer.is_on else ' (off)'}")
    return 0


def _read_secret(prompt: str) -> str:
    return (getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()).strip()


def _report_stored(is_kept: bool, other_way: str, output: Output) -> None:
    """Print that a key is stored.

    Raises:
        SettingError: It is not: the process ends now, and a key held in its memory would be lost.
    """
    if not is_kept:
        raise SettingError(
            "This system has no keyring in which a key could be stored safely.",
            f"Store it in an environment variable and specify its name: {other_way}",
        )
    output.note("The key is stored in the system keyring.")


def _show(server: ToolServer, is_allowed: bool, output: Output) -> None:
    record = {
        "name": server.name,
        "command": list(server.command),
        "url": server.url,
        "variables": list(server.variables),
        "token_env": server.token_env,
        "allowed": is_allowed,
    }
    output.record(record, f"{server.name:<20} {'allowed' if is_allowed else 'not allowed':<12} {server.reached_by}")
