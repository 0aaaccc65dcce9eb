"""Evaluation of golden questions on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

GOOD = {"question": "When did the harbour freeze?", "document": "harbour.md"}
OTHER = {"question": "How deep is the water?", "answer": "twelve metres"}


@pytest.fixture
def filled(shell: Any, tmp_path: Path) -> Any:
    (tmp_path / "harbour.md").write_text("# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n", "utf-8")
    (tmp_path / "depth.md").write_text("# Depth\n\nThe water is twelve metres deep at the pier.\n", "utf-8")
    shell("add", tmp_path / "harbour.md", tmp_path / "depth.md")
    return shell


def questions(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "golden.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_a_file_of_questions_is_measured_in_figures(filled: Any, tmp_path: Path) -> None:
    (run,) = filled("eval", "--from", questions(tmp_path, GOOD, OTHER))
    assert (filled.status, run["set"], run["as_searched"], run["documents"]) == (0, "golden", True, 2)
    assert run["metrics"]["recall"] == run["metrics"]["ndcg"] == 1.0
    assert [one["ranks"] for one in run["questions"]] == [[1], [1]]
    assert (run["bad_lines"], run["previous"]) == ([], None)


def test_evaluating_a_question_file_prints_a_plain_text_summary(filled: Any, tmp_path: Path) -> None:
    said = filled.words("eval", "--from", questions(tmp_path, GOOD, OTHER), "--k", 5)
    assert "golden: 2 questions measured" in said
    assert "recall@5" in said
    assert "current configuration" in said


def test_bad_lines_are_named_and_the_rest_is_measured(filled: Any, tmp_path: Path) -> None:
    (run,) = filled("eval", "--from", questions(tmp_path, "no JSON", GOOD, {"question": "Why?"}))
    assert (filled.status, [one["number"] for one in run["bad_lines"]]) == (1, [1, 3])
    assert "Line 1: It is not JSON." in filled.errors
    assert run["metrics"]["questions"] == 1


def test_a_missing_document_is_counted_and_named_in_the_output(filled: Any, tmp_path: Path) -> None:
    file = questions(tmp_path, GOOD, {"question": "Gone?", "document": "gone.pdf", "page": 2})
    (run,) = filled("eval", "--from", file)
    assert (filled.status, run["lost"], run["unmeasured"], run["missing_documents"]) == (0, 1, 1, ["gone.pdf"])
    said = filled.words("eval", "--from", file)
    assert "1 right passage is not in the library and is not counted. These documents are missing: “gone.pdf”." in said


def test_two_search_configurations_are_compared_side_by_side(filled: Any, tmp_path: Path) -> None:
    file = questions(tmp_path, GOOD, {"question": "What was covered with ice?", "document": "harbour.md"})
    how = ("eval", "--from", file, "--configuration", "mode=dense,reranking=none", "--against", "mode=keyword", "-k", 1)
    (compared,) = filled(*how)
    assert compared["first"]["configuration"]["mode"] == "keyword"
    assert (
        compared["second"]["configuration"] | {"mode": "dense", "reranking": "none"}
        == compared["second"]["configuration"]
    )
    assert compared["improved"] + compared["worse"] + compared["equal"] == len(compared["movements"]) == 2
    said = filled.words(*how)
    assert "mode=dense, reranking=none" in said
    assert compared["sentence"] in said


def test_evaluation_runs_are_stored_compared_with_the_previous_one_and_flagged_when_out_of_date(
    filled: Any, tmp_path: Path
) -> None:
    filled("eval", "--from", questions(tmp_path, GOOD))
    (second,) = filled("eval", "--set", "golden")
    assert (second["previous"], second["changed"], second["since"]["equal"]) == (1, [], 1)
    (tmp_path / "new.md").write_text("# New\n\nA new document.\n", "utf-8")
    filled("add", tmp_path / "new.md")
    newest, oldest = filled("eval", "--history")
    assert (newest["evaluation"], newest["out_of_date"][0], oldest["out_of_date"]) == (2, "1 document more", [])
    assert "out of date: 1 document more" in filled.words("eval", "--history", "--set", "golden")


def test_only_outdated_evaluations_are_measured_again_with_their_original_configuration(
    filled: Any, tmp_path: Path
) -> None:
    filled("eval", "--from", questions(tmp_path, GOOD), "--configuration", "mode=keyword", "--k", 3)
    assert filled("eval", "--again") == []
    assert (filled.status, "Nothing is out of date." in filled.errors) == (0, True)
    (tmp_path / "new.md").write_text("# New\n\nA new document.\n", "utf-8")
    filled("add", tmp_path / "new.md")
    (run,) = filled("eval", "--again")
    assert (run["previous"], run["changed"][0], run["metrics"]["k"]) == (1, "1 document more", 3)
    assert (run["configuration"]["mode"], run["as_searched"]) == ("keyword", False)
    assert filled("eval", "--again") == []


def test_a_way_of_searching_is_kept_promoted_and_reset(filled: Any, tmp_path: Path) -> None:
    file = questions(tmp_path, GOOD)
    filled("eval", "--from", file, "--configuration", "mode=keyword", "--keep", "words")
    run, promoted = filled("eval", "--set", "golden", "--configuration", "words", "--promote", "--kb", "default")
    assert (run["name"], promoted["kb"], promoted["now"]["mode"]) == ("words", "default", "keyword")
    assert filled("search", "harbour", "--kb", "default")[0]["mode"] == "keyword"
    assert filled("search", "harbour", "--kb", "default", "--mode", "dense")[0]["mode"] == "dense"
    assert filled("search", "harbour")[0]["mode"] == "hybrid"
    (reset,) = filled("eval", "--reset", "--kb", "default")
    assert (reset["before"]["mode"], reset["now"]) == ("keyword", None)
    assert filled("search", "harbour", "--kb", "default")[0]["mode"] == "hybrid"


def test_golden_questions_go_to_a_file_and_come_back(filled: Any, tmp_path: Path) -> None:
    filled("eval", "--from", questions(tmp_path, GOOD, OTHER))
    out = tmp_path / "out.jsonl"
    (written,) = filled("eval", "--set", "golden", "--export", out)
    assert written == {"set": "golden", "path": str(out)}
    (run,) = filled("eval", "--from", out, "--set", "again")
    assert (run["set"], run["metrics"]["questions"]) == ("again", 2)


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ((), "EvaluationError"),
        (("--set", "nothing"), "NotFound"),
        (("--from", "nowhere.jsonl"), "MissingFile"),
        (("--from", "{file}", "--k", "0"), "RetrievalError"),
        (("--from", "{file}", "--configuration", "colour=red"), "SettingError"),
        (("--from", "{file}", "--configuration", "unheard-of"), "SettingError"),
        (("--from", "{file}", "--against", "mode=magic"), "SettingError"),
        (("--from", "{file}", "--promote"), "SettingError"),
        (("--from", "{file}", "--configuration", "mode=dense", "--promote", "--kb", "nowhere"), "NotFound"),
        (("--reset", "--kb", "nowhere"), "NotFound"),
    ],
)
def test_an_eval_command_that_cannot_be_run_exits_with_1_and_an_error_message(
    filled: Any, tmp_path: Path, typed: tuple[str, ...], kind: str
) -> None:
    file = str(questions(tmp_path, GOOD))
    records = filled("eval", *(file if part == "{file}" else part for part in typed))
    assert (filled.status, records[-1]["kind"]) == (1, kind)
    assert "Traceback" not in filled.errors


@pytest.mark.usefixtures("empty_library")
def test_error_messages_distinguish_an_empty_file_and_an_empty_library_from_a_bad_search(
    shell: Any, tmp_path: Path
) -> None:
    (error,) = shell("eval", "--from", questions(tmp_path))
    assert (error["kind"], "holds no golden question" in error["error"]) == ("EvaluationError", True)
    (error,) = shell("eval", "--from", questions(tmp_path, GOOD))
    assert "not in the library: “harbour.md”" in error["error"]
