"""Embedding by a server on the command line: confirm what it receives, try it, store its key."""

import argparse

from workbench import operations
from workbench.cli.output import Output
from workbench.cli.source_commands import read_password
from workbench.cli.tool_approval import is_confirmed
from workbench.operations import Library
from workbench.worker.job import JobContext

SILENT = JobContext()


async def confirm_server(library: Library, name: str | None, options: argparse.Namespace, output: Output) -> bool:
    """Show what an embedding server would receive; ask whether it may, and store that.

    Args:
        library: The open library.
        name: Value for the setting “embedder”, empty for the built-in model; None for the present value.
        options: The price of a million tokens, and whether to skip the question.
        output: Receives the sentences.

    Returns:
        True if the server may receive it, or the model is not on a server.

    Raises:
        SettingError: The name is meant as a server but is invalid.
        PluginError: The consent cannot be stored.
    """
    model = (await operations.load_settings(library)(SILENT)).embedder if name is None else name
    plan = await operations.plan_embedding_server(library, model, price=options.price)(SILENT) if model else None
    if plan is None:
        return True
    output.note("\n".join(plan.sentences))
    if plan.is_allowed:
        return True
    if not await is_confirmed(output, "Send them?", "Nothing was sent. Add --yes to confirm.", yes=options.yes):
        return False
    await operations.allow_embedding_server(library, plan.model)(SILENT)
    return True


async def try_server(library: Library, name: str, output: Output) -> int:
    """Have a server embed test sentences, and show the dimensions and the time."""
    trial = await operations.try_embedding_server(library, name)(SILENT)
    record = {"dimensions": trial.dimensions, "milliseconds": round(trial.milliseconds), "notice": trial.notice}
    words = f"It gives vectors of {trial.dimensions} dimensions, a sentence in {trial.milliseconds:.0f} ms."
    output.record(record, f"{words} {trial.notice}".rstrip())
    return 0


async def store_key(library: Library, name: str, output: Output) -> int:
    """Store the key of a server in the keyring, read from the terminal or standard input."""
    is_kept = await operations.put_embedding_server_key(library, name, read_password())(SILENT)
    output.note("The key is stored in the keyring." if is_kept else "There is no keyring: the key was not stored.")
    return 0 if is_kept else 1
