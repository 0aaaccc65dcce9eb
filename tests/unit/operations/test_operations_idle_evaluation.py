"""Idle evaluation: golden questions are repeated when documents or settings changed and the program is idle."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.model.evaluation import EvaluatedAgain, Evaluation, GoldenQuestion, Judgement
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.evaluation.evaluation_runs import IdleEvaluation

Run = Callable[[Any], Any]
KEYWORD = SearchConfiguration(SearchMode.KEYWORD)
QUESTIONS = tuple(
    GoldenQuestion(f"When did the harbour of {name} freeze?", (Judgement(document="harbour.md"),))
    for name in ("Lindhamn", "the town", "our ferry")
)


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    """Return a library with two documents and three golden questions."""
    run(operations.add_documents(library, [papers]))
    run(operations.put_questions(library, "set", QUESTIONS))
    return library


@pytest.fixture
def told() -> list[EvaluatedAgain]:
    return []


@pytest.fixture
def idle(filled: Library, told: list[EvaluatedAgain]) -> IdleEvaluation:
    return IdleEvaluation(filled, told.append)


def add(run: Run, library: Library, folder: Path, name: str) -> None:
    (folder / name).write_text(f"The {name} was written later, of a lighthouse.\n", "utf-8")
    run(operations.add_documents(library, [folder / name]))


def never() -> bool:
    return False


def test_an_outdated_evaluation_is_repeated_once_with_the_same_settings(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain], papers: Path
) -> None:
    first: Evaluation = run(operations.evaluate(filled, "set", configuration=KEYWORD, name="words", k=3))
    add(run, filled, papers, "later.md")
    idle(never)
    (again,) = (event.summary for event in told)
    assert (again.set, again.configuration, again.name, again.metrics.k) == ("set", KEYWORD, "words", 3)
    assert (again.by_itself, first.summary.by_itself) == (True, False)
    kept = filled.evaluations.get(again.id)
    assert (kept.summary, kept.previous) == (again, first.summary.id)
    assert "1 document more" in kept.changed
    assert run(operations.evaluation_changes(filled, again.id)) == ()
    idle(never)
    assert len(told) == 1


def test_a_set_with_a_valid_evaluation_or_never_evaluated_is_not_evaluated(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain]
) -> None:
    idle(never)
    run(operations.evaluate(filled, "set"))
    idle(never)
    assert told == []


def test_a_run_of_searches_as_they_go_follows_what_is_promoted(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain]
) -> None:
    run(operations.evaluate(filled, "set"))
    run(operations.promote(filled, None, KEYWORD))
    idle(never)
    (event,) = told
    assert (event.summary.as_searched, event.summary.configuration) == (True, KEYWORD)


def test_the_setting_leaves_it_to_the_user(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain], papers: Path
) -> None:
    run(operations.evaluate(filled, "set"))
    add(run, filled, papers, "later.md")
    run(operations.put_setting(filled, "evaluate_again", "no"))
    idle(never)
    assert told == []


def test_a_run_that_is_stopped_is_not_kept_and_made_another_time(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain], papers: Path
) -> None:
    run(operations.evaluate(filled, "set"))
    add(run, filled, papers, "later.md")
    asked: list[bool] = []

    def at_the_third() -> bool:
        asked.append(True)
        return len(asked) > 2

    idle(at_the_third)
    assert (told, len(filled.evaluations.summaries("set"))) == ([], 1)
    idle(never)
    assert len(told) == 1


def test_automatic_runs_of_one_day_replace_each_other_and_never_the_requested_ones(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain], papers: Path
) -> None:
    asked_for = run(operations.evaluate(filled, "set")).summary.id
    for name in ("later.md", "still later.md"):
        add(run, filled, papers, name)
        idle(never)
    assert [one.id for one in filled.evaluations.summaries("set")] == [told[1].summary.id, asked_for]
    kept = filled.evaluations.get(told[1].summary.id)
    assert (kept.previous, "2 documents more" in kept.changed) == (asked_for, True)


def test_a_set_that_can_no_longer_be_evaluated_is_not_retried_until_something_changes(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain], papers: Path, monkeypatch: Any
) -> None:
    run(operations.evaluate(filled, "set"))
    asked_for = filled.documents.find("harbour.md").id
    run(operations.remove_documents(filled, [asked_for]))
    idle(never)
    with monkeypatch.context() as patch:
        patch.setattr(
            "workbench.operations.evaluation.evaluation_runs.evaluate_in_background",
            lambda *_: pytest.fail("it was tried again"),
        )
        idle(never)
    run(operations.restore_documents(filled, [asked_for]))
    add(run, filled, papers, "later.md")
    idle(never)
    assert len(told) == 1


def test_a_deleted_set_is_not_evaluated(
    filled: Library, run: Run, idle: IdleEvaluation, told: list[EvaluatedAgain]
) -> None:
    run(operations.evaluate(filled, "set"))
    run(operations.remove_set(filled, "set"))
    idle(never)
    assert told == []


def test_a_change_is_followed_by_an_evaluation_when_it_is_quiet(
    filled: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.library.background_work.QUIET_SECONDS", 0.0)
    made = threading.Event()
    threads: list[str] = []

    def tell(_event: EvaluatedAgain) -> None:
        threads.append(threading.current_thread().name)
        made.set()

    run(operations.evaluate(filled, "set"))
    run(operations.evaluate_when_idle(filled, tell))
    add(run, filled, papers, "later.md")
    assert made.wait(30)
    assert threads[0].startswith("upkeep")
