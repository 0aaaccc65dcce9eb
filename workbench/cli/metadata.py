"""Metadata of one's own: given, taken away, listed, and taken from a table."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from workbench import operations
from workbench.cli.opened import opened
from workbench.cli.output import Output, Record, printable
from workbench.cli.records import metadata_record
from workbench.model.custom_metadata import typed_pairs
from workbench.model.document import Document
from workbench.operations import Library
from workbench.worker.job import JobContext

SILENT = JobContext()
METADATA_HELP = "metadata of your own for all of them: a text, a number, a date, or several with “;” between"


def add_metadata_command(
    command: Callable[[str, str], argparse.ArgumentParser], common: Callable[[], argparse.ArgumentParser]
) -> None:
    """Add metadata; common gives the options that every command has."""
    parser = command("metadata", "Give documents metadata of your own, by which filters can ask for them.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    for name, help in (("set", "Give documents metadata."), ("unset", "Take metadata away from documents.")):
        made = action(name, help)
        made.add_argument("documents", nargs="+", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
        if name == "set":
            add_metadata_option(made, required=True)
        else:
            made.add_argument("--key", dest="keys", type=printable, action="append", required=True, metavar="KEY")
    listing = action("list", "List the keys in use; or the metadata of documents.")
    listing.add_argument("documents", nargs="*", metavar="DOCUMENT")
    listing.add_argument("--kb", type=printable, metavar="NAME", help="of this knowledge base only")
    table = action("import", "Take metadata from a CSV file: a column headed “file”, and a column a key.")
    table.add_argument("table", type=Path, metavar="FILE.csv")
    table.add_argument("--kb", type=printable, metavar="NAME", help="for documents of this knowledge base only")


def add_metadata_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Let a command take metadata."""
    parser.add_argument(
        "--metadata",
        type=printable,
        action="append",
        default=[],
        required=required,
        metavar="KEY=VALUE",
        help=f"{METADATA_HELP}; may be repeated",
    )


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
    given: Mapping[str, object]
    given = typed_pairs(options.metadata) if options.action == "set" else dict.fromkeys(options.keys)
    await operations.give_metadata(library, [document.id for document in documents], given)(SILENT)


async def _import(library: Library, options: argparse.Namespace, output: Output) -> int:
    outcome = await operations.import_metadata(library, options.table, options.kb)(SILENT)
    many = len(outcome.before)
    output.record(
        {"documents": sorted(outcome.before), "unknown": list(outcome.unknown), "left_out": list(outcome.told)},
        f"Metadata for {many} {'document' if many == 1 else 'documents'}.",
    )
    for sentence in (*outcome.told, *(f"There is no document “{name}”." for name in outcome.unknown)):
        output.note(sentence)
    return int(bool(outcome.unknown))


def _record(document: Document) -> Record:
    return {"document": document.id, "path": document.path, "metadata": metadata_record(document)}


def _words(document: Document) -> str:
    lines = [f"{document.id:>5}  {document.name}", *(f"       {one.key} = {one.written}" for one in document.custom)]
    return "\n".join(lines)
