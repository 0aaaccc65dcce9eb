"""Limits: nothing is truncated silently; the document reports what was left out, and how much."""

import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from office_files import docx, opendocument, paragraph, relations, zipped
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from workbench.model.document import Finding, FindingKind, ParsedDocument, not_read
from workbench.parsing import (
    assembly,
    epub_parser,
    image_parser,
    mail_parser,
    odf_parser,
    odf_text,
    ooxml,
    web_page_parser,
    xlsx_parser,
)
from workbench.parsing.docx_parser import DocxParser
from workbench.parsing.parse import parse_file
from workbench.parsing.xlsx_parser import XlsxParser

_FOUND = (FindingKind.LEFT_OUT, FindingKind.TRUNCATED)


def left_out(document: ParsedDocument) -> list[tuple[FindingKind, int, str]]:
    return [(one.kind, one.count, one.detail) for one in document.findings if one.kind in _FOUND]


def odf_table(*rows: str) -> str:
    return f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in rows)}</table:table>"


def odf_cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell{attributes}><text:p>{text}</text:p></table:table-cell>"


def slide_with_table(rows: int, columns: int, path: Path) -> Path:
    made = Presentation()
    shapes = made.slides.add_slide(made.slide_layouts[6]).shapes
    table = shapes.add_table(rows, columns, 0, 0, Inches(9), Inches(3)).table
    for row in range(rows):
        for column in range(columns):
            table.cell(row, column).text = f"r{row}c{column}"
    made.save(str(path))
    return path


def slide_with_charts(charts: int, points: int, path: Path) -> Path:
    made = Presentation()
    shapes = made.slides.add_slide(made.slide_layouts[6]).shapes
    shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "Curves"
    data = CategoryChartData()
    data.categories = [str(point) for point in range(points)]
    data.add_series("Ducks", range(points))
    for _ in range(charts):
        shapes.add_chart(XL_CHART_TYPE.LINE, 0, Inches(4), Inches(4), Inches(2), data)
    made.save(str(path))
    return path


def test_cells_of_an_opendocument_table_beyond_column_200_are_read(tmp_path: Path) -> None:
    cells = "".join(odf_cell(f"c{number}") for number in range(300))
    gap = f'<table:table-cell table:number-columns-repeated="250"/>{odf_cell("far")}'
    document = parse_file(opendocument(tmp_path / "a.odt", "text", odf_table(cells, gap)))
    assert document.text.split("\n")[0].endswith("| c298 | c299 |")
    assert document.text.split("\n")[2].split("|")[251] == " far "
    assert left_out(document) == []


def test_cells_of_a_slides_table_beyond_column_200_are_read(tmp_path: Path) -> None:
    document = parse_file(slide_with_table(2, 210, tmp_path / "a.pptx"))
    assert "r1c209" in document.text
    assert left_out(document) == []


def test_a_cell_that_fills_the_rows_of_a_table_is_repeated_so_far_as_there_are_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(odf_text, "_MOST_COLUMNS", 5)
    filler = odf_cell("x", ' table:number-columns-repeated="100000"') + odf_cell("last")
    document = parse_file(opendocument(tmp_path / "a.odt", "text", odf_table(filler)))
    assert document.text.split("\n")[0] == "| x | x | x | x | x | last |"


def test_rows_of_an_opendocument_table_that_is_too_large_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "MOST_CELLS", 10)
    rows = [odf_cell(f"a{number}") + odf_cell("b") for number in range(8)]
    document = parse_file(opendocument(tmp_path / "a.odt", "text", odf_table(*rows)))
    assert "a4" in document.text
    assert "a5" not in document.text
    detail = "3 rows of tables of more than 10 cells; save such a table as CSV and add that"
    assert left_out(document) == [(FindingKind.TRUNCATED, 3, detail)]
    assert not_read(document.findings) == f"Not all of it was read: {detail}."


def test_rows_of_a_slides_table_that_is_too_large_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "MOST_CELLS", 4)
    document = parse_file(slide_with_table(3, 2, tmp_path / "a.pptx"))
    assert "r1c1" in document.text
    assert "r2c0" not in document.text
    detail = "1 row of a table of more than 4 cells; save the table as CSV and add that"
    assert left_out(document) == [(FindingKind.TRUNCATED, 1, detail)]


def workbook(path: Path, texts: int, cells: int, missing: str = "") -> Path:
    """Write a workbook with these numbers of shared texts and of cells in sheet A; add the name of a missing sheet."""
    names = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    links = relations(worksheet="sheet1.xml", sharedStrings="sharedStrings.xml")
    gone = relations(worksheet="sheet2.xml").replace('Id="worksheet"', 'Id="gone"')
    listed = '<sheet name="A" r:id="worksheet"/>' + (f'<sheet name="{missing}" r:id="gone"/>' if missing else "")
    rows = "".join(f"<row><c t='s'><v>{number}</v></c></row>" for number in range(cells))
    strings = "".join(f"<si><t>text {number}</t></si>" for number in range(texts))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(officeDocument="xl/workbook.xml"),
        "xl/workbook.xml": f"<workbook {names} {office}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": links.replace("</Relationships>", gone[gone.index("<Relationship ") :]),
        "xl/sheet1.xml": f"<worksheet {names}><sheetData>{rows}</sheetData></worksheet>",
        "xl/sharedStrings.xml": f"<sst {names}>{strings}</sst>",
    }
    path.write_bytes(zipped(parts))
    return path


def test_cells_whose_texts_are_beyond_those_that_are_read_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_parser, "_MOST_STRINGS", 3)
    document = XlsxParser().parse(workbook(tmp_path / "a.xlsx", 5, 5))
    assert "text 2" in document.text
    detail = "the texts of 2 cells: the workbook has more than 3 texts; save its sheets as CSV and add those"
    assert left_out(document) == [(FindingKind.TRUNCATED, 2, detail)]


def test_as_many_texts_as_are_read_are_not_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_parser, "_MOST_STRINGS", 3)
    assert left_out(XlsxParser().parse(workbook(tmp_path / "a.xlsx", 3, 3))) == []


def test_cells_without_their_text_and_missing_sheets_are_reported(tmp_path: Path) -> None:
    assert left_out(XlsxParser().parse(workbook(tmp_path / "a.xlsx", 1, 2, missing="B"))) == [
        (FindingKind.LEFT_OUT, 1, "the content of “B”: damaged, or missing from the file"),
        (FindingKind.LEFT_OUT, 1, "the text of 1 cell: damaged, or missing from the file"),
    ]


def test_repetitions_that_fill_a_sheet_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odf_parser, "_MOST_COPIES", 2)
    row = f'<table:table-row table:number-rows-repeated="9">{odf_cell("same")}</table:table-row>'
    body = f'<table:table table:name="A">{row}</table:table>'
    document = parse_file(opendocument(tmp_path / "a.ods", "spreadsheet", body))
    assert document.text.count("same") == 2
    assert left_out(document) == [(FindingKind.LEFT_OUT, 7, "7 repetitions of the same rows or cells")]


@pytest.mark.parametrize(
    ("charts", "detail"),
    [
        (1, "the figures of 1 chart of more than 5 points; add the table that it was made from"),
        (2, "the figures of 2 charts of more than 5 points each; add the tables that they were made from"),
    ],
)
def test_charts_that_are_curves_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, charts: int, detail: str
) -> None:
    monkeypatch.setattr(ooxml, "_MOST_POINTS", 5)
    document = parse_file(slide_with_charts(charts, 6, tmp_path / "a.pptx"))
    assert document.text == "Curves"
    assert left_out(document) == [(FindingKind.LEFT_OUT, charts, detail)]


def message_of(parts: int) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.com", "Many"
    message.set_content("The ferry froze in.")
    for number in range(parts):
        message.add_attachment(f"Note {number}.", filename=f"{number}.txt")
    return message


@pytest.mark.parametrize(("most", "number", "begin"), [(5, 3, "3 parts of a message"), (7, 1, "1 part of a message")])
def test_parts_of_a_message_beyond_the_limit_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, number: int, begin: str
) -> None:
    monkeypatch.setattr(mail_parser, "MAX_PARTS", most)
    (tmp_path / "m.eml").write_bytes(message_of(6).as_bytes())
    document = parse_file(tmp_path / "m.eml")
    assert f"Note {5 - number}." in document.text
    assert f"Note {6 - number}." not in document.text
    ((kind, count, detail),) = left_out(document)
    assert (kind, count) == (FindingKind.TRUNCATED, number)
    assert (
        detail
        == f"{begin}: it has more than can be read from one message; save those that you need and add them separately"
    )


def test_parts_within_a_part_that_is_not_looked_at_are_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_parser, "MAX_PARTS", 2)
    message = message_of(0)
    message.add_attachment(message_of(2))
    (tmp_path / "m.eml").write_bytes(message.as_bytes())
    assert [count for _, count, _ in left_out(parse_file(tmp_path / "m.eml"))] == [3]


def test_links_of_a_page_beyond_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_page_parser, "MOST_LINKS", 2)
    links = "".join(f"<p>See <a href='https://example.com/{n}'>place {n}</a> about the harbour.</p>" for n in range(5))
    (tmp_path / "a.web.html").write_text(f"<main><h1>Places</h1>{links}</main>", "utf-8")
    document = parse_file(tmp_path / "a.web.html")
    assert document.text.endswith("- place 1: https://example.com/1")
    detail = "where 3 links lead: the link texts were read; open the page to see where they lead"
    assert left_out(document) == [(FindingKind.LEFT_OUT, 3, detail)]


def test_formula_of_too_many_levels_keeps_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ooxml, "_DEEPEST", 3)
    inner = "<m:r><m:t>velocity</m:t></m:r>"
    for _ in range(4):
        inner = f"<m:rad><m:e>{inner}</m:e></m:rad>"
    document = DocxParser().parse(
        docx(tmp_path / "a.docx", paragraph("Text") + f"<w:p><m:oMath>{inner}</m:oMath></w:p>")
    )
    assert "velocity" in document.text


def epub(path: Path, chapters: int) -> Path:
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        for number in range(chapters):
            book.writestr(f"c{number}.xhtml", f"<html><body><p>This is chapter {number}.</p></body></html>")
    return path


def test_chapters_of_a_book_beyond_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub_parser, "_MOST_CHAPTERS", 2)
    document = parse_file(epub(tmp_path / "a.epub", 5))
    assert left_out(document) == [
        (FindingKind.TRUNCATED, 3, "the first 2 chapters of 5 were read; divide the book and add the parts")
    ]


def test_chapters_of_a_book_that_is_too_long_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub_parser, "_MOST_CHARACTERS", 30)
    document = parse_file(epub(tmp_path / "a.epub", 5))
    assert "chapter 1." in document.text
    ((kind, count, detail),) = left_out(document)
    assert (kind, count) == (FindingKind.TRUNCATED, 3)
    assert detail == "the first 2 chapters of 5 were read; divide the book and add the parts"


def test_pages_of_a_scan_beyond_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_parser, "MOST_FRAMES", 2)
    page = Image.new("L", (20, 20), 255)
    page.save(tmp_path / "a.tif", save_all=True, append_images=[page] * 4)
    (finding,) = [one for one in parse_file(tmp_path / "a.tif").findings if one.kind is FindingKind.TRUNCATED]
    assert finding == Finding(
        FindingKind.TRUNCATED, count=3, detail="the first 2 pages of 5 were read; split the file and add the parts"
    )
