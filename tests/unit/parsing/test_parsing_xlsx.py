"""Spreadsheets: sheets as pages, tables as displayed, and the limits."""

import datetime
from pathlib import Path

import pytest
from office_files import relations, zipped
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from workbench.model.document import BlockKind, FindingKind, PageKind, ParsedDocument
from workbench.parsing import workbook, xlsx_parser
from workbench.parsing.xlsx_parser import XlsxParser


def saved(made: Workbook, tmp_path: Path) -> ParsedDocument:
    made.save(tmp_path / "sums.xlsx")
    return XlsxParser().parse(tmp_path / "sums.xlsx")


def test_sheets_are_pages_with_their_names_and_the_file_gives_the_title(tmp_path: Path) -> None:
    made = Workbook()
    made.active.title = "Sales"
    made.active.append(["Region", "Sum"])
    made.active.append(["north", 5])
    made.create_sheet("Empty")
    made.create_sheet("Costs").append(["rent", 7])
    document = saved(made, tmp_path)
    assert document.page_kind is PageKind.SHEET
    assert [(page.number, page.label) for page in document.pages] == [(1, "Sales"), (2, "Empty"), (3, "Costs")]
    assert (
        document.text
        == "Sales\n\n| Region | Sum |\n| --- | --- |\n| north | 5 |\n\nCosts\n\n| rent | 7 |\n| --- | --- |"
    )
    assert document.metadata.title == "sums"


def test_numbers_and_dates_are_shown_as_in_the_sheet(tmp_path: Path) -> None:
    made = Workbook()
    cells = [
        (0.1 + 0.2, "General", "0.3"),
        (45123, "yyyy-mm-dd", "2023-07-16"),
        (datetime.datetime(2024, 3, 1, 14, 30), "dd/mm/yyyy hh:mm", "2024-03-01 14:30"),
        (0.125, "0.0%", "12.5%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-5, '0.00;[Red]"("0.00")"', "(5.00)"),
        (12, "[$€-407] #,##0", "€ 12"),
        (True, "General", "TRUE"),
        ("text", "@", "text"),
    ]
    for row, (value, code, _) in enumerate(cells, 1):
        made.active.cell(row, 1, f"r{row}")
        made.active.cell(row, 2, value).number_format = code
    lines = saved(made, tmp_path).text.split("\n")
    assert [line.split("|")[2].strip() for line in lines if line.startswith("| r")] == [shown for _, _, shown in cells]


def test_tables_are_divided_at_empty_rows_and_columns_and_titles_head_them(tmp_path: Path) -> None:
    made = Workbook()
    sheet = made.active
    sheet["A1"] = "Ducks of the year"
    for row in (["Year", "Ducks"], ["x", 2], ["y", 3]):
        sheet.append(row)
    for number, (a, b) in enumerate((("City", "People"), ("Rome", 9), ("Bern", 1)), 2):
        sheet.cell(number, 5, a)
        sheet.cell(number, 6, b)
    document = saved(made, tmp_path)
    assert [(block.kind, document.text[block.start : block.end].split("\n")[0]) for block in document.blocks] == [
        (BlockKind.HEADING, "Sheet"),
        (BlockKind.HEADING, "Ducks of the year"),
        (BlockKind.TABLE, "| Year | Ducks |"),
        (BlockKind.TABLE, "| City | People |"),
    ]


def test_label_beside_its_value_stays_in_its_row_although_a_column_between_is_empty(tmp_path: Path) -> None:
    made = Workbook()
    for row in (["Voltage", None, "130 kV"], ["Phases", None, 3]):
        made.active.append(row)
    assert "| Voltage | 130 kV |" in saved(made, tmp_path).text


def test_a_table_that_continues_after_an_empty_row_keeps_its_header(tmp_path: Path) -> None:
    made = Workbook()
    for row in (["Month", "Sum"], ["Jan", 1], [None], ["Feb", 2], [None], ["Name", "Role"], ["Ada", "chief"]):
        made.active.append(row)
    text = saved(made, tmp_path).text
    assert "| Jan | 1 |\n| Feb | 2 |" in text
    assert "| Name | Role |\n| --- | --- |" in text


def test_merged_cells_are_repeated_but_a_title_across_a_table_is_not(tmp_path: Path) -> None:
    made = Workbook()
    sheet = made.active
    for row in (["All of it", None], ["both", None], ["a", "b"]):
        sheet.append(row)
    sheet.merge_cells("A1:B1")
    sheet["A2"], sheet["B2"] = "x", "y"
    sheet.append(["tall", 1])
    sheet.append([None, 2])
    sheet.merge_cells("A4:A5")
    text = saved(made, tmp_path).text
    assert text.count("All of it") == 1
    assert "| tall | 1 |\n| tall | 2 |" in text


def test_a_hidden_sheet_is_read_with_a_warning(tmp_path: Path) -> None:
    made = Workbook()
    made.active["A1"] = "shown"
    made.create_sheet("Secret")["A1"] = "kept back"
    made["Secret"].sheet_state = "veryHidden"
    document = saved(made, tmp_path)
    assert "kept back" in document.text
    assert document.warnings == ("Sheet “Secret” is hidden; it was read too.",)


def test_comments_and_titles_of_charts_are_read(tmp_path: Path) -> None:
    made = Workbook()
    for row in (["Year", "Ducks"], ["a", 1], ["b", 2]):
        made.active.append(row)
    made.active["B2"].comment = Comment("Counted twice.", "Ada")
    chart = BarChart()
    chart.title = "Ducks by year"
    chart.add_data(Reference(made.active, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    made.active.add_chart(chart, "D4")
    assert saved(made, tmp_path).text.endswith("B2, Ada: Counted twice.\nDucks by year")


def test_long_table_is_divided_and_each_part_has_the_head(tmp_path: Path) -> None:
    made = Workbook()
    made.active.append(["number", "square"])
    for number in range(10_000):
        made.active.append([number, number * number])
    document = saved(made, tmp_path)
    tables = [document.text[b.start : b.end] for b in document.blocks if b.kind is BlockKind.TABLE]
    assert len(tables) == 250
    assert all(table.startswith("| number | square |\n| --- | --- |\n") for table in tables)


def test_cells_beyond_the_limit_are_not_read_and_that_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_CELLS", 100)
    monkeypatch.setattr(xlsx_parser, "MOST_CELLS", 100)
    made = Workbook()
    for number in range(200):
        made.active.append([f"row {number}"])
    made.create_sheet("More")["A1"] = "never read"
    document = saved(made, tmp_path)
    assert "row 99" in document.text
    assert "row 100" not in document.text
    assert [finding.kind for finding in document.findings] == [FindingKind.TABLES, FindingKind.TRUNCATED]
    assert "“More”" in document.findings[1].detail


def test_sheets_are_found_without_the_list_of_sheets(tmp_path: Path) -> None:
    names = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = (
        f'<worksheet {names}><sheetData><row><c t="inlineStr"><is><t>saved</t></is></c></row></sheetData></worksheet>'
    )
    path = tmp_path / "a.xlsx"
    parts = {"_rels/.rels": relations(officeDocument="xl/workbook.xml"), "xl/workbook.xml": "<broken"}
    path.write_bytes(zipped({**parts, "xl/worksheets/sheet1.xml": sheet}))
    assert XlsxParser().parse(path).text == "Sheet 1\n\nsaved"
