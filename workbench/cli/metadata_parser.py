"""What may be typed about metadata of one's own."""

import argparse
from collections.abc import Callable
from pathlib import Path

from workbench.cli.output import printable

METADATA_HELP = "metadata of your own for all of them: a text, a number, a date, or several with “;” between"


def add_metadata_command(
    command: Callable[[str, str], argparse.ArgumentParser], common: Callable[[], argparse.ArgumentParser]
) -> None:
    """Add metadata; common gives the options that every command has."""
    parser = command("metadata", "Give documents metadata of your own, by which filters can ask for them.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    for name, help in (("set", "Give documents metadata."), ("unset", "Take metadata away from documents.")):
        made = action(name, help)
        made.add_argument("documents", nargs="+", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
        if name == "set":
            add_metadata_option(made, required=True)
        else:
            made.add_argument("--key", dest="keys", type=printable, action="append", required=True, metavar="KEY")
    listing = action("list", "List the keys in use; or the metadata of documents.")
    listing.add_argument("documents", nargs="*", metavar="DOCUMENT")
    listing.add_argument("--kb", type=printable, metavar="NAME", help="of this knowledge base only")
    table = action("import", "Take metadata from a CSV file: a column headed “file”, and a column a key.")
    table.add_argument("table", type=Path, metavar="FILE.csv")
    table.add_argument("--kb", type=printable, metavar="NAME", help="for documents of this knowledge base only")


def add_metadata_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Let a command take metadata."""
    parser.add_argument(
        "--metadata",
        type=printable,
        action="append",
        default=[],
        required=required,
        metavar="KEY=VALUE",
        help=f"{METADATA_HELP}; may be repeated",
    )
