"""Commands for links, database queries, notes, encrypted files, and for pausing and resuming imports."""

import argparse
import getpass
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.cli import records
from workbench.cli.library_access import make_change, open_given_library, opened_to_read
from workbench.cli.output import Output, Record
from workbench.cli.records import finished_words
from workbench.errors import EncryptedDocument
from workbench.fetching.database_query import normalise_connection
from workbench.model.document import DocumentStatus, Origin
from workbench.model.import_progress import FileDivided, FileFinished, FileOutcome
from workbench.operations import Library
from workbench.operations.library.document_changes import (
    AddFiles,
    AddLinks,
    AddNote,
    AddQuery,
    AddTopics,
    Change,
    EditNote,
    Pause,
    Refetch,
    Resume,
    Unlock,
)
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()


def additions(options: Options) -> list[Change[list[FileFinished]]]:
    """Return the changes that add the given sources: files and folders, then links, then topics."""
    paths = tuple(Path(os.path.abspath(os.path.expanduser(path))) for path in options.paths if isinstance(path, Path))
    links = tuple(one for one in options.paths if isinstance(one, str))
    given = tuple(options.metadata)
    files = AddFiles(
        paths,
        options.kb,
        password=options.password or "",
        remember=options.remember,
        rehash=options.rehash,
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        follow_links=options.follow_links,
        metadata=given,
    )
    allowed = tuple(options.allow_host)
    pages = AddLinks(links, options.kb, options.run_scripts, given, allowed)
    topics = AddTopics(tuple(options.topic), options.kb, given, allowed)
    return [one for one, sources in ((files, paths), (pages, links), (topics, options.topic)) if sources]


def make_outcome_listener(output: Output) -> Callable[[Any], None]:
    """Return a callback that prints the outcome of each document."""

    def show(event: Any) -> None:
        if isinstance(event, FileDivided):
            output.note(event.message)
        if isinstance(event, FileFinished):
            output.record(records.file_record(event), finished_words(event))

    return show


def offer_hosts(files: Sequence[FileFinished], output: Output) -> None:
    """Print the options that allow the hosts that offline mode blocked, if there are any."""
    hosts = dict.fromkeys(host for file in files for host in file.closed_hosts)
    if hosts:
        output.note(f"To allow this once, add: {' '.join(f'--allow-host {host}' for host in hosts)}")


def status_of(files: Sequence[FileFinished]) -> int:
    """Return the exit status: 1 if any file failed or needs a password."""
    return int(any(file.outcome in (FileOutcome.FAILED, FileOutcome.LOCKED) for file in files))


async def add_query(options: Options, output: Output) -> int:
    """Add the result of a database query; 1 if it failed."""
    async with opened_to_read(options, output) as library:
        allowed = tuple(options.allow_host)
        add = AddQuery(normalise_connection(options.connection), options.query, options.title, options.kb, allowed)
        files = await make_change(library, add, JobContext(make_outcome_listener(output)))
    offer_hosts(files, output)
    return status_of(files)


async def note(options: Options, output: Output) -> int:
    """Add a note, or replace one; 1 if it failed."""
    text = sys.stdin.read() if options.text == "-" else options.text
    async with opened_to_read(options, output) as library:
        change: Change[list[FileFinished]] = AddNote(text, options.title, options.kb)
        if options.edit:
            document = await operations.show_document(library, options.edit)(SILENT)
            change = EditNote(document.id, text, options.title)
        return status_of(await make_change(library, change, JobContext(make_outcome_listener(output))))


async def refetch(options: Options, output: Output) -> int:
    """Fetch pages and run queries again; 1 if any of them failed."""
    async with opened_to_read(options, output) as library:
        if options.documents:
            chosen = [await operations.show_document(library, spec)(SILENT) for spec in options.documents]
        else:
            documents = await operations.list_documents(library)(SILENT)
            chosen = [document for document in documents if document.origin in (Origin.URL, Origin.QUERY)]
        again = Refetch(tuple(document.id for document in chosen), tuple(options.allow_host))
        files = await make_change(library, again, JobContext(make_outcome_listener(output)))
    offer_hosts(files, output)
    if not files:
        output.note("There are no documents from the web or a database.")
    return status_of(files)


async def unlock(options: Options, output: Output) -> int:
    """Try a password on locked documents; 1 if any of them remains locked."""
    password = options.password if options.password is not None else read_password()
    if not password:
        raise EncryptedDocument("No password was given.", "Type one, or use --password.")
    async with open_given_library(options) as library:
        chosen = [(await operations.show_document(library, spec)(JobContext())).id for spec in options.documents]
        change = Unlock(tuple(chosen), password, options.remember)
        files = await make_change(library, change, JobContext(make_outcome_listener(output)))
    if not files:
        output.note("No document is locked.")
    return int(any(file.outcome is not FileOutcome.READY for file in files))


def read_password() -> str:
    """Read the password from the terminal without echo, or from a pipe."""
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\r\n")


_WAITING = (DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)


async def pause(options: Options, output: Output) -> int:
    """Pause the reading of documents."""
    async with open_given_library(options) as library:
        await make_change(library, Pause())
        record = await _record(library, paused=True)
    output.record(record, f"Paused; {_documents(record['waiting'])} left to read. Continue with: workbench resume")
    return 0


async def resume(options: Options, output: Output) -> int:
    """End the pause and read the waiting and unfinished documents; 1 if any of them failed."""
    async with open_given_library(options) as library:
        files = await make_change(library, Resume(), JobContext(make_outcome_listener(output)))
    if not files:
        output.note("No documents are waiting to be read.")
    return status_of(files)


async def _record(library: Library, *, paused: bool) -> Record:
    documents = await operations.list_documents(library)(SILENT)
    return {"paused": paused, "waiting": sum(document.status in _WAITING for document in documents)}


def _documents(number: int) -> str:
    return "1 document is" if number == 1 else f"{number} documents are"
