"""What may be typed about linked folders and the bin."""

import argparse
from collections.abc import Callable
from pathlib import Path

from workbench.cli.metadata_parser import add_metadata_option
from workbench.cli.output import printable


def add_linking_commands(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add link, unlink, links and bin."""
    link = command("link", "Link a folder: its files are read in place and followed.")
    link.add_argument("folder", type=Path, metavar="FOLDER")
    link.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    add_metadata_option(link)
    unlink = command("unlink", "Follow a linked folder no longer; its documents stay.")
    unlink.add_argument("folder", metavar="FOLDER", help="its number or path")
    unlink.add_argument("--remove", action="store_true", help="move its documents to the bin")
    links = command("links", "List the linked folders.")
    links.add_argument("--check", action="store_true", help="bring the library into step with them first")
    bin = command("bin", "List what was removed; bring it back, or delete it for good.")
    what = bin.add_mutually_exclusive_group()
    what.add_argument("--restore", nargs="+", type=int, default=[], metavar="ID", help="bring these back")
    what.add_argument("--delete", nargs="+", type=int, default=[], metavar="ID", help="delete these for good")
    what.add_argument("--empty", action="store_true", help="delete everything in it for good")
