"""Opening of the library for a command, and changes made directly or through the window that has it open."""

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
from workbench.operations.library.document_changes import Change
from workbench.store.database import Access, missing
from workbench.store.lock import WINDOW, holder_of
from workbench.worker.job import JobContext


@asynccontextmanager
async def open_given_library(options: argparse.Namespace) -> AsyncIterator[Library]:
    """Open the library of --library, and close it afterwards.

    A command that stores nothing opens it read-only, even if another program has it open. One that stores its answer,
    and cannot write, says so and answers nevertheless. One that changes documents opens it read-only if the window has
    it open, and the window makes the change (make_change). Only commands that add or configure something create a
    missing library, and none does if there was one when it started.

    If the command changed the exceptions of offline mode, a note reports the new state.
    """
    library = _open(options)
    try:
        before = operations.offline_mode(library)
        yield library
        after = operations.offline_mode(library)
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
    """Return True if the window has the library open: no other program makes changes for other programs."""
    holder = holder_of(options.library)
    return isinstance(error, LibraryLocked) and holder is not None and holder.program == WINDOW


def _open_updated(options: argparse.Namespace, outdated: LibraryOutdated) -> Library:
    """Open a library read-only that is outdated: it is opened for writing once, as by a command that changes it."""
    try:
        Library.open(options.library, create=False, program=options.command).close()
    except LibraryUnwritable as error:
        raise outdated from error
    return Library.open(options.library, access=Access.READ, user=options.user)


@asynccontextmanager
async def opened_to_read(options: argparse.Namespace, output: Output) -> AsyncIterator[Library]:
    """Open the library for a command that reads documents; it reads them even if reading is paused, and prints a note.

    The user of a command does not want to wait for a button in a window that is closed. Other pending documents keep
    waiting: the pause itself stays in effect.
    """
    async with open_given_library(options) as library:
        paused = await operations.imports_paused(library)(JobContext())
        if paused and library.database.reader is not None:
            # The window is open, so a person can end the pause there.
            output.note(
                "Reading is paused in the window: this command waits until it resumes. Ctrl+C cancels the command."
            )
        elif paused:
            library.queue.pause(False)  # for this run of the program only
            output.note(
                "Reading is paused. This command reads only its own documents; read the others with: workbench resume"
            )
        yield library


_READING = frozenset(
    {"list", "show", "sessions", "search", "explain", "export", "chunks", "prompt", "mcp"}
    | {"agents list", "agents show", "agents problems", "embedder show", "kb list", "mcp-servers list", "memory list"}
    | {"metadata list", "store show", "shared list", "shared members", "shared add", "shared grant", "worker"}
    | {"network list", "network state", "network export", "plugins list", "plugins retrievers", "profiles list"}
    | {"runs list", "runs show", "runs replay", "runs diff"}
)
"""Commands that store nothing, whatever their other arguments are."""
_CHANGING = frozenset(
    {"add", "add-query", "note", "refetch", "reindex", "remove", "edit", "metadata", "unlock", "bin", "kb", "chunk"}
    | {"link", "unlink", "links", "pause", "resume", "embedder", "settings", "profiles", "agents", "memory", "network"}
    | {"mcp-servers", "plugins", "import-session", "map", "backup", "store"}
)
"""Commands whose changes are made by the window if it has the library open (ui/forwarded_changes.py)."""
_KEEPING = frozenset(
    {"profiles check", "profiles find", "mcp-servers check", "mcp-servers token", "mcp-servers allow", "plugins allow"}
    | {"store key", "embedder key", "embedder try", "shared key", "shared create"}
)
"""Commands that store data outside the library: in the keyring or in the user's own folder."""
_STORING = frozenset({"ask", "runs fork"})
"""Commands that store their answer, and also answer if they cannot store it."""


class LibraryNeed(Enum):
    """Access that a command needs to the library."""

    READ = "read"
    STORE = "store"
    """Write access; read-only if another program has the library open, or it is not writable."""
    LOOK = "look"
    """The same, but nothing is lost when it is read-only."""
    CHANGE = "change"
    """Write access; read-only if the window has the library open, which then makes the change."""
    WRITE = "write"


def need_of(options: argparse.Namespace) -> LibraryNeed:
    """Return the access that the command needs to the library."""
    command = options.command
    action = getattr(options, "action", None)
    full = f"{command} {action}" if action else command
    if command in ("doctor", "tools", "version") or full in _KEEPING:
        return LibraryNeed.LOOK
    if full in _STORING:
        return LibraryNeed.STORE
    if full in _READING or _only_reads(command, options):
        return LibraryNeed.READ
    return LibraryNeed.CHANGE if command in _CHANGING or _only_deletes(options) else LibraryNeed.WRITE


def _only_deletes(options: argparse.Namespace) -> bool:
    """Return True if the command only deletes an exhaustive reading, which needs no model."""
    return options.command == "read-all" and options.delete_id is not None


def _only_reads(command: str, options: argparse.Namespace) -> bool:
    """Return True if a command that may change something changes nothing with these options."""
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
    """Make a change, and return its result; if the library is open read-only, the window makes the change.

    Args:
        library: As opened by open_given_library for a command with LibraryNeed.CHANGE.
        change: The change.
        context: Receives the events; from the window, only those about files and another embedding model.

    Raises:
        LibraryLocked: The library is open in a window that does not respond.
        WorkbenchError: Any error that the change itself raises, here or in the window.
    """
    reader = library.database.reader
    if reader is None:
        return await change.operation(library)(context)
    # Qt takes 0.1 s to import; nothing else on the command line needs it.
    from workbench.ui.passing_on import pass_on

    return await pass_on(library.folder, change, on_event=context.emit, refusal=reader.refusal)
