"""Command memory: facts remembered from conversations. add_memory_command defines its arguments."""

import argparse
from collections.abc import Callable

from workbench.cli.output import Output, Record, printable
from workbench.model.memory import Memory, MemoryKind

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]


def add_memory_command(command: AddCommand, common: Options) -> None:
    """Add the command memory; common returns the options that every command has."""
    parser = command("memory", "List, add, edit or remove memories from conversations.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the memories, newest first.")
    add = action("add", "Add a memory.")
    add.add_argument("text", type=printable, metavar="TEXT")
    kinds = [kind.value for kind in MemoryKind]
    add.add_argument("--kind", choices=kinds, default=kinds[0], help=f"kind of memory (default: {kinds[0]})")
    edit = action("edit", "Change the text of a memory.")
    remove = action("remove", "Delete a memory.")
    for one in (edit, remove):
        one.add_argument("number", type=int, metavar="NUMBER", help="number of the memory (see “memory list”)")
    edit.add_argument("text", type=printable, metavar="TEXT")
    action("clear", "Delete all memories.")


async def memory(options: argparse.Namespace, output: Output) -> int:
    """List, add, edit, remove or clear memories."""
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import AddMemory, ClearMemories, EditMemory, RemoveMemory
    from workbench.worker.job import JobContext

    silent = JobContext()
    async with open_given_library(options) as library:
        if options.action == "list":
            shelf = await operations.list_memories(library)(silent)
            shown = list(shelf.memories)
            if not shelf.is_on:
                output.note(
                    "Memory is off: no memories are created or used. Turn it on with: workbench settings memory yes"
                )
        elif options.action == "add":
            shown = [await make_change(library, AddMemory(library.user, options.text, MemoryKind(options.kind)))]
        elif options.action == "edit":
            shown = [await make_change(library, EditMemory(library.user, options.number, options.text))]
        elif options.action == "remove":
            shown = [await make_change(library, RemoveMemory(library.user, options.number))]
        else:
            shown = await make_change(library, ClearMemories(library.user))
    prefix = "Forgotten: " if options.action in ("remove", "clear") else ""
    for one in shown:
        output.record(_record(one), prefix + _words(one))
    return 0


def _record(memory: Memory) -> Record:
    return {
        "memory": memory.id,
        "kind": memory.kind.value,
        "text": memory.text,
        "created": memory.created,
        "expires": memory.expires,
        "hits": memory.hits,
        "weight": memory.weight,
        "run": memory.run,
        "question": memory.question,
    }


def _words(memory: Memory) -> str:
    origin = f", from the answer to “{' '.join(memory.question.split())}”" if memory.question else ""
    return f"{memory.id}: {memory.text} ({memory.kind.value}, {memory.created[:10]} to {memory.expires[:10]}{origin})"
