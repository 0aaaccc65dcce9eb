"""What may be typed for the commands of chunks.py."""

import argparse
from collections.abc import Callable

from workbench.cli.output import printable

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]

_DOCUMENT = "id, path, name, or the start of its hash"


def add_chunk_commands(command: AddCommand, common: Options) -> None:
    """Add chunks and chunk; common gives the options that every command has."""
    listing = command("chunks", "List the passages of a document with their ids.")
    listing.add_argument("document", metavar="DOCUMENT", help=_DOCUMENT)
    listing.add_argument("--edits", action="store_true", help="list what was changed by hand instead")
    parser = command("chunk", "Change a passage by hand: what is found changes at once, the file never.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str, *, of_chunk: bool = True) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=help, description=help, parents=[common()])
        if of_chunk:
            made.add_argument("id", type=int, metavar="ID", help="of the passage, as “chunks” lists it")
        return made

    action("edit", "Give a passage another text.").add_argument(
        "text", type=printable, metavar="TEXT", help="“-” reads it from standard input"
    )
    merge = action("merge", "Make one passage of two that follow one another.")
    merge.add_argument("--previous", action="store_true", help="with the one before, not the one after")
    where = action("split", "Make two passages of one.").add_mutually_exclusive_group(required=True)
    where.add_argument("--at", type=int, metavar="N", help="characters of the first part")
    where.add_argument("--before", type=printable, metavar="WORDS", help="with which the second part begins")
    for name, help in (("disable", "Have passages found by no search."), ("enable", "Have passages found again.")):
        several = action(name, help, of_chunk=False)
        several.add_argument("ids", type=int, nargs="+", metavar="ID", help="of passages, as “chunks” lists them")
    tag = action("tag", "Tag a passage; --filter passage_tag:NAME finds it.")
    tag.add_argument("tags", type=printable, nargs="*", metavar="TAG")
    tag.add_argument("--untag", type=printable, action="append", default=[], metavar="TAG", help="take a tag away")
    action("reset", "Give a passage back what it was made of.")
    for name, help in (("undo", "Undo a change."), ("redo", "Do a change again that was undone.")):
        back = action(name, help, of_chunk=False)
        back.add_argument("document", metavar="DOCUMENT", help=_DOCUMENT)
        back.add_argument("edit", type=int, nargs="?", metavar="EDIT", help="the last one if none is named")
