"""Contract of the command line: the output of --json, and the exit status."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from workbench.parsing import long_files
from workbench.settings import Settings


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "harbour.md").write_text(
        "# Harbour\n\nThe harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days.\n", "utf-8"
    )
    return folder


def test_add_prints_a_line_a_file_and_fails_if_one_failed(shell: Any, papers: Path) -> None:
    (line,) = shell("add", papers)
    assert set(line) == {"path", "document", "status", "reason", "closed_hosts", "pages", "chunks", "seconds"}
    assert (line["status"], shell.status) == ("ready", 0)
    (missing,) = shell("add", papers / "missing.pdf")
    assert (missing["status"], missing["document"], shell.status) == ("failed", None, 1)


def test_add_follows_links_to_files_of_a_folder_only_when_asked(shell: Any, papers: Path, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("The lighthouse.", "utf-8")
    (papers / "link.md").symlink_to(tmp_path / "other.md")
    assert {Path(line["path"]).name: line["status"] for line in shell("add", papers)} == {
        "harbour.md": "ready", "link.md": "skipped",
    }  # fmt: skip
    assert {line["status"] for line in shell("add", papers, "--follow-links")} == {"unchanged", "ready"}


def test_e46_list_and_show_give_documents_and_chunks(shell: Any, papers: Path) -> None:
    (added,) = shell("add", papers)
    (listed,) = shell("list")
    assert (listed["document"], listed["chunks"]) == (added["document"], added["chunks"])
    (chunk,) = shell("show", added["document"])
    assert "Aurora" in chunk["text"]
    assert chunk["end"] - chunk["start"] == len(chunk["text"])


def test_remove_takes_a_document_out_of_search(shell: Any, papers: Path) -> None:
    shell("add", papers)
    shell("remove", "harbour.md")
    assert shell("list") == []
    assert shell("search", "ferry Aurora")[0]["hits"] == []


@pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
def test_search_gives_hits_with_every_score(shell: Any, papers: Path, mode: str) -> None:
    shell("add", papers)
    (found,) = shell("search", "Which ferry stayed in port?", "--mode", mode, "-k", 3)
    assert {"question", "ms", "hits"} <= set(found)
    hit = found["hits"][0]
    assert {"rank", "document", "path", "page", "chunk", "start", "end", "text", "scores"} <= set(hit)
    assert {"dense", "keyword", "fused"} <= set(hit["scores"])


def test_search_reads_questions_from_a_file(shell: Any, papers: Path, tmp_path: Path) -> None:
    shell("add", papers)
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "ferry"}\n\n{"question": "harbour"}\n', "utf-8")
    assert [found["question"] for found in shell("search", "--from", questions)] == ["ferry", "harbour"]


def test_b26_an_unknown_filter_is_an_error_not_everything(shell: Any, papers: Path) -> None:
    shell("add", papers)
    (error,) = shell("search", "ferry", "--filter", "colour=red")
    assert shell.status == 1
    assert "colour" in error["error"]
    assert shell("search", "ferry", "--filter", "format=pdf")[0]["hits"] == []
    assert len(shell("search", "ferry", "--filter", "format=markdown")[0]["hits"]) == 1


def test_e46_ask_gives_an_answer_whose_citation_is_a_slice_of_the_document(shell: Any, papers: Path) -> None:
    shell("add", papers)
    (run,) = shell("ask", "How long did the ferry Aurora stay in port?")
    keys = {"question", "answer", "citations", "steps", "references", "status", "refused", "session", "seconds"}
    assert keys <= set(run)
    citation = run["citations"][0]
    assert "nine days" in citation["quote"]
    assert citation["valid"]
    assert citation["quote"] in (papers / "harbour.md").read_text("utf-8")


def test_ask_refuses_a_question_that_the_library_does_not_answer(shell: Any, papers: Path) -> None:
    shell("add", papers)
    (run,) = shell("ask", "Who painted the ceiling of the Sistine Chapel?")
    assert run["refused"]
    assert run["citations"] == []


def test_ask_continues_a_session(shell: Any, papers: Path) -> None:
    shell("add", papers)
    (first,) = shell("ask", "When did the harbour freeze?")
    shell("ask", "And the ferry?", "--session", first["session"])
    (session,) = shell("sessions")
    assert (session["session"], session["runs"]) == (first["session"], 2)


def test_stream_prints_the_events_before_the_run(shell: Any, papers: Path) -> None:
    shell("add", papers)
    lines = shell("ask", "When did the harbour freeze?", "--stream")
    events = [line["event"] for line in lines[:-1]]
    assert (events[0], events[-1]) == ("RunStarted", "RunCompleted")
    assert "answer" in lines[-1]


@pytest.mark.parametrize("format", ["md", "html", "json"])
def test_export_writes_the_session(shell: Any, papers: Path, tmp_path: Path, format: str) -> None:
    shell("add", papers)
    (run,) = shell("ask", "When did the harbour freeze?")
    out = tmp_path / f"session.{format}"
    shell("export", run["session"], "--format", format, "--out", out)
    assert "1987" in out.read_text("utf-8")


def test_sessions_are_exported_without_what_is_not_wanted_and_imported_again(
    shell: Any, papers: Path, tmp_path: Path
) -> None:
    shell("add", papers)
    (run,) = shell("ask", "When did the harbour freeze?")
    out = tmp_path / "out"
    out.mkdir()
    (line,) = shell("export", "--all", "--format", "kwbundle", "--without", "searches", "--out", out)
    assert Path(line["path"]).name == "When did the harbour freeze.kwbundle"
    (error,) = shell("export", run["session"], "--format", "kwbundle", "--out", out)
    assert (shell.status, error["kind"]) == (1, "FileIsThere")
    shell("export", run["session"], "--format", "kwbundle", "--out", out, "--overwrite")
    (arrived,) = shell("import-session", line["path"])
    assert (shell.status, arrived["runs"], arrived["documents_here"]) == (0, 1, 1)
    assert len(shell("sessions")) == 2


def test_profiles_are_added_listed_and_removed(shell: Any) -> None:
    added = shell(
        "profiles", "add", "local", "--base-url", "http://127.0.0.1:11434/v1", "--model", "m", "--key-env", "KEY"
    )
    assert [p["name"] for p in added] == ["local"]
    assert [p["name"] for p in shell("profiles", "list")] == ["offline", "local"]
    assert [p["name"] for p in shell("profiles", "remove", "local")] == ["offline"]
    shell("profiles", "remove", "local")
    assert shell.status == 1


@pytest.mark.usefixtures("empty_library")
def test_settings_are_listed_changed_and_given_back(shell: Any) -> None:
    assert {line["key"]: line["value"] for line in shell("settings")} == asdict(Settings())
    assert shell("settings", "search_results", "3")[0]["value"] == 3
    assert shell("settings", "search_results")[0]["value"] == 3
    assert shell("settings", "search_results", "--reset")[0]["value"] == 10
    (error,) = shell("settings", "search_results", "many")
    assert (shell.status, error["kind"]) == (1, "SettingError")


def test_e27_reindex_reads_documents_again(shell: Any, papers: Path) -> None:
    (added,) = shell("add", papers)
    shell("settings", "chunk_tokens", "32")
    (again,) = shell("reindex", "harbour.md", "--more-time")
    assert (again["document"], again["status"], shell.status) == (added["document"], "ready", 0)
    assert [line["document"] for line in shell("reindex")] == [added["document"]]


@pytest.mark.usefixtures("empty_library")
def test_doctor_finds_a_sound_library(shell: Any) -> None:
    findings = shell("doctor")
    assert shell.status == 0
    assert {"database", "embedder", "index"} <= {finding["check"] for finding in findings}


@pytest.mark.usefixtures("empty_library")
def test_e27_an_unknown_document_or_session_is_one_clear_sentence(shell: Any) -> None:
    (error,) = shell("show", "nothing.pdf")
    assert (shell.status, error["kind"]) == (1, "NotFound")
    (error,) = shell("export", 99, "--out", "x.md")
    assert (shell.status, error["kind"]) == (1, "NotFound")


def test_a_second_program_on_the_same_library_gets_a_library_locked_error(shell: Any, tmp_path: Path) -> None:
    from workbench.operations import Library

    library = Library.open(tmp_path / "library")
    try:
        (error,) = shell("kb", "add", "minutes")
    finally:
        library.close()
    assert (shell.status, error["kind"]) == (1, "LibraryLocked")
    assert f"is open in another window (process {os.getpid()})" in error["error"]


def test_ask_keeps_a_question_that_lacks_the_key_of_its_model(shell: Any) -> None:
    server = ("--base-url", "http://127.0.0.1:9/v1", "--model", "llama", "--key-env", "A_KEY_THAT_IS_NOT_SET")
    shell("profiles", "add", "far", *server)
    (run,) = shell("ask", "When did the harbour freeze?", "--profile", "far")
    assert (run["status"], shell.status, "A_KEY_THAT_IS_NOT_SET" in run["error"]) == ("failed", 1, True)
    assert [session["runs"] for session in shell("sessions")] == [1]


def test_add_reports_how_a_long_file_is_divided(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_files, "PART", 1000)
    monkeypatch.setattr(long_files, "LONG", 1500)
    (tmp_path / "boats.csv").write_text("boat,town\n" + "Skiff,Delft\n" * 250, "utf-8")
    added = shell("add", tmp_path / "boats.csv")
    assert shell.errors == "“boats.csv” has 250 rows: it is read in 3 parts, each a document.\n"
    assert [line["status"] for line in added] == ["ready"] * 3
    assert "boats, part 002, rows 83 to 165.csv" in shell.words("list")


def test_add_and_list_report_content_that_was_not_read(shell: Any, tmp_path: Path) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "Skiff. " * 2000}
    cell = {"cell_type": "code", "source": "count()", "outputs": [output], "metadata": {}, "execution_count": 1}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}), "utf-8")
    told = "Not all of it was read: the end of 1 output: at most 4,000 characters of a cell's output are read."
    assert told in shell.words("add", tmp_path / "a.ipynb")
    assert told in shell.words("list")
