"""Arguments of the commands that search: filters, read-all, explain, eval and MCP."""

import argparse
import re
import shlex
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.output import printable
from workbench.model.filter import FILTER_KEYS, ChunkFilter, Condition, Operator, canonical_key
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import WRITTEN
from workbench.retrieval.filters.json_forms import filter_of_json
from workbench.retrieval.filters.text_syntax import filter_of_text

if TYPE_CHECKING:  # “--help” does not need the import
    from workbench.operations import Library


HELP = (
    "search only documents that match, for example “format:pdf year>=2020 tag:tax -draft (a OR b)”; custom metadata:"
    " “dept:hr”; JSON is also accepted; can be repeated (all filters must match)"
)
# The shell has already removed the quotation marks: a single KEY=VALUE takes a value of several words unchanged.
_PAIR = re.compile(r"(?P<key>[^\W\d]\w*)=(?P<value>[^\"“”()*,]+)")
_MORE = re.compile(r"\s(?:OR\b|-|[^\W\d]\w*\s*[:=<>!])")


def add_filter_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --filter to a command."""
    parser.add_argument("--filter", action="append", default=[], metavar="FILTER", help=HELP)


async def chosen_filter(library: "Library", options: argparse.Namespace) -> ChunkFilter:
    """Return the filter of the options, which may use the user's metadata keys of a library; see filter_of_options."""
    return filter_of_options(options, await library.on_store(library.documents.custom_keys) if options.filter else ())


def filter_of_options(options: argparse.Namespace, custom: Collection[str] = ()) -> ChunkFilter:
    """Return the filter of the options; several filters must all match.

    Args:
        options: The parsed arguments.
        custom: The keys of the user's metadata in the library.

    Raises:
        RetrievalError: One of the filters is invalid.
    """
    chosen = ChunkFilter(options.kb)
    for text in options.filter:
        chosen = chosen.restricted(*_filter(text, custom).where)
    return chosen


def _filter(text: str, custom: Collection[str]) -> ChunkFilter:
    if text.lstrip()[:1] in ("{", "["):
        return filter_of_json(text)
    pair = _PAIR.fullmatch(text)
    is_key = pair is not None and canonical_key(pair["key"]) in {*FILTER_KEYS, *custom}
    if pair is not None and is_key and not _MORE.search(pair["value"]):
        return ChunkFilter(where=(Condition(pair["key"], Operator.EQ, (pair["value"],)),))
    return filter_of_text(text, custom=custom)


def add_exhaustive_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command read-all."""
    parser = command(
        "read-all", "Ask a question about every passage that matches a filter; show a table of all documents."
    )
    parser.add_argument(
        "question", nargs="?", type=printable, metavar="QUESTION", help="question to ask about every passage"
    )
    scope = parser.add_argument_group("scope and model")
    scope.add_argument("--kb", type=printable, metavar="NAME", help="read only this knowledge base")
    add_filter_option(parser)
    scope.add_argument(
        "--profile", type=printable, metavar="NAME", help="model profile to use; “offline” needs no model"
    )
    scope.add_argument("--name", type=printable, default="", metavar="NAME", help="name of the reading")
    scope.add_argument(
        "--price", type=float, nargs=2, metavar=("IN", "OUT"), help="price of a million input and output tokens"
    )
    parser.add_argument("--yes", action="store_true", help="start without confirmation")
    after = parser.add_argument_group("output")
    after.add_argument("--export", type=Path, metavar="FILE", help="write the table to FILE.csv or FILE.md")
    mode = parser.add_argument_group("instead of a new reading").add_mutually_exclusive_group()
    mode.add_argument("--estimate", action="store_true", help="only show the estimated time and cost")
    mode.add_argument("--list", action="store_true", help="list the readings")
    for option, help in (
        ("--continue", "continue a reading with passages that are unread or changed since"),
        ("--show", "show a reading"),
        ("--delete", "delete a reading"),
    ):
        mode.add_argument(option, type=int, metavar="ID", dest=option.strip("-") + "_id", help=help)
    parser.add_argument("--unreadable", action="store_true", help="with --continue: also retry unreadable passages")


def add_explain_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command explain."""
    explain = command("explain", "Explain why a search finds or does not find a passage of a document.")
    explain.add_argument("question", type=printable, metavar="QUESTION")
    explain.add_argument("document", metavar="DOCUMENT", help="id, path, name, or first characters of the hash")
    scope = explain.add_mutually_exclusive_group()
    scope.add_argument("--page", type=int, metavar="N", help="passages of this page (default: of the whole document)")
    scope.add_argument("--chunk", type=int, metavar="N", help="chunk with this number (see “show”)")
    scope.add_argument("--quote", type=printable, default="", metavar="TEXT", help="passages that contain these words")
    explain.add_argument(
        "-k", type=int, default=10, metavar="N", help="number of passages that the search returns (default: 10)"
    )
    explain.add_argument("--mode", type=SearchMode, choices=list(SearchMode), help="search mode")
    explain.add_argument("--kb", type=printable, metavar="NAME", help="search only this knowledge base")
    add_filter_option(explain)


def add_eval_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command eval."""
    evaluate = command("eval", "Measure search quality with golden questions (default set: the marks made in answers).")
    input = evaluate.add_argument_group("questions")
    input.add_argument("--from", dest="file", type=Path, metavar="FILE.jsonl", help="import golden questions first")
    input.add_argument(
        "--set", type=printable, default="", metavar="NAME", help="use this set; imported questions are added to it"
    )
    search = evaluate.add_argument_group("search configuration")
    search.add_argument(
        "--configuration",
        type=printable,
        metavar="A",
        help=f"{WRITTEN}; or the name of a saved one (default: the current one)",
    )
    search.add_argument(
        "--against", type=printable, metavar="B", help="compare with this configuration, question by question"
    )
    search.add_argument(
        "-k", "--k", type=int, default=10, metavar="N", help="evaluate the first N passages (default: 10)"
    )
    after = evaluate.add_argument_group("after measuring")
    after.add_argument("--keep", type=printable, metavar="NAME", help="save configuration A under this name")
    after.add_argument(
        "--promote", action="store_true", help="make A the search configuration of --kb, or of all knowledge bases"
    )
    after.add_argument("--kb", type=printable, metavar="NAME", help="knowledge base for --promote and --reset")
    mode = evaluate.add_argument_group("instead of measuring").add_mutually_exclusive_group()
    mode.add_argument("--history", action="store_true", help="list the sets and the stored runs")
    mode.add_argument("--again", action="store_true", help="repeat outdated measurements with their configurations")
    mode.add_argument("--export", type=Path, metavar="FILE", help="write the golden questions to a JSON Lines file")
    mode.add_argument(
        "--reset",
        action="store_true",
        help="restore the default search configuration of --kb, or of all knowledge bases",
    )


AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]


def add_mcp_commands(command: AddCommand, common: Options) -> None:
    """Add the commands mcp, mcp-servers and tools; common returns the options that every command has."""
    mcp = command("mcp", "Run an MCP server for the library on standard input and output.")
    mcp.add_argument("--kb", type=printable, metavar="NAME", help="serve only this knowledge base")
    add_filter_option(mcp)
    mcp.add_argument(
        "--http",
        type=int,
        metavar="PORT",
        help="serve over HTTP on this port of this computer instead; 0 selects a free port",
    )
    access = mcp.add_mutually_exclusive_group()
    access.add_argument(
        "--token-env",
        type=printable,
        metavar="VAR",
        help="with --http: environment variable that contains the access token (default: generate a token)",
    )
    access.add_argument(
        "--no-token", action="store_true", help="with --http: allow all programs on this computer without a token"
    )
    _add_servers(command("mcp-servers", "Manage the MCP servers whose tools agents can use."), common)
    tools = command("tools", "List the tools that agents can use.")
    tools.add_argument(
        "--web-search-key", action="store_true", help="read the API key for web search from standard input and store it"
    )


def _add_servers(parser: argparse.ArgumentParser, common: Options) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the servers and whether each is allowed.")
    add = action("add", "Add or replace a server: a program on this computer, or a URL.")
    add.add_argument("name", type=printable, metavar="NAME", help="name of the server; its tools are named NAME.tool")
    way = add.add_mutually_exclusive_group(required=True)
    way.add_argument(
        "--command", dest="typed", type=shlex.split, default=[], help="program and arguments, as one string"
    )
    way.add_argument("--url", type=printable, default="", help="URL of the server (Streamable HTTP)")
    add.add_argument(
        "--env",
        dest="variables",
        action="append",
        default=[],
        metavar="VAR",
        help="also pass this environment variable to the server",
    )
    add.add_argument(
        "--token-env",
        type=printable,
        default="",
        metavar="VAR",
        help="environment variable that contains the token for the URL; “token” stores one in the keyring instead",
    )
    add.add_argument(
        "--allow", action="store_true", help="trust the server: it can do anything on this computer that you can"
    )
    for name, help in (
        ("allow", "Allow a server with its current configuration."),
        ("forbid", "Revoke the permission; the server stays configured."),
        ("token", "Store the token of a URL, read from standard input; an empty one deletes it."),
        ("check", "Connect to a server and list its tools."),
        ("remove", "Remove a server."),
    ):
        action(name, help).add_argument("name", type=printable, metavar="NAME")
