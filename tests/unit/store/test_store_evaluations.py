"""Evaluation runs, stored and read back equal."""

from dataclasses import replace

import pytest

from workbench.errors import LibraryDamaged, NotFound
from workbench.model.evaluation import Evaluation, EvaluationConditions, EvaluationSummary, Metrics, QuestionOutcome
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.store.database import Database
from workbench.store.evaluations import EvaluationStore

OUTCOMES = (
    QuestionOutcome("Wie tief?", "work", "tag:a", (1, None), 1, (3,), 0.6131, 12.5, ("a.pdf, page 2",)),
    QuestionOutcome("half \ud800 a character", problem="None of the judged passages is in the library."),
)
RUN = Evaluation(
    EvaluationSummary(
        0,
        "港口",
        "2026-01-01T00:00:00+00:00",
        1.5,
        SearchConfiguration(SearchMode.DENSE, "none", diversity=0.5),
        "words",
        Metrics(10, 1, 0.5, 1.0, 1.0, 0.61, 0.5, 12.5, 12.5),
        EvaluationConditions("1.0", "small/8", 2, 20, 19, "abc", (("reranking", "tokens"), ("search", "{}")), "def"),
        lost=1,
        unmeasured=1,
        as_searched=True,
        by_itself=True,
    ),
    OUTCOMES,
    missing=("b.pdf",),
    notes=("Only keywords were searched.",),
    changed=("1 document more",),
    previous=7,
)


@pytest.fixture
def store(database: Database) -> EvaluationStore:
    return EvaluationStore(database)


def test_a_run_is_read_back_equal(store: EvaluationStore) -> None:
    number = store.add(RUN)
    kept = replace(RUN, summary=replace(RUN.summary, id=number))
    assert store.get(number) == kept
    assert store.summaries() == (kept.summary,)


def test_runs_are_listed_newest_first_of_one_set_or_of_all(store: EvaluationStore) -> None:
    other = replace(RUN, summary=replace(RUN.summary, set="other"))
    numbers = [store.add(run) for run in (RUN, other, RUN)]
    assert [one.id for one in store.summaries()] == numbers[::-1]
    assert [one.id for one in store.summaries("other")] == [numbers[1]]
    assert store.summaries("nothing") == ()


def test_the_newest_run_of_each_set_is_found_by_itself(store: EvaluationStore) -> None:
    other = replace(RUN, summary=replace(RUN.summary, set="other"))
    numbers = [store.add(run) for run in (RUN, other, RUN)]
    assert [(one.set, one.id) for one in store.latest()] == [("other", numbers[1]), ("港口", numbers[2])]


def test_a_hundred_runs_of_a_set_are_kept_and_those_of_others_stay(store: EvaluationStore) -> None:
    first = store.add(replace(RUN, summary=replace(RUN.summary, set="other")))
    numbers = [store.add(RUN) for _ in range(102)]
    assert [one.id for one in store.summaries("港口")] == numbers[:1:-1]
    assert [one.id for one in store.summaries("other")] == [first]


@pytest.mark.parametrize("number", [0, -1, 77, 2**70])
def test_a_run_that_is_not_kept_is_an_error_and_its_removal_none(store: EvaluationStore, number: int) -> None:
    with pytest.raises(NotFound):
        store.get(number)
    store.remove(number)


def test_an_unreadable_evaluation_run_is_reported_as_damaged(store: EvaluationStore, database: Database) -> None:
    number = store.add(RUN)
    with database.write() as connection:
        connection.execute("UPDATE evaluations SET outcomes = x'00'")
    with pytest.raises(LibraryDamaged):
        store.get(number)
    assert len(store.summaries()) == 1
