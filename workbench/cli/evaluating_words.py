"""Evaluations -> words for people: a table of figures, then what was not found, what moved, what is out of date."""

from collections.abc import Iterator, Sequence

from workbench.evaluation.comparison import described
from workbench.model.evaluation import (
    Comparison,
    Evaluation,
    EvaluationProgress,
    EvaluationSummary,
    Movement,
    Promotion,
    QuestionOutcome,
)
from workbench.model.golden import BadLine, GoldenSet

_SHOWN = 10
_NAME = 34


def evaluation_words(run: Evaluation, since: Comparison | None = None) -> str:
    """Return one run: its figures, what was not found, and how it differs from the run before."""
    k = run.summary.metrics.k
    missed = [one for one in run.outcomes if one.is_measured and (one.best is None or one.best > k)]
    lines = [*_table(run), *_remarks(run)]
    if missed:
        lines += ["", f"Nothing right among the first {k} for {_count(len(missed), 'question')}:"]
        lines += _some([_missed(one) for one in missed])
    if since is not None:
        changed = f" Since then: {', '.join(run.changed)}." if run.changed else " Nothing that counts changed since."
        lines += ["", f"Compared with run {since.first.summary.id}: {since.sentence}{changed}"]
    return "\n".join(lines) + "\n"


def comparison_words(comparison: Comparison) -> str:
    """Return two runs side by side: the figures, the verdict, the questions that moved."""
    lines = [*_table(comparison.first, comparison.second), *_remarks(comparison.second), "", comparison.sentence]
    better = [one for one in comparison.movements[: comparison.improved]]
    worse = [one for one in reversed(comparison.movements)][: comparison.worse]
    for title, moved in (("Better", better), ("Worse", worse)):
        if moved:
            lines += ["", f"{title}:", *_some([_moved(one) for one in moved])]
    return "\n".join(lines) + "\n"


def summary_words(run: EvaluationSummary, stale: Sequence[str] = ()) -> str:
    """Return a kept run in one line, and what changed since then in another."""
    figures = run.metrics
    row = (
        f"{run.id:>5}  {run.began[:16].replace('T', ' ')}  {run.set:<16} recall {figures.recall:.3f}"
        f"  MRR {figures.mrr:.3f}  nDCG {figures.ndcg:.3f}  {_named(run)}"
    )
    row += " (by itself)" if run.by_itself else ""
    return row + (f"\n       out of date: {', '.join(stale)}" if stale else "")


def sets_words(sets: Sequence[GoldenSet]) -> str:
    """Return the sets of golden questions, a line each."""
    return "\n".join(
        f"{one.name}: {_count(one.questions, 'question')}, {one.right:,} right and {one.wrong:,} wrong" for one in sets
    )


def bad_lines(bad: Sequence[BadLine]) -> list[str]:
    """Return what of a file was no golden question, a line each."""
    return _some([f"Line {one.number}: {one.reason}" for one in bad])


def progress_words(progress: EvaluationProgress) -> str:
    """Return how far a run is."""
    left = f", {progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
    return f"{progress.done:,} of {_count(progress.questions, 'question')}{left}"


def promotion_words(done: Promotion) -> str:
    """Return what was promoted, or reset."""
    where = f"“{done.knowledge_base}” is" if done.knowledge_base else "All knowledge bases without an own way are"
    return f"{where} searched so from now on: {described(done.now) if done.now else 'as by default'}."


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
    """Yield what keeps the figures from telling all."""
    if run.summary.lost:
        named = ", ".join(f"“{name}”" for name in run.missing[:_SHOWN])
        where = f" These documents are missing: {named}." if named else ""
        are = "is not in the library and counts" if run.summary.lost == 1 else "are not in the library and count"
        yield f"{_count(run.summary.lost, 'right passage')} {are} neither way.{where}"
    if run.summary.unmeasured:
        problems = dict.fromkeys(one.problem for one in run.outcomes if one.problem)
        why = f" {next(iter(problems))}" if problems else ""
        yield f"{_count(run.summary.unmeasured, 'question')} could not be measured.{why}"
    yield from run.notes


def _named(run: EvaluationSummary) -> str:
    return run.name or ("as searches go now" if run.as_searched else described(run.configuration))


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
