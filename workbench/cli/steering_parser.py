"""What may be typed about a pause and about the embedding model."""

import argparse
from collections.abc import Callable

from workbench.cli.output import printable
from workbench.cli.sources_parser import add_allow_host

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]


def add_steering_commands(command: AddCommand, common: Options) -> None:
    """Add pause, resume and embedder; common gives the options that every command has."""
    command("pause", "Let the library wait with what it has not read yet, until “resume”.")
    command("resume", "End the pause; read what waits, also what a stop left unfinished.")
    embedder = command("embedder", "Show or change the embedding model; the library is searched meanwhile as before.")
    actions = embedder.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("show", "Show the model in force, the one before, and the one that the settings ask for.")
    change = action("change", "Embed everything with another model, then go over to it.")
    change.add_argument(
        "name",
        nargs="?",
        type=printable,
        metavar="NAME",
        help="folder or hub name of a sentence-transformers model, or “built-in”; the one of the settings if none",
    )
    add_allow_host(change, " (the hub of the model: huggingface.co, with *.huggingface.co and *.hf.co for its files)")
    action("back", "Go back to the model of before the last change.")
    action("keep", "Keep the model in force and delete the vectors of the one before.")
    action("recut", "Cut documents anew whose passages are longer than the model sees.")
