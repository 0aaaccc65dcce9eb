"""Coverage of the search in exports and at the terminal."""

import dataclasses
import json

import pytest
from export_session import made_run, made_session

from workbench.cli.records import answer_words, run_record
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import JsonExporter, read_session
from workbench.model.hit import Coverage
from workbench.model.run import LibrarySeen, Run, RunStarted, TimedEvent

PARTLY = "Searched 2 of 3 documents. Not searched: 1 locked by a password."


def run_in(knowledge_base: str, coverage: Coverage) -> Run:
    made = made_run()
    started = TimedEvent(0, 0.0, RunStarted("How deep?", "offline", "quotes", knowledge_base))
    rest = [event for event in made.events[1:] if not isinstance(event.event, LibrarySeen)]
    return dataclasses.replace(made, events=(started, TimedEvent(90, 0.5, LibrarySeen(coverage)), *rest))


@pytest.mark.parametrize("exporter", [MarkdownExporter(), HtmlExporter()])
def test_an_export_shows_that_an_answer_comes_from_a_part_of_the_library(exporter, context):
    text = exporter.render(made_session(made_run()), context).decode("utf-8")
    assert PARTLY in text.replace("\\", "")


@pytest.mark.parametrize("exporter", [MarkdownExporter(), HtmlExporter()])
def test_an_export_shows_the_searched_knowledge_base_and_full_coverage_next_to_the_time(exporter, context):
    text = exporter.render(made_session(run_in("Contracts", Coverage(12))), context).decode("utf-8")
    assert "completed · only in “Contracts” · searched all 12 documents" in text


def test_the_command_line_shows_knowledge_base_and_coverage_as_text_and_as_json():
    told = answer_words(run_in("Contracts", Coverage(3, locked=1)))
    assert PARTLY in told
    assert "only in “Contracts”" in told
    record = run_record(run_in("Contracts", Coverage(3, locked=1)))
    assert record["knowledge_base"] == "Contracts"
    assert (record["coverage"]["searched"], record["coverage"]["documents"]) == (2, 3)
    assert record["coverage"]["words"] == PARTLY


def test_an_export_of_an_earlier_version_is_still_read(context):
    data = json.loads(JsonExporter().render(made_session(made_run()), context))
    events = data["runs"][0]["events"]
    del events[0]["event"]["knowledge_base"]
    data["runs"][0]["events"] = [event for event in events if event["event"]["type"] != "LibrarySeen"]
    (run,) = read_session(json.dumps(data).encode()).runs
    assert (run.knowledge_base, run.coverage) == ("", None)
