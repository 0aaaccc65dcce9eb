"""Omitted parts of an export are in none of its events."""

import dataclasses
import io
import zipfile
from typing import get_args

import pymupdf
import pytest
from export_session import THOUGHT, cited, made_run, made_session

from workbench.export.base import READING, ExportContext, no_page
from workbench.export.bundle import without_folders
from workbench.export.format_registry import exporter_for
from workbench.export.session_json import read_session, to_json
from workbench.export.session_parts import inventory, part_of, trim_session
from workbench.model.message import PromptSection
from workbench.model.run import PromptAssembled, RunCompleted, RunEvent, TimedEvent
from workbench.model.session import Part, PartSize

ALL = frozenset(Part)


def said(session):
    return str(to_json(session.runs[0]))


def test_with_every_part_nothing_changes():
    session = made_session(made_run())
    assert trim_session(session, ALL) == session


@pytest.mark.parametrize(
    ("part", "gone"),
    [
        (Part.PROMPTS, "Clerk."),
        (Part.SEARCHES, "8.25"),
        (Part.REASONING, THOUGHT),
        (Part.REASONING, "Let me "),
        (Part.TOOLS, "channel depth', 'milliseconds"),
        (Part.TOOLS, '{"query": "channel depth"}'),
        (Part.STEPS, "I will search first."),
        (Part.STEPS, THOUGHT),
        (Part.STEPS, "ToolStarted"),
    ],
)
def test_an_omitted_part_appears_nowhere_in_the_exported_session(part, gone):
    session = made_session(made_run())
    if "milliseconds" not in gone:
        assert gone in said(session)
    assert gone not in said(trim_session(session, ALL - {part}))


def test_the_answer_its_passages_and_how_it_ended_always_stay():
    (run,) = trim_session(made_session(made_run()), frozenset()).runs
    whole = made_run()
    assert (run.question, run.answer, run.citations, run.claims) == (
        whole.question,
        whole.answer,
        whole.citations,
        whole.claims,
    )
    assert isinstance(run.events[-1].event, RunCompleted)
    assert run.coverage == whole.coverage


@pytest.mark.parametrize("left_out", list(Part))
def test_a_session_with_something_left_out_is_read_again(context, left_out):
    from workbench.export.session_json import JsonExporter

    session = trim_session(made_session(made_run()), ALL - {left_out})
    assert read_session(JsonExporter().render(session, context)) == session


def test_a_call_without_its_arguments_is_still_a_step(context):
    from workbench.export.markdown import MarkdownExporter

    session = trim_session(made_session(made_run()), READING - {Part.TOOLS})
    text = MarkdownExporter().render(session, context).decode()
    assert "search\\_knowledge\\_base" in text
    assert '"query"' not in text


def test_every_kind_of_event_belongs_somewhere():
    made = {type(timed.event): timed.event for timed in made_run().events}
    assert {kind for kind in get_args(RunEvent)} >= set(made)
    assert part_of(made[PromptAssembled]) is Part.PROMPTS
    assert all(part_of(event) in (None, *Part) for event in made.values())


def test_the_inventory_measures_each_part():
    session = made_session(made_run(), made_run(number=2))
    found = inventory([session, session], PartSize(2, 99))
    assert (found.sessions, found.questions.count, found.documents) == (2, 4, ("survey.pdf",))
    assert found.parts[Part.ORIGINALS] == PartSize(2, 99)
    assert found.parts[Part.PAGES].count == 1
    assert found.parts[Part.PROMPTS].count == 4
    assert all(found.parts[part].bytes > 0 for part in Part)


def test_a_page_with_several_cited_passages_counts_as_one_picture():
    answer = "Deep [1], and wide [2]."
    run = made_run(answer, (cited(answer, 1, start=0, end=9), cited(answer, 2, start=40, end=60)))
    found = inventory([made_session(run)], PartSize(0, 0))
    assert (found.passages, found.parts[Part.PAGES].count) == (2, 1)


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/home/ann/Contracts/survey.pdf", "survey.pdf"),
        ("C:\\Users\\ann\\survey.pdf", "survey.pdf"),
        ("\\\\server\\share\\survey.pdf", "survey.pdf"),
        ("https://example.org/survey.pdf", "https://example.org/survey.pdf"),
        ("", ""),
    ],
)
def test_folders_of_this_machine_are_taken_away_and_addresses_stay(path, kept):
    run = made_run()
    citation = dataclasses.replace(run.citations[0], path=path)
    session = without_folders(made_session(dataclasses.replace(run, citations=(citation,))))
    assert session.runs[0].citations[0].path == kept
    assert "/data/" not in said(session)


def printed(data, format):
    """Return the text of an exported file on one line."""
    if format == "docx":
        text = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml").decode()
    elif format == "pdf":
        text = "\n".join(page.get_text() for page in pymupdf.open("pdf", data))
    else:
        text = data.decode()
    return " ".join(text.split())


@pytest.mark.parametrize("format", ["md", "html", "docx", "pdf"])
def test_a_long_part_of_a_prompt_is_printed_once_and_a_short_one_each_time(format):
    long = "You answer questions from documents. " * 10
    asked = PromptAssembled((PromptSection("Role", long), PromptSection("Style", "Briefly please.")), (), "[]")
    runs = [made_run(number=n, events=(TimedEvent(1, 0.1, asked),), references=()) for n in (1, 2, 3)]
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", no_page)
    text = printed(exporter_for(format).render(made_session(*runs), context), format)
    assert text.count(long.strip()) == 1
    assert text.count("The same as for question 1.") == 2
    assert text.count("Briefly please.") == 3
