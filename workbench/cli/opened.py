"""The library that a command works on, opened for as long as it runs."""

import argparse
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workbench import operations
from workbench.cli.access import Need, need_of
from workbench.cli.library_folder import makes_library
from workbench.cli.output import Output
from workbench.errors import LibraryLocked, LibraryOutdated, LibraryUnwritable, WorkbenchError
from workbench.operations import Library
from workbench.store.database import Access, missing
from workbench.store.lock import WINDOW, holder_of
from workbench.worker.job import JobContext


@asynccontextmanager
async def opened(options: argparse.Namespace) -> AsyncIterator[Library]:
    """Give the library of --library, and close it afterwards.

    A command that stores nothing opens it to read, whether another program has it open or not. One that would store its
    answer, and cannot, says so and answers. One that changes documents opens it to read where the window has it open,
    which makes the change (changing.py). Only commands that bring or set up something make one where there is none;
    and none does where one was when it began.

    Where what was set up meanwhile is an exception of the air gap, or no longer one, that is said.
    """
    library = _open(options)
    try:
        before = operations.air_gap(library)
        yield library
        after = operations.air_gap(library)
        has_changed = (before.is_on, before.exceptions) != (after.is_on, after.exceptions)
        if has_changed and options.command != "network":
            Output(json=options.json).note(after.sentence)
    finally:
        library.close()


def _open(options: argparse.Namespace) -> Library:
    need = need_of(options)
    if options.stood.folder and not os.path.isdir(options.library):
        raise missing(options.library)
    if need is Need.READ:
        try:
            return Library.open(options.library, access=Access.READ, user=options.user)
        except LibraryOutdated as error:
            return _open_updated(options, error)
    try:
        create = makes_library(options) and not options.stood.library
        return Library.open(options.library, create=create, program=options.command, user=options.user)
    except (LibraryLocked, LibraryUnwritable) as error:
        if need is Need.WRITE or (need is Need.CHANGE and not _window_changes(options, error)):
            raise
        library = Library.open(options.library, access=Access.READ, user=options.user)
    if need is Need.STORE and (reader := library.database.reader) is not None:
        Output(json=options.json).note(f"{reader.state}: this answer is not stored.")
    return library


def _window_changes(options: argparse.Namespace, error: WorkbenchError) -> bool:
    """Whether it is the window that keeps a command from writing: no other program makes changes for others."""
    holder = holder_of(options.library)
    return isinstance(error, LibraryLocked) and holder is not None and holder.program == WINDOW


def _open_updated(options: argparse.Namespace, outdated: LibraryOutdated) -> Library:
    """Open to read what cannot be read yet: it is opened to write first, as by a command that changes something."""
    try:
        Library.open(options.library, create=False, program=options.command).close()
    except LibraryUnwritable as error:
        raise outdated from error
    return Library.open(options.library, access=Access.READ, user=options.user)


@asynccontextmanager
async def opened_to_read(options: argparse.Namespace, output: Output) -> AsyncIterator[Library]:
    """Give the same to a command that reads documents, which it does even where reading is paused, and says so.

    Whoever types a command does not want to wait for a button in a window that is closed. What else waits goes on
    waiting: the pause itself stays.
    """
    async with opened(options) as library:
        paused = await operations.imports_paused(library)(JobContext())
        if paused and library.database.reader is not None:
            # There somebody may be at the button.
            output.note("Reading is paused in the window: what this command asks for waits there, too. Ctrl+C ends it.")
        elif paused:
            library.queue.pause(False)  # for this run of the program only
            output.note("Reading is paused. What this command asks for is read; the rest waits for: workbench resume")
        yield library
