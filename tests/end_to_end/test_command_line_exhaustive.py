"""workbench read-all: estimated, confirmed, shown, continued, exported, deleted."""

import csv
import shlex
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def filled(shell: Any, tmp_path: Path) -> Any:
    """Return a library with two contracts, and a file that is none."""
    for name, days in (("alder.md", 60), ("birch.md", 14)):
        text = f"# Contract\n\nEither party may end this contract with {days} days notice.\n"
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "menu.txt").write_text("Soup, bread and cheese are served at noon every day.\n", "utf-8")
    shell("add", tmp_path / "alder.md", tmp_path / "birch.md", tmp_path / "menu.txt")
    return shell


QUESTION = "With how many days notice may a party end the contract?"


def test_the_effort_is_estimated_and_nothing_is_read_without_confirmation(filled: Any) -> None:
    (estimate,) = filled("read-all", QUESTION, "--filter", "format:markdown", "--estimate")
    assert (estimate["documents"], estimate["passages"], estimate["calls"]) == (2, 2, 0)
    assert estimate["leaves"] == "Nothing leaves this computer."
    assert filled("read-all", QUESTION) == []
    assert filled.status == 1
    assert "Add --yes" in filled.errors
    assert filled("read-all", "--list") == []


def test_every_document_is_in_the_table_with_its_quotes(filled: Any, tmp_path: Path) -> None:
    (reading,) = filled("read-all", QUESTION, "--yes", "--export", tmp_path / "table.csv")
    assert filled.status == 0
    assert [(row["name"], row["verdict"]) for row in reading["table"]] == [
        ("alder.md", "found"),
        ("birch.md", "found"),
        ("menu.txt", "not found"),
    ]
    assert (reading["passages_read"], reading["documents_read"], reading["status"]) == (3, 3, "complete")
    assert "60 days notice" in reading["table"][0]["quotes"][0]["quote"]
    with (tmp_path / "table.csv").open(encoding="utf-8-sig") as file:
        assert [row["document"] for row in csv.DictReader(file)] == ["alder.md", "birch.md", "menu.txt"]
    words = filled.words("read-all", "--show", reading["reading"])
    assert "NOT FOUND" in words
    assert "Read 3 of 3 passages, 3 of 3 documents." in words


def test_continue_reads_the_documents_added_since(filled: Any, tmp_path: Path) -> None:
    (reading,) = filled("read-all", QUESTION, "--yes", "--name", "Notice")
    cedar = tmp_path / "cedar.md"
    cedar.write_text("# Contract\n\nA party may end this contract with 90 days notice.\n", "utf-8")
    filled("add", cedar)
    (shown,) = filled("read-all", "--show", reading["reading"])
    assert "cedar.md" in shown["notes"][0]
    (more,) = filled("read-all", "--continue", reading["reading"])
    assert [row["name"] for row in more["table"]] == ["alder.md", "birch.md", "cedar.md", "menu.txt"]
    (listed,) = filled("read-all", "--list")
    assert (listed["name"], listed["passages_read"]) == ("Notice", 4)


def test_a_reading_is_deleted_and_one_that_is_not_there_is_an_error(filled: Any) -> None:
    (reading,) = filled("read-all", QUESTION, "--yes")
    assert filled("read-all", "--delete", reading["reading"]) == [{"deleted": reading["reading"]}]
    (error,) = filled("read-all", "--show", reading["reading"])
    assert (error["kind"], filled.status) == ("NotFound", 1)


def test_read_all_reports_an_error_before_it_starts_when_there_is_nothing_to_read(filled: Any) -> None:
    (error,) = filled("read-all", QUESTION, "--filter", "tag:nowhere", "--yes")
    assert (error["kind"], error["error"]) == (
        "RetrievalError",
        "No passage matches this filter, so there is nothing to read.",
    )
    (empty,) = filled("read-all")
    assert empty["error"] == "The question is empty."


def test_an_answer_that_counts_offers_to_read_everything_with_its_estimate_and_command(filled: Any) -> None:
    (run,) = filled("ask", "How many documents mention contract?")
    offer = run["read_all"]
    assert (offer["profile"], offer["estimate"]["documents"], offer["estimate"]["calls"]) == ("offline", 3, 0)
    words = filled.words("ask", "How many documents mention contract?")
    assert "Read everything: 3 passages of 3 documents." in words
    command = next(line for line in words.splitlines() if line.strip().startswith("workbench read-all"))
    (reading,) = filled(*shlex.split(command)[1:], "--yes")
    assert reading["question"] == "How many documents mention contract?"
    (ordinary,) = filled("ask", "With how many days notice may a party end the contract?")
    assert ordinary["read_all"] is None
