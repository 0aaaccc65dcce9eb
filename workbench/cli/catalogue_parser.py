"""What may be typed for the commands of catalogue.py."""

import argparse
from collections.abc import Callable

from workbench.cli.output import printable

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]

_DATE = "like 2024, 2024-05 or 2024-05-31"


def add_catalogue_commands(command: AddCommand, common: Options) -> None:
    """Add kb, edit and check; common gives the options that every command has."""
    _add_knowledge_bases(command("kb", "List, add, rename or remove knowledge bases; move documents."), common)
    _add_edit(command("edit", "Write fields and tags of documents; they stay when the file is read again."))
    check = command("check", "Look through the whole library for damage; or show what reading a document lost.")
    check.add_argument("document", nargs="?", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
    check.add_argument("--documents", action="store_true", help="show which documents have a problem of their own")
    check.add_argument("--kb", type=printable, metavar="NAME", help="the same, of this knowledge base only")


def _add_knowledge_bases(parser: argparse.ArgumentParser, common: Options) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the knowledge bases with what they hold.")
    for name, help in (("add", "Add a knowledge base."), ("remove", "Remove one with everything in it.")):
        action(name, help).add_argument("name", type=printable, metavar="NAME")
    rename = action("rename", "Give a knowledge base another name.")
    rename.add_argument("name", type=printable, metavar="NAME")
    rename.add_argument("new", type=printable, metavar="NEW")
    move = action("move", "Move documents to a knowledge base.")
    move.add_argument("documents", nargs="+", metavar="DOCUMENT")
    move.add_argument("--to", dest="target", type=printable, required=True, metavar="NAME")
    move.add_argument("--copy", action="store_true", help="copy them; they stay where they are too")


def _add_edit(edit: argparse.ArgumentParser) -> None:
    edit.add_argument("documents", nargs="+", metavar="DOCUMENT")
    edit.add_argument("--title", type=printable)
    edit.add_argument("--author", type=printable)
    edit.add_argument("--created", type=printable, metavar="DATE", help=_DATE)
    edit.add_argument("--modified", type=printable, metavar="DATE", help=_DATE)
    edit.add_argument("--keywords", type=printable, metavar="A,B", help="with commas between")
    edit.add_argument("--language", type=printable)
    edit.add_argument("--tag", type=printable, action="append", default=[], metavar="TAG", help="add a tag")
    edit.add_argument("--untag", type=printable, action="append", default=[], metavar="TAG", help="take a tag away")
