"""Questions with an abbreviation that stands in no document are answered with its long form, and the answer says so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.cli import main
from workbench.model.explanation import DocumentSpot, Stage
from workbench.model.run import Certainty, Notice, Run, RunStarted
from workbench.operations import Library

Runner = Callable[[Any], Any]

REPORT = """# Annual report of Lindhamn Ferries

Revenue was 41 million crowns in 2018 and 39 million crowns in 2017.

## Balance sheet

Property, plant and equipment was 8,738 thousand crowns at the end of 2018.

## Notes

Additions to property, plant and equipment were small. The crew has forty members.
"""
QUESTION = "What was the PPNE at the end of 2018?"
NOTE = "“PPNE” stands in no document; read as “Property, plant and equipment”."


@pytest.fixture
def reports(library: Library, run: Runner, tmp_path: Path) -> Library:
    (tmp_path / "report.md").write_text(REPORT, "utf-8")
    (tmp_path / "harbour.md").write_text("# The harbour\n\nThe harbour of Lindhamn froze in 1987.\n", "utf-8")
    run(operations.add_documents(library, [tmp_path / "report.md", tmp_path / "harbour.md"]))
    return library


def notices(kept: Run) -> list[str]:
    return [timed.event.text for timed in kept.events if isinstance(timed.event, Notice)]


def test_the_answer_uses_the_long_form_and_says_so(reports: Library, run: Runner) -> None:
    kept = run(operations.ask(reports, QUESTION))
    assert kept.certainty is not Certainty.NOT_FOUND
    assert "8,738 thousand crowns" in kept.answer
    assert NOTE in notices(kept)
    assert kept.question == QUESTION
    assert isinstance(kept.events[0].event, RunStarted)


def test_the_same_question_without_a_reading_is_refused(
    reports: Library, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.retrieval.unknown_abbreviations.abbreviations_in", lambda _question: ())
    kept = run(operations.ask(reports, "What was the PPNE?"))
    assert kept.certainty is Certainty.NOT_FOUND


def test_an_abbreviation_of_nothing_here_is_still_refused_without_a_notice(reports: Library, run: Runner) -> None:
    kept = run(operations.ask(reports, "What did NASA launch from Florida?"))
    assert kept.certainty is Certainty.NOT_FOUND
    assert not [text for text in notices(kept) if "stands in no document" in text]


def test_a_search_names_its_readings_and_keeps_the_question(reports: Library, run: Runner) -> None:
    result = run(operations.search(reports, QUESTION))
    assert result.question == QUESTION
    assert [reading.short for reading in result.readings] == ["PPNE"]
    assert result.notes == (NOTE,)
    assert "plant" in result.hits[0].matched_terms


def test_an_explanation_explains_the_search_that_was_made(reports: Library, run: Runner) -> None:
    document = reports.documents.find("report.md").id
    told = run(operations.explain(reports, QUESTION, document, DocumentSpot(quote="8,738")))
    assert told.stage is Stage.FOUND
    assert NOTE in told.notes
    assert told.question == QUESTION


def test_a_pasted_text_is_searched_as_it_is(reports: Library, run: Runner) -> None:
    assert not run(operations.search(reports, QUESTION + " many more words" * 100)).readings


def test_the_command_line_prints_the_reading(
    reports: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports.close()
    assert main(["--library", str(tmp_path / "library"), "ask", QUESTION]) == 0
    assert NOTE in capsys.readouterr().out
