"""Passages from outside the library in exports: the retriever that provided them, and their source."""

from dataclasses import replace

from export_session import made_run, made_session

from workbench.agent.citations import find_citations
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import JsonExporter, read_session
from workbench.model.hit import NumberedHit, OutsidePassage, Reference, outside_hit
from workbench.model.run import Run

ANSWER = "It opened on 9 May [1]."
HIT = outside_hit(
    OutsidePassage("The harbour opened on 9 May.", "Minutes", '{"year": 1893}', "https://a.example/m"),
    origin="notes",
    rank=1,
)


def outside_run() -> Run:
    numbered = NumberedHit(1, HIT)
    citations = find_citations(ANSWER, {1: numbered})
    return replace(made_run(ANSWER), citations=citations, references=(Reference("harbour", (numbered,), 0.1),))


def test_the_markdown_names_it_and_its_address(context):
    text = MarkdownExporter().render(made_session(outside_run()), context).decode()
    assert "**Minutes**, from notes, https://a.example/m (characters 0–28, sha256" in text.replace("\\", "")


def test_the_page_names_it_and_its_address(context):
    text = HtmlExporter().render(made_session(outside_run()), context).decode()
    assert "Minutes, from notes" in text
    assert "https://a.example/m" in text


def test_the_json_holds_its_text_and_comes_back_equal(context):
    session = made_session(outside_run())
    assert read_session(JsonExporter().render(session, context)) == session
