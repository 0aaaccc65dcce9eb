"""The library that a command works on, opened for as long as it runs."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workbench import operations
from workbench.cli.output import Output
from workbench.operations import Library
from workbench.worker.job import JobContext


@asynccontextmanager
async def opened(options: argparse.Namespace) -> AsyncIterator[Library]:
    """Give the library of --library, and close it afterwards.

    Where what was set up meanwhile switches the air gap off or on, that is said.
    """
    library = Library.open(options.library)
    try:
        before = operations.air_gap(library)
        yield library
        after = operations.air_gap(library)
        if before.is_on is not after.is_on and options.command != "network":
            Output(json=options.json).note(after.sentence)
    finally:
        library.close()


@asynccontextmanager
async def opened_to_read(options: argparse.Namespace, output: Output) -> AsyncIterator[Library]:
    """Give the same to a command that reads documents, which it does even where reading is paused, and says so.

    Whoever types a command does not want to wait for a button in a window that is closed. What else waits goes on
    waiting: the pause itself stays.
    """
    async with opened(options) as library:
        if await operations.imports_paused(library)(JobContext()):
            library.queue.pause(False)  # for this run of the program only
            output.note("Reading is paused. What this command asks for is read; the rest waits for: workbench resume")
        yield library
