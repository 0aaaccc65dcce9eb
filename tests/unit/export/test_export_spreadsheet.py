"""CSV cells are never formulas, in a spreadsheet of any locale."""

import codecs
import csv
import io
from pathlib import Path

import pytest
from hostile import lists
from hypothesis import given
from hypothesis import strategies as st

from workbench.export.escaping import MARK, cell, row

_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(line), delimiter=delimiter))


@pytest.mark.parametrize("text", ["=1+1", " =1", "\t=1", "\n=1", "+1", "-1", "@x", "＝1", "a;=1", 'a; "=1', "a;;@x;+1"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_no_cell_begins_as_a_formula(text: str, delimiter: str) -> None:
    for value in _cells(row([cell(text), cell(text)]), delimiter):
        assert not value.strip().startswith(_STARTS)


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_row_comes_back_with_its_cells(one: str, other: str) -> None:
    assert _cells(row([cell(one), cell(other)]), ",") == [cell(one), cell(other)]


def test_every_cell_is_quoted_for_a_country_that_splits_at_semicolons() -> None:
    assert row(["a;b", "c"]) == '"a;b","c"\r\n'


def test_a_formula_is_shown_as_it_is_behind_an_apostrophe() -> None:
    assert [cell(text) for text in ("=1+1", "a;=1", "a; ＝1")] == ["'=1+1", "a;'=1", "a; '＝1"]


def test_a_table_is_marked_as_utf_8() -> None:
    assert MARK.encode() == codecs.BOM_UTF8


def test_plain_words_and_numbers_stay() -> None:
    assert [cell(text) for text in ("60 days", "14.2", "a; b", "a-b = c")] == ["60 days", "14.2", "a; b", "a-b = c"]


def test_no_text_of_the_lists_is_a_formula(peer_data: Path) -> None:
    for text in lists(peer_data):
        for delimiter in ",;":
            for value in _cells(row([cell(text)]), delimiter):
                assert not value.strip().startswith(_STARTS), text
