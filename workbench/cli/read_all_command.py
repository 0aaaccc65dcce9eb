"""Command read-all: exhaustive readings, with their JSON records and texts."""

import argparse
import shlex
import time
from collections.abc import Callable
from typing import Any

from workbench import operations
from workbench.cli.library_access import make_change, open_given_library
from workbench.cli.output import Output, Record
from workbench.cli.search_arguments import chosen_filter
from workbench.cli.tool_approval import is_confirmed
from workbench.errors import NotFound, RetrievalError
from workbench.export.exhaustive_report import verdict_word
from workbench.language import counted
from workbench.model.exhaustive import (
    DocumentReading,
    PaceSource,
    Price,
    Reading,
    ReadingBegan,
    ReadingEstimate,
    ReadingInfo,
    ReadingOffer,
    ReadingProgress,
)
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.operations import Library
from workbench.retrieval.filters.text_syntax import text_of
from workbench.worker.job import JobContext

SILENT = JobContext()
_PROGRESS_INTERVAL = 5.0


async def read_all(options: argparse.Namespace, output: Output) -> int:
    """Start a reading, or do what another option requests; 1 if the reading paused or was not started."""
    async with open_given_library(options) as library:
        if options.list:
            for info in await operations.list_readings(library)(SILENT):
                output.record(info_record(info), info_words(info))
            return 0
        if options.delete_id is not None:
            from workbench.operations.library.library_changes import RemoveReading

            await make_change(library, RemoveReading(options.delete_id))
            output.record({"deleted": options.delete_id}, f"Deleted: {options.delete_id}")
            return 0
        if options.show_id is not None:
            return await _report_reading(
                library, options, await operations.open_reading(library, options.show_id)(SILENT), output
            )
        if options.continue_id is not None:
            continuation = operations.continue_reading(library, options.continue_id, again=options.unreadable)
            return await _report_reading(library, options, await continuation(_context(output)), output)
        return await _start_reading(library, options, output)


async def read_all_offer(library: Library, run: Run) -> ReadingOffer | None:
    """Return an exhaustive reading that would serve better than an answer; None if none would."""
    try:
        return await operations.offer_reading(library, run)(SILENT)
    except (NotFound, RetrievalError):  # without an estimate, no reading is offered
        return None


async def _start_reading(library: Library, options: argparse.Namespace, output: Output) -> int:
    if not (options.question or "").strip():
        raise RetrievalError("The question is empty.", "Enter the question to ask of every passage.")
    chosen = await chosen_filter(library, options)
    price = Price(*options.price) if options.price else None
    asked: dict[str, Any] = {"filter": chosen, "profile": options.profile, "price": price}
    estimate = await operations.estimate_reading(library, options.question, **asked)(SILENT)
    if options.estimate:
        output.record(estimate_record(estimate), estimate_words(estimate))
        return 0
    output.note(estimate_words(estimate))
    if not await is_confirmed(output, "Start?", "Nothing was read. Add --yes to start.", yes=options.yes):
        return 1
    reading = await operations.read_all(library, options.question, name=options.name, **asked)(_context(output))
    return await _report_reading(library, options, reading, output)


async def _report_reading(library: Library, options: argparse.Namespace, reading: Reading, output: Output) -> int:
    output.record(reading_record(reading), reading_words(reading))
    if options.export is not None:
        format = options.export.suffix.lstrip(".").lower() or "csv"
        path = await operations.export_reading(library, reading.info.id, format, options.export)(SILENT)
        output.note(f"Written: {path}")
    if reading.info.is_complete:
        return 0
    output.note(f"{reading.info.reason} Continue with: workbench read-all --continue {reading.info.id}".strip())
    return 1


def _context(output: Output) -> JobContext:
    return JobContext(_progress(output))


def _progress(output: Output) -> Callable[[Any], None]:
    told = 0.0

    def report(event: Any) -> None:
        nonlocal told
        if isinstance(event, ReadingBegan):
            for note in (f"Reading {event.info.id}: Ctrl+C stops it, --continue resumes it.", *event.notes):
                output.note(note)
        if isinstance(event, ReadingProgress) and (event.concluding or time.monotonic() - told >= _PROGRESS_INTERVAL):
            told = time.monotonic()
            output.note(progress_words(event))

    return report


_LONGEST_QUOTE = 200


def time_words(seconds: float) -> str:
    """Return a rounded duration as text."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def estimate_record(one: ReadingEstimate) -> Record:
    """Return the record of an estimate."""
    return {
        "documents": one.documents,
        "passages": one.passages,
        "calls": one.calls,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "seconds": None if one.seconds is None else round(one.seconds, 1),
        "time_from": one.pace.value,
        "cost": one.cost,
        "leaves": one.leaves,
        "reader": one.mode,
    }


def estimate_words(one: ReadingEstimate) -> str:
    """Return an estimate as text."""
    lines = [f"{counted(one.passages, 'passage')} of {counted(one.documents, 'document')}. {one.mode}"]
    if one.calls:
        tokens = f"about {one.input_tokens:,} tokens read and {one.output_tokens:,} written"
        lines.append(f"{counted(one.calls, 'call')} of the model plus at least one for the conclusion, {tokens}.")
    if one.seconds is None:
        lines.append("The duration is unknown: this model has not answered yet.")
    elif one.pace is PaceSource.ASSUMED:
        lines.append(f"About {time_words(one.seconds)} (assumption; nothing was measured yet).")
    else:
        lines.append(f"About {time_words(one.seconds)}, by {one.pace.value}.")
    if one.cost is not None:
        lines.append(f"Estimated cost at the given price: {one.cost:,.2f}.")
    return "\n".join([*lines, one.leaves])


def offer_record(offer: ReadingOffer) -> Record:
    """Return the record of the reading that is offered below an answer: its arguments and its estimate."""
    return {
        "question": offer.question,
        "kb": offer.filter.knowledge_base,
        "filter": text_of(offer.filter),
        "profile": offer.profile,
        "estimate": estimate_record(offer.estimate),
    }


def offer_words(offer: ReadingOffer) -> str:
    """Return the offer as text: the estimate, and the command that starts the reading."""
    options = {"--kb": offer.filter.knowledge_base, "--filter": text_of(offer.filter), "--profile": offer.profile}
    typed = [part for option, value in options.items() if value for part in (option, value)]
    command = shlex.join(["workbench", "read-all", offer.question, *typed])
    estimate = estimate_words(offer.estimate).replace("\n", "\n    ")
    return f"    Read everything: {estimate}\n    {command}\n"


def progress_words(event: ReadingProgress) -> str:
    """Return the progress of a reading as text."""
    if event.concluding:
        return f"{event.meter.sentence}. Writing the conclusion…"
    left = "" if event.seconds_left is None else f", about {time_words(event.seconds_left)} left"
    return f"{event.meter.sentence}{left}."


def info_record(info: ReadingInfo) -> Record:
    """Return the record of a listed reading."""
    return {
        "reading": info.id,
        "name": info.name,
        "question": info.question,
        "knowledge_base": info.knowledge_base,
        "filter": info.filter,
        "profile": info.profile,
        "status": info.status.value,
        "reason": info.reason,
        "created": info.created,
        "seconds": round(info.seconds, 3),
        "passages": info.meter.passages,
        "passages_read": info.meter.read,
        "documents": info.meter.documents,
        "documents_read": info.meter.documents_read,
        "unreadable": info.meter.unreadable,
        "quotes_thrown_out": info.thrown_out,
        "calls": info.calls,
        "input_tokens": info.input_tokens,
        "output_tokens": info.output_tokens,
        "cost": info.cost,
    }


def info_words(info: ReadingInfo) -> str:
    """Return a listed reading in one line."""
    return f"{info.id:>5}  {info.status.value:<9} {info.name}  ({info.meter.sentence})"


def reading_record(reading: Reading) -> Record:
    """Return the record of a reading with its table."""
    offline = reading.info.is_offline
    return {
        **info_record(reading.info),
        "notes": list(reading.notes),
        "conclusion": reading.conclusion,
        "citations": [{"number": one.marker, "valid": one.valid, **_place(one)} for one in reading.citations],
        "table": [_row_record(one, offline=offline) for one in reading.documents],
    }


def reading_words(reading: Reading) -> str:
    """Return a reading with its table as text."""
    info = reading.info
    lines = [f"? {info.question}", ""]
    for one in reading.documents:
        lines.append(f"{verdict_word(one, offline=info.is_offline).upper():<11} {one.name}{_remarks(one)}")
        lines += [f"            {one.answer}"] if one.answer else []
        lines += [f"            {_quoted(citation)}" for citation in one.citations]
    lines += ["", reading.conclusion] if reading.conclusion else []
    for citation in {one.marker: one for one in reading.citations}.values():
        what = _quoted(citation) if citation.valid else "is not a finding of this reading: do not trust it"
        lines.append(f"    [{citation.marker}] {citation.document_name} {what}".rstrip())
    lines += ["", f"    {info.meter.sentence}.", f"    {info.mode}"]
    if info.thrown_out:
        lines.append(f"    Discarded because they do not occur in their passage: {counted(info.thrown_out, 'quote')}.")
    spent = [f"reading {info.id}", f"{info.seconds:.1f} s"]
    spent += [f"{counted(info.calls, 'call')}"] if info.calls else []
    spent += [f"cost {info.cost:,.2f}"] if info.cost is not None else []
    return "\n".join([*lines, *(f"    {note}" for note in reading.notes), f"    {' · '.join(spent)}"])


def _remarks(one: DocumentReading) -> str:
    remarks = ["passages differ"] if one.differs else []
    remarks += [f"{one.unreadable:,} unreadable"] if one.unreadable else []
    remarks += [f"{one.read:,} of {one.passages:,} passages read"] if one.read < one.passages else []
    return f"  ({', '.join(remarks)})" if remarks else ""


def _quoted(citation: Citation) -> str:
    quote = " ".join(citation.quote.split())
    shown = quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE]}…"
    return f"“{shown}”{f' ({citation.place})' if citation.place else ''}"


def _row_record(one: DocumentReading, *, offline: bool) -> Record:
    return {
        "document": one.document,
        "name": one.name,
        "verdict": verdict_word(one, offline=offline),
        "answer": one.answer,
        "quotes": [{"quote": citation.quote, **_place(citation)} for citation in one.citations],
        "passages": one.passages,
        "read": one.read,
        "relevant": one.relevant,
        "unreadable": one.unreadable,
        "differs": one.differs,
    }


def _place(citation: Citation) -> Record:
    return {
        "document_name": citation.document_name,
        "page": citation.page,
        "chunk": citation.chunk,
        "start": citation.start,
        "end": citation.end,
    }
