"""What may be typed to have a search explained."""

import argparse
from collections.abc import Callable

from workbench.cli.filters import add_filter_option
from workbench.cli.output import printable
from workbench.model.hit import SearchMode


def add_explain_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add explain."""
    explain = command("explain", "Tell why a passage of a document was found for a question, or was not.")
    explain.add_argument("question", type=printable, metavar="QUESTION")
    explain.add_argument("document", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
    where = explain.add_mutually_exclusive_group()
    where.add_argument("--page", type=int, metavar="N", help="the passages of this page; without one, of all of it")
    where.add_argument("--chunk", type=int, metavar="N", help="this chunk, as “show” numbers them")
    where.add_argument("--quote", type=printable, default="", metavar="TEXT", help="where these words stand")
    explain.add_argument("-k", type=int, default=10, metavar="N", help="how many passages the search gives (10)")
    explain.add_argument("--mode", type=SearchMode, choices=list(SearchMode))
    explain.add_argument("--kb", type=printable, metavar="NAME")
    add_filter_option(explain)
