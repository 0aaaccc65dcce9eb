"""Comparison of two runs, in numbers and in words."""

from dataclasses import replace

import pytest

from workbench.evaluation.run_figures import (
    SEARCH,
    changes,
    compared,
    describe_configuration,
    digest_of,
    metrics,
    sign_test,
)
from workbench.model.evaluation import (
    Evaluation,
    EvaluationConditions,
    EvaluationSummary,
    GoldenQuestion,
    Judgement,
    QuestionOutcome,
)
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration

CONDITIONS = EvaluationConditions("1.0", "small/8", 2, 20, 20, "abc", (("reranking", "tokens"), (SEARCH, "{}")), "def")


def run(name: str, **scores: float | None) -> Evaluation:
    outcomes = tuple(
        QuestionOutcome(question, ranks=(1,) if score else (None,), score=score) for question, score in scores.items()
    )
    figures = metrics(outcomes, 10)
    summary = EvaluationSummary(1, "set", "2026-01-01", 1.0, DEFAULT_SEARCH, name, figures, CONDITIONS)
    return Evaluation(summary, outcomes)


@pytest.mark.parametrize(
    ("improved", "worse", "p_value"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (0, 6, 2 / 64), (9, 1, 22 / 1024), (3, 3, 1.0), (3000, 2000, 0.0)],
)
def test_the_sign_test_is_exact(improved: int, worse: int, p_value: float) -> None:
    assert sign_test(improved, worse) == pytest.approx(p_value, abs=1e-6)


def test_compared_questions_are_listed_with_the_most_improved_first() -> None:
    before, after = run("old", a=0.5, b=1.0, c=0.3, d=None), run("new", a=1.0, b=0.2, c=0.3, d=1.0, e=1.0)
    comparison = compared(before, after)
    assert [one.question for one in comparison.movements] == ["a", "c", "b"]
    assert (comparison.improved, comparison.worse, comparison.equal, comparison.p_value) == (1, 1, 1, 1.0)
    assert comparison.sentence == "Of 3 questions “new” does better than “old” for 1 and worse for 1. Neither is ahead."


def test_a_small_difference_is_reported_as_possible_chance_and_a_large_one_as_hardly_chance() -> None:
    few = compared(run("old", a=0.1, b=0.1, c=1.0), run("new", a=1.0, b=1.0, c=1.0))
    many = {f"q{number}": 0.5 for number in range(12)}
    lot = compared(run("old", **many), run("new", **dict.fromkeys(many, 1.0)))
    assert "could be chance: two equally good ways differ so much in 50% of such trials" in few.sentence
    assert "hardly chance: two equally good ways differ so much in fewer than 1 of 1,000" in lot.sentence


def test_runs_that_agree_and_runs_without_common_questions_are_reported_as_such() -> None:
    same = compared(run("old", a=1.0), run("new", a=1.0))
    assert same.sentence == "“new” does exactly as well as “old” for 1 question."
    assert "no measured question in common" in compared(run("old", a=1.0), run("new", b=1.0)).sentence


def test_runs_of_one_configuration_are_distinguished_by_their_numbers() -> None:
    later = run("", a=0.5)
    later = replace(later, summary=replace(later.summary, id=2))
    assert "“run 2” does worse than “run 1”" in compared(run("", a=1.0), later).sentence.replace("better", "worse")


def test_a_configuration_is_described_by_what_is_not_usual() -> None:
    assert describe_configuration(DEFAULT_SEARCH) == "the usual search"
    unusual = SearchConfiguration(SearchMode.DENSE, "none", names=False)
    assert describe_configuration(unusual) == "mode=dense, reranking=none, names=no"


def test_changes_since_a_run_are_described_as_text() -> None:
    now = EvaluationConditions("1.1", "large/16", 3, 19, 20, "xyz", (("reranking", "none"), (SEARCH, "{1}")), "ghi")
    assert changes(CONDITIONS, CONDITIONS) == ()
    assert changes(CONDITIONS, now) == (
        "1 document more",
        "1 passage fewer",
        "the golden questions changed",
        "the embedding model changed",
        "the setting “Reranking” changed",
        "the search settings changed",
        "the program is version 1.1, then 1.0",
    )
    assert changes(CONDITIONS, replace(CONDITIONS, contents="x")) == ("the content of documents changed",)


def test_the_digest_of_questions_changes_with_a_judgement_and_not_with_the_order() -> None:
    one, other = GoldenQuestion("a", (Judgement(text="x"),)), GoldenQuestion("b", (Judgement(text="y"),), id=7)
    assert digest_of([one, other]) == digest_of([replace(other, id=8), one])
    assert digest_of([one]) != digest_of([replace(one, judgements=(Judgement(right=False, text="x"),))])
