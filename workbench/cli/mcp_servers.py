"""MCP servers whose tools agents may use, and the tools that there are."""

import argparse
import sys
from getpass import getpass

from workbench.cli.changing import changed
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.errors import SettingError
from workbench.model.tool_server import RUNS_OUTSIDE, ToolServer
from workbench.operations.library_changes import ForbidToolServer, PutToolServer, RemoveToolServer
from workbench.operations.tool_servers import (
    allow_tool_server,
    check_tool_server,
    list_tool_servers,
    not_allowed,
    put_tool_server_token,
)
from workbench.operations.tool_web import put_web_search_key
from workbench.operations.tools import list_tools
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()


async def mcp_servers(options: Options, output: Output) -> int:
    """Add, list, allow, forbid, check or remove MCP servers."""
    async with opened(options) as library:
        if options.action == "add":
            server = ToolServer(
                options.name, tuple(options.typed), options.url, tuple(options.variables), options.token_env
            )
            put = PutToolServer(server.name, server.command, server.url, server.variables, server.token_env)
            await changed(library, put)
            if options.allow:
                # Consents are the user's own, and travel to no other program.
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
            kept = await put_tool_server_token(library, options.name, _typed_secret("Token: "))(SILENT)
            _say_kept(kept, f"workbench mcp-servers add {options.name} --url … --token-env NAME", output)
        elif options.action == "forbid":
            await changed(library, ForbidToolServer(options.name))
        elif options.action == "check":
            for name in await check_tool_server(library, options.name)(SILENT):
                output.record({"tool": f"{options.name}.{name}"}, f"{options.name}.{name}")
            return 0
        elif options.action == "remove":
            await changed(library, RemoveToolServer(options.name))
        for state in await list_tool_servers(library)(SILENT):
            _show(state.server, state.is_allowed, output)
    return 0


async def tools(options: Options, output: Output) -> int:
    """List the tools that agents may name; keep the key of the web search."""
    async with opened(options) as library:
        if options.web_search_key:
            kept = await put_web_search_key(library, _typed_secret("Key: "))(SILENT)
            _say_kept(kept, "workbench settings web_search_key_env NAME", output)
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


def _typed_secret(prompt: str) -> str:
    return (getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()).strip()


def _say_kept(is_kept: bool, other_way: str, output: Output) -> None:
    """Say that a key is kept.

    Raises:
        SettingError: It is not: a command ends at once, and with it what is kept until then.
    """
    if not is_kept:
        raise SettingError(
            "This system has no keyring in which a key could be stored safely.",
            f"Put it into an environment variable, and name that: {other_way}",
        )
    output.note("The key is kept in the system's keyring.")


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
