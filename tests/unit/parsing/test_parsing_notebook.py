"""Jupyter notebooks: cells as places."""

import json
from pathlib import Path
from typing import Any

import pytest
from parser_contract import assert_contract

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import BlockKind, FindingKind, PageKind, ParsedDocument
from workbench.parsing.parse import parse_file


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs)}


def read(tmp_path: Path, *cells: dict[str, Any], **said: Any) -> ParsedDocument:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": said, "nbformat": 4}), encoding="utf-8")
    document = parse_file(path)
    assert_contract(document)
    return document


def test_cells_are_places_with_headings_code_and_output(tmp_path: Path) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": ["42\n"]}
    document = read(tmp_path, {"cell_type": "markdown", "source": "# Results\n\nText."}, code("print(42)", stream))
    assert document.page_kind is PageKind.CELL
    assert [(b.kind, b.page) for b in document.blocks] == [
        (BlockKind.HEADING, 1),
        (BlockKind.PARAGRAPH, 1),
        (BlockKind.CODE, 2),
        (BlockKind.PARAGRAPH, 2),
    ]
    assert document.metadata.title == "Results"


def test_pictures_are_counted_and_errors_are_one_line(tmp_path: Path) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "aGk=", "text/plain": "<Figure>"}}
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": ["\x1b[31mred"]}
    document = read(tmp_path, code("plot()", picture, error))
    assert (FindingKind.IMAGES, 1) in {(f.kind, f.count) for f in document.findings}
    assert document.text == "plot()\n\n<Figure>\n\nKeyError: 'a'"


def test_long_cell_output_is_truncated_and_the_truncation_is_reported(tmp_path: Path) -> None:
    document = read(tmp_path, code("x", {"output_type": "stream", "text": "line\n" * 5000}))
    assert len(document.text) < 5000
    assert FindingKind.TRUNCATED in {finding.kind for finding in document.findings}


def test_empty_cells_are_no_places_and_the_kernel_is_a_keyword(tmp_path: Path) -> None:
    kernel = {"name": "ir", "language": "R", "display_name": "R"}
    document = read(tmp_path, code(""), code("library(x)"), kernelspec=kernel, authors=[{"name": "Ann"}])
    assert len(document.pages) == 1
    assert (document.metadata.keywords, document.metadata.author) == (("R",), "Ann")


def test_worksheets_of_format_3_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {"cell_type": "code", "input": "x = 1", "outputs": []},
    ]
    path.write_text(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}), encoding="utf-8")
    assert parse_file(path).text == "Old\n\nx = 1"


@pytest.mark.parametrize("content", ["[" * 50_000, "{", "[1, 2]", '"text"', "not json"])
def test_a_file_that_is_not_a_notebook_is_rejected(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DamagedDocument):
        parse_file(path)


def test_notebook_of_odd_values_holds_no_text(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument):
        read(tmp_path, {"cell_type": 3, "source": {"a": 1}}, {"cell_type": "code", "source": None, "outputs": "x"})
