"""Argument parser: one sub-parser per command; common options may come before or after the command."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import workbench
from workbench.cli.agent_commands import add_agent_commands, add_memory_command
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
from workbench.cli.library_folder import default_library, default_user
from workbench.cli.mapping import add_map_command
from workbench.cli.network import add_network_command
from workbench.cli.output import printable
from workbench.cli.plugins import add_plugin_command
from workbench.cli.run_commands import add_export_commands, add_run_commands
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
    with _without_gettext():
        return _build_parser()


@contextmanager
def _without_gettext() -> Iterator[None]:
    """Take argparse's own words as they are: Python has no translations of them, and looks for some on the disk.

    For 122 parsers with their groups that takes 23 of 37 ms.
    """
    translate = argparse._  # type: ignore[attr-defined]
    argparse._ = str  # type: ignore[attr-defined]
    try:
        yield
    finally:
        argparse._ = translate  # type: ignore[attr-defined]


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="workbench",
        description="Ask questions about your documents and check every claim in the answers.",
        parents=[_make_common()],
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
    _add_profile_commands(command("profiles", "Add, list, check or remove model profiles."))
    _add_settings_options(command("settings", "List the settings or change one."))
    version = command("version", "Show the version, what is new in it and, if a release feed is set, a newer one.")
    version.add_argument("--changes", action="store_true", help="print the changes of this version")
    version.add_argument(
        "--check", action="store_true", help="ask the release feed (setting update_feed), at most once a day"
    )
    doctor = command("doctor", "Show the state of this computer and of the library.")
    doctor.add_argument(
        "--report", type=Path, metavar="FILE", help="write a Markdown report that can be attached to an issue"
    )
    gui = command("gui", "Open the window and add the given files and links (default command).")
    gui.add_argument("files", nargs="*", metavar="FILE", help="file, folder or link to add")
    tour = command("tour", "Demonstrate the main features on sample documents in a temporary library.")
    tour.add_argument("--out", type=Path, default=Path("tour-output"), help="folder for the exports and the screenshot")
    return parser


@cache
def _common() -> argparse.ArgumentParser:
    # One for all sub-parsers: with one each, half of the time to build the parser was spent on 121 equal ones.
    return _make_common()


def _make_common() -> argparse.ArgumentParser:
    # SUPPRESS: a default of the sub-parser would overwrite an option given before the command. The main parser needs
    # one of its own: argparse shares a parent's options, and with them the defaults that set_defaults writes there.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument(
        "--library",
        type=Path,
        metavar="DIR",
        help="library folder (default: $WORKBENCH_LIBRARY, otherwise a folder in the user's data directory)",
    )
    common.add_argument(
        "--user",
        type=printable,
        metavar="NAME",
        help="user whose sessions, memories, readings, golden questions and evaluations are shown (default:"
        " $WORKBENCH_USER, otherwise the unnamed user). This separates users but does not protect their data: anyone"
        " who can read the library folder can read all of it.",
    )
    common.add_argument("--json", action="store_true", help="print results as JSON, one object per line")
    common.add_argument("--verbose", action="store_true", help="log more to stderr")
    return common


def _add_document_commands(command: AddCommand) -> None:
    add = command("add", "Add files, folders, web pages and topics.")
    add_what_options(add)
    add.add_argument(
        "--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to (default: default)"
    )
    add_reading_options(add)
    for option, help in (
        ("--include", "add only files that match, for example *.pdf"),
        ("--exclude", "skip files that match"),
    ):
        add.add_argument(option, type=printable, action="append", default=[], metavar="GLOB", help=help)
    followed = "follow symbolic links to files in folders (default: the setting follow_links)"
    add_metadata_option(add)
    add.add_argument("--follow-links", action=argparse.BooleanOptionalAction, help=followed)
    listing = command("list", "List the documents.")
    listing.add_argument("--kb", type=printable, metavar="NAME", help="only documents of this knowledge base")
    show = command("show", "Show the chunks of a document.")
    show.add_argument("document", metavar="DOCUMENT", help="id, path, name, or first characters of the hash")
    remove = command("remove", "Move documents to the bin; “bin --restore” restores them.")
    remove.add_argument(
        "documents", nargs="+", metavar="DOCUMENT", help="id, path, name, or first characters of the hash"
    )
    remove.add_argument(
        "--for-good", action="store_true", help="delete them permanently instead of moving them to the bin"
    )
    reindex = command("reindex", "Process documents again with the current settings.")
    reindex.add_argument("documents", nargs="*", metavar="DOCUMENT", help="only these documents (default: all)")
    reindex.add_argument(
        "--more-time", action="store_true", help="extend the time limit per file, for documents that it ended"
    )
    add_unlock_command(command)
    sessions = command("sessions", "List the sessions or search their text.")
    sessions.add_argument("words", nargs="*", metavar="WORD", help="only sessions that contain all of these words")
    sessions.add_argument("--archived", action="store_true", help="list archived sessions instead of active ones")


def _add_question_commands(command: AddCommand) -> None:
    search = command("search", "Search the library.")
    _add_question(search)
    search.add_argument("-k", type=int, default=10, metavar="N", help="number of passages (default: 10)")
    search.add_argument("--mode", type=SearchMode, choices=list(SearchMode), help="search mode")
    search.add_argument("--kb", type=printable, metavar="NAME", help="search only this knowledge base")
    add_filter_option(search)
    widened = search.add_mutually_exclusive_group()
    widened.add_argument(
        "--context", type=int, default=0, metavar="N", help="also show N neighboring chunks on each side"
    )
    widened.add_argument("--section", action="store_true", help="also show the whole section of each passage")
    search.add_argument("--no-rerank", action="store_true", help="do not rerank the passages")
    ask = command("ask", "Ask a question and get an answer with citations.")
    _add_question(ask)
    ask.add_argument("--session", type=int, metavar="ID", help="continue this session")
    ask.add_argument(
        "--after", type=int, metavar="RUN", help="continue from this answer of the session and ignore its alternatives"
    )
    ask.add_argument(
        "--agent", type=printable, metavar="NAME", help="agent that answers (default: the agent in the settings)"
    )
    ask.add_argument("--profile", type=printable, metavar="NAME", help="model profile to use")
    ask.add_argument("--kb", type=printable, metavar="NAME", help="search only this knowledge base")
    add_filter_option(ask)
    planned = "make a plan and execute its steps (default: as configured in the agent and the settings)"
    ask.add_argument("--plan", action=argparse.BooleanOptionalAction, help=planned)
    ask.add_argument("--show-prompt", action="store_true", help="also show the prompt")
    ask.add_argument("--check", action="store_true", help="also show which sentences are supported by their sources")
    ask.add_argument("--stream", action="store_true", help="print every event when it occurs")


def _add_question(parser: argparse.ArgumentParser) -> None:
    question = parser.add_mutually_exclusive_group(required=True)
    question.add_argument("question", type=printable, nargs="?", metavar="QUESTION", help="question")
    question.add_argument(
        "--from",
        dest="questions",
        type=Path,
        metavar="FILE.jsonl",
        help="JSON Lines file; each object has the field “question”",
    )


def _add_profile_commands(profiles: argparse.ArgumentParser) -> None:
    actions = profiles.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="Add or replace a profile.", parents=[_common()])
    add.add_argument("name", type=printable, metavar="NAME")
    add.add_argument("--base-url", type=printable, required=True, help="base URL of the server; usually ends in /v1")
    add.add_argument("--model", type=printable, required=True, help="name of the model on the server")
    add.add_argument("--api", type=WireApi, choices=list(WireApi), default=WireApi.AUTO, help="API of the server")
    add.add_argument(
        "--key-env", type=printable, default="", metavar="VAR", help="environment variable that contains the API key"
    )
    add.add_argument(
        "--tools",
        type=ToolCalling,
        choices=list(ToolCalling),
        default=ToolCalling.AUTO,
        help="tool calling: native API of the model, or calls written in its text",
    )
    actions.add_parser("list", help="List the profiles.", parents=[_common()])
    remove = actions.add_parser("remove", help="Remove a profile.", parents=[_common()])
    remove.add_argument("name", type=printable, metavar="NAME")
    check = actions.add_parser(
        "check", help="Test the capabilities of a profile's server and model.", parents=[_common()]
    )
    check.add_argument("name", type=printable, metavar="NAME")
    actions.add_parser("find", help="Find common model servers that run on this computer.", parents=[_common()])


def _add_settings_options(settings: argparse.ArgumentParser) -> None:
    settings.add_argument("key", nargs="?", type=printable, metavar="KEY", help="show or change only this setting")
    settings.add_argument("value", nargs="?", type=printable, metavar="VALUE", help="new value")
    settings.add_argument("--reset", action="store_true", help="reset KEY to its default")
