"""Content shown for one evaluation or for two side by side: figures, ranks, rows and sentences; contains no widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from workbench.language import mark, tr, translate, trn
from workbench.model.evaluation import Comparison, GoldenQuestion, Metrics, Movement, QuestionOutcome
from workbench.ui.evaluation.comparison_charts import (
    MISSED,
    ComparisonFigure,
    DifferenceKind,
    Slope,
    rank_words,
    slopes_of,
)
from workbench.ui.evaluation.question_list import EvaluationRow
from workbench.ui.evaluation.run_presenter import ShownEvaluations, sentences
from workbench.ui.library.document_wording import join_with_commas

_LEAST = 0.005
"""Smallest difference that is reported; a smaller one would be written as 0.00."""
_NAMES = 3
_UNLIKELY = 0.05
_ALWAYS = 0.995


class RowFilter(StrEnum):
    """Filter of the listed questions."""

    ALL = mark("All")
    BETTER = mark("Better")
    WORSE = mark("Worse")
    MISSED = mark("Not found")


def figures_of(shown: ShownEvaluations) -> tuple[ComparisonFigure, ...]:
    """Return the figures of one or two evaluations."""
    first, second = (evaluation.summary.metrics for evaluation in (shown.evaluations[0], shown.evaluations[-1]))
    two = shown.comparison is not None
    k = first.k
    quality = (
        (
            tr("Recall@{k}", k=k),
            *(first.recall, second.recall),
            tr("share of the right passages found among {k} hits", k=k),
        ),
        (tr("Hit@{k}", k=k), first.hit, second.hit, tr("share of questions with a right passage among {k} hits", k=k)),
        ("MRR", first.mrr, second.mrr, tr("average of 1 divided by the rank of the first right hit")),
        ("nDCG@10", first.ndcg, second.ndcg, tr("how close the order of 10 hits is to the ideal order")),
    )
    made = [_quality_figure(name, one, other, two, text) for name, one, other, text in quality]
    wrong = [_wrong_figure(first, second, two)] if first.wrong or second.wrong else []
    return (*made, *wrong, _speed_figure(first, second, two))


def _quality_figure(name: str, one: float, other: float, two: bool, text: str) -> ComparisonFigure:
    if not two:
        return ComparisonFigure(name, f"{one:.2f}", one, help=text)
    difference = other - one
    if abs(difference) < _LEAST:
        return ComparisonFigure(name, f"{one:.2f}", one, f"{other:.2f}", other, help=text)
    change = DifferenceKind.BETTER if difference > 0 else DifferenceKind.WORSE
    return ComparisonFigure(name, f"{one:.2f}", one, f"{other:.2f}", other, f"{abs(difference):.2f}", change, text)


def _wrong_figure(one: Metrics, other: Metrics, two: bool) -> ComparisonFigure:
    name, text = tr("Wrong@{k}", k=one.k), tr("number of hits marked as wrong among {k} hits", k=one.k)
    most = max(one.wrong, other.wrong)
    if not two:
        return ComparisonFigure(name, f"{one.wrong:.2f}", one.wrong / most, help=text)
    difference = other.wrong - one.wrong
    small = abs(difference) < _LEAST
    change = DifferenceKind.SAME if small else DifferenceKind.WORSE if difference > 0 else DifferenceKind.BETTER
    written = "" if small else f"{abs(difference):.2f}"
    values = (f"{one.wrong:.2f}", one.wrong / most, f"{other.wrong:.2f}", other.wrong / most)
    return ComparisonFigure(name, *values, written, change, text)


def _speed_figure(one: Metrics, other: Metrics, two: bool) -> ComparisonFigure:
    name, text = tr("Time, p50"), tr("median search time")
    longest = max(one.p95, other.p95, one.p50, other.p50, 1.0)
    share = one.p50 / longest
    if not two:
        return ComparisonFigure(name, tr("{n:.0f} ms", n=one.p50), share, help=text)
    difference = round(other.p50) - round(one.p50)
    # A difference of up to a tenth is noise of the machine.
    small = abs(difference) <= max(1.0, 0.1 * one.p50)
    change = DifferenceKind.SAME if small else DifferenceKind.WORSE if difference > 0 else DifferenceKind.BETTER
    written = "" if small else tr("{n:.0f} ms", n=abs(difference))
    second = tr("{n:.0f} ms", n=other.p50)
    return ComparisonFigure(name, f"{one.p50:.0f}", share, second, other.p50 / longest, written, change, text)


def slopes_of_comparison(comparison: Comparison) -> tuple[Slope, ...]:
    """Return the changes of the questions' best ranks as slopes."""
    return slopes_of([(one.before.best, one.after.best) for one in comparison.movements])


def rows_of(shown: ShownEvaluations, sieve: RowFilter) -> list[EvaluationRow]:
    """Return the rows of the questions that pass a filter."""
    if shown.comparison is None:
        outcomes = [_row_of_outcome(one) for one in shown.first.outcomes if _passes_one(one, sieve)]
        return sorted(outcomes, key=_by_rank) if sieve is RowFilter.ALL else outcomes
    # The largest changes come first, since these are the ones to examine.
    movements = sorted(shown.comparison.movements, key=lambda movement: -abs(movement.change))
    return [_row_of_movement(one) for one in movements if _passes(one, sieve)]


def sieves_of(shown: ShownEvaluations) -> dict[RowFilter, int]:
    """Return the filters that apply, with the number of questions that pass each."""
    both = (RowFilter.ALL, RowFilter.BETTER, RowFilter.WORSE, RowFilter.MISSED)
    wanted = both if shown.comparison is not None else (RowFilter.ALL, RowFilter.MISSED)
    return {sieve: _count_passing(shown, sieve) for sieve in wanted}


def _count_passing(shown: ShownEvaluations, sieve: RowFilter) -> int:
    if shown.comparison is None:
        return sum(_passes_one(one, sieve) for one in shown.first.outcomes)
    return sum(_passes(one, sieve) for one in shown.comparison.movements)


def sentence_of(shown: ShownEvaluations) -> str:
    """Return a sentence that summarises the result."""
    if shown.comparison is not None:
        return sentences(_verdict(shown.comparison), chance_words(shown.comparison))
    metrics = shown.first.summary.metrics
    return trn(
        "{found} of {n:,} question have a right passage among the first {k} hits.",
        "{found} of {n:,} questions have a right passage among the first {k} hits.",
        metrics.questions,
        found=round(metrics.hit * metrics.questions),
        k=metrics.k,
    )


def _verdict(comparison: Comparison) -> str:
    questions = len(comparison.movements)
    if not comparison.improved and not comparison.worse:
        return trn(
            "A and B do equally well on all of {n:,} question.",
            "A and B do equally well on all of {n:,} questions.",
            questions,
        )
    return trn(
        "Of {n:,} question, B is better on {better:,} and worse on {worse:,}.",
        "Of {n:,} questions, B is better on {better:,} and worse on {worse:,}.",
        questions,
        better=comparison.improved,
        worse=comparison.worse,
    )


def chance_words(comparison: Comparison) -> str:
    """Return a sentence on whether the difference of two evaluations could be chance; empty if they do not differ."""
    if not comparison.improved and not comparison.worse:
        return ""
    if comparison.p_value < _UNLIKELY:
        if comparison.p_value < 0.01:
            return tr("The difference is significant (p < 0.01).")
        return tr("The difference is significant (p = {p:.2f}).", p=comparison.p_value)
    if comparison.p_value > _ALWAYS:
        return tr("The difference may be due to chance. Add more questions to find out.")
    return tr("The difference may be due to chance (p = {p:.2f}).", p=comparison.p_value)


def notes_of(shown: ShownEvaluations) -> str:
    """Return further notes: notes of the search, changes, missing passages and questions that were not measured."""
    evaluation = shown.evaluations[-1]
    summary = evaluation.summary
    messages = [translate(note) for note in dict.fromkeys(note for one in shown.evaluations for note in one.notes)]
    if evaluation.changed:
        messages.append(
            tr("Since the previous run: {changes}.", changes=join_with_commas(map(translate, evaluation.changed)))
        )
    if summary.lost:
        messages.append(_describe_missing(summary.lost, evaluation.missing))
    if summary.unmeasured:
        messages.append(
            trn("{n:,} question could not be measured.", "{n:,} questions could not be measured.", summary.unmeasured)
        )
    return sentences(*messages)


def lost_by_question(shown: ShownEvaluations | None) -> dict[tuple[str, str, str], int]:
    """Return the number of right passages of each question that the library lacked in the latest evaluation."""
    if shown is None:
        return {}
    return {one.key: one.lost for one in shown.evaluations[-1].outcomes if one.lost}


def row_of_question(question: GoldenQuestion, lost: Mapping[tuple[str, str, str], int]) -> EvaluationRow:
    """Return a golden question as a row."""
    right, base = len(question.right), question.knowledge_base
    parts = [trn("{n:,} right passage", "{n:,} right passages", right)] if right else []
    parts += [tr("{n:,} wrong", n=len(question.wrong))] if question.wrong else []
    parts += [tr("only in “{knowledge_base}”", knowledge_base=base)] if base else []
    parts += [tr("only {filter}", filter=question.filter)] if question.filter else []
    gone = lost.get(question.key, 0)
    warning = tr("{n:,} missing", n=gone) if gone else "" if right else tr("no right passages marked")
    return EvaluationRow(question.question, " · ".join(parts), warning=warning, subject=question)


def _describe_missing(lost: int, names: Sequence[str]) -> str:
    if not names:
        return trn(
            "{n:,} right passage is no longer in the library.",
            "{n:,} right passages are no longer in the library.",
            lost,
        )
    listed, more = join_with_commas(names[:_NAMES]), len(names) - _NAMES
    if more > 0:
        listed = tr("{names} and {n} more", names=listed, n=more)
    return trn(
        "{n:,} right passage is no longer in the library: {names}.",
        "{n:,} right passages are no longer in the library: {names}.",
        lost,
        names=listed,
    )


def _passes(movement: Movement, sieve: RowFilter) -> bool:
    match sieve:
        case RowFilter.BETTER:
            return movement.change > 0
        case RowFilter.WORSE:
            return movement.change < 0
        case RowFilter.MISSED:
            return movement.after.best is None
    return True


def _passes_one(outcome: QuestionOutcome, sieve: RowFilter) -> bool:
    return sieve is RowFilter.ALL or (outcome.best is None and outcome.is_measured)


def _by_rank(row: EvaluationRow) -> tuple[bool, float]:
    """Return a sort key: questions not found first, then those with the worst ranks, unmeasured ones last."""
    outcome = row.subject
    assert isinstance(outcome, QuestionOutcome)
    return not outcome.is_measured, -(outcome.best or 10_000)


def _row_of_movement(movement: Movement) -> EvaluationRow:
    change = (
        DifferenceKind.BETTER
        if movement.change > 0
        else DifferenceKind.WORSE
        if movement.change < 0
        else DifferenceKind.SAME
    )
    figure = f"{rank_words(movement.before.best)} → {rank_words(movement.after.best)}"
    return EvaluationRow(
        movement.question, _describe_hit(movement.after), figure, change, _lost(movement.after), movement.after
    )


def _row_of_outcome(outcome: QuestionOutcome) -> EvaluationRow:
    if not outcome.is_measured:
        return EvaluationRow(
            outcome.question, translate(outcome.problem), warning=_lost(outcome) or tr("not measured"), subject=outcome
        )
    change = None if outcome.best is not None else DifferenceKind.WORSE
    figure = MISSED if outcome.best is None else str(outcome.best)
    return EvaluationRow(outcome.question, _describe_hit(outcome), figure, change, _lost(outcome), outcome)


def _lost(outcome: QuestionOutcome) -> str:
    return tr("{n:,} missing", n=outcome.lost) if outcome.lost else ""


def _describe_hit(outcome: QuestionOutcome) -> str:
    if not outcome.found:
        return translate(outcome.problem) or tr("nothing was found")
    # The part after the last comma is the position, which is translated.
    name, comma, place = outcome.found[0].rpartition(", ")
    return tr("first hit: {hit}", hit=f"{name}{comma}{translate(place)}" if comma else place)
