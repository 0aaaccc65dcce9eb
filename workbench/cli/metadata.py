"""Metadata of one's own: given, taken away, listed, and taken from a table; typed as metadata_parser.py says."""

import argparse
import os
from pathlib import Path

from workbench import operations
from workbench.cli.changing import changed
from workbench.cli.opened import opened
from workbench.cli.output import Output, Record
from workbench.model.custom_metadata import checked_metadata, typed_pairs
from workbench.model.document import Document
from workbench.operations import Library
from workbench.operations.document_changes import GiveMetadata, ImportMetadata
from workbench.worker.job import JobContext

SILENT = JobContext()


async def metadata(options: argparse.Namespace, output: Output) -> int:
    """Give, take away, list or import metadata; 1 where a table names documents that there are not."""
    async with opened(options) as library:
        if options.action == "import":
            return await _import(library, options, output)
        if options.action == "list" and not options.documents:
            for key, many in await operations.list_metadata_keys(library, options.kb)(SILENT):
                output.record({"key": key, "documents": many}, f"{many:>7}  {key}")
            return 0
        found = [await operations.show_document(library, spec)(SILENT) for spec in options.documents]
        if options.action != "list":
            await _give(library, found, options)
            found = [await operations.show_document(library, str(document.id))(SILENT) for document in found]
        for document in found:
            output.record(_record(document), _words(document))
    return 0


async def _give(library: Library, documents: list[Document], options: argparse.Namespace) -> None:
    numbers = tuple(document.id for document in documents)
    if options.action == "set":
        checked_metadata(typed_pairs(options.metadata))
        await changed(library, GiveMetadata(numbers, metadata=tuple(options.metadata)))
    else:
        await changed(library, GiveMetadata(numbers, without=tuple(options.keys)))


async def _import(library: Library, options: argparse.Namespace, output: Output) -> int:
    outcome = await changed(library, ImportMetadata(Path(os.path.abspath(options.table)), options.kb or ""))
    many = len(outcome.before)
    output.record(
        {"documents": sorted(outcome.before), "unknown": list(outcome.unknown), "left_out": list(outcome.told)},
        f"Metadata for {many} {'document' if many == 1 else 'documents'}.",
    )
    for sentence in (*outcome.told, *(f"There is no document “{name}”." for name in outcome.unknown)):
        output.note(sentence)
    return int(bool(outcome.unknown))


def _record(document: Document) -> Record:
    return {"document": document.id, "path": document.path, "metadata": document.custom_values}


def _words(document: Document) -> str:
    lines = [f"{document.id:>5}  {document.name}", *(f"       {one.key} = {one.written}" for one in document.custom)]
    return "\n".join(lines)
