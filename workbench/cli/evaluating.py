"""Golden questions measured, compared, exported; a way of searching promoted. Typed as evaluating_parser.py says."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench import operations
from workbench.cli import evaluating_records as records
from workbench.cli import evaluating_words as words
from workbench.cli.opened import opened
from workbench.cli.output import Output, Record
from workbench.errors import SettingError
from workbench.model.evaluation import Evaluation, EvaluationProgress, EvaluationSummary
from workbench.model.golden import MARKS, BadLine
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.configurations import configuration_of
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()
_TOLD_EVERY = 10.0


async def evaluate(options: Options, output: Output) -> int:
    """Measure, or do what is asked for instead; 1 where a line of the file was no golden question."""
    async with opened(options) as library:
        if options.history:
            return await _history(library, options, output)
        if options.again:
            return await _again(library, options, output)
        if options.reset:
            return await _promoted(library, options, None, output)
        ways = await _ways(library, options)
        set, bad = await _set(library, options, output)
        if options.export:
            path = await operations.write_questions(library, set, options.export)(SILENT)
            output.record({"set": set, "path": str(path)}, f"Written: {path}")
            return int(bool(bad))
        await _measured(library, set, ways, bad, options, output)
        if ways.chosen is not None and options.keep:
            await operations.keep_configuration(library, options.keep, ways.chosen)(SILENT)
            output.words(f"Kept as “{options.keep}”.")
        if options.promote:
            await _promoted(library, options, ways.chosen, output)
    return int(bool(bad))


@dataclass(frozen=True, slots=True)
class _Ways:
    """The way of searching that is measured, None as searches go now, and the one that it is compared with."""

    chosen: SearchConfiguration | None
    against: SearchConfiguration | None


async def _ways(library: Library, options: Options) -> _Ways:
    """Return what was typed; all that can be wrong with it is told before a file is read or anything measured."""
    if options.configuration is None and (options.promote or options.keep):
        raise SettingError("There is nothing to promote or keep.", "Say what, for example: --configuration mode=dense")
    await operations.search_settings(library, options.kb)(SILENT)
    typed = (options.configuration, options.against)
    chosen, against = [await configuration_of(library, text) if text else None for text in typed]
    return _Ways(chosen, against)


async def _set(library: Library, options: Options, output: Output) -> tuple[str, tuple[BadLine, ...]]:
    """Return the set that is asked for, read from the file where there is one, and what in that is no question."""
    if options.file is None:
        return options.set or MARKS, ()
    read = await operations.read_questions(library, options.file, set=options.set)(SILENT)
    for line in words.bad_lines(read.bad_lines):
        output.note(line)
    return read.set, read.bad_lines


async def _measured(
    library: Library,
    set: str,
    ways: _Ways,
    bad: tuple[BadLine, ...],
    options: Options,
    output: Output,
) -> None:
    context, lines = JobContext(_progress(output)), records.bad_lines_record(bad)
    name = _name(options.configuration)
    if ways.against is None:
        run = await operations.evaluate(library, set, configuration=ways.chosen, name=name, k=options.k)(context)
        await _told(library, run, lines, output)
        return
    names = _name(options.against), name
    compare = operations.evaluate_both(library, set, ways.against, ways.chosen, names=names, k=options.k)
    comparison = await compare(context)
    output.record(records.comparison_record(comparison) | lines, words.comparison_words(comparison))


def _name(typed: str | None) -> str:
    """Return what a configuration is called: nothing for one that is written out, which says itself what it is."""
    return "" if not typed or "=" in typed else typed


def _progress(output: Output) -> Callable[[Any], None]:
    told = time.monotonic()

    def tell(event: Any) -> None:
        nonlocal told
        if isinstance(event, EvaluationProgress) and time.monotonic() - told >= _TOLD_EVERY:
            told = time.monotonic()
            output.note(words.progress_words(event))

    return tell


async def _history(library: Library, options: Options, output: Output) -> int:
    output.words(words.sets_words(await operations.golden_sets(library)(SILENT)))
    newest = {run.id for run in await _newest(library, options)}
    for run in await operations.list_evaluations(library, options.set or None)(SILENT):
        stale = await operations.evaluation_changes(library, run.id)(SILENT) if run.id in newest else ()
        output.record(records.summary_record(run) | {"out_of_date": list(stale)}, words.summary_words(run, stale))
    return 0


async def _again(library: Library, options: Options, output: Output) -> int:
    """Measure the sets whose last run is out of date, as that was measured."""
    stale = await operations.outdated_evaluations(library, options.set or None)(SILENT)
    for run in stale:
        again = operations.evaluate_again(library, run)
        await _told(library, await again(JobContext(_progress(output))), {}, output)
    if not stale:
        output.note("Nothing is out of date.")
    return 0


async def _newest(library: Library, options: Options) -> list[EvaluationSummary]:
    """Return the last run of each set."""
    runs = await operations.list_evaluations(library, options.set or None)(SILENT)
    return list({run.set: run for run in reversed(runs)}.values())


async def _told(library: Library, run: Evaluation, more: Record, output: Output) -> None:
    """Print a run, and how it differs from the one before."""
    earlier = operations.compare_evaluations(library, run.previous, run.summary.id)
    since = await earlier(SILENT) if run.previous else None
    output.record(records.evaluation_record(run, since) | more, words.evaluation_words(run, since))


async def _promoted(
    library: Library, options: Options, configuration: SearchConfiguration | None, output: Output
) -> int:
    done = await operations.promote(library, options.kb, configuration)(SILENT)
    output.record(records.promotion_record(done), words.promotion_words(done))
    return 0
