"""Figures of evaluation runs: metrics, comparison of two runs with a sign test, and changes that affect the figures."""

import hashlib
import json
from collections.abc import Sequence
from math import ceil, comb, log2

from workbench.evaluation.golden_files import question_record
from workbench.language import counted, mark
from workbench.model.evaluation import (
    Comparison,
    Evaluation,
    EvaluationConditions,
    GoldenQuestion,
    Metrics,
    Movement,
    QuestionOutcome,
)
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.settings import declaration

GRADED = 10
"""Number of hits that nDCG considers."""

UNLIKELY = 0.05
"""Conventional significance level: below it, chance does not explain a difference."""

# Scores are sums of a few fractions: smaller differences are rounding errors.
_EQUAL = 1e-9

Ranks = Sequence[int | None]
"""Rank of the hit that contains each right passage; None if no hit does."""


def recall_at(ranks: Ranks, k: int) -> float:
    """Return the share of the right passages that are among the first k hits.

    Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 8.3, for a list cut at k.
    """
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def hit_at(ranks: Ranks, k: int) -> float:
    """Return 1 if a right passage is among the first k hits, else 0; also called "success at k".

    Craswell and Hawking: Overview of the TREC-2004 Web track.
    """
    return float(any(rank is not None and rank <= k for rank in ranks))


def reciprocal_rank(ranks: Ranks) -> float:
    """Return 1 / rank of the first right hit, or 0 if there is none.

    Voorhees: The TREC-8 Question Answering Track Report, 1999; its mean over the questions is MRR.
    """
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def ndcg_at(ranks: Ranks, k: int) -> float:
    """Return nDCG at k, with a gain of 1 for each hit with a right passage that no earlier hit contains.

    It is the sum of gain / log2(rank + 1) as a share of that of the best order. Järvelin and Kekäläinen: Cumulated
    gain-based evaluation of IR techniques, ACM TOIS 20 (2002); the discount as in Burges et al., ICML 2005. Several
    passages in one hit count as one, because no order could return that hit twice.
    """
    met = {rank for rank in ranks if rank is not None}
    wanted = len(met) + sum(rank is None for rank in ranks)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(wanted, k) + 1))
    return sum(1 / log2(rank + 1) for rank in met if rank <= k) / ideal


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed (nearest rank); 0 if there are none."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)] if ordered else 0.0


def metrics(outcomes: Sequence[QuestionOutcome], k: int) -> Metrics:
    """Return the means over the questions that could be measured; all 0 if there are none."""
    measured = [one.ranks for one in outcomes if one.is_measured]
    searched = [one for one in outcomes if not one.problem]
    times = [one.milliseconds for one in searched]
    return Metrics(
        k=k,
        questions=len(measured),
        recall=_mean([recall_at(ranks, k) for ranks in measured]),
        hit=_mean([hit_at(ranks, k) for ranks in measured]),
        mrr=_mean([reciprocal_rank(ranks) for ranks in measured]),
        ndcg=_mean([ndcg_at(ranks, GRADED) for ranks in measured]),
        wrong=_mean([float(sum(rank <= k for rank in one.wrong)) for one in searched]),
        p50=percentile(times, 0.5),
        p95=percentile(times, 0.95),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def compared(first: Evaluation, second: Evaluation) -> Comparison:
    """Compare two runs on the questions that both measured."""
    before = {one.key: one for one in first.outcomes}
    movements = [
        Movement(after.question, earlier, after, after.score - earlier.score)
        for after in second.outcomes
        if (earlier := before.get(after.key)) is not None and earlier.score is not None and after.score is not None
    ]
    # Sort by improvement, the largest first.
    movements.sort(key=lambda one: -one.change)
    improved = sum(one.change > _EQUAL for one in movements)
    worse = sum(one.change < -_EQUAL for one in movements)
    p_value = sign_test(improved, worse)
    return Comparison(
        first,
        second,
        tuple(movements),
        improved,
        worse,
        len(movements) - improved - worse,
        p_value,
        _describe_comparison(_run_names(first, second), improved, worse, len(movements), p_value),
    )


def sign_test(improved: int, worse: int) -> float:
    """Return the probability that chance alone moves at least this many questions to one side, whichever it is.

    The exact two-sided sign test: Dixon and Mood, The Statistical Sign Test, JASA 41 (1946); questions that did not
    move are ignored.
    """
    moved = improved + worse
    tail = sum(comb(moved, few) for few in range(min(improved, worse) + 1))
    return float(min(1.0, 2 * tail / 2**moved))


def describe_configuration(configuration: SearchConfiguration) -> str:
    """Describe a configuration by its differences from the default."""
    usual = DEFAULT_SEARCH.as_dict()
    differing = [
        f"{key}={_format_value(value)}" for key, value in configuration.as_dict().items() if value != usual[key]
    ]
    return ", ".join(differing) or "the usual search"


def _format_value(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _run_names(first: Evaluation, second: Evaluation) -> tuple[str, str]:
    one, other = (run.summary.name or describe_configuration(run.summary.configuration) for run in (first, second))
    return (one, other) if one != other else (f"run {first.summary.id}", f"run {second.summary.id}")


def _describe_comparison(names: tuple[str, str], improved: int, worse: int, questions: int, p_value: float) -> str:
    one, other = names
    if not questions:
        return "The two have no measured question in common."
    if not improved + worse:
        return f"“{other}” does exactly as well as “{one}” for {counted(questions, 'question')}."
    head = (
        f"Of {counted(questions, 'question')} “{other}” does better than “{one}” for {improved} and worse for {worse}."
    )
    if improved == worse:
        return f"{head} Neither is ahead."
    if p_value >= UNLIKELY:
        return f"{head} This could be chance: two equally good ways differ so much in {_format_frequency(p_value)}."
    return f"{head} This is hardly chance: two equally good ways differ so much in {_format_frequency(p_value)}."


def _format_frequency(p_value: float) -> str:
    if p_value < 0.001:
        return "fewer than 1 of 1,000 such trials"
    return f"{p_value:.0%} of such trials" if p_value >= 0.01 else f"{p_value:.1%} of such trials"


SEARCH = "search"
"""Key in EvaluationConditions.settings of the way in which knowledge bases are searched."""


def digest_of(questions: Sequence[GoldenQuestion]) -> str:
    """Return a checksum of the questions and their judgements that does not depend on their order."""
    records = sorted(json.dumps(question_record(one), sort_keys=True) for one in questions)
    return hashlib.sha256("\n".join(records).encode()).hexdigest()[:16]


def changes(before: EvaluationConditions, now: EvaluationConditions) -> tuple[str, ...]:
    """Return the differences, one phrase each; empty if the run's figures still apply."""
    phrases = [
        _describe_documents(now.documents - before.documents),
        _describe_passages(now.chunks - before.chunks),
        _describe_vectors(now.embedded - before.embedded),
    ]
    if before.contents != now.contents and not any(phrases):
        phrases.append(mark("the content of documents changed"))
    if before.questions != now.questions:
        phrases.append(mark("the golden questions changed"))
    if before.embedder != now.embedder:
        phrases.append(mark("the embedding model changed"))
    then = dict(before.settings)
    phrases += [_describe_setting(name) for name, value in now.settings if then.get(name, value) != value]
    if before.version != now.version:
        phrases.append(mark(f"the program is version {now.version}, then {before.version}"))
    return tuple(one for one in phrases if one)


def _describe_documents(more: int) -> str:
    if abs(more) == 1:
        return mark("1 document more" if more > 0 else "1 document fewer")
    return mark(f"{more:,} documents more" if more > 0 else f"{-more:,} documents fewer") if more else ""


def _describe_passages(more: int) -> str:
    if abs(more) == 1:
        return mark("1 passage more" if more > 0 else "1 passage fewer")
    return mark(f"{more:,} passages more" if more > 0 else f"{-more:,} passages fewer") if more else ""


def _describe_vectors(more: int) -> str:
    if abs(more) == 1:
        return mark("1 vector more" if more > 0 else "1 vector fewer")
    return mark(f"{more:,} vectors more" if more > 0 else f"{-more:,} vectors fewer") if more else ""


def _describe_setting(name: str) -> str:
    if name == SEARCH:
        return mark("the search settings changed")
    return mark(f"the setting “{declaration(name).title}” changed")
