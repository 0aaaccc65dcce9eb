"""JSON export: complete, valid by its schema, and read back equal."""

import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from typing import get_args, get_type_hints

import jsonschema
import pytest
from export_session import cited, invalid, made_run, made_session

from workbench.errors import ExportError
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import SCHEMA, JsonExporter, read_session
from workbench.model.run import Run, RunCancelled, RunEvent, RunFailed, RunStatus, TimedEvent
from workbench.model.session import SessionInfo
from workbench.model.source_lines import LineKind, LineSpan, SourceLines

SCHEMA_FILE = Path(__file__).resolve().parents[3] / "resources" / "schema" / "session-1.schema.json"


@pytest.fixture(scope="module")
def schema():
    return json.loads(SCHEMA_FILE.read_text("utf-8"))


def test_a_session_comes_back_equal(context):
    session = made_session(made_run(), made_run(number=2, status=RunStatus.FAILED, error="Gone.", hint="Try again."))
    assert read_session(JsonExporter().render(session, context)) == session


def test_every_kind_of_event_comes_back_equal(context):
    answer = "Deep [1], pink [9]."
    citations = (cited(answer, 1), invalid(answer, 9))
    ends = (RunCancelled("Dee", citations, 0.5), RunFailed("Gone.", "Retry.", answer, citations, 0.5))
    run = made_run(answer, citations)
    run = dataclasses.replace(run, events=(*run.events, *(TimedEvent(90 + n, 9.0, end) for n, end in enumerate(ends))))
    assert {type(event.event) for event in run.events} == set(get_args(RunEvent))
    session = made_session(run)
    assert read_session(JsonExporter().render(session, context)) == session


def test_an_export_is_valid_after_its_schema(context, schema):
    content = json.loads(JsonExporter().render(made_session(made_run(), made_run(number=2)), context))
    assert content["schema"] == SCHEMA == schema["$id"]
    jsonschema.Draft202012Validator(schema).validate(content)


def test_the_schema_refuses_an_export_with_a_missing_field(context, schema):
    content = json.loads(JsonExporter().render(made_session(made_run()), context))
    del content["runs"][0]["citations"][0]["quote"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(content)


def written_kinds(*kinds: object) -> set[type]:
    """Return every dataclass that occurs in an export, through the fields of the others."""
    found: set[type] = set()
    waiting = [*kinds]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in found:
            found.add(kind)
            waiting += get_type_hints(kind).values()
    return found


@pytest.mark.parametrize("kind", sorted(written_kinds(Run, SessionInfo), key=lambda kind: kind.__name__))
def test_the_schema_names_every_field_of_the_model(schema, kind):
    described = set(schema["$defs"][kind.__name__]["properties"]) - {"type"}
    assert described == {field.name for field in dataclasses.fields(kind)}


def test_line_numbers_of_a_long_file_are_restored_and_appear_in_every_export(context, schema):
    run = made_run()
    lines = SourceLines(LineKind.LINE, (0, 40), (120_301, 120_302))
    hits = [replace(one, hit=replace(one.hit, lines=lines)) for one in run.references[0].hits]
    citations = [replace(one, lines=LineSpan(LineKind.LINE, 120_301, 120_310)) for one in run.citations]
    session = made_session(
        replace(run, citations=tuple(citations), references=(replace(run.references[0], hits=tuple(hits)),))
    )
    data = JsonExporter().render(session, context)
    assert read_session(data) == session
    jsonschema.Draft202012Validator(schema).validate(json.loads(data))
    assert "lines 120,301 to 120,310" in MarkdownExporter().render(session, context).decode()


def test_an_export_of_an_earlier_program_is_valid_after_the_schema(context, schema):
    content = json.loads(JsonExporter().render(made_session(made_run()), context))
    for citation in content["runs"][0]["citations"]:
        for added in ("page_kind", "page_label", "ocr", "origin"):
            del citation[added]
    for reference in content["runs"][0]["references"]:
        for numbered in reference["hits"]:
            del numbered["hit"]["origin"], numbered["hit"]["meta_data"]
            del numbered["hit"]["scores"]["rerank"], numbered["hit"]["scores"]["rerank_rank"]
    for timed in content["runs"][0]["events"]:
        timed["event"].pop("limits", None)
    jsonschema.Draft202012Validator(schema).validate(content)


@pytest.mark.parametrize(
    "text", ["\ud800 lone", "\u202ereversed", "line\u2028end", "nul\x00", "中文、日本語", "</script>"]
)
def test_any_text_comes_back_and_the_file_is_utf_8(context, text):
    session = made_session(made_run(quote=text, question=text), title=text)
    data = JsonExporter().render(session, context)
    assert "\u202e" not in data.decode("utf-8")
    assert read_session(data) == session


def test_chinese_stays_readable_in_the_file(context):
    data = JsonExporter().render(made_session(made_run(quote="闸门每季度检查一次。")), context)
    assert "闸门每季度检查一次。".encode() in data


def test_a_number_that_json_has_not_becomes_null(context):
    data = JsonExporter().render(made_session(made_run(seconds=float("inf"))), context)
    assert json.loads(data)["runs"][0]["seconds"] is None


@pytest.mark.parametrize("data", [b"", b"[]", b'{"schema": "knowledge-workbench/session/2"}', b"\xff"])
def test_a_file_of_another_kind_is_rejected_with_an_export_error(data):
    with pytest.raises(ExportError):
        read_session(data)


def test_a_modified_file_is_rejected_with_an_export_error(context):
    content = json.loads(JsonExporter().render(made_session(made_run()), context))
    content["runs"][0]["id"] = "one"
    with pytest.raises(ExportError, match="Was the file changed"):
        read_session(json.dumps(content).encode())


def test_a_session_of_a_thousand_runs_is_exported_whole(context):
    session = made_session(*(made_run(number=n) for n in range(1000)))
    data = JsonExporter().render(session, context)
    assert len(data) < 20_000_000
    assert read_session(data) == session


def test_an_answer_with_a_changed_result_is_marked_as_changed_by_hand(context):
    forked = made_run(parent=3, parent_event=8)
    assert "tool result that the user changed" in MarkdownExporter().render(made_session(forked), context).decode()
    assert (
        "tool result that the user changed"
        not in MarkdownExporter().render(made_session(made_run(parent_event=0)), context).decode()
    )
