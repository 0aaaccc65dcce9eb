"""Commands for shared libraries: set up, connect, members; and the worker that reads their documents."""

import argparse
import asyncio
import contextlib
import signal
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.cli.library_access import open_given_library
from workbench.cli.output import Output, Record
from workbench.cli.source_commands import read_password
from workbench.errors import LibraryError
from workbench.files.changes import temporary_folder
from workbench.language import counted
from workbench.model.shared_library import SharedImportProgress, SharedLibraryState, SharedReadingStarted
from workbench.operations import Library
from workbench.worker.job import JobContext

_SILENT = JobContext()


async def shared(options: argparse.Namespace, output: Output) -> int:
    """Set up, connect or show shared libraries, and change the members of their knowledge bases."""
    async with open_given_library(options) as library:
        match options.action:
            case "list":
                for state in await operations.list_shared_libraries(library)(_SILENT):
                    output.record(_record(state), _words(state))
            case "create":
                await operations.create_shared_library(library, options.url, _password(options))(_SILENT)
                output.note(f"The shared library is set up. Connect to it: workbench shared connect NAME {options.url}")
            case "connect":
                connect = operations.connect_shared_library(library, options.name, options.url, _password(options))
                state = await connect(_SILENT)
                output.record(_record(state), _words(state))
            case "disconnect":
                await operations.disconnect_shared_library(library, options.name)(_SILENT)
            case "key":
                is_kept = await operations.put_shared_key(library, options.name, read_password())(_SILENT)
                output.note(
                    "The password is stored in the keyring."
                    if is_kept
                    else "There is no keyring: the password was not stored. Set PGPASSWORD, or use a file ~/.pgpass."
                )
                return 0 if is_kept else 1
            case "add":
                await operations.add_shared_base(library, options.kb)(_SILENT)
            case "members":
                for member in await operations.list_shared_members(library, options.kb)(_SILENT):
                    output.record({"member": member.name, "access": member.access}, f"{member.access:<8} {member.name}")
            case "grant":
                await operations.put_shared_member(library, options.kb, options.member, options.access)(_SILENT)
    return 0


async def worker(options: argparse.Namespace, output: Output) -> int:
    """Read the documents that wait in a shared library until interrupted, or until none is left."""
    running = asyncio.current_task()
    assert running is not None
    with contextlib.suppress(NotImplementedError):  # Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    context = JobContext(_Listener(output))
    try:
        if "://" in options.name:
            with temporary_folder("workbench-worker-") as folder:
                return await _serve_address(options, folder, context, output)
        async with open_given_library(options) as library:
            return await _serve(library, options.name, options, context, output)
    except asyncio.CancelledError:
        output.note("Stopped. Its documents are read by another worker.")
        return 0


async def _serve_address(options: argparse.Namespace, folder: Path, context: JobContext, output: Output) -> int:
    """Serve the library at an address, on a machine on which no personal library is connected to it."""
    _refuse_password(options.name, "Leave it out. Set PGPASSWORD, or use a file ~/.pgpass.")
    library = Library.open(folder / "library")
    try:
        await operations.connect_shared_library(library, "shared", options.name)(context)
        return await _serve(library, "shared", options, context, output)
    finally:
        library.close()


async def _serve(library: Library, name: str, options: argparse.Namespace, context: JobContext, output: Output) -> int:
    serve = operations.read_shared_documents(library, name, until_empty=options.until_empty)
    output.words(f"Read {counted(await serve(context), 'document')}.")
    return 0


class _Listener:
    """Listener that prints a line when reading begins, and one for each document that was read."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def __call__(self, event: Any) -> None:
        if isinstance(event, SharedReadingStarted):
            self._output.note(f"Reading the documents that wait in “{event.name}”. Ctrl+C stops.")
        elif isinstance(event, SharedImportProgress):
            failed = f", {event.failed} could not be read" if event.failed else ""
            self._output.note(f"{counted(event.done, 'document')} read{failed}")


def _password(options: argparse.Namespace) -> str:
    """Return the password to be stored."""
    _refuse_password(options.url, "Leave it out, and give --password to be asked for it.")
    return read_password() if options.password else ""


def _refuse_password(url: str, hint: str) -> None:
    """Refuse an address with a password, which would be visible in the list of processes."""
    if ":" in url.partition("://")[2].rpartition("@")[0]:
        raise LibraryError("The password must not be part of the address.", hint)


def _record(state: SharedLibraryState) -> Record:
    return {
        "name": state.name,
        "url": state.url,
        "user": state.user,
        "knowledge_bases": [{"name": one.name, "access": one.access} for one in state.bases],
        "documents": state.documents,
        "waiting": state.waiting,
        "workers": state.workers,
        "problem": state.problem,
    }


def _words(state: SharedLibraryState) -> str:
    if state.problem:
        return f"{state.name}: {state.url}\n  {state.problem}"
    lines = [f"{state.name}: {state.url}, as {state.user}, {counted(state.documents, 'document')}"]
    if state.waiting:
        lines.append(f"  {state.waiting} waiting to be read, by {counted(state.workers, 'worker')}")
    lines += [f"  {base.access:<8} {base.name}" for base in state.bases]
    return "\n".join(lines)
