"""Commands for what does not come as a file: links, database queries, notes."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from workbench import operations
from workbench.cli import records
from workbench.cli.opened import opened_to_read
from workbench.cli.output import Output
from workbench.cli.words import finished_words
from workbench.model.document import Origin
from workbench.model.progress import FileDivided, FileFinished, FileOutcome
from workbench.operations import Library
from workbench.store.lock import WINDOW, holder_of
from workbench.worker.job import JobContext, Operation

Options = argparse.Namespace
SILENT = JobContext()


def add_topics(library: Library, options: Options) -> Operation[list[FileFinished]]:
    """Return the operation that adds the articles of the topics."""
    return operations.add_topics(library, options.topic, knowledge_base=options.kb)


def add_links(library: Library, options: Options) -> Operation[list[FileFinished]]:
    """Return the operation that adds the links among what was typed to be added."""
    links = [one for one in options.paths if isinstance(one, str)]
    return operations.add_urls(library, links, knowledge_base=options.kb, run_scripts=options.run_scripts)


def passed_on(options: Options, output: Output) -> bool:
    """Have the window that has the library open add files and folders, where there is one and nothing else is asked."""
    holder = holder_of(options.library)
    more = ("topic", "password", "remember", "rehash", "include", "exclude", "metadata")
    is_more = any(getattr(options, name) for name in more)
    if holder is None or holder.program != WINDOW or is_more or any(isinstance(one, str) for one in options.paths):
        return False
    # Qt takes 0.1 s to import; nothing else on the command line needs it.
    from workbench.ui.single_instance import hand_over

    paths = [os.path.abspath(path) for path in options.paths]
    if not hand_over(options.library, paths, knowledge_base=options.kb):
        return False
    for path in paths:
        record = {"path": path, "status": "passed on", "process": holder.process}
        output.record(record, f"passed on  {path}: {holder} adds it, and shows how that ends")
    return True


def shown(output: Output) -> Callable[[Any], None]:
    """Return a listener that prints what became of each document."""

    def show(event: Any) -> None:
        if isinstance(event, FileDivided):
            output.note(event.message)
        if isinstance(event, FileFinished):
            output.record(records.file_record(event), finished_words(event))

    return show


def status_of(files: Sequence[FileFinished]) -> int:
    """Return the exit status: 1 if any failed or waits for a password."""
    return int(any(file.outcome in (FileOutcome.FAILED, FileOutcome.LOCKED) for file in files))


async def add_query(options: Options, output: Output) -> int:
    """Add what a query finds in a database; 1 if it failed."""
    async with opened_to_read(options, output) as library:
        add = operations.add_query(
            library, options.connection, options.query, title=options.title, knowledge_base=options.kb
        )
        return status_of(await add(JobContext(shown(output))))


async def note(options: Options, output: Output) -> int:
    """Add a note, or replace one; 1 if it failed."""
    text = sys.stdin.read() if options.text == "-" else options.text
    async with opened_to_read(options, output) as library:
        if options.edit:
            document = await operations.show_document(library, options.edit)(SILENT)
            write = operations.edit_note(library, document.id, text, title=options.title)
        else:
            write = operations.add_note(library, text, title=options.title, knowledge_base=options.kb)
        return status_of(await write(JobContext(shown(output))))


async def refetch(options: Options, output: Output) -> int:
    """Fetch pages and run queries again; 1 if any of them failed."""
    async with opened_to_read(options, output) as library:
        if options.documents:
            chosen = [await operations.show_document(library, spec)(SILENT) for spec in options.documents]
        else:
            documents = await operations.list_documents(library)(SILENT)
            chosen = [document for document in documents if document.origin in (Origin.URL, Origin.QUERY)]
        files = await operations.refetch(library, [document.id for document in chosen])(JobContext(shown(output)))
    if not files:
        output.note("There is nothing that came from the web or a database.")
    return status_of(files)
