"""Argument parser: one sub-parser per command; common options may come before or after the command."""

import argparse
from collections.abc import Callable
from pathlib import Path

import workbench
from workbench.cli.agents import add_agent_commands
from workbench.cli.document_arguments import (
    add_catalogue_commands,
    add_chunk_commands,
    add_linking_commands,
    add_metadata_command,
    add_metadata_option,
    add_reading_options,
    add_soundness_commands,
    add_source_commands,
    add_steering_commands,
    add_unlock_command,
    add_what_options,
)
from workbench.cli.exporting import add_export_commands
from workbench.cli.library_folder import default_library, default_user
from workbench.cli.mapping import add_map_command
from workbench.cli.memory import add_memory_command
from workbench.cli.network import add_network_command
from workbench.cli.output import printable
from workbench.cli.plugins import add_plugin_command
from workbench.cli.runs import add_run_commands
from workbench.cli.search_arguments import (
    add_eval_command,
    add_exhaustive_command,
    add_explain_command,
    add_filter_option,
    add_mcp_commands,
)
from workbench.model.hit import SearchMode
from workbench.model.profile import ToolCalling, WireApi

AddCommand = Callable[[str, str], argparse.ArgumentParser]
"""Function that adds a sub-parser with a name and a help text."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="workbench", description="Ask your documents, and check every claim of the answer.", parents=[_common()]
    )
    parser.add_argument("--version", action="version", version=f"workbench {workbench.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    # After add_subparsers, whose own default (None) would override “gui”.
    parser.set_defaults(
        library=default_library(), user=default_user(), json=False, verbose=False, command="gui", files=[]
    )

    def command(name: str, help: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=help, parents=[_common()])

    _add_document_commands(command)
    add_source_commands(command)
    _add_question_commands(command)
    add_export_commands(command)
    add_explain_command(command)
    add_map_command(command)
    add_exhaustive_command(command)
    add_eval_command(command)
    add_catalogue_commands(command, _common)
    add_metadata_command(command, _common)
    add_chunk_commands(command, _common)
    add_soundness_commands(command, _common)
    add_linking_commands(command)
    add_steering_commands(command, _common)
    add_mcp_commands(command, _common)
    add_plugin_command(command, _common)
    add_agent_commands(command, _common)
    add_run_commands(command, _common)
    add_memory_command(command, _common)
    add_network_command(command, _common)
    _add_profile_commands(command("profiles", "Add, list, try or remove model profiles."))
    _add_settings_options(command("settings", "List the settings, or change one."))
    doctor = command("doctor", "Show what this machine and library look like.")
    doctor.add_argument("--report", type=Path, metavar="FILE", help="write a report to attach to an issue, as Markdown")
    gui = command("gui", "Open the window (the default), and add files and links in it.")
    gui.add_argument("files", nargs="*", metavar="FILE", help="files, folders and links to add")
    tour = command("tour", "Try everything on the sample documents, in a temporary library.")
    tour.add_argument("--out", type=Path, default=Path("tour-output"), help="folder for the exports and the picture")
    return parser


def _common() -> argparse.ArgumentParser:
    # SUPPRESS: a default of the sub-parser would overwrite an option given before the command. A new parser each time:
    # argparse shares the options of a parent, and with them the defaults that set_defaults writes into them.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--library", type=Path, metavar="DIR", help="the library's folder")
    common.add_argument(
        "--user",
        type=printable,
        metavar="NAME",
        help="who asks ($WORKBENCH_USER, else nobody by name): sessions, memories, readings, golden questions and"
        " evaluations of other users are not seen; it separates, it does not protect, for"
        " whoever has the library's folder can read all of it",
    )
    common.add_argument("--json", action="store_true", help="print one JSON object a line")
    common.add_argument("--verbose", action="store_true", help="log more, on stderr")
    return common


def _add_document_commands(command: AddCommand) -> None:
    add = command("add", "Add files, folders, links and topics.")
    add_what_options(add)
    add.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    add_reading_options(add)
    for option, help in (("--include", "only such files, for example *.pdf"), ("--exclude", "no such files")):
        add.add_argument(option, type=printable, action="append", default=[], metavar="GLOB", help=help)
    followed = "follow links to files that are in folders, too; without, as the setting follow_links has it"
    add_metadata_option(add)
    add.add_argument("--follow-links", action=argparse.BooleanOptionalAction, help=followed)
    listing = command("list", "List the documents.")
    listing.add_argument("--kb", type=printable, metavar="NAME", help="of this knowledge base only")
    show = command("show", "Show a document's chunks.")
    show.add_argument("document", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
    remove = command("remove", "Remove documents: “bin” brings them back.")
    remove.add_argument("documents", nargs="+", metavar="DOCUMENT")
    remove.add_argument("--for-good", action="store_true", help="delete them at once, past the bin")
    reindex = command("reindex", "Read documents anew, as settings changed since then ask for.")
    reindex.add_argument("documents", nargs="*", metavar="DOCUMENT", help="only these; all if none")
    add_unlock_command(command)
    sessions = command("sessions", "List the sessions, or find those in which something was said.")
    sessions.add_argument("words", nargs="*", metavar="WORD", help="only where all of these were said")
    sessions.add_argument("--archived", action="store_true", help="the archived ones, in place of those in use")


def _add_question_commands(command: AddCommand) -> None:
    search = command("search", "Search the library.")
    _add_question(search)
    search.add_argument("-k", type=int, default=10, metavar="N", help="how many passages (10)")
    search.add_argument("--mode", type=SearchMode, choices=list(SearchMode))
    search.add_argument("--kb", type=printable, metavar="NAME")
    add_filter_option(search)
    widened = search.add_mutually_exclusive_group()
    widened.add_argument("--context", type=int, default=0, metavar="N", help="show N neighbours on each side, too")
    widened.add_argument("--section", action="store_true", help="show the whole section of each passage")
    search.add_argument("--no-rerank", action="store_true", help="leave the passages in the order of the search")
    ask = command("ask", "Ask a question and get an answer with citations.")
    _add_question(ask)
    ask.add_argument("--session", type=int, metavar="ID", help="go on with this session")
    ask.add_argument("--after", type=int, metavar="RUN", help="go on from this answer of it, not from those beside it")
    ask.add_argument("--agent", type=printable, metavar="NAME", help="agent that is asked")
    ask.add_argument("--profile", type=printable, metavar="NAME", help="model profile that answers")
    ask.add_argument("--kb", type=printable, metavar="NAME")
    add_filter_option(ask)
    planned = "make a plan first, and carry out its steps; without, as the agent and the settings have it"
    ask.add_argument("--plan", action=argparse.BooleanOptionalAction, help=planned)
    ask.add_argument("--show-prompt", action="store_true", help="show what the model is told, too")
    ask.add_argument("--check", action="store_true", help="show which sentences their sources bear out, too")
    ask.add_argument("--stream", action="store_true", help="print every event as it happens")


def _add_question(parser: argparse.ArgumentParser) -> None:
    question = parser.add_mutually_exclusive_group(required=True)
    question.add_argument("question", type=printable, nargs="?", metavar="QUESTION")
    question.add_argument("--from", dest="questions", type=Path, metavar="FILE.jsonl", help='lines with "question"')


def _add_profile_commands(profiles: argparse.ArgumentParser) -> None:
    actions = profiles.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="Add or replace a profile.", parents=[_common()])
    add.add_argument("name", type=printable, metavar="NAME")
    add.add_argument("--base-url", type=printable, required=True, help="address of the server, mostly ending in /v1")
    add.add_argument("--model", type=printable, required=True)
    add.add_argument("--api", type=WireApi, choices=list(WireApi), default=WireApi.AUTO)
    add.add_argument(
        "--key-env", type=printable, default="", metavar="VAR", help="environment variable that holds the key"
    )
    add.add_argument(
        "--tools",
        type=ToolCalling,
        choices=list(ToolCalling),
        default=ToolCalling.AUTO,
        help="how the model calls tools: its own way, or in its text",
    )
    actions.add_parser("list", help="List the profiles.", parents=[_common()])
    remove = actions.add_parser("remove", help="Remove a profile.", parents=[_common()])
    remove.add_argument("name", type=printable, metavar="NAME")
    check = actions.add_parser("check", help="Try what a profile's server and model can do.", parents=[_common()])
    check.add_argument("name", type=printable, metavar="NAME")
    actions.add_parser("find", help="Look which of the usual servers run on this machine.", parents=[_common()])


def _add_settings_options(settings: argparse.ArgumentParser) -> None:
    settings.add_argument("key", nargs="?", type=printable, metavar="KEY", help="only this one")
    settings.add_argument("value", nargs="?", type=printable, metavar="VALUE", help="what it is to be from now on")
    settings.add_argument("--reset", action="store_true", help="give KEY its default back")
