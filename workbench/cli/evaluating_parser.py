"""What may be typed to measure searches with golden questions."""

import argparse
from collections.abc import Callable
from pathlib import Path

from workbench.cli.output import printable
from workbench.model.search_configuration import WRITTEN


def add_eval_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add eval."""
    evaluate = command("eval", "Measure how well searches find what golden questions ask for; without options, marks.")
    what = evaluate.add_argument_group("which questions")
    what.add_argument("--from", dest="file", type=Path, metavar="FILE.jsonl", help="read golden questions first")
    what.add_argument("--set", type=printable, default="", metavar="NAME", help="of this set; what is read goes there")
    how = evaluate.add_argument_group("how is searched")
    how.add_argument("--configuration", type=printable, metavar="A", help=f"{WRITTEN}; or a kept name; else as set")
    how.add_argument("--against", type=printable, metavar="B", help="compare with this one, question by question")
    how.add_argument("-k", "--k", type=int, default=10, metavar="N", help="look at the first N passages (10)")
    then = evaluate.add_argument_group("and then")
    then.add_argument("--keep", type=printable, metavar="NAME", help="keep configuration A under this name")
    then.add_argument("--promote", action="store_true", help="search with A from now on: --kb, or everything")
    then.add_argument("--kb", type=printable, metavar="NAME", help="the knowledge base that is promoted to, or reset")
    instead = evaluate.add_argument_group("instead of measuring").add_mutually_exclusive_group()
    instead.add_argument("--history", action="store_true", help="list the sets, and the runs that are kept")
    instead.add_argument("--again", action="store_true", help="measure again what is out of date, as it was measured")
    instead.add_argument("--export", type=Path, metavar="FILE", help="write the golden questions as JSON lines")
    instead.add_argument("--reset", action="store_true", help="search as by default again: --kb, or everything")
