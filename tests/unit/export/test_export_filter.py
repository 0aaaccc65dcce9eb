"""Filter of an answer in exports and at the terminal."""

import dataclasses
import json

import pytest
from export_session import made_run, made_session

from workbench.cli.records import answer_words, run_record
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import JsonExporter, read_session
from workbench.model.run import Run, RunStarted, TimedEvent

FILTER = "format:pdf -draft"


@pytest.fixture
def filtered() -> Run:
    made = made_run()
    started = TimedEvent(0, 0.0, RunStarted("How deep?", "offline", "quotes", filter=FILTER))
    return dataclasses.replace(made, events=(started, *made.events[1:]))


@pytest.mark.parametrize("exporter", [MarkdownExporter(), HtmlExporter()])
def test_exports_show_the_filter_beside_the_status_and_time(exporter, context, filtered):
    text = exporter.render(made_session(filtered), context).decode("utf-8")
    assert f"completed · only {FILTER}" in text.replace("\\", "")


def test_the_command_line_shows_the_filter_in_text_and_in_json(filtered):
    assert f"only {FILTER}" in answer_words(filtered)
    assert run_record(filtered)["filter"] == FILTER


def test_an_export_of_an_earlier_version_has_no_filter(context, filtered):
    data = json.loads(JsonExporter().render(made_session(filtered), context))
    assert read_session(json.dumps(data).encode()).runs[0].filter == FILTER
    del data["runs"][0]["events"][0]["event"]["filter"]
    assert read_session(json.dumps(data).encode()).runs[0].filter == ""
