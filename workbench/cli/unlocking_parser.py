"""What may be typed about encrypted files and files that did not change."""

import argparse
from collections.abc import Callable

from workbench.cli.output import printable


def add_reading_options(add: argparse.ArgumentParser) -> None:
    """Add to the command “add” how its files are read."""
    add.add_argument("--password", type=printable, metavar="PW", help="for encrypted files; a blank one is tried first")
    add.add_argument("--remember", action="store_true", help="keep the password in the system's keyring if it fits")
    add.add_argument("--rehash", action="store_true", help="read files again whose size and time did not change")


def add_unlock_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command “unlock”."""
    unlock = command("unlock", "Try a password on documents that are locked.")
    unlock.add_argument("documents", nargs="*", metavar="DOCUMENT", help="only these; all that are locked if none")
    unlock.add_argument("--password", type=printable, metavar="PW", help="asked for when it is not given")
    unlock.add_argument("--remember", action="store_true", help="keep it in the system's keyring if it fits")
