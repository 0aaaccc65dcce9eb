"""Two runs -> what moved, and whether it could be chance."""

from math import comb

from workbench.language import counted
from workbench.model.evaluation import Comparison, Evaluation, Movement
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration

UNLIKELY = 0.05
"""Below this, chance is no good explanation; the usual bound, and a convention."""

# Scores are sums of a few fractions: what differs less is the same.
_EQUAL = 1e-9


def compared(first: Evaluation, second: Evaluation) -> Comparison:
    """Return both side by side, of the questions that both measured."""
    before = {one.key: one for one in first.outcomes}
    movements = [
        Movement(after.question, earlier, after, after.score - earlier.score)
        for after in second.outcomes
        if (earlier := before.get(after.key)) is not None and earlier.score is not None and after.score is not None
    ]
    # Of those alike the one whose first right hit moved further is told first.
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
        _sentence(_names(first, second), improved, worse, len(movements), p_value),
    )


def sign_test(improved: int, worse: int) -> float:
    """Return how often chance alone would move at least so many questions to one side, be it the one or the other.

    The exact two-sided sign test: Dixon and Mood, The Statistical Sign Test, JASA 41 (1946); questions that did not
    move say nothing.
    """
    moved = improved + worse
    tail = sum(comb(moved, few) for few in range(min(improved, worse) + 1))
    return float(min(1.0, 2 * tail / 2**moved))


def described(configuration: SearchConfiguration) -> str:
    """Return a configuration in a few words: what differs from the default."""
    usual = DEFAULT_SEARCH.as_dict()
    differing = [f"{key}={_value(value)}" for key, value in configuration.as_dict().items() if value != usual[key]]
    return ", ".join(differing) or "the usual search"


def _value(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _names(first: Evaluation, second: Evaluation) -> tuple[str, str]:
    one, other = (run.summary.name or described(run.summary.configuration) for run in (first, second))
    return (one, other) if one != other else (f"run {first.summary.id}", f"run {second.summary.id}")


def _sentence(names: tuple[str, str], improved: int, worse: int, questions: int, p_value: float) -> str:
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
        return f"{head} This could be chance: two equally good ways differ so much in {_often(p_value)}."
    return f"{head} This is hardly chance: two equally good ways differ so much in {_often(p_value)}."


def _often(p_value: float) -> str:
    if p_value < 0.001:
        return "fewer than 1 of 1,000 such trials"
    return f"{p_value:.0%} of such trials" if p_value >= 0.01 else f"{p_value:.1%} of such trials"
