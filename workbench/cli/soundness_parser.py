"""How repair and backup are typed."""

import argparse
from collections.abc import Callable

from workbench.cli.output import printable

AddCommand = Callable[[str, str], argparse.ArgumentParser]


def add_soundness_commands(command: AddCommand, common: Callable[[], argparse.ArgumentParser]) -> None:
    """Add repair and backup; common gives the options that every command has."""
    repair = command("repair", "Put a library in order whose database, indexes or files are damaged; it is backed up.")
    repair.add_argument("--dry-run", action="store_true", help="only say what would be done")
    backup = command("backup", "Back up the library's database, list the backups, put one in use again.")
    actions = backup.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the backups, the newest first.")
    action("create", "Make one now; it is kept until you remove it.")
    restore = action("restore", "Put a backup in the place of the database; what was in use is kept as a backup.")
    remove = action("remove", "Delete a backup.")
    for one in (restore, remove):
        one.add_argument("name", type=printable, metavar="NAME", help="as “backup list” gives it")
