"""JSON: readable lines under key paths, tables of records, records as places."""

import json
from pathlib import Path
from typing import Any

import pytest
from parser_contract import assert_contract

from workbench.errors import DamagedDocument, DocumentTooLarge, EmptyDocument
from workbench.model.document import BlockKind, FindingKind, PageKind, ParsedDocument
from workbench.parsing import encoding
from workbench.parsing.parse import parse_file


def read(tmp_path: Path, source: Any, name: str = "file.json") -> ParsedDocument:
    path = tmp_path / name
    path.write_text(source if isinstance(source, str) else json.dumps(source, ensure_ascii=False), encoding="utf-8")
    document = parse_file(path)
    assert_contract(document)
    return document


def headings(document: ParsedDocument) -> list[tuple[int, str]]:
    return [(b.level, document.text[b.start : b.end]) for b in document.blocks if b.kind is BlockKind.HEADING]


def test_plain_values_are_lines_and_objects_are_sections(tmp_path: Path) -> None:
    document = read(tmp_path, {"name": "Shop", "open": True, "at": None, "server": {"host": "x", "ports": [80, 443]}})
    assert document.text == "name: Shop\nopen: true\n\nserver\n\nhost: x\nports: 80, 443"
    assert headings(document) == [(1, "server")]
    assert document.metadata.title == "Shop"


def test_paths_go_on_below_the_deepest_heading(tmp_path: Path) -> None:
    document = read(tmp_path, {"a": {"b": {"c": {"d": {"e": {"f": "deep"}}}}}})
    assert "e.f: deep" in document.text


def test_objects_alike_are_a_table_with_its_head_in_each_part(tmp_path: Path) -> None:
    document = read(tmp_path, {"rows": [{"id": n, "word": f"word number {n}"} for n in range(300)]})
    tables = [document.text[b.start : b.end] for b in document.blocks if b.kind is BlockKind.TABLE]
    assert len(tables) > 3
    assert all(table.startswith("| id | word |\n| --- |") for table in tables)
    assert [(f.kind, f.count) for f in document.findings] == [(FindingKind.TABLES, 1)]


def test_records_are_places_named_after_themselves(tmp_path: Path) -> None:
    records = [{"title": f"Note {n}", "body": "A long text of its own. " * 20} for n in range(3)]
    for name, source in (("a.json", records), ("a.jsonl", "\n".join(map(json.dumps, records)))):
        document = read(tmp_path, source, name)
        assert document.page_kind is PageKind.RECORD
        assert [page.label for page in document.pages] == ["Note 0", "Note 1", "Note 2"]


def test_too_many_records_are_no_places(tmp_path: Path) -> None:
    document = read(tmp_path, [{"text": "long " * 40, "n": n} for n in range(3001)])
    assert document.pages == ()


def test_numbers_stay_as_they_are_written(tmp_path: Path) -> None:
    document = read(tmp_path, '{"version": 1.10, "big": ' + "9" * 5000 + "}")
    assert document.text == "version: 1.10\n\nbig: " + "9" * 5000


def test_a_line_that_is_not_json_is_kept_as_its_own_text(tmp_path: Path) -> None:
    document = read(tmp_path, '{"a": "' + "x " * 99 + '"}\nnot json\n', "a.jsonl")
    assert document.text.endswith("not json")


def test_invalid_json_is_read_as_plain_text_with_a_warning(tmp_path: Path) -> None:
    document = read(tmp_path, '{\n  // a comment\n  "a": 1,\n}\n')
    assert "// a comment" in document.text
    assert "not valid JSON" in document.warnings[0]


def test_values_nested_too_deep_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument, match="too deep"):
        read(tmp_path, "[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize("source", ["{}", "[]", "null", '""', '[{"a": null}]'])
def test_json_without_a_value_is_empty(tmp_path: Path, source: str) -> None:
    with pytest.raises(EmptyDocument):
        read(tmp_path, source)


def test_a_file_over_the_size_limit_is_read_partly_and_reports_the_truncation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "MOST_BYTES", 1000)
    document = read(tmp_path, "\n".join(json.dumps({"n": n, "t": "word " * 10}) for n in range(100)), "a.jsonl")
    assert FindingKind.TRUNCATED in {finding.kind for finding in document.findings}
    assert len(document.text) < 1500


def test_json_longer_than_the_limit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "MOST_BYTES", 1000)
    with pytest.raises(DocumentTooLarge):
        read(tmp_path, json.dumps(["word"] * 1000))
