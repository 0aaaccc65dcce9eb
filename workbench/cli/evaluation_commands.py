"""Command eval: golden questions measured, compared and exported; its JSON records and texts."""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workbench import operations
from workbench.cli.library_access import open_given_library
from workbench.cli.output import Output, Record
from workbench.errors import SettingError
from workbench.evaluation.run_figures import describe_configuration
from workbench.model.evaluation import (
    MARKS,
    BadLine,
    Comparison,
    Evaluation,
    EvaluationProgress,
    EvaluationSummary,
    GoldenSet,
    Movement,
    Promotion,
    QuestionOutcome,
)
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.evaluation.search_configurations import configuration_of
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()
_PROGRESS_INTERVAL = 10.0


async def evaluate(options: Options, output: Output) -> int:
    """Measure, or do what another option requests; 1 if a line of the file was not a golden question."""
    async with open_given_library(options) as library:
        if options.history:
            return await _list_runs(library, options, output)
        if options.again:
            return await _measure_outdated(library, options, output)
        if options.reset:
            return await _promote(library, options, None, output)
        ways = await _ways(library, options)
        set, bad = await _set(library, options, output)
        if options.export:
            path = await operations.write_questions(library, set, options.export)(SILENT)
            output.record({"set": set, "path": str(path)}, f"Written: {path}")
            return int(bool(bad))
        await _measure(library, set, ways, bad, options, output)
        if ways.chosen is not None and options.keep:
            await operations.keep_configuration(library, options.keep, ways.chosen)(SILENT)
            output.words(f"Saved as “{options.keep}”.")
        if options.promote:
            await _promote(library, options, ways.chosen, output)
    return int(bool(bad))


@dataclass(frozen=True, slots=True)
class _SearchWays:
    """Search configuration to measure (None: the current one), and the one to compare it with."""

    chosen: SearchConfiguration | None
    against: SearchConfiguration | None


async def _ways(library: Library, options: Options) -> _SearchWays:
    """Return the configurations that were typed; errors are raised before a file is read or anything is measured."""
    if options.configuration is None and (options.promote or options.keep):
        raise SettingError(
            "There is nothing to promote or keep.", "Specify a configuration, for example: --configuration mode=dense"
        )
    await operations.search_settings(library, options.kb)(SILENT)
    typed = (options.configuration, options.against)
    chosen, against = [await configuration_of(library, text) if text else None for text in typed]
    return _SearchWays(chosen, against)


async def _set(library: Library, options: Options, output: Output) -> tuple[str, tuple[BadLine, ...]]:
    """Return the name of the set, read from the file if there is one, and the invalid lines of the file."""
    if options.file is None:
        return options.set or MARKS, ()
    read = await operations.read_questions(library, options.file, set=options.set)(SILENT)
    for line in bad_lines(read.bad_lines):
        output.note(line)
    return read.set, read.bad_lines


async def _measure(
    library: Library,
    set: str,
    ways: _SearchWays,
    bad: tuple[BadLine, ...],
    options: Options,
    output: Output,
) -> None:
    context, lines = JobContext(_progress(output)), bad_lines_record(bad)
    name = _name(options.configuration)
    if ways.against is None:
        run = await operations.evaluate(library, set, configuration=ways.chosen, name=name, k=options.k)(context)
        await _report_run(library, run, lines, output)
        return
    names = _name(options.against), name
    compare = operations.evaluate_both(library, set, ways.against, ways.chosen, names=names, k=options.k)
    comparison = await compare(context)
    output.record(comparison_record(comparison) | lines, comparison_words(comparison))


def _name(typed: str | None) -> str:
    """Return the name of a configuration: empty for one that is written out, which describes itself."""
    return "" if not typed or "=" in typed else typed


def _progress(output: Output) -> Callable[[Any], None]:
    told = time.monotonic()

    def report(event: Any) -> None:
        nonlocal told
        if isinstance(event, EvaluationProgress) and time.monotonic() - told >= _PROGRESS_INTERVAL:
            told = time.monotonic()
            output.note(progress_words(event))

    return report


async def _list_runs(library: Library, options: Options, output: Output) -> int:
    output.words(sets_words(await operations.golden_sets(library)(SILENT)))
    newest = {run.id for run in await _latest_runs(library, options)}
    for run in await operations.list_evaluations(library, options.set or None)(SILENT):
        stale = await operations.evaluation_changes(library, run.id)(SILENT) if run.id in newest else ()
        output.record(summary_record(run) | {"out_of_date": list(stale)}, summary_words(run, stale))
    return 0


async def _measure_outdated(library: Library, options: Options, output: Output) -> int:
    """Measure the sets whose last run is out of date, with the configuration of that run."""
    stale = await operations.outdated_evaluations(library, options.set or None)(SILENT)
    for run in stale:
        again = operations.evaluate_again(library, run)
        await _report_run(library, await again(JobContext(_progress(output))), {}, output)
    if not stale:
        output.note("Nothing is out of date.")
    return 0


async def _latest_runs(library: Library, options: Options) -> list[EvaluationSummary]:
    """Return the last run of each set."""
    runs = await operations.list_evaluations(library, options.set or None)(SILENT)
    return list({run.set: run for run in reversed(runs)}.values())


async def _report_run(library: Library, run: Evaluation, more: Record, output: Output) -> None:
    """Print a run, and how it differs from the previous one."""
    earlier = operations.compare_evaluations(library, run.previous, run.summary.id)
    since = await earlier(SILENT) if run.previous else None
    output.record(evaluation_record(run, since) | more, evaluation_words(run, since))


async def _promote(
    library: Library, options: Options, configuration: SearchConfiguration | None, output: Output
) -> int:
    done = await operations.promote(library, options.kb, configuration)(SILENT)
    output.record(promotion_record(done), promotion_words(done))
    return 0


_DIGITS = 4


def summary_record(run: EvaluationSummary) -> Record:
    """Return the record of a stored run without its questions."""
    conditions = run.conditions
    figures = {key: round(value, _DIGITS) for key, value in asdict(run.metrics).items()}
    return {
        "evaluation": run.id,
        "set": run.set,
        "began": run.began,
        "seconds": run.seconds,
        "configuration": run.configuration.as_dict(),
        "name": run.name,
        "as_searched": run.as_searched,
        "by_itself": run.by_itself,
        "metrics": figures,
        "lost": run.lost,
        "unmeasured": run.unmeasured,
        "version": conditions.version,
        "embedder": conditions.embedder,
        "documents": conditions.documents,
        "chunks": conditions.chunks,
        "embedded": conditions.embedded,
    }


def evaluation_record(run: Evaluation, since: Comparison | None = None) -> Record:
    """Return the record of a run with its questions, and how it differs from the previous one."""
    return {
        **summary_record(run.summary),
        "missing_documents": list(run.missing),
        "notes": list(run.notes),
        "previous": run.previous or None,
        "changed": list(run.changed),
        "since": _verdict(since) if since else None,
        "questions": [_outcome_record(one) for one in run.outcomes],
    }


def comparison_record(comparison: Comparison) -> Record:
    """Return the record of two runs and the questions whose ranks changed."""
    return {
        "first": evaluation_record(comparison.first),
        "second": evaluation_record(comparison.second),
        **_verdict(comparison),
        "movements": [
            {
                "question": one.question,
                "before": list(one.before.ranks),
                "after": list(one.after.ranks),
                "change": round(one.change, _DIGITS),
            }
            for one in comparison.movements
        ],
    }


def bad_lines_record(bad: Sequence[BadLine]) -> Record:
    """Return the record of the lines of a file that were not golden questions."""
    return {"bad_lines": [asdict(one) for one in bad]}


def promotion_record(done: Promotion) -> Record:
    """Return the new and the previous configuration of a knowledge base; None for the common one."""
    return {"kb": done.knowledge_base, "before": _configuration(done.before), "now": _configuration(done.now)}


def _verdict(comparison: Comparison) -> Record:
    return {
        "improved": comparison.improved,
        "worse": comparison.worse,
        "equal": comparison.equal,
        "p_value": round(comparison.p_value, 6),
        "sentence": comparison.sentence,
    }


def _outcome_record(one: QuestionOutcome) -> Record:
    return asdict(one) | {
        "score": round(one.score, _DIGITS) if one.score is not None else None,
        "milliseconds": round(one.milliseconds, 2),
    }


def _configuration(configuration: SearchConfiguration | None) -> Record | None:
    return configuration.as_dict() if configuration is not None else None


_SHOWN = 10
_NAME = 34


def evaluation_words(run: Evaluation, since: Comparison | None = None) -> str:
    """Return one run as text: its figures, the misses, and how it differs from the previous run."""
    k = run.summary.metrics.k
    missed = [one for one in run.outcomes if one.is_measured and (one.best is None or one.best > k)]
    lines = [*_table(run), *_remarks(run)]
    if missed:
        lines += ["", f"No correct passage among the first {k} for {_count(len(missed), 'question')}:"]
        lines += _some([_missed(one) for one in missed])
    if since is not None:
        changed = (
            f" Changed since: {', '.join(run.changed)}." if run.changed else " Nothing relevant has changed since."
        )
        lines += ["", f"Compared with run {since.first.summary.id}: {since.sentence}{changed}"]
    return "\n".join(lines) + "\n"


def comparison_words(comparison: Comparison) -> str:
    """Return two runs as text: the figures, the verdict, the questions whose ranks changed."""
    lines = [*_table(comparison.first, comparison.second), *_remarks(comparison.second), "", comparison.sentence]
    better = [one for one in comparison.movements[: comparison.improved]]
    worse = [one for one in reversed(comparison.movements)][: comparison.worse]
    for title, moved in (("Better", better), ("Worse", worse)):
        if moved:
            lines += ["", f"{title}:", *_some([_moved(one) for one in moved])]
    return "\n".join(lines) + "\n"


def summary_words(run: EvaluationSummary, stale: Sequence[str] = ()) -> str:
    """Return a stored run in one line, and the changes since then in another."""
    figures = run.metrics
    row = (
        f"{run.id:>5}  {run.began[:16].replace('T', ' ')}  {run.set:<16} recall {figures.recall:.3f}"
        f"  MRR {figures.mrr:.3f}  nDCG {figures.ndcg:.3f}  {_named(run)}"
    )
    row += " (by itself)" if run.by_itself else ""
    return row + (f"\n       out of date: {', '.join(stale)}" if stale else "")


def sets_words(sets: Sequence[GoldenSet]) -> str:
    """Return the sets of golden questions, one per line."""
    return "\n".join(
        f"{one.name}: {_count(one.questions, 'question')}, {one.right:,} right and {one.wrong:,} wrong" for one in sets
    )


def bad_lines(bad: Sequence[BadLine]) -> list[str]:
    """Return the lines of a file that were not golden questions, one per line."""
    return _some([f"Line {one.number}: {one.reason}" for one in bad])


def progress_words(progress: EvaluationProgress) -> str:
    """Return the progress of a run as text."""
    left = f", {progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
    return f"{progress.done:,} of {_count(progress.questions, 'question')}{left}"


def promotion_words(done: Promotion) -> str:
    """Return the promoted or reset configuration as text."""
    where = (
        f"“{done.knowledge_base}” is"
        if done.knowledge_base
        else "All knowledge bases without their own configuration are"
    )
    return (
        f"{where} now searched with this configuration: {describe_configuration(done.now) if done.now else 'default'}."
    )


def _table(*runs: Evaluation) -> Iterator[str]:
    first = runs[0].summary
    k = first.metrics.k
    yield f"{first.set}: {_count(first.metrics.questions, 'question')} measured"
    heads = (f"recall@{k}", f"hit@{k}", "MRR", "nDCG@10", "wrong", "p50 ms", "p95 ms")
    yield " " * _NAME + "".join(f"{head:>11}" for head in heads)
    for run in runs:
        one = run.summary.metrics
        figures = [f"{value:.3f}" for value in (one.recall, one.hit, one.mrr, one.ndcg)]
        figures += [f"{one.wrong:.2f}", f"{one.p50:.1f}", f"{one.p95:.1f}"]
        yield f"{_named(run.summary):<{_NAME}}" + "".join(f"{figure:>11}" for figure in figures)


def _remarks(run: Evaluation) -> Iterator[str]:
    """Yield remarks on what the figures do not cover."""
    if run.summary.lost:
        named = ", ".join(f"“{name}”" for name in run.missing[:_SHOWN])
        where = f" These documents are missing: {named}." if named else ""
        are = "is not in the library and is" if run.summary.lost == 1 else "are not in the library and are"
        yield f"{_count(run.summary.lost, 'right passage')} {are} not counted.{where}"
    if run.summary.unmeasured:
        problems = dict.fromkeys(one.problem for one in run.outcomes if one.problem)
        why = f" {next(iter(problems))}" if problems else ""
        yield f"{_count(run.summary.unmeasured, 'question')} could not be measured.{why}"
    yield from run.notes


def _named(run: EvaluationSummary) -> str:
    return run.name or ("current configuration" if run.as_searched else describe_configuration(run.configuration))


def _missed(one: QuestionOutcome) -> str:
    first = f" — first: {one.found[0]}" if one.found else " — nothing found"
    return f"{one.question}{first}"


def _moved(one: Movement) -> str:
    ranks = [str(rank) if rank is not None else "not found" for rank in (one.before.best, one.after.best)]
    return f"{one.change:+.2f}  {ranks[0]} → {ranks[1]}  {one.question}"


def _some(lines: Sequence[str]) -> list[str]:
    more = [f"  ... and {len(lines) - _SHOWN:,} more; --json has them all"] if len(lines) > _SHOWN else []
    return [*(f"  {line}" for line in lines[:_SHOWN]), *more]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
