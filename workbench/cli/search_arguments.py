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
    "only what this holds for: “format:pdf year>=2020 tag:tax -draft (a OR b)”, also by your own metadata: “dept:hr”;"
    " or the same as JSON; may be repeated"
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
    parser = command("read-all", "Ask a question of every passage that passes a filter: a table of all documents.")
    parser.add_argument("question", nargs="?", type=printable, metavar="QUESTION", help="asked of every passage")
    scope = parser.add_argument_group("what is read, and by whom")
    scope.add_argument("--kb", type=printable, metavar="NAME", help="this knowledge base only")
    add_filter_option(parser)
    scope.add_argument(
        "--profile", type=printable, metavar="NAME", help="model profile that reads; “offline” needs none"
    )
    scope.add_argument("--name", type=printable, default="", metavar="NAME", help="what the reading is called")
    scope.add_argument(
        "--price", type=float, nargs=2, metavar=("IN", "OUT"), help="what a million tokens read and written cost"
    )
    parser.add_argument("--yes", action="store_true", help="begin without asking")
    after = parser.add_argument_group("when it is done")
    after.add_argument("--export", type=Path, metavar="FILE", help="write the table to FILE.csv or FILE.md")
    mode = parser.add_argument_group("instead of beginning").add_mutually_exclusive_group()
    mode.add_argument("--estimate", action="store_true", help="only tell what it would take")
    mode.add_argument("--list", action="store_true", help="list the readings there are")
    for option, help in (
        ("--continue", "read what is left of a reading, and what changed since"),
        ("--show", "show a reading"),
        ("--delete", "delete a reading"),
    ):
        mode.add_argument(option, type=int, metavar="ID", dest=option.strip("-") + "_id", help=help)
    parser.add_argument(
        "--unreadable", action="store_true", help="with --continue: read what was unreadable once more, too"
    )


def add_explain_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command explain."""
    explain = command("explain", "Tell why a passage of a document was found for a question, or was not.")
    explain.add_argument("question", type=printable, metavar="QUESTION")
    explain.add_argument("document", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
    scope = explain.add_mutually_exclusive_group()
    scope.add_argument("--page", type=int, metavar="N", help="the passages of this page; without one, of all of it")
    scope.add_argument("--chunk", type=int, metavar="N", help="this chunk, as “show” numbers them")
    scope.add_argument("--quote", type=printable, default="", metavar="TEXT", help="where these words stand")
    explain.add_argument("-k", type=int, default=10, metavar="N", help="how many passages the search gives (10)")
    explain.add_argument("--mode", type=SearchMode, choices=list(SearchMode))
    explain.add_argument("--kb", type=printable, metavar="NAME")
    add_filter_option(explain)


def add_eval_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command eval."""
    evaluate = command("eval", "Measure how well searches find what golden questions ask for; without options, marks.")
    input = evaluate.add_argument_group("which questions")
    input.add_argument("--from", dest="file", type=Path, metavar="FILE.jsonl", help="read golden questions first")
    input.add_argument("--set", type=printable, default="", metavar="NAME", help="of this set; what is read goes there")
    search = evaluate.add_argument_group("how is searched")
    search.add_argument("--configuration", type=printable, metavar="A", help=f"{WRITTEN}; or a kept name; else as set")
    search.add_argument("--against", type=printable, metavar="B", help="compare with this one, question by question")
    search.add_argument("-k", "--k", type=int, default=10, metavar="N", help="look at the first N passages (10)")
    after = evaluate.add_argument_group("and then")
    after.add_argument("--keep", type=printable, metavar="NAME", help="keep configuration A under this name")
    after.add_argument("--promote", action="store_true", help="search with A from now on: --kb, or everything")
    after.add_argument("--kb", type=printable, metavar="NAME", help="the knowledge base that is promoted to, or reset")
    mode = evaluate.add_argument_group("instead of measuring").add_mutually_exclusive_group()
    mode.add_argument("--history", action="store_true", help="list the sets, and the runs that are kept")
    mode.add_argument("--again", action="store_true", help="measure again what is out of date, as it was measured")
    mode.add_argument("--export", type=Path, metavar="FILE", help="write the golden questions as JSON lines")
    mode.add_argument("--reset", action="store_true", help="search as by default again: --kb, or everything")


AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]


def add_mcp_commands(command: AddCommand, common: Options) -> None:
    """Add the commands mcp, mcp-servers and tools; common returns the options that every command has."""
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
