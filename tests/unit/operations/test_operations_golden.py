"""Sets of golden questions: read, written, changed, and every change undone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import EvaluationError, NotFound
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet, Judgement
from workbench.operations import Library

Run = Callable[[Any], Any]
FIRST = GoldenQuestion("How deep?", (Judgement(answers=("12 m",)),))
SECOND = GoldenQuestion("How old?", (Judgement(right=False, document="b.md"),), knowledge_base="work", filter="tag:a")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "depths.jsonl"
    path.write_text('{"question": "How deep?", "answer": "12 m"}\nnot JSON\n', "utf-8")
    return path


def kept(library: Library, run: Run, set: str) -> list[GoldenQuestion]:
    return [replace(one, id=0) for one in run(operations.golden_questions(library, set))]


def test_a_file_becomes_a_set_of_the_same_name_and_bad_lines_are_reported(
    library: Library, run: Run, file: Path
) -> None:
    read = run(operations.read_questions(library, file))
    assert (read.set, read.questions, [one.number for one in read.bad_lines]) == ("depths", 1, [2])
    assert kept(library, run, "depths") == [FIRST]


def test_reading_again_replaces_the_set_and_can_be_undone(library: Library, run: Run, file: Path) -> None:
    run(operations.put_questions(library, "mine", (SECOND,)))
    read = run(operations.read_questions(library, file, set="mine"))
    assert kept(library, run, "mine") == [FIRST]
    run(operations.put_questions(library, read.set, read.before))
    assert kept(library, run, "mine") == [SECOND]


def test_reading_a_file_into_the_marks_takes_none_away(library: Library, run: Run, file: Path) -> None:
    run(operations.put_questions(library, MARKS, (SECOND, replace(FIRST, judgements=(Judgement(text="Deep."),)))))
    run(operations.read_questions(library, file, set=MARKS))
    joined = replace(FIRST, judgements=(Judgement(text="Deep."), *FIRST.judgements))
    assert kept(library, run, MARKS) == [SECOND, joined]


def test_a_file_without_a_question_leaves_the_set_as_it_was(library: Library, run: Run, file: Path) -> None:
    run(operations.read_questions(library, file))
    file.write_text("", "utf-8")
    with pytest.raises(EvaluationError):
        run(operations.read_questions(library, file))
    assert kept(library, run, "depths") == [FIRST]


def test_a_set_is_written_and_read_again(library: Library, run: Run, tmp_path: Path) -> None:
    run(operations.put_questions(library, "mine", (FIRST, SECOND)))
    path = run(operations.write_questions(library, "mine", tmp_path / "out.jsonl"))
    run(operations.read_questions(library, path, set="copy"))
    assert kept(library, run, "copy") == [FIRST, SECOND]


def test_empty_marks_and_a_missing_set_cannot_be_written(library: Library, run: Run, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="Nothing has been marked"):
        run(operations.write_questions(library, MARKS, tmp_path / "out.jsonl"))
    with pytest.raises(NotFound):
        run(operations.write_questions(library, "nothing", tmp_path / "out.jsonl"))


def test_sets_are_listed_with_what_they_hold_the_marks_first(library: Library, run: Run) -> None:
    run(operations.put_questions(library, "a set", (FIRST, SECOND)))
    assert run(operations.golden_sets(library)) == (GoldenSet(MARKS), GoldenSet("a set", 2, 1, 1))


def test_a_question_is_put_replaced_and_removed(library: Library, run: Run) -> None:
    run(operations.put_question(library, "mine", FIRST))
    other = run(operations.put_question(library, "mine", replace(FIRST, judgements=SECOND.judgements)))
    assert kept(library, run, "mine") == [replace(other, id=0)]
    gone = run(operations.remove_question(library, "mine", FIRST))
    assert gone == other
    with pytest.raises(NotFound):
        run(operations.remove_question(library, "mine", FIRST))


def test_a_set_is_removed_and_brought_back(library: Library, run: Run) -> None:
    run(operations.put_questions(library, "mine", (FIRST,)))
    before = run(operations.remove_set(library, "mine"))
    with pytest.raises(NotFound):
        run(operations.golden_questions(library, "mine"))
    run(operations.put_questions(library, "mine", before))
    assert kept(library, run, "mine") == [FIRST]


@pytest.mark.parametrize("name", ["  ", "x" * 101])
def test_a_set_needs_a_short_name(library: Library, run: Run, name: str) -> None:
    with pytest.raises(EvaluationError):
        run(operations.put_question(library, name, FIRST))


def test_a_question_without_words_or_without_a_judgement_is_refused(library: Library, run: Run) -> None:
    for question in (replace(FIRST, judgements=()), replace(FIRST, question=" ")):
        with pytest.raises(EvaluationError):
            run(operations.put_question(library, "mine", question))
