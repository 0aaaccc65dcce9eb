"""What may be typed for the commands of mcp.py and mcp_servers.py."""

import argparse
import shlex
from collections.abc import Callable

from workbench.cli.filters import add_filter_option
from workbench.cli.output import printable

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]


def add_mcp_commands(command: AddCommand, common: Options) -> None:
    """Add mcp, mcp-servers and tools; common gives the options that every command has."""
    mcp = command("mcp", "Serve the library to other programs as an MCP server, over standard input and output.")
    mcp.add_argument("--kb", type=printable, metavar="NAME", help="only this knowledge base")
    add_filter_option(mcp)
    mcp.add_argument(
        "--http", type=int, metavar="PORT", help="over HTTP on this port of this machine instead; 0 takes a free one"
    )
    access = mcp.add_mutually_exclusive_group()
    access.add_argument(
        "--token-env",
        type=printable,
        metavar="VAR",
        help="with --http: the token that programs send stands in this environment variable; without it one is made",
    )
    access.add_argument(
        "--no-token", action="store_true", help="with --http: let every program of this machine ask, without a token"
    )
    _add_servers(command("mcp-servers", "MCP servers whose tools agents may use."), common)
    tools = command("tools", "List the tools that agents may use.")
    tools.add_argument(
        "--web-search-key", action="store_true", help="read the web search's key from standard input, and keep it"
    )


def _add_servers(parser: argparse.ArgumentParser, common: Options) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the servers, and whether each is allowed.")
    add = action("add", "Add or replace a server: a program of this machine, or an address.")
    add.add_argument("name", type=printable, metavar="NAME", help="its tools are called NAME.tool")
    way = add.add_mutually_exclusive_group(required=True)
    way.add_argument(
        "--command", dest="typed", type=shlex.split, default=[], help="the program and its arguments, as one text"
    )
    way.add_argument("--url", type=printable, default="", help="its address (Streamable HTTP)")
    add.add_argument(
        "--env", dest="variables", action="append", default=[], metavar="VAR", help="hand it this variable, too"
    )
    add.add_argument(
        "--token-env",
        type=printable,
        default="",
        metavar="VAR",
        help="send the address the value of this variable as its token; for a token in the keyring see “token”",
    )
    add.add_argument("--allow", action="store_true", help="I trust it: it may do on this machine whatever I can")
    for name, help in (
        ("allow", "Let a server be started or asked as it is set up now."),
        ("forbid", "Take that back; it stays set up."),
        ("token", "Read the token that an address is sent from standard input, and keep it; an empty one removes it."),
        ("check", "Start or reach a server and list its tools."),
        ("remove", "Remove a server."),
    ):
        action(name, help).add_argument("name", type=printable, metavar="NAME")
