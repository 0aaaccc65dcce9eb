"""Commands for knowledge bases, linked folders, the bin, fields, tags, custom metadata, and the check of documents."""

import argparse
import os
from pathlib import Path

from workbench import operations
from workbench.cli import integrity_commands
from workbench.cli.library_access import make_change, open_given_library, opened_to_read
from workbench.cli.output import Output, Record
from workbench.cli.records import document_record
from workbench.errors import NotFound
from workbench.language import counted
from workbench.model.custom_metadata import checked_metadata, typed_pairs
from workbench.model.diagnosis import Bar, Diagnosis, Gravity, Symptom
from workbench.model.document import Document
from workbench.model.knowledge_base import BinnedDocument, FolderCheck, KnowledgeBase, LinkedFolder, Removal
from workbench.model.metadata import FIELDS
from workbench.operations import Library
from workbench.operations.library.document_changes import (
    CheckFolders,
    Delete,
    Edit,
    GiveMetadata,
    ImportMetadata,
    LinkFolder,
    Move,
    Restore,
    UnlinkFolder,
)
from workbench.operations.library.library_changes import AddBase, RemoveBase, RenameBase
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()
_MARKS = {Gravity.NOTE: " ", Gravity.WARNING: "!", Gravity.PROBLEM: "✗"}
_BAR = 40


async def knowledge_bases(options: Options, output: Output) -> int:
    """List, add, rename or remove knowledge bases, or move documents between them; 1 if a document was not moved."""
    async with open_given_library(options) as library:
        if options.action == "move":
            return await _move(library, options, output)
        if options.action == "add":
            await make_change(library, AddBase(options.name))
        elif options.action == "rename":
            await make_change(library, RenameBase(options.name, options.new))
        elif options.action == "remove":
            await make_change(library, RemoveBase(options.name))
        for base in await operations.describe_knowledge_bases(library)(SILENT):
            output.record(
                _base_record(base),
                f"{base.name}: {counted(base.documents, 'document')}, {counted(base.chunks, 'chunk')}",
            )
    return 0


async def edit(options: Options, output: Output) -> int:
    """Set fields and tags of documents."""
    fields = {name: value for name in FIELDS if (value := getattr(options, name)) is not None}
    async with opened_to_read(options, output) as library:
        for spec in options.documents:
            document = await operations.show_document(library, spec)(SILENT)
            await make_change(library, Edit(document.id, fields, tuple(options.tag), tuple(options.untag)))
            edited = await operations.show_document(library, str(document.id))(SILENT)
            output.record(document_record(edited), _edited_words(edited))
    return 0


async def check(options: Options, output: Output) -> int:
    """Check the library, one document, or all documents for problems; 1 if there is a problem."""
    if options.document is None and options.kb is None and not options.documents:
        return await integrity_commands.check(options, output)
    async with open_given_library(options) as library:
        if options.document is not None:
            document = await operations.show_document(library, options.document)(SILENT)
            diagnosis = await operations.diagnose(library, document.id)(SILENT)
            output.record(_diagnosis_record(diagnosis), _diagnosis_words(diagnosis))
            return int(any(symptom.gravity is Gravity.PROBLEM for symptom in diagnosis.symptoms))
        patients = await operations.diagnose_library(library, options.kb)(SILENT)
    for patient in patients:
        record = {"document": patient.document.id, "path": patient.document.path}
        words = [f"{patient.document.id:>5}  {patient.document.name}", *map(_symptom_words, patient.symptoms)]
        output.record({**record, "symptoms": [_symptom_record(one) for one in patient.symptoms]}, "\n".join(words))
    if not patients:
        output.note("Nothing is wrong with any document.")
    return int(any(symptom.gravity is Gravity.PROBLEM for patient in patients for symptom in patient.symptoms))


async def _move(library: Library, options: Options, output: Output) -> int:
    numbers = [(await operations.show_document(library, spec)(SILENT)).id for spec in options.documents]
    transfer = await make_change(library, Move(tuple(numbers), options.target, options.copy))
    done = "copied" if options.copy else "moved"
    for number in transfer.documents:
        document = await operations.show_document(library, str(number))(SILENT)
        record = {"document": number, "kb": transfer.target, "status": done}
        output.record(record, f"{done} to {transfer.target}: {document.name}")
    for refusal in transfer.refused:
        record = {"document": refusal.document, "status": "refused", "reason": refusal.reason}
        output.record(record, f"stays: {refusal.name}: {refusal.reason}")
    return int(bool(transfer.refused))


def _base_record(base: KnowledgeBase) -> Record:
    return {
        "kb": base.name,
        "documents": base.documents,
        "chunks": base.chunks,
        "embedded": base.embedded,
        "failed": base.failed,
        "size": base.size,
    }


def _edited_words(document: Document) -> str:
    tags = f" [{', '.join(document.tags)}]" if document.tags else ""
    return f"{document.id:>5}  {document.name}: {document.metadata.title}{tags}"


def _symptom_record(symptom: Symptom) -> Record:
    return {
        "title": symptom.title,
        "detail": symptom.detail,
        "gravity": symptom.gravity.name.lower(),
        "remedy": symptom.remedy.value if symptom.remedy else None,
        "pages": list(symptom.pages),
    }


def _diagnosis_record(diagnosis: Diagnosis) -> Record:
    return {
        "document": diagnosis.document.id,
        "path": diagnosis.document.path,
        "symptoms": [_symptom_record(symptom) for symptom in diagnosis.symptoms],
        "chunks": diagnosis.document.chunks,
        "lengths": [{"low": bar.low, "high": bar.high, "chunks": bar.chunks} for bar in diagnosis.bars],
        "window": diagnosis.window,
        "beyond": diagnosis.beyond,
        "beyond_share": round(diagnosis.beyond_share, 4),
    }


def _diagnosis_words(diagnosis: Diagnosis) -> str:
    lines = [diagnosis.document.name, *map(_symptom_words, diagnosis.symptoms)]
    if not diagnosis.symptoms:
        lines.append("    Nothing is wrong with it.")
    if diagnosis.bars:
        lines += ["", f"    Tokens per chunk; the context length of the embedding model is {diagnosis.window or '?'}"]
        highest = max(bar.chunks for bar in diagnosis.bars)
        lines += [_bar_words(bar, highest) for bar in diagnosis.bars]
    return "\n".join([*lines, ""])


def _bar_words(bar: Bar, most: int) -> str:
    return f"    {bar.low:>6}–{bar.high:<6} {'█' * -(-bar.chunks * _BAR // most)} {bar.chunks or ''}".rstrip()


def _symptom_words(symptom: Symptom) -> str:
    detail = f"\n        {symptom.detail}" if symptom.detail else ""
    return f"    {_MARKS[symptom.gravity]} {symptom.title}{detail}"


async def metadata(options: argparse.Namespace, output: Output) -> int:
    """Set, remove, list or import metadata; 1 if a table names documents that do not exist."""
    async with open_given_library(options) as library:
        if options.action == "import":
            return await _import(library, options, output)
        if options.action == "list" and not options.documents:
            for key, many in await operations.list_metadata_keys(library, options.kb)(SILENT):
                output.record({"key": key, "documents": many}, f"{many:>7}  {key}")
            return 0
        found = [await operations.show_document(library, spec)(SILENT) for spec in options.documents]
        if options.action != "list":
            await _set_metadata(library, found, options)
            found = [await operations.show_document(library, str(document.id))(SILENT) for document in found]
        for document in found:
            output.record(_record(document), _words(document))
    return 0


async def _set_metadata(library: Library, documents: list[Document], options: argparse.Namespace) -> None:
    numbers = tuple(document.id for document in documents)
    if options.action == "set":
        checked_metadata(typed_pairs(options.metadata))
        await make_change(library, GiveMetadata(numbers, metadata=tuple(options.metadata)))
    else:
        await make_change(library, GiveMetadata(numbers, without=tuple(options.keys)))


async def _import(library: Library, options: argparse.Namespace, output: Output) -> int:
    outcome = await make_change(library, ImportMetadata(Path(os.path.abspath(options.table)), options.kb or ""))
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
