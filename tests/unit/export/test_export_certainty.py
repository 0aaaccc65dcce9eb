"""Unsure answers in exports, at the terminal and in comparisons."""

import dataclasses
import json

import jsonschema
import pytest
from export_session import made_run, made_session
from test_export_session_json import SCHEMA_FILE

from workbench.agent.run_log import differences
from workbench.cli.records import answer_words, run_record
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import JsonExporter, read_session
from workbench.model.run import Certainty, Run, RunCompleted

WORDS = {
    Certainty.CLOSEST: "closest passages, which may not answer the question",
    Certainty.UNKNOWN: "not known yet",
    Certainty.NOT_FOUND: "nothing found",
}


def run_of(certainty: Certainty) -> Run:
    made = made_run()
    events = tuple(
        dataclasses.replace(timed, event=dataclasses.replace(timed.event, certainty=certainty))
        if isinstance(timed.event, RunCompleted)
        else timed
        for timed in made.events
    )
    return dataclasses.replace(made, events=events, refused=certainty is Certainty.NOT_FOUND)


@pytest.mark.parametrize("exporter", [MarkdownExporter(), HtmlExporter()])
@pytest.mark.parametrize("certainty", list(WORDS))
def test_e32_an_export_shows_as_text_how_certain_an_answer_is(exporter, certainty, context):
    assert WORDS[certainty] in exporter.render(made_session(run_of(certainty)), context).decode("utf-8")


@pytest.mark.parametrize("certainty", list(Certainty))
def test_e32_the_json_export_holds_it_and_gives_it_back(certainty, context):
    data = JsonExporter().render(made_session(run_of(certainty)), context)
    jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text("utf-8"))).validate(json.loads(data))
    assert read_session(data).runs[0].certainty is certainty


@pytest.mark.parametrize("certainty", list(WORDS))
def test_e32_the_command_line_shows_the_certainty_as_text_and_in_json(certainty):
    run = run_of(certainty)
    assert WORDS[certainty] in answer_words(run)
    assert run_record(run)["certainty"] == certainty.value


def test_e32_two_answers_of_which_one_is_not_sure_differ_in_their_outcome():
    found = differences(run_of(Certainty.FOUND), run_of(Certainty.CLOSEST))
    assert [one.part for one in found] == ["Outcome"]
