"""What may be typed for the commands of sources.py."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.cli.output import printable

_TOPIC = "the article of this name, looked up in the encyclopaedia of the setting topic_url (Wikipedia)"

AddCommand = Callable[[str, str], argparse.ArgumentParser]

_SCRIPTS = (
    "let an installed Chromium run the pages' scripts first; they may load from other servers of the internet, never "
    "from this machine or its network unless the setting allow_private_addresses is on"
)


def path_or_link(text: str) -> Path | str:
    """Return a link as it was typed, anything else as a path: “//” in a path would become one stroke."""
    return text if "://" in text and not Path(text).exists() else Path(text)


def add_source_commands(command: AddCommand) -> None:
    """Add add-query, note and refetch; add itself takes links beside paths."""
    query = command("add-query", "Add what a read-only query finds in a database.")
    query.add_argument(
        "connection", type=printable, metavar="DATABASE", help="SQLite file, or postgresql://user@host/name"
    )
    query.add_argument("query", type=printable, metavar="SELECT", help="one query; nothing is ever written")
    query.add_argument("--title", type=printable, default="", help="what the document is called")
    query.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    add_allow_host(query)
    note = command("note", "Add a note, or replace one.")
    note.add_argument("text", type=printable, metavar="TEXT", help="Markdown; “-” reads it from standard input")
    note.add_argument("--title", type=printable, default="", help="else its first words")
    note.add_argument("--edit", metavar="DOCUMENT", help="replace this note: id, name, or the start of its hash")
    note.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    refetch = command("refetch", "Fetch web pages and run queries again; what did not change costs nothing.")
    refetch.add_argument("documents", nargs="*", metavar="DOCUMENT", help="id, address, name; all when none is named")
    add_allow_host(refetch)


def add_allow_host(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the option that lets a host be asked for this command only; more is said of it."""
    parser.add_argument(
        "--allow-host",
        type=printable,
        action="append",
        default=[],
        metavar="HOST",
        help="let this host be asked although the air gap is on, for this once, as example.org or"
        f" db.example.org:6543{more}; may be repeated",
    )


class _Sources(argparse.Action):
    """Takes the paths, of which there need be none where there is a topic."""

    def __call__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, values: Any, _option: str | None = None
    ) -> None:
        setattr(options, self.dest, values or [])
        if not values and not options.topic:
            parser.error("there is nothing to add: give a PATH, a link, or a --topic")


def add_what_options(add: argparse.ArgumentParser) -> None:
    """Add to the command “add” what it takes: paths, links, topics."""
    add.add_argument(
        "paths",
        nargs="*",
        type=path_or_link,
        action=_Sources,
        metavar="PATH",
        help="a file, a folder, or an https:// link",
    )
    add.add_argument("--topic", type=printable, action="append", default=[], metavar="NAME", help=_TOPIC)
    add.add_argument("--run-scripts", action="store_true", help=_SCRIPTS)
    add_allow_host(add)
