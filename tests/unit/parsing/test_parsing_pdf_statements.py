"""Financial statements: parts of one table, marks next to numbers, titles over tables, footers at any height."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.model.document import ParsedDocument
from workbench.parsing.parse import parse_file

COLUMNS = (72, 380, 470)
WIDTH = 60
Row = tuple[str, ...]

REVENUES: tuple[Row, ...] = (
    ("Services", "109,625", "110,449"),
    ("Equipment", "27,210", "23,164"),
    ("Total", "136", "133"),
)
EXPENSES: tuple[Row, ...] = (("Wages", "28,637", "31,234"), ("Rent", "30,496", "(25,067)"), ("Total", "59", "56"))


def write(page: Any, y: float, texts: Row, *, font: str = "helv") -> None:
    """Write a row; numbers are aligned right in their columns."""
    for column, text in enumerate(texts):
        x = COLUMNS[column]
        if column:
            x += WIDTH - pymupdf.get_text_length(text, fontsize=9)
        page.insert_text((x, y), text, fontsize=9, fontname=font)


def rows(page: Any, y: float, many: Sequence[Row]) -> float:
    for row in many:
        write(page, y, row)
        y += 13
    return y


def parsed(document: Any, tmp_path: Path) -> ParsedDocument:
    path = tmp_path / "drawn.pdf"
    document.save(path)
    document.close()
    return parse_file(path)


def blocks(document: ParsedDocument, kind: str) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind.value == kind]


def test_sections_of_a_statement_are_one_table_under_its_years(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 100, ("Years ended December 31,", "2022", "2021"))
    write(page, 125, ("Operating revenues",), font="hebo")
    y = rows(page, 138, REVENUES)
    write(page, y + 12, ("Operating expenses",), font="hebo")
    y = rows(page, y + 25, EXPENSES)
    rows(page, y + 15, [("Net income", "77", "76")])
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert table.splitlines() == [
        "| Years ended December 31, | 2022 | 2021 |",
        "| --- | --- | --- |",
        "| Operating revenues | | |",
        *(f"| {' | '.join(row)} |" for row in REVENUES),
        "| Operating expenses | | |",
        *(f"| {' | '.join(row)} |" for row in EXPENSES),
        "| Net income | 77 | 76 |",
    ]


def test_a_table_with_years_of_its_own_is_another(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 100, ("In millions", "2022", "2021"))
    y = rows(page, 113, REVENUES)
    write(page, y + 12, ("Pensions",), font="hebo")
    write(page, y + 30, ("In thousands", "2022", "2021"))
    rows(page, y + 43, EXPENSES)
    first, second = blocks(parsed(pdf, tmp_path), "table")
    assert first.endswith("| Total | 136 | 133 |")
    assert second.startswith("| In thousands | 2022 | 2021 |")


def test_heads_over_one_column_or_several_belong_to_the_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((400, 87), "Amounts in each year", fontsize=9)
    write(page, 100, ("", "2022", "2021"))
    rows(page, 113, REVENUES)
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert table.splitlines()[:4] == [
        "| | Amounts in each year | |",
        "| --- | --- | --- |",
        "| | 2022 | 2021 |",
        "| Services | 109,625 | 110,449 |",
    ]


def test_a_line_that_begins_over_the_names_of_rows_is_no_head(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 100), "What the harbour earned", fontsize=9)
    rows(page, 113, REVENUES)
    document = parsed(pdf, tmp_path)
    assert blocks(document, "table")[0].startswith("| Services |")
    assert "What the harbour earned" in document.text


def test_continued_rows_that_fill_only_some_columns_keep_those_columns(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    y = rows(page, 113, REVENUES)
    write(page, y + 12, ("Acquisitions of the year before, of which the harbour was one, and of others",), font="hebo")
    rows(page, y + 26, [(name, "", last) for name, _, last in EXPENSES])
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert table.splitlines()[-3:] == [f"| {name} | | {last} |" for name, _, last in EXPENSES]


def test_years_above_a_ruled_table_without_years_become_its_header(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 96, ("In millions", "2022", "2021"))
    for number in range(3):
        for left, right in ((70, 370), (370, 450), (450, 540)):
            page.draw_rect((left, 100 + 15 * number, right, 115 + 15 * number))
        write(page, 111 + 15 * number, REVENUES[number])
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert table.startswith("| In millions | 2022 | 2021 |")


def test_currency_signs_and_marks_are_joined_to_their_number(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    edges = (70, 370, 385, 440, 450, 465, 540)
    for number, row in enumerate(
        (("Sales", "$", "14,189", "%", "$", "11,303"), ("Costs", "", "9,683", "", "", "7,772"))
    ):
        for column, text in enumerate(row):
            page.draw_rect((edges[column], 100 + 15 * number, edges[column + 1], 115 + 15 * number))
            page.insert_text((edges[column] + 1, 111 + 15 * number), text, fontsize=8)
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert table.splitlines()[0] == "| Sales | $ 14,189 % | $ 11,303 |"
    assert table.splitlines()[2] == "| Costs | 9,683 | 7,772 |"


def test_a_shade_behind_one_column_does_not_make_it_a_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 100, ("In millions", "2022", "2021"))
    y = rows(page, 115, REVENUES)
    for number in range(3):
        for left, right in ((370, 385), (385, 450)):
            box = (left, 104 + 13 * number, right, 117 + 13 * number)
            page.draw_rect(box, fill=(0.9, 0.9, 1), color=None, overlay=False)
    rows(page, y, EXPENSES)
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert "| Services | 109,625 | 110,449 |" in table


def test_labels_beside_ruled_figures_are_placed_in_the_rows_of_the_figures(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.draw_rect((70, 100, 370, 160))
    for number in range(4):
        for left, right in ((370, 450), (450, 540)):
            page.draw_rect((left, 100 + 15 * number, right, 115 + 15 * number))
        write(page, 111 + 15 * number, ("ABCD"[number], str(number), str(10 * number)))
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert table.splitlines()[2:] == ["| B | 1 | 10 |", "| C | 2 | 20 |", "| D | 3 | 30 |"]


def test_the_title_over_a_statement_is_a_heading_in_place_of_the_last_one(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 72), "Critical Audit Matters", fontsize=9, fontname="hebo")
    for number in range(10):
        page.insert_text(
            (72, 90 + 12 * number), "We audited what stands on the pages that follow with care.", fontsize=9
        )
    page = pdf.new_page()
    page.insert_text((231, 72), "CONSOLIDATED BALANCE SHEETS", fontsize=9)
    write(page, 100, ("In millions", "2022", "2021"))
    rows(page, 113, REVENUES)
    document = parsed(pdf, tmp_path)
    assert blocks(document, "heading") == ["Critical Audit Matters", "CONSOLIDATED BALANCE SHEETS"]
    first, second = (block.level for block in document.blocks if block.kind.value == "heading")
    assert first == second


@pytest.mark.parametrize("foot", ["{}", "F-{}", "Annual Report 2022 {}"])
def test_page_numbers_right_below_the_text_are_left_out_wherever_it_ends(foot: str, tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(1, 9):
        page = pdf.new_page()
        length = 8 + 4 * (number % 5)
        for line in range(length):
            page.insert_text((72, 72 + 12 * line), f"Sentence {line * number} of a report without an end", fontsize=9)
        page.insert_text((300, 100 + 12 * length), foot.format(number), fontsize=9)
    text = parsed(pdf, tmp_path).text
    assert foot.format("3") not in text.splitlines()
    assert text.count("Sentence") == sum(8 + 4 * (number % 5) for number in range(1, 9))


def test_rows_that_end_in_growing_figures_are_no_contents(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 100, ("In millions", "2022", "2021"))
    rows(
        page, 113, [("Software", "54", "65"), ("Plant", "253", "282"), ("Taxes", "293", "458"), ("Other", "658", "482")]
    )
    (table,) = blocks(parsed(pdf, tmp_path), "table")
    assert "| Taxes | 293 | 458 |" in table
