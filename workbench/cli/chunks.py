"""Commands for the passages of a document: list, edit, undo."""

import argparse
import sys
from collections.abc import Sequence

from workbench import operations
from workbench.cli.library_access import make_change, open_given_library
from workbench.cli.output import Output, Record
from workbench.cli.records import chunk_record
from workbench.errors import ChunkError, NotFound
from workbench.language import counted
from workbench.model.chunk import Chunk, ChunkEdit
from workbench.model.document import place
from workbench.model.text_diff import written
from workbench.operations import Library
from workbench.operations.library.document_changes import (
    Change,
    DisableChunk,
    EditChunk,
    GoBack,
    MergeChunks,
    ResetChunk,
    SplitChunk,
    TagChunk,
    Whole,
)
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()
_SHORT = 70


async def chunks(options: Options, output: Output) -> int:
    """List the passages of a document with their ids, or their edits."""
    async with open_given_library(options) as library:
        document = await operations.show_document(library, options.document)(SILENT)
        if options.edits:
            edits = await operations.list_chunk_edits(library, document.id)(SILENT)
            for edit in edits:
                output.record(edit_record(edit), edit_words(edit))
            if not edits:
                output.note("None of its passages was changed manually.")
            return 0
        for chunk in await operations.list_chunks(library, document.id)(SILENT):
            where = place(document.page_kind, chunk.page)
            output.record(chunk_record(chunk), _chunk_words(chunk, where))
    return 0


async def chunk(options: Options, output: Output) -> int:
    """Edit a passage, or undo an edit."""
    async with open_given_library(options) as library:
        if options.action in ("undo", "redo"):
            document = await operations.show_document(library, options.document)(SILENT)
            changes: Sequence[Change[ChunkEdit | None]]
            changes = [GoBack(document.id, options.edit, options.action == "redo")]
        else:
            changes = _changes(library, options)
        for change in changes:
            edit = await make_change(library, change)
            if edit is None:
                output.note("Nothing is to be changed there.")
            else:
                output.record(edit_record(edit), edit_words(edit))
    return 0


def _changes(library: Library, options: Options) -> Sequence[Change[ChunkEdit | None]]:
    match options.action:
        case "edit":
            text = sys.stdin.read() if options.text == "-" else options.text
            return [EditChunk(options.id, text)]
        case "merge":
            return [MergeChunks(options.id, options.previous)]
        case "split":
            return [SplitChunk(options.id, Whole(_place(library, options)))]
        case "tag":
            tags = [tag for tag in _chunk(library, options.id).tags if tag not in options.untag]
            return [TagChunk(options.id, (*tags, *options.tags))]
        case "reset":
            return [ResetChunk(options.id)]
        case _:
            is_off = options.action == "disable"
            return [DisableChunk(number, is_off) for number in options.ids]


def _chunk(library: Library, number: int) -> Chunk:
    found = library.documents.chunks_by_id([number])
    if number not in found:
        raise NotFound(f"There is no passage {number} in the library.", "“chunks DOCUMENT” lists them with their ids.")
    return found[number][0]


def _place(library: Library, options: Options) -> int:
    """Return the offset at which a passage is split, given as a number or as the first words of the second part."""
    if options.at is not None:
        return int(options.at)
    found = _chunk(library, options.id).text.find(options.before)
    if found < 0:
        raise ChunkError(
            f"The passage does not contain “{options.before}”.", "Use words exactly as they occur in the passage."
        )
    return found


def edit_record(edit: ChunkEdit) -> Record:
    """Return the record of one edit."""
    return {
        "edit": edit.id,
        "document": edit.document,
        "kind": edit.kind.value,
        "made": edit.made,
        "undone": bool(edit.undone),
        "lost": edit.lost,
        "can_undo": edit.can_undo,
        "can_redo": edit.can_redo,
        "before": [chunk_record(one) for one in edit.before],
        "after": [chunk_record(one) for one in edit.after],
    }


def edit_words(edit: ChunkEdit) -> str:
    """Return one edit as text: its kind, its passages, and the difference."""
    state = " (could not be applied again)" if edit.lost else " (undone)" if edit.undone else ""
    now = edit.before if edit.undone else edit.after
    head = f"{edit.id:>5}  {edit.made[:16].replace('T', ' ')}  {edit.words}{state}"
    head += f": passage {', '.join(str(one.id) for one in now)}"
    return f"{head}\n{written(edit.text_before, edit.text_after)}\n" if edit.is_of_text else head


def _chunk_words(chunk: Chunk, where: str) -> str:
    marks = [
        where,
        counted(chunk.tokens, "token"),
        "edited by you" if chunk.is_edited else "",
        "cut by you" if chunk.by_hand else "",
        "disabled" if chunk.disabled else "",
        *(f"#{tag}" for tag in chunk.tags),
    ]
    text = " ".join(chunk.text.split())
    text = text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
    return f"{chunk.id:>7}  {', '.join(mark for mark in marks if mark)}\n         {text}"
