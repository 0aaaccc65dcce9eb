"""Result of a database query as a document with citable records."""

import json
from pathlib import Path
from typing import Any

import pytest
from parser_contract import assert_contract

from workbench.errors import DamagedDocument
from workbench.model.document import BlockKind, FindingKind, PageKind, ParsedDocument
from workbench.parsing.parse import parse_file


def _parsed(tmp_path: Path, columns: list[str], rows: list[list[Any]], **more: Any) -> ParsedDocument:
    file = tmp_path / "orders.query.json"
    file.write_text(json.dumps({"title": "Orders", "columns": columns, "rows": rows, **more}), "utf-8")
    document = parse_file(file)
    assert_contract(document)
    return document


def _record(document: ParsedDocument, number: int) -> str:
    page = document.pages[number - 1]
    return document.text[page.start : page.end].strip()


def test_e8_every_row_is_a_record_with_its_number(tmp_path: Path) -> None:
    document = _parsed(tmp_path, ["id", "customer"], [[7, "Ada"], [9, "Grace"]])
    assert document.text == "| # | id | customer |\n| --- | --- | --- |\n| 1 | 7 | Ada |\n| 2 | 9 | Grace |"
    assert (document.format, document.page_kind, document.metadata.title) == ("query", PageKind.RECORD, "Orders")
    assert _record(document, 2) == "| 2 | 9 | Grace |"


def test_e8_long_results_are_tables_of_forty_rows_each_with_its_head(tmp_path: Path) -> None:
    document = _parsed(tmp_path, ["id"], [[n] for n in range(1, 101)])
    assert [block.kind for block in document.blocks] == [BlockKind.TABLE] * 3
    assert [block.page for block in document.blocks] == [1, 41, 81]
    assert document.text.count("| # | id |") == 3
    assert _record(document, 57) == "| 57 | 57 |"
    assert len(document.pages) == 100


def test_e8_wide_rows_are_lists_of_their_values(tmp_path: Path) -> None:
    body = "The harbour froze. " * 40
    document = _parsed(tmp_path, ["id", "subject", "body"], [[1, "Ice", body], [2, "Wind", body]])
    assert _record(document, 2).startswith("Record 2\n\n- id: 2\n- subject: Wind\n\nbody: The harbour froze.")
    assert [block.level for block in document.blocks if block.kind is BlockKind.HEADING] == [1, 1]


def test_e8_values_of_every_kind_stay_on_their_line(tmp_path: Path) -> None:
    values = [None, True, 1.5, "a|b", "two\nlines", "\x00"]
    document = _parsed(tmp_path, ["a", "b", "c", "d", "e", "f"], [values])
    assert _record(document, 1).endswith("| 1 |  | yes | 1.5 | a\\|b | two lines | � |")


def test_e8_rows_cut_off_by_a_limit_are_reported(tmp_path: Path) -> None:
    document = _parsed(tmp_path, ["id"], [[1]], truncated="only the first 1 rows")
    assert FindingKind.TRUNCATED in [finding.kind for finding in document.findings]
    assert "only the first 1 rows" in document.warnings[0]


@pytest.mark.parametrize("content", ["[]", '{"columns": [], "rows": []}', "{broken"])
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "x.query.json"
    file.write_text(content, "utf-8")
    with pytest.raises(DamagedDocument):
        parse_file(file)
