"""Exhaustive readings as files: no text of a document is executed or breaks the table."""

import csv
import io

import pytest

from workbench.export.exhaustive_report import reading_csv, reading_markdown
from workbench.model.exhaustive import (
    DocumentReading,
    DocumentVerdict,
    Reading,
    ReadingInfo,
    ReadingMeter,
    ReadingStatus,
)
from workbench.model.hit import Citation

HOSTILE = ("=HYPERLINK(\"http://x\")", "+1", "-1+1", "@SUM(A1)", "\t=1", "＝1", " =1")  # fmt: skip


def made(quote: str = "60 days", *, model: str = "m", name: str = "a.pdf") -> Reading:
    info = ReadingInfo(
        *(1, "Notice", "How long?", None, "tag:law", "p", model, "Model: m.", ReadingStatus.COMPLETE, "", "", "", ""),
        *(1.0, 2, 3, 4, ReadingMeter(2, 2, 2, 2)),
    )
    citation = Citation(0, True, 1, name, "/x/a.pdf", 3, quote=quote)
    rows = (
        DocumentReading(1, name, DocumentVerdict.YES, "It says | so.", (citation, citation), 1, 1, 1),
        DocumentReading(2, "b.pdf", DocumentVerdict.NOT_SAID, "", (), 1, 1),
    )
    return Reading(info, rows, "All say so [1].", (Citation(1, True, 1, name, page=3), Citation(9, False)))


def rows_of(reading: Reading) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(reading_csv(reading).decode("utf-8-sig"))))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_of_a_spreadsheet_begins_as_a_formula(text: str) -> None:
    rows = rows_of(made(text, name=text))
    assert rows
    for row in rows:
        assert not any(value.lstrip().startswith(("=", "+", "-", "@", "＝")) for value in row.values())


def test_a_row_a_quote_and_one_for_a_document_without() -> None:
    rows = rows_of(made("60 days\nin “writing”, 书面"))
    assert [(row["document"], row["verdict"], row["quote"], row["place"]) for row in rows] == [
        ("a.pdf", "yes", "60 days in “writing”, 书面", "page 3"),
        ("a.pdf", "yes", "60 days in “writing”, 书面", "page 3"),
        ("b.pdf", "not said", "", ""),
    ]


def test_offline_it_is_found_or_not_found() -> None:
    assert [row["verdict"] for row in rows_of(made(model=""))] == ["found", "found", "not found"]


def test_markdown_holds_the_table_the_quotes_and_what_is_cited() -> None:
    text = reading_markdown(made("<script>alert(1)</script>\n| x |")).decode()
    assert "Read 2 of 2 passages, 2 of 2 documents" in text
    assert "| a.pdf | yes | It says \\| so. | 1 of 1 |" in text
    assert "<script>" not in text
    assert "is not a finding of this reading" in text
    assert "> — page 3" in text
