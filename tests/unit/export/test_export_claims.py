"""Unsupported claims of an answer in every export, and at the terminal."""

import dataclasses

import pytest
from export_session import made_run, made_session

from workbench.cli.records import answer_words, run_record
from workbench.export.base import ExportContext
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import JsonExporter, read_session
from workbench.model.claim import Claim, Doubt, Verdict
from workbench.model.run import ClaimsChecked, Run, TimedEvent

TEXT = "The channel <b>is</b> 15 m deep."
SAID = "Unsupported: “The channel <b>is</b> 15 m deep.” – “15” is not in the cited passage."
CLAIMS = (
    Claim(0, 32, TEXT, Verdict.UNSUPPORTED, (Doubt.NUMBER_NOT_IN_PASSAGE,), ("15",), 0.4),
    Claim(33, 40, "It is.", Verdict.SUPPORTED),
)


@pytest.fixture
def checked() -> Run:
    run = made_run(f"{TEXT} It is. [1]")
    rest = [event for event in run.events if not isinstance(event.event, ClaimsChecked)]
    return dataclasses.replace(run, events=(*rest, TimedEvent(99, 1.0, ClaimsChecked(CLAIMS, "far", 12.5))))


def test_markdown_and_html_show_how_many_sentences_are_supported_and_which_are_not(
    checked: Run, context: ExportContext
) -> None:
    markdown = MarkdownExporter().render(made_session(checked), context).decode()
    assert "*1 of 2 sentences supported.*" in markdown
    assert "is not in the cited passage" in markdown
    html = HtmlExporter().render(made_session(checked), context).decode()
    assert '<p class="remark">1 of 2 sentences supported.</p>' in html
    assert '<p class="remark">Unsupported: “The channel &lt;b&gt;is&lt;/b&gt; 15 m deep.”' in html


def test_json_holds_every_verdict(checked: Run, context: ExportContext) -> None:
    session = read_session(JsonExporter().render(made_session(checked), context))
    assert session.runs[0].claims == CLAIMS


def test_at_the_terminal_they_are_counted_and_listed_where_that_is_wanted(checked: Run) -> None:
    assert "1 of 2 sentences supported" in answer_words(checked)
    assert SAID not in answer_words(checked)
    assert SAID in answer_words(checked, with_claims=True)
    record = run_record(checked)
    assert record["checked"] == "1 of 2 sentences supported"
    assert [claim["verdict"] for claim in record["claims"]] == ["unsupported", "supported"]
    assert "ClaimsChecked" not in [step["event"] for step in record["steps"]]
