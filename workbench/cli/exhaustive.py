"""A question asked of every passage: estimated, begun, gone on with, shown. Typed as exhaustive_parser.py says."""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from workbench import operations
from workbench.cli.approving import typed_line
from workbench.cli.changing import changed
from workbench.cli.exhaustive_words import (
    estimate_record,
    estimate_words,
    info_record,
    info_words,
    progress_words,
    reading_record,
    reading_words,
)
from workbench.cli.filters import chosen_filter
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.errors import NotFound, RetrievalError
from workbench.model.exhaustive import Price, Reading, ReadingBegan, ReadingOffer, ReadingProgress
from workbench.model.run import Run
from workbench.operations import Library
from workbench.operations.library_changes import RemoveReading
from workbench.worker.job import JobContext

SILENT = JobContext()
_TOLD_EVERY = 5.0


async def read_all(options: argparse.Namespace, output: Output) -> int:
    """Begin, or do what is asked for instead; 1 where the reading had to pause or was not begun."""
    async with opened(options) as library:
        if options.list:
            for info in await operations.list_readings(library)(SILENT):
                output.record(info_record(info), info_words(info))
            return 0
        if options.delete_id is not None:
            await changed(library, RemoveReading(options.delete_id))
            output.record({"deleted": options.delete_id}, f"Deleted: {options.delete_id}")
            return 0
        if options.show_id is not None:
            return await _told(
                library, options, await operations.open_reading(library, options.show_id)(SILENT), output
            )
        if options.continue_id is not None:
            going = operations.continue_reading(library, options.continue_id, again=options.unreadable)
            return await _told(library, options, await going(_context(output)), output)
        return await _begun(library, options, output)


async def reading_offer(library: Library, run: Run) -> ReadingOffer | None:
    """Return the reading of every passage that would do better than an answer; None where none would."""
    try:
        return await operations.offer_reading(library, run)(SILENT)
    except (NotFound, RetrievalError):  # what cannot be estimated is not offered
        return None


async def _begun(library: Library, options: argparse.Namespace, output: Output) -> int:
    if not (options.question or "").strip():
        raise RetrievalError("The question is empty.", "Type what every passage is to be asked.")
    chosen = await chosen_filter(library, options)
    price = Price(*options.price) if options.price else None
    asked: dict[str, Any] = {"filter": chosen, "profile": options.profile, "price": price}
    estimate = await operations.estimate_reading(library, options.question, **asked)(SILENT)
    if options.estimate:
        output.record(estimate_record(estimate), estimate_words(estimate))
        return 0
    output.note(estimate_words(estimate))
    if not options.yes and not await _confirmed(output):
        return 1
    reading = await operations.read_all(library, options.question, name=options.name, **asked)(_context(output))
    return await _told(library, options, reading, output)


async def _confirmed(output: Output) -> bool:
    """Ask at the terminal; where nobody sits there, --yes has to be typed."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        output.note("Nothing was read. Type --yes as well to begin.")
        return False
    output.note("Begin? [y]es, [n]o:")
    return (await typed_line()).strip().casefold() in ("y", "yes")


async def _told(library: Library, options: argparse.Namespace, reading: Reading, output: Output) -> int:
    output.record(reading_record(reading), reading_words(reading))
    if options.export is not None:
        format = options.export.suffix.lstrip(".").lower() or "csv"
        path = await operations.export_reading(library, reading.info.id, format, options.export)(SILENT)
        output.note(f"Written: {path}")
    if reading.info.is_complete:
        return 0
    output.note(f"{reading.info.reason} Go on with: workbench read-all --continue {reading.info.id}".strip())
    return 1


def _context(output: Output) -> JobContext:
    return JobContext(_progress(output))


def _progress(output: Output) -> Callable[[Any], None]:
    told = 0.0

    def tell(event: Any) -> None:
        nonlocal told
        if isinstance(event, ReadingBegan):
            for note in (f"Reading {event.info.id}: Ctrl+C stops it, and --continue goes on.", *event.notes):
                output.note(note)
        if isinstance(event, ReadingProgress) and (event.concluding or time.monotonic() - told >= _TOLD_EVERY):
            told = time.monotonic()
            output.note(progress_words(event))

    return tell
