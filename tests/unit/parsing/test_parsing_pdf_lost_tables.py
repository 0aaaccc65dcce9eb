"""Tables that the fast PDF parser misses: detection of their pages, and tables from the layout model's cells."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from parser_contract import assert_contract

from workbench.model.document import BlockKind, FindingKind, ParsedDocument, pages_with
from workbench.parsing import pdf_parser
from workbench.parsing.parse import parse_file
from workbench.parsing.pdf_parser import PdfParser
from workbench.parsing.pdf_tables import Grid

PROSE = "The ferry stayed in port while the keeper of the light bought lamps and oil for the winter."
TERMS = (("Term", "Meaning"), ("Fathom", "A measure of depth"), ("Knot", "A measure of speed"), ("Cable", "A tenth"))
ROWS = "\n".join(["| Term | Meaning |", "| --- | --- |", *(f"| {name} | {meaning} |" for name, meaning in TERMS[1:])])
Draw = Callable[[Any], None]


def drawn(draw: Draw, path: Path, *, rotation: int = 0) -> Path:
    """Save a page of prose with a drawing on it."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for row in range(4):
            page.insert_text((60, 80 + 14 * row), PROSE, fontsize=10)
        draw(page)
        page.set_rotation(rotation)
        pdf.save(path)
    return path


def caption(page: Any, text: str = "Table 2: Measures") -> None:
    page.insert_text((60, 170), text, fontsize=10)


def terms(page: Any) -> None:
    """Draw names with their meanings, which only the caption distinguishes from two columns of prose."""
    caption(page)
    for row, (name, meaning) in enumerate(TERMS):
        page.insert_text((60, 190 + 14 * row), name, fontsize=10)
        page.insert_text((200, 190 + 14 * row), meaning, fontsize=10)


def ruled(page: Any, *, rotate: int = 0) -> None:
    for row in range(5):
        page.draw_line((60, 200 + 40 * row), (380, 200 + 40 * row))
    for column in range(5):
        page.draw_line((60 + 80 * column, 200), (60 + 80 * column, 360))
    for row in range(4):
        for column in range(4):
            place = (65 + 80 * column, 225 + 40 * row)
            page.insert_text(place, f"r{row}c{column}", fontsize=9, rotate=rotate)


def ragged(page: Any) -> None:
    """Draw rows in three pieces that are not aligned in columns."""
    for row in range(6):
        for piece in range(3):
            page.insert_text((60 + 130 * piece + 37 * (row * (piece + 1) % 4), 200 + 14 * row), "Oil 12", fontsize=10)


def leaders(page: Any) -> None:
    for row in range(6):
        page.insert_text((60, 200 + 14 * row), f"{row} Lamps ........................... 9{row}    x", fontsize=10)
        page.insert_text((400, 200 + 14 * row), "shut", fontsize=10)
        page.insert_text((460 + 9 * row, 200 + 14 * row), "open", fontsize=10)


def grid_of(rows: int = 4, *, top: float = 180.0) -> Grid:
    return tuple(
        tuple((x0, top + 14 * row, x1, top + 14 * row + 13) for x0, x1 in ((60.0, 150.0), (200.0, 330.0)))
        for row in range(rows)
    )


def lost(document: ParsedDocument) -> set[int]:
    return pages_with(document.findings, FindingKind.LOST_TABLES)


def tables(document: ParsedDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind is BlockKind.TABLE]


@pytest.mark.parametrize("draw", [terms, ragged], ids=["caption", "rows in pieces"])
def test_a_page_with_a_table_that_was_read_as_lines_is_reported(draw: Draw, tmp_path: Path) -> None:
    document = parse_file(drawn(draw, tmp_path / "a.pdf"))
    assert (tables(document), lost(document)) == ([], {1})


@pytest.mark.parametrize(
    "words",
    ["Table 3.", "Table A.1 Depths", "TABLE IV", "Tabelle 2: Tiefen", "Tableau 7 – Profondeurs", "Table 3-2: Depths"],
)
def test_captions_are_known_in_several_languages(words: str, tmp_path: Path) -> None:
    assert lost(parse_file(drawn(lambda page: caption(page, words), tmp_path / "a.pdf"))) == {1}


def test_chinese_captions_are_known(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 170), "表 3 港口的水深", fontname="china-s", fontsize=10)

    assert lost(parse_file(drawn(draw, tmp_path / "a.pdf"))) == {1}


@pytest.mark.parametrize(
    "words", ["Table 3 shows that the harbour is deep", "Tables are laid at noon", "table of the captain: oak"]
)
def test_sentences_about_tables_are_no_captions(words: str, tmp_path: Path) -> None:
    assert not lost(parse_file(drawn(lambda page: caption(page, words), tmp_path / "a.pdf")))


def test_a_list_of_tables_loses_none(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for number in range(1, 7):
            page.insert_text((60, 170 + 14 * number), f"Table {number}: Depths of harbour {number}", fontsize=10)

    assert not lost(parse_file(drawn(draw, tmp_path / "a.pdf")))


def test_rows_of_dots_lose_no_table(tmp_path: Path) -> None:
    assert not lost(parse_file(drawn(leaders, tmp_path / "a.pdf")))


def two_tables(page: Any, *, more: tuple[str, ...] = ()) -> None:
    """Draw two tables with rules over and under their heads and at their ends, and a row that belongs to neither."""
    for top in (200, 400):
        for row, cells in enumerate((("", "2022", "2021"), *((name, "12,5", "11,4") for name, _ in TERMS))):
            for x, cell in zip((60, 250, 320), cells, strict=True):
                page.insert_text((x, top + 14 * row), cell, fontsize=10)
        for y in (top - 12, top + 4, top + 62):
            page.draw_line((60, y), (400, y))
    for piece, cell in enumerate(more):
        page.insert_text((60 + 57 * piece, 320), cell, fontsize=10)


@pytest.mark.parametrize(("more", "is_lost"), [((), False), (("Oil", "7", "9", "8"), True)], ids=["whole", "row left"])
def test_rules_around_tables_that_were_read_promise_no_other(
    more: tuple[str, ...], is_lost: bool, tmp_path: Path
) -> None:
    document = parse_file(drawn(lambda page: two_tables(page, more=more), tmp_path / "a.pdf"))
    assert (len(tables(document)), lost(document)) == (2, {1} if is_lost else set())


@pytest.mark.parametrize(("first", "is_lost"), [("10.{}*", False), ("Exhibit {}", True)], ids=["numbers", "names"])
def test_rules_around_a_numbered_list_promise_no_table(first: str, is_lost: bool, tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for y in (180, 196, 270):
            page.draw_line((60, y), (400, y))
        for row in range(5):
            page.insert_text((60, 210 + 14 * row), first.format(row), fontsize=10)
            page.insert_text((140, 210 + 14 * row), "Lease of the quay, as amended by the owners", fontsize=10)

    document = parse_file(drawn(draw, tmp_path / "a.pdf"))
    assert (tables(document), lost(document)) == ([], {1} if is_lost else set())


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_ruled_table_is_read_on_a_page_however_it_is_turned(rotation: int, tmp_path: Path) -> None:
    document = parse_file(drawn(ruled, tmp_path / "a.pdf", rotation=rotation))
    assert_contract(document)
    (table,) = tables(document)
    assert table.startswith("| r0c0 | r0c1 | r0c2 | r0c3 |\n| --- | --- | --- | --- |\n| r1c0 | r1c1 |")


def test_table_that_runs_up_the_page_is_read_by_its_own_rows(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        ruled(pdf.new_page(), rotate=90)
        pdf.save(tmp_path / "a.pdf")
    (table,) = tables(parse_file(tmp_path / "a.pdf"))
    assert table.startswith("| r3c0 | r2c0 | r1c0 | r0c0 |\n| --- | --- | --- | --- |\n| r3c1 | r2c1 |")


def test_words_in_the_cells_that_the_model_saw_are_one_table_with_true_places(tmp_path: Path) -> None:
    path = drawn(terms, tmp_path / "a.pdf")
    document = parse_file(path, parsers={"pdf": PdfParser({1: [grid_of()]})})
    assert_contract(document)
    assert (tables(document), lost(document)) == ([ROWS], set())
    assert document.parser_version == PdfParser.version
    (looked,) = [one for one in document.findings if one.kind is FindingKind.LAYOUT]
    assert (looked.pages, looked.count) == ((1,), 1)
    (word,) = [one for one in document.pages[0].words if document.text[one.start : one.end] == "Fathom"]
    assert 59 < word.x0 < word.x1 < 110
    assert 190 < word.y0 < word.y1 < 210


def test_a_page_without_a_table_found_by_the_model_is_no_longer_reported_as_losing_one(tmp_path: Path) -> None:
    document = parse_file(drawn(terms, tmp_path / "a.pdf"), parsers={"pdf": PdfParser({1: []})})
    assert (tables(document), lost(document)) == ([], set())
    (looked,) = [one for one in document.findings if one.kind is FindingKind.LAYOUT]
    assert (looked.pages, looked.count) == ((1,), 0)


@pytest.mark.parametrize(
    ("draw", "grid"),
    [(leaders, grid_of(6, top=188.0)), (terms, grid_of(1)), (terms, grid_of(4, top=600.0))],
    ids=["dots", "one row", "nothing there"],
)
def test_cells_that_make_no_table_leave_the_text_as_it_is(draw: Draw, grid: Grid, tmp_path: Path) -> None:
    path = drawn(draw, tmp_path / "a.pdf")
    document = parse_file(path, parsers={"pdf": PdfParser({1: [grid]})})
    assert document.text == parse_file(path).text
    assert not tables(document)


def test_rules_are_believed_before_the_model(tmp_path: Path) -> None:
    path = drawn(ruled, tmp_path / "a.pdf")
    whole = tuple(((60.0, 200.0 + 80 * row, 220.0, 280.0 + 80 * row), (220.0, 200.0, 380.0, 360.0)) for row in (0, 1))
    assert tables(parse_file(path, parsers={"pdf": PdfParser({1: [whole]})})) == tables(parse_file(path))


def test_a_heading_over_several_columns_is_kept_whole_in_the_first_of_them(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        terms(page)
        page.insert_text((90, 179), "Words that are used at sea and on land", fontsize=10)

    path = drawn(draw, tmp_path / "a.pdf")
    (table,) = tables(parse_file(path, parsers={"pdf": PdfParser({1: [grid_of(5, top=172.0)]})}))
    assert table.splitlines()[0] == "| Words that are used at sea and on land | |"


@pytest.mark.parametrize(("heights", "is_table"), [((180, 196, 270), True), ((180, 330, 480), False)])
def test_rules_around_a_head_and_at_the_end_are_those_of_a_table(
    heights: tuple[int, ...], is_table: bool, tmp_path: Path
) -> None:
    def draw(page: Any) -> None:
        for y in heights:
            page.draw_line((60, y), (400, y))
        page.insert_text((60, 190), "Harbour and depth", fontsize=10)
        page.insert_text((60, 210), "Skagen and nine metres", fontsize=10)

    assert lost(parse_file(drawn(draw, tmp_path / "a.pdf"))) == ({1} if is_table else set())


def test_dots_that_lead_from_cell_to_cell_are_left_out(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for row in range(6):
            for x, text in ((60, "Skagen"), (110, "........................"), (220, "Sound"), (300, f"{row} m")):
                page.insert_text((x, 200 + 14 * row), text, fontsize=10)

    spans = ((60.0, 215.0), (216.0, 290.0), (291.0, 330.0))
    grid = tuple(tuple((x0, 190.0 + 14 * row, x1, 203.0 + 14 * row) for x0, x1 in spans) for row in range(6))
    (table,) = tables(parse_file(drawn(draw, tmp_path / "a.pdf"), parsers={"pdf": PdfParser({1: [grid]})}))
    assert table.startswith("| Skagen | Sound | 0 m |\n| --- | --- | --- |\n| Skagen | Sound | 1 m |")


@pytest.mark.parametrize("is_damaged", [False, True])
def test_pages_that_were_read_before_give_the_same_document_and_damaged_ones_are_read_again(
    is_damaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, first = drawn(terms, tmp_path / "a.pdf"), PdfParser()
    assert lost(first.parse(path)) == {1}
    again = PdfParser({1: [grid_of()]}).parse(path)
    assert tables(again)
    read: list[int] = []
    original = pdf_parser._page_facts
    monkeypatch.setattr(
        pdf_parser, "_page_facts", lambda file, number: (read.append(number), original(file, number))[1]
    )
    kept = first.page_facts[:-9] if is_damaged else first.page_facts
    assert PdfParser({1: [grid_of()]}, page_facts=kept).parse(path) == again
    assert read == ([1] if is_damaged else [])
