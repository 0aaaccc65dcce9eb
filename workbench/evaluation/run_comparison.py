"""Comparison of two evaluation runs with a sign test, and changes since a run that affect its figures."""

import hashlib
import json
from collections.abc import Sequence
from math import comb

from workbench.evaluation.golden_files import question_record
from workbench.language import counted, mark
from workbench.model.evaluation import Comparison, Evaluation, EvaluationConditions, GoldenQuestion, Movement
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.settings import declaration

UNLIKELY = 0.05
"""Conventional significance level: below it, chance does not explain a difference."""

# Scores are sums of a few fractions: smaller differences are rounding errors.
_EQUAL = 1e-9


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
        phrases.append(mark("what documents hold changed"))
    if before.questions != now.questions:
        phrases.append(mark("the golden questions changed"))
    if before.embedder != now.embedder:
        phrases.append(mark("the embedding model is another"))
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
        return mark("searches go another way")
    return mark(f"the setting “{declaration(name).title}” changed")
