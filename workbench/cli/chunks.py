"""Commands for passages: list, edit and undo those of a document, and explain why a search finds one or not."""

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from workbench import operations
from workbench.cli.library_access import make_change, open_given_library
from workbench.cli.output import Output, Record
from workbench.cli.records import chunk_record
from workbench.cli.search_arguments import chosen_filter
from workbench.errors import ChunkError, NotFound
from workbench.language import counted
from workbench.model.chunk import Chunk, ChunkEdit
from workbench.model.document import place
from workbench.model.explanation import Account, DocumentSpot, Explanation, ListPlace, QuestionWord, Stage, WordStanding
from workbench.model.search_configuration import SearchConfiguration
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


_MARKS = {
    WordStanding.IN_TEXT: "found",
    WordStanding.ABOVE: "in the title or a heading",
    WordStanding.MISSING: "missing",
}
_BAR = 30
_WORD = 24


async def explain(options: Options, output: Output) -> int:
    """Explain how a search treats a passage; 0 even if it was not found."""
    async with open_given_library(options) as library:
        chosen = await chosen_filter(library, options)
        document = await operations.explained_document(library, options.document)(SILENT)
        spot = await _spot(library, document, options)
        steps = await configuration_of_options(library, options)
        explaining = operations.explain(
            library, options.question, document, spot, k=options.k, filter=chosen, configuration=steps
        )
        explanation = await explaining(SILENT)
    output.record(explanation_record(explanation), explanation_words(explanation))
    return 0


async def _spot(library: Library, document: int, options: Options) -> DocumentSpot:
    if options.chunk is None:
        return DocumentSpot(page=options.page, quote=options.quote)
    chunks = await operations.list_chunks(library, document)(SILENT)
    if not 1 <= options.chunk <= len(chunks):
        raise NotFound(f"The document has no chunk {options.chunk}.", f"It has {len(chunks)}.")
    chunk = chunks[options.chunk - 1]
    return DocumentSpot(chunk.start, chunk.end)


def explanation_record(explanation: Explanation) -> Record:
    """Return the record of an explanation."""
    return {
        "question": explanation.question,
        "mode": explanation.mode.value,
        "k": explanation.wanted,
        "given": explanation.given,
        "document": explanation.document,
        "name": explanation.document_name,
        "start": explanation.start,
        "end": explanation.end,
        "stage": explanation.stage.value,
        "sentence": explanation.sentence,
        "advice": [asdict(one) for one in explanation.advice],
        "passages": [_account_record(one) for one in explanation.accounts],
        "notes": list(explanation.notes),
        "milliseconds": round(explanation.milliseconds, 1),
    }


def _account_record(account: Account) -> Record:
    chunk = account.chunk
    place = {"chunk": chunk.id, "ordinal": chunk.ordinal, "start": chunk.start, "end": chunk.end}
    return asdict(account) | place


def explanation_words(explanation: Explanation) -> str:
    """Return an explanation as text: the sentence, the advice, then the ranks of the passage."""
    lines = [f"? {explanation.question}", f"  {explanation.document_name}", "", explanation.sentence]
    lines += [f"→ {one.text}" for one in explanation.advice]
    lines += explanation.notes
    for account in explanation.accounts:
        lines += ["", *_account_words(account)]
    return "\n".join(lines) + "\n"


def _account_words(account: Account) -> list[str]:
    where = ", ".join(part for part in (f"chunk {account.chunk.ordinal + 1}", account.place) if part)
    beginning = " ".join(account.chunk.text.split())[:100]
    lines = [f"— {where}: {account.stage.value}", f"    {beginning}"]
    lines += [_place_words(one) for one in account.lists]
    if account.fused is not None:
        last = f"; lowest in the result: {account.fused_last:.4f}" if account.fused_last is not None else ""
        lines.append(f"    fused     rank {account.rank:,} of {account.compared:,}, {account.fused:.4f}{last}")
    if account.named:
        lines.append("    named     the question names its document")
    if account.rerank is not None:
        last = f"; lowest in the result: {account.rerank_last:.4f}" if account.rerank_last is not None else ""
        lines.append(f"    reranked  rank {account.rerank_rank}, {account.rerank:.4f}{last}")
    if account.relevance is not None:
        is_floor = account.stage is Stage.BELOW_FLOOR and account.certainty is None
        threshold = f", threshold {account.floor:.2f}" if is_floor else ""
        lines.append(f"    relevance {account.relevance:.2f}{threshold}")
    if account.certainty is not None:
        lines.append(f"    certainty {account.certainty:.2f}, threshold {account.floor:.2f}")
    return lines + [_word_words(word) for word in account.words]


def _place_words(place: ListPlace) -> str:
    score = f", {place.score:.3f} (best {place.best:.3f})" if place.score is not None and place.best is not None else ""
    rank = f"rank {place.rank:,} of {place.size:,}" if place.rank else f"not among the {place.size:,}"
    return f"    {place.kind.value:<9} {rank}{score}; the first {place.looked_at:,} were considered"


def _word_words(word: QuestionWord) -> str:
    bar = "█" * max(1, round(word.share * _BAR))
    return f"    {word.text:<{_WORD}} {bar:<{_BAR}} {word.share:>4.0%}  {_MARKS[word.standing]}"


async def configuration_of_options(library: Library, options: argparse.Namespace) -> SearchConfiguration | None:
    """Return the knowledge base's search configuration with --mode and --no-rerank applied; None without them."""
    changes: dict[str, Any] = {}
    if options.mode is not None:
        changes["mode"] = options.mode
    if getattr(options, "no_rerank", False):
        changes["reranking"] = "none"
    if not changes:
        return None
    usual = await operations.search_settings(library, options.kb)(SILENT)
    return dataclasses.replace(usual.configuration, **changes)
