"""Files of golden questions in common formats."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import EvaluationError, MissingFile, UnreadableFile
from workbench.evaluation.golden_files import question_of, questions_as_lines, read_questions
from workbench.model.evaluation import GoldenQuestion, Judgement, JudgementKind

Q = "How deep is it?"


@pytest.mark.parametrize(
    ("record", "judgement"),
    [
        ({"question": Q, "gold": [["report", 3]]}, Judgement(document="report", page=3)),
        ({"question": Q, "document": "report.pdf", "page": 3}, Judgement(document="report.pdf", page=3)),
        ({"question": Q, "document": "report.pdf", "page": "3"}, Judgement(document="report.pdf", page=3)),
        ({"question": Q, "document": "report.pdf"}, Judgement(document="report.pdf")),
        ({"question": Q, "passage": "It is deep."}, Judgement(text="It is deep.")),
        ({"query": Q, "context": "It is deep.", "answer": "deep"}, Judgement(text="It is deep.")),
        ({"question": Q, "file": "a.md", "passage": "Deep."}, Judgement(document="a.md", text="Deep.")),
        ({"question": Q, "answer": "12 m"}, Judgement(answers=("12 m",))),
        ({"question": Q, "answer": 12}, Judgement(answers=("12",))),
        ({"question": Q, "answers": ["12 m", "twelve", "12 m"]}, Judgement(answers=("12 m", "twelve"))),
        ({"question": Q, "answers": {"text": ["12 m"], "answer_start": [4]}}, Judgement(answers=("12 m",))),
        ({"question": Q, "answers": [{"text": "12 m", "answer_start": 4}]}, Judgement(answers=("12 m",))),
        ({"question": Q, "document": "a.md", "answer": "12 m"}, Judgement(document="a.md", answers=("12 m",))),
        ({"user_input": Q, "reference_contexts": ["Deep."], "reference": "x"}, Judgement(text="Deep.")),
        ({"question": Q, "judgements": [{"right": False, "text": "No."}]}, Judgement(right=False, text="No.")),
    ],
)
def test_a_common_shape_is_read(record: dict[str, Any], judgement: Judgement) -> None:
    assert question_of(record) == GoldenQuestion(Q, (judgement,))


def test_several_pages_and_passages_are_as_many_judgements() -> None:
    pages = question_of({"question": Q, "gold": [["a", 1], ["b", 2], ["a", 1]]})
    passages = question_of({"question": Q, "documents": "", "passages": ["One.", "Two."], "document": "a.md"})
    assert [(one.document, one.page) for one in pages.right] == [("a", 1), ("b", 2)]
    assert [(one.document, one.text) for one in passages.right] == [("a.md", "One."), ("a.md", "Two.")]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"answer": "12 m"}, "no “question”"),
        ({"question": " ", "answer": "12 m"}, "no “question”"),
        ({"question": 7, "answer": "12 m"}, "“question” is not a text"),
        ({"question": Q}, "names no passage, document or answer"),
        ({"question": Q, "answers": []}, "names no passage, document or answer"),
        ({"question": Q, "answer": "  "}, "names no passage, document or answer"),
        ({"question": Q, "document": "a.pdf", "page": "iv"}, "not a whole number"),
        ({"question": Q, "document": "a.pdf", "page": 10**30}, "not a whole number"),
        ({"question": Q, "document": "a.pdf", "page": True}, "not a whole number"),
        ({"question": Q, "gold": [["a", 1, 2]]}, "not [document, page]"),
        ({"question": Q, "gold": [[1, 1]]}, "not [document, page]"),
        ({"question": Q, "passage": {"deep": 1}, "answer": [[]]}, "“answer” is not a text"),
        ({"question": Q, "judgements": [{"right": "yes", "text": "x"}]}, "neither true nor false"),
        ({"question": Q, "judgements": [{"right": True}]}, "names no passage"),
        ({"question": Q, "judgements": ["x"]}, "not a JSON object"),
        (["question"], "not a JSON object"),
        (None, "not a JSON object"),
    ],
)
def test_an_invalid_golden_question_is_rejected_with_the_reason(record: Any, reason: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        question_of(record)
    assert reason in caught.value.message


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_bad_line_is_named_by_its_number_and_stops_nothing(tmp_path: Path) -> None:
    lines = '{"question": "a", "answer": "x"}\n\n{"question": \n{"question": "b"}\n{"question": "c", "answer": "y"}'
    questions, bad = read_questions(written(tmp_path, lines))
    assert [one.question for one in questions] == ["a", "c"]
    assert [(one.number, one.reason[:11]) for one in bad] == [(3, "It is not J"), (4, "It names no")]


def test_a_deeply_nested_line_is_a_bad_line(tmp_path: Path) -> None:
    lines = '{"question": ' + "[" * 100_000 + '\n{"question": "a", "answer": "x"}'
    assert [one.number for one in read_questions(written(tmp_path, lines))[1]] == [1]


def test_one_list_of_objects_is_read_too(tmp_path: Path) -> None:
    text = json.dumps([{"question": "a", "answer": "x"}, "no object", {"question": "b", "answer": "y"}], indent=1)
    questions, bad = read_questions(written(tmp_path, text))
    assert ([one.question for one in questions], [one.number for one in bad]) == (["a", "b"], [2])


def test_squads_own_file_is_read_with_its_paragraphs(tmp_path: Path) -> None:
    asked = [{"question": "a", "answers": [{"text": "x"}]}, {"question": "b", "answers": []}, {"answers": ["y"]}, 7]
    text = json.dumps({"data": [{"paragraphs": [{"context": "It is x.", "qas": asked}, None]}, 1]}, indent=1)
    questions, bad = read_questions(written(tmp_path, text))
    assert questions == (GoldenQuestion("a", (Judgement(text="It is x."),)),)
    assert [one.reason for one in bad] == ["It has no “question”."]


def test_the_same_question_twice_has_all_its_judgements(tmp_path: Path) -> None:
    lines = '{"question": "a", "answer": "x"}\n{"question": "a", "answer": "y"}\n{"question": "a", "answer": "x"}'
    ((question,), _) = read_questions(written(tmp_path, lines))
    assert [one.answers for one in question.right] == [("x",), ("y",)]


@pytest.mark.parametrize("text", ["", "\n\n", "[]", "not JSON", '{"question": "a"}', "[1, 2"])
def test_a_file_without_a_golden_question_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(EvaluationError, match="holds no golden question"):
        read_questions(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        read_questions(tmp_path / "nowhere.jsonl")
    with pytest.raises(UnreadableFile):
        read_questions(tmp_path)
    with pytest.raises(UnreadableFile, match="not UTF-8"):
        read_questions(written(tmp_path, b'{"question": "\xff"}'))


def test_the_questions_of_the_peers_benchmark_work_as_they_are(peer_data: Path) -> None:
    questions, bad = read_questions(peer_data / "generated" / "page_truth" / "questions.jsonl")
    assert (len(questions) > 1200, bad) == (True, ())
    assert {one.kind for question in questions for one in question.right} == {JudgementKind.PAGE}


def test_written_questions_are_read_back_unchanged(tmp_path: Path) -> None:
    judgements = (
        Judgement(document="港口.txt", sha256="a" * 64, page=2, start=0, end=9, text="港口的水深是十二米。"),
        Judgement(right=False, document="b.md", text="odd \ud800 half"),
        Judgement(answers=("x", "y\u2028z")),
    )
    question = GoldenQuestion(Q, judgements, knowledge_base="work", filter="tag:a")
    path = tmp_path / "questions.jsonl"
    path.write_bytes(questions_as_lines([question]))
    assert read_questions(path) == ((question,), ())
