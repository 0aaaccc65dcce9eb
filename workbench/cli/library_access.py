"""The library that a command works on.

What it is opened for, and changes made there or by the window that has it open.
"""

import argparse
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import TypeVar

from workbench import operations
from workbench.cli.library_folder import makes_library
from workbench.cli.output import Output
from workbench.errors import LibraryLocked, LibraryOutdated, LibraryUnwritable, WorkbenchError
from workbench.operations import Library
from workbench.operations.document_changes import Change
from workbench.store.database import Access, missing
from workbench.store.lock import WINDOW, holder_of
from workbench.worker.job import JobContext


@asynccontextmanager
async def open_given_library(options: argparse.Namespace) -> AsyncIterator[Library]:
    """Give the library of --library, and close it afterwards.

    A command that stores nothing opens it to read, whether another program has it open or not. One that would store its
    answer, and cannot, says so and answers. One that changes documents opens it to read where the window has it open,
    which makes the change (library_access.py). Only commands that bring or set up something make one where there is
    none;
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
    if need is LibraryNeed.READ:
        try:
            return Library.open(options.library, access=Access.READ, user=options.user)
        except LibraryOutdated as error:
            return _open_updated(options, error)
    try:
        create = makes_library(options) and not options.stood.library
        return Library.open(options.library, create=create, program=options.command, user=options.user)
    except (LibraryLocked, LibraryUnwritable) as error:
        if need is LibraryNeed.WRITE or (need is LibraryNeed.CHANGE and not _window_changes(options, error)):
            raise
        library = Library.open(options.library, access=Access.READ, user=options.user)
    if need is LibraryNeed.STORE and (reader := library.database.reader) is not None:
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
    async with open_given_library(options) as library:
        paused = await operations.imports_paused(library)(JobContext())
        if paused and library.database.reader is not None:
            # There somebody may be at the button.
            output.note("Reading is paused in the window: what this command asks for waits there, too. Ctrl+C ends it.")
        elif paused:
            library.queue.pause(False)  # for this run of the program only
            output.note("Reading is paused. What this command asks for is read; the rest waits for: workbench resume")
        yield library


_READING = frozenset(
    {"list", "show", "sessions", "search", "explain", "export", "chunks", "prompt", "mcp"}
    | {"agents list", "agents show", "agents problems", "embedder show", "kb list", "mcp-servers list", "memory list"}
    | {"metadata list", "store show"}
    | {"network list", "network state", "network export", "plugins list", "plugins retrievers", "profiles list"}
    | {"runs list", "runs show", "runs replay", "runs diff"}
)
"""They store nothing, whatever else is typed."""
_CHANGING = frozenset(
    {"add", "add-query", "note", "refetch", "reindex", "remove", "edit", "metadata", "unlock", "bin", "kb", "chunk"}
    | {"link", "unlink", "links", "pause", "resume", "embedder", "settings", "profiles", "agents", "memory", "network"}
    | {"mcp-servers", "plugins", "import-session", "map", "backup", "store"}
)
"""The window that has the library open makes their changes for them (operations/forwarded_changes.py)."""
_KEEPING = frozenset(
    {"profiles check", "profiles find", "mcp-servers check", "mcp-servers token", "mcp-servers allow", "plugins allow"}
    | {"store key"}
)
"""What they keep is the user's own, in the keyring or beside it, and not in the library."""
_STORING = frozenset({"ask", "runs fork"})
"""They store what they answer, and answer as well where they cannot."""


class LibraryNeed(Enum):
    """What a command opens the library for."""

    READ = "read"
    STORE = "store"
    """To write; where another program has it open, or nobody can write it, to read."""
    LOOK = "look"
    """The same, and nothing is lost by that."""
    CHANGE = "change"
    """To write; where the window has it open, to read, and the change is passed on to the window."""
    WRITE = "write"


def need_of(options: argparse.Namespace) -> LibraryNeed:
    """Return what the command that was typed opens the library for."""
    command = options.command
    action = getattr(options, "action", None)
    full = f"{command} {action}" if action else command
    if command in ("doctor", "tools") or full in _KEEPING:
        return LibraryNeed.LOOK
    if full in _STORING:
        return LibraryNeed.STORE
    if full in _READING or _only_reads(command, options):
        return LibraryNeed.READ
    return LibraryNeed.CHANGE if command in _CHANGING or _only_deletes(options) else LibraryNeed.WRITE


def _only_deletes(options: argparse.Namespace) -> bool:
    """Whether a reading of every passage is to be deleted, which needs no model."""
    return options.command == "read-all" and options.delete_id is not None


def _only_reads(command: str, options: argparse.Namespace) -> bool:
    """Whether the options of a command that may change something have it change nothing."""
    match command:
        case "settings":
            return options.value is None and not options.reset
        case "links":
            return not options.check
        case "bin":
            return not (options.restore or options.delete or options.empty)
        case "check":
            return bool(options.document or options.documents or options.kb)
        case "read-all":
            return bool(options.list or options.show_id is not None or options.estimate)
        case "eval":
            return bool((options.history or options.export) and not options.file)
    return False


T = TypeVar("T")
SILENT = JobContext()


async def make_change(library: Library, change: Change[T], context: JobContext = SILENT) -> T:
    """Make a change, and return what it comes to; where the library is open to read only, the window makes it.

    Args:
        library: As opened() gives it to a command of Need.CHANGE.
        change: What is wanted.
        context: Is told what happens meanwhile; of what the window does, of files and of another embedding model only.

    Raises:
        LibraryLocked: The library is open in a window that does not listen.
        WorkbenchError: What the change itself raises, wherever it is made.
    """
    reader = library.database.reader
    if reader is None:
        return await change.operation(library)(context)
    # Qt takes 0.1 s to import; nothing else on the command line needs it.
    from workbench.ui.passing_on import pass_on

    return await pass_on(library.folder, change, hear=context.emit, refusal=reader.refusal)
