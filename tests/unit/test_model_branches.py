"""Branches of a session: alternative answers, and the answers that the next question continues."""

from workbench.model.run import Run, RunStatus
from workbench.model.session import branches, line


def run(number: int, question: str, parent: int | None = None, event: int | None = None) -> Run:
    return Run(
        number,
        1,
        question,
        "offline",
        "",
        RunStatus.COMPLETED,
        "So.",
        False,
        "",
        1.0,
        (),
        (),
        (),
        parent=parent,
        parent_event=event,
    )


def families(*runs: Run) -> set[tuple[int, ...]]:
    return {tuple(member.id for member in members) for members in branches(runs).values()}


def numbers(runs: tuple[Run, ...], last: int | None = None) -> list[int]:
    return [one.id for one in line(runs, last)]


def test_the_same_question_asked_again_makes_branches() -> None:
    assert families(run(1, "How high?"), run(2, "How deep?"), run(3, " how  high? ")) == {(1, 3)}


def test_another_result_and_another_question_in_its_place_make_branches() -> None:
    assert families(run(1, "How high?"), run(2, "How high?", 1, 7), run(3, "How wide?", 2, 0)) == {(1, 2, 3)}


def test_two_families_that_turn_out_to_be_one_are_one() -> None:
    assert families(run(1, "a?"), run(2, "b?"), run(3, "b?", 1, 4)) == {(1, 2, 3)}


def test_a_question_asked_after_a_chosen_answer_is_not_a_branch_of_it() -> None:
    assert families(run(1, "How high?"), run(2, "And how deep?", 1)) == set()


def test_a_question_continues_from_all_answers_unless_one_was_chosen() -> None:
    runs = run(1, "a?"), run(2, "b?"), run(3, "b?")
    assert numbers(runs) == [1, 2, 3]
    assert numbers(runs, 2) == [1, 2]
    assert numbers(runs, 3) == [1, 3]


def test_the_questions_after_it_stay_on_the_line_of_the_chosen_answer() -> None:
    assert numbers((run(1, "a?"), run(2, "b?"), run(3, "b?"), run(4, "c?", 2), run(5, "d?"))) == [1, 2, 4, 5]


def test_an_empty_session_has_no_line_and_no_branches() -> None:
    assert line(()) == ()
    assert branches(()) == {}
