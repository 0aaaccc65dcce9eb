"""Pausing what the library reads, and going on with it; typed as steering_parser.py says."""

import argparse

from workbench import operations
from workbench.cli.changing import changed
from workbench.cli.opened import opened
from workbench.cli.output import Output, Record
from workbench.cli.sources import shown, status_of
from workbench.model.document import DocumentStatus
from workbench.operations import Library
from workbench.operations.document_changes import Pause, Resume
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()

_WAITING = (DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)


async def pause(options: Options, output: Output) -> int:
    """Let the library wait with what it has not read yet."""
    async with opened(options) as library:
        await changed(library, Pause())
        record = await _record(library, paused=True)
    output.record(record, f"Paused; {_documents(record['waiting'])} left to read. Go on with: workbench resume")
    return 0


async def resume(options: Options, output: Output) -> int:
    """End the pause and read what waits, also what a stop left unfinished; 1 if any of it failed."""
    async with opened(options) as library:
        files = await changed(library, Resume(), JobContext(shown(output)))
    if not files:
        output.note("Nothing waits to be read.")
    return status_of(files)


async def _record(library: Library, *, paused: bool) -> Record:
    documents = await operations.list_documents(library)(SILENT)
    return {"paused": paused, "waiting": sum(document.status in _WAITING for document in documents)}


def _documents(number: int) -> str:
    return "1 document is" if number == 1 else f"{number} documents are"
