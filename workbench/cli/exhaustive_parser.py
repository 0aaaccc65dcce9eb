"""What may be typed to ask a question of every passage."""

import argparse
from collections.abc import Callable
from pathlib import Path

from workbench.cli.filters import add_filter_option
from workbench.cli.output import printable


def add_exhaustive_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add read-all."""
    parser = command("read-all", "Ask a question of every passage that passes a filter: a table of all documents.")
    parser.add_argument("question", nargs="?", type=printable, metavar="QUESTION", help="asked of every passage")
    what = parser.add_argument_group("what is read, and by whom")
    what.add_argument("--kb", type=printable, metavar="NAME", help="this knowledge base only")
    add_filter_option(parser)
    what.add_argument(
        "--profile", type=printable, metavar="NAME", help="model profile that reads; “offline” needs none"
    )
    what.add_argument("--name", type=printable, default="", metavar="NAME", help="what the reading is called")
    what.add_argument(
        "--price", type=float, nargs=2, metavar=("IN", "OUT"), help="what a million tokens read and written cost"
    )
    parser.add_argument("--yes", action="store_true", help="begin without asking")
    then = parser.add_argument_group("when it is done")
    then.add_argument("--export", type=Path, metavar="FILE", help="write the table to FILE.csv or FILE.md")
    instead = parser.add_argument_group("instead of beginning").add_mutually_exclusive_group()
    instead.add_argument("--estimate", action="store_true", help="only tell what it would take")
    instead.add_argument("--list", action="store_true", help="list the readings there are")
    for option, help in (
        ("--continue", "read what is left of a reading, and what changed since"),
        ("--show", "show a reading"),
        ("--delete", "delete a reading"),
    ):
        instead.add_argument(option, type=int, metavar="ID", dest=option.strip("-") + "_id", help=help)
    parser.add_argument(
        "--unreadable", action="store_true", help="with --continue: read what was unreadable once more, too"
    )
