"""Commands for linked folders and the bin."""

import argparse
import os
from pathlib import Path

from workbench import operations
from workbench.cli.library_access import make_change, open_given_library, opened_to_read
from workbench.cli.output import Output, Record
from workbench.errors import NotFound
from workbench.language import counted
from workbench.model.custom_metadata import checked_metadata, typed_pairs
from workbench.model.knowledge_base import BinnedDocument, FolderCheck, LinkedFolder, Removal
from workbench.operations.library.document_changes import CheckFolders, Delete, LinkFolder, Restore, UnlinkFolder
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()


async def link(options: Options, output: Output) -> int:
    """Link a folder; 1 if a file in it could not be read."""
    async with opened_to_read(options, output) as library:
        checked_metadata(typed_pairs(options.metadata))
        folder = Path(os.path.abspath(os.path.expanduser(options.folder)))
        (check,) = await make_change(library, LinkFolder(folder, options.kb, tuple(options.metadata)))
    _show_check(check, output)
    return int(bool(check.failed))


async def unlink(options: Options, output: Output) -> int:
    """Stop following a folder."""
    async with open_given_library(options) as library:
        folder = await operations.linked_folder(library, options.folder)(SILENT)
        await make_change(library, UnlinkFolder(folder.id, options.remove))
    output.record({"folder": folder.id, "path": folder.path, "status": "unlinked"}, f"unlinked {folder.path}")
    return 0


async def links(options: Options, output: Output) -> int:
    """List the linked folders."""
    async with opened_to_read(options, output) if options.check else open_given_library(options) as library:
        checks = await make_change(library, CheckFolders()) if options.check else []
        folders = await operations.list_linked_folders(library)(SILENT)
    for check in checks:
        _show_check(check, output)
    for folder in folders if not checks else ():
        output.record(_folder_record(folder), _folder_words(folder))
    if not folders:
        output.note("No folder is linked. Link one with: workbench link FOLDER")
    return 0


async def bin(options: Options, output: Output) -> int:
    """List the bin, or restore or delete documents in it."""
    async with opened_to_read(options, output) if options.restore else open_given_library(options) as library:
        before = {one.document.id: one for one in await operations.list_bin(library)(SILENT)}
        chosen = options.restore or options.delete or (list(before) if options.empty else [])
        for number in chosen:
            if number not in before:
                raise NotFound(f"There is no document {number} in the bin.", "“bin” lists the documents in it.")
        if options.restore:
            chosen = await make_change(library, Restore(tuple(chosen)))
        elif chosen:
            await make_change(library, Delete(tuple(chosen)))
    status = ("restored" if options.restore else "deleted") if chosen else "removed"
    for number, one in before.items():
        if status == "removed" or number in chosen:
            output.record(
                _binned_record(one, status), f"{number:>5}  {status:<9} {one.removed_at}  {one.document.name}"
            )
    if not before:
        output.note("The bin is empty.")
    return int(len(options.restore) > len(chosen))


def _folder_record(folder: LinkedFolder) -> Record:
    return {
        "folder": folder.id,
        "path": folder.path,
        "kb": folder.knowledge_base,
        "state": folder.state.value,
        "documents": folder.documents,
        "checked": folder.checked,
        "reason": folder.reason,
        "metadata": {field.key: field.plain for field in folder.metadata},
    }


def _folder_words(folder: LinkedFolder) -> str:
    return f"{folder.id:>5}  {counted(folder.documents, 'document'):>16}  {folder.path}" + (
        f": {folder.reason}" if folder.reason else ""
    )


def _show_check(check: FolderCheck, output: Output) -> None:
    names = ("added", "edited", "moved", "restored", "removed", "failed", "unsteady")
    numbers = {name: getattr(check, name) for name in names}
    changes = ", ".join(f"{number} {name}" for name, number in numbers.items() if number) or "nothing changed"
    output.record({**_folder_record(check.folder), **numbers}, f"{_folder_words(check.folder)} ({changes})")


def _binned_record(one: BinnedDocument, status: str) -> Record:
    return {
        "document": one.document.id,
        "path": one.document.path,
        "kb": one.document.knowledge_base,
        "status": status,
        "removed": one.removed_at,
        "with_file": one.removal is Removal.WITH_FILE,
    }
