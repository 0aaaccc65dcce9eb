"""Tables of contents, covers, and tables without rules, on files drawn by the tests."""

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymupdf
import pytest

from workbench.model.document import FindingKind, ParsedDocument
from workbench.parsing import pdf_parser
from workbench.parsing.parse import parse_file
from workbench.parsing.pdf_parser import PdfParser

PROSE = "Lamps were lit at dusk and the watchman walked his round along the quay"
TITLES = ("1 Oil", "1.1 Whale oil", "1.2 Paraffin", "2 Wicks", "2.1 Cotton", "3 Glass")


def parsed(document: Any, tmp_path: Path) -> ParsedDocument:
    path = tmp_path / "drawn.pdf"
    document.save(path)
    document.close()
    return parse_file(path)


def blocks(document: ParsedDocument, page: int = 1) -> list[tuple[str, str]]:
    return [
        (block.kind.value, document.text[block.start : block.end]) for block in document.blocks if block.page == page
    ]


def book(leader: str, *, bold: bool = False) -> Any:
    """Return a book with a table of contents on its first page, and no outline."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 80), "Contents", fontsize=18)
    for number, title in enumerate(TITLES):
        font = "hebo" if bold and "." not in title else "helv"
        page.insert_text((72, 120 + 15 * number), title + leader, fontsize=10, fontname=font)
        page.insert_text((500, 120 + 15 * number), str(number + 2), fontsize=10)
    for title in TITLES:
        page = pdf.new_page()
        page.insert_text((72, 80), title, fontsize=10)
        for row in range(5):
            page.insert_text((72, 110 + 13 * row), PROSE, fontsize=10)
    return pdf


@pytest.mark.parametrize("leader", ["", " " + "." * 60, " " + ". " * 30], ids=["white", "dots", "spaced dots"])
def test_table_of_contents_is_a_list_without_dots(tmp_path: Path, leader: str) -> None:
    listed = "\n".join(f"{title} {number}" for number, title in enumerate(TITLES, 2))
    assert blocks(parsed(book(leader, bold=True), tmp_path)) == [("heading", "Contents"), ("list", listed)]


def test_titles_in_the_contents_are_headings_where_there_is_no_outline(tmp_path: Path) -> None:
    document = parsed(book(""), tmp_path)
    found = [(block.level, document.text[block.start : block.end]) for block in document.blocks if block.level]
    assert [title for _, title in found[1:]] == list(TITLES)
    levels = [level for level, _ in found[1:]]
    assert [level - levels[0] for level in levels] == [0, 1, 1, 0, 1, 0]


def test_growing_figures_are_a_table_still(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, (name, value) in enumerate([("Bulbs", 12), ("Shades", 15), ("Wicks", 30), ("Cans", 41), ("Oils", 77)]):
        page.insert_text((72, 100 + 15 * row), name, fontsize=10)
        page.insert_text((200, 100 + 15 * row), str(value), fontsize=10)
    ((kind, text),) = blocks(parsed(pdf, tmp_path))
    assert kind == "table"
    assert text.endswith("| Oils | 77 |")


def test_catalogue_with_dotted_lines_is_no_table_of_contents(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, name in enumerate(("Bulbs", "Shades", "Wicks", "Cans", "Oils")):
        page.insert_text((72, 100 + 15 * row), f"{name} {'.' * 60} {9500 + row}", fontsize=10)
    assert "....." in parsed(pdf, tmp_path).text


def test_small_line_above_a_cover_s_title_is_no_heading(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 60), "OFFICE OF LAMPS", fontsize=10, fontname="hebo")
    page.insert_text((72, 300), "The Book of Lamps", fontsize=28, fontname="hebo")
    page.insert_text((72, 400), PROSE, fontsize=10)
    assert blocks(parsed(pdf, tmp_path)) == [
        ("paragraph", "OFFICE OF LAMPS"),
        ("heading", "The Book of Lamps"),
        ("paragraph", PROSE),
    ]


def table(rows: Sequence[tuple[float, Sequence[str]]], columns: Sequence[float] = (72, 250, 350)) -> Any:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for y, cells in rows:
        for x, text in zip(columns, cells, strict=True):
            page.insert_text((x, y), text, fontsize=10)
    return pdf


def test_continuation_lines_of_a_cell_join_its_row_when_rows_are_spaced_apart(tmp_path: Path) -> None:
    pdf = table(
        [
            (100, ("Animal", "Does", "Sound")),
            (118, ("Cat", "says", "Meow")),
            (136, ("Fox", "says", "Ring and")),
            (148, ("", "", "Ding and")),
            (160, ("", "", "Dong")),
            (178, ("Dog", "says", "Wow")),
        ]
    )
    ((_, text),) = blocks(parsed(pdf, tmp_path))
    assert text.splitlines()[2:] == [
        "| Cat | says | Meow |",
        "| Fox | says | Ring and Ding and Dong |",
        "| Dog | says | Wow |",
    ]


def test_label_that_continues_in_lower_case_joins_its_row(tmp_path: Path) -> None:
    pdf = table(
        [
            (100, ("Region", "2024", "2025")),
            (113, ("North", "1.5", "2.5")),
            (126, ("South without the", "3.5", "4.5")),
            (139, ("small islands", "", "")),
            (152, ("East", "5.5", "6.5")),
        ]
    )
    ((_, text),) = blocks(parsed(pdf, tmp_path))
    assert "| South without the small islands | 3.5 | 4.5 |" in text


def test_rows_with_empty_cells_stay_rows(tmp_path: Path) -> None:
    pdf = table(
        [
            (100, ("Region", "Town", "2025")),
            (113, ("North", "Alby", "2.5")),
            (126, ("", "Borg", "4.5")),
            (139, ("South", "Caen", "1.5")),
            (152, ("", "Dorn", "6.5")),
        ]
    )
    ((_, text),) = blocks(parsed(pdf, tmp_path))
    assert len(text.splitlines()) == 6


def test_two_ruled_tables_below_one_another_keep_their_rows_and_the_text_between(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for top in (100, 240):
        for row in range(3):
            for column in range(2):
                box = pymupdf.Rect(72 + 100 * column, top + 20 * row, 172 + 100 * column, top + 20 + 20 * row)
                page.draw_rect(box)
                page.insert_text((box.x0 + 5, box.y0 + 14), f"{top} {row} {column}", fontsize=10)
    page.insert_text((72, 200), PROSE, fontsize=10)
    found = blocks(parsed(pdf, tmp_path))
    assert [kind for kind, _ in found] == ["table", "paragraph", "table"]
    assert found[0][1].endswith("| 100 2 0 | 100 2 1 |")


@pytest.mark.parametrize("name", ["book0_zh", "book1_zh", "book0_en", "book1_en"])
def test_running_text_holds_no_tables(peer_data: Path, name: str) -> None:
    document = parse_file(peer_data / "generated" / "page_truth" / f"{name}.pdf")
    assert [block for block in document.blocks if block.kind.value == "table"] == []


def test_table_whose_last_row_is_drawn_out_over_the_next_is_cut_back(peer_data: Path) -> None:
    document = parse_file(peer_data / "parse_truth" / "tabula" / "spanning_cells.pdf")
    tables = [text for kind, text in blocks(document) if kind == "table"]
    assert [len(text.splitlines()) for text in tables] == [22, 5]
    assert "| Enterprise-class data centers | 1,495 | 1,572 | 1,585 | 1,424 | 1,485 |" in tables[0]


def test_parts_of_a_long_document_are_its_first_pages_and_change_nothing_about_the_whole(tmp_path: Path) -> None:
    whole = parsed(book(" . . . . ."), tmp_path)
    parts: list[ParsedDocument] = []
    keep = lambda part, _page_facts: parts.append(part)  # noqa: E731
    read_in_parts = PdfParser(on_part=keep, part_seconds=1e-9).parse(tmp_path / "drawn.pdf")
    assert read_in_parts == dataclasses.replace(whole, parser_version=0)
    assert [finding.count for part in parts for finding in part.findings if finding.kind is FindingKind.UNREAD] == [
        len(whole.pages)
    ] * len(parts)
    assert 0 < len(parts[0].pages) < len(whole.pages)


@pytest.mark.parametrize("section", [7, 1000])
@pytest.mark.parametrize("name", ["tacl_a_00660", "PIP_Seniors-and-Tech-Use_040314"])
def test_reading_on_after_a_part_reads_only_the_other_pages_and_gives_the_document_of_one_reading(
    name: str, section: int, peer_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_parser, "SECTION", section)
    # A second per reading of the clock, so that the parts do not depend on the machine.
    monkeypatch.setattr(pdf_parser, "time", SimpleNamespace(process_time=itertools.count().__next__))
    path, parts = peer_data / "real" / "reports" / "pdfs" / f"{name}.pdf", list[tuple[int, bytes]]()
    keep = lambda part, page_facts: parts.append((len(part.pages), page_facts))  # noqa: E731
    whole = PdfParser(on_part=keep, part_seconds=3).parse(path)
    original, read = pdf_parser._page_facts, list[int]()
    monkeypatch.setattr(
        pdf_parser, "_page_facts", lambda file, number: (read.append(number), original(file, number))[1]
    )
    for pages, page_facts in parts:
        read.clear()
        assert PdfParser(page_facts=page_facts).parse(path) == whole
        assert read == list(range(pages + 1, len(whole.pages) + 1))
    assert len(parts) > 1


def test_a_page_that_was_left_out_is_read_when_reading_goes_on(tmp_path: Path) -> None:
    whole = parsed(book(" . . . . ."), tmp_path)
    parts: list[bytes] = []
    keep = lambda _part, page_facts: parts.append(page_facts)  # noqa: E731
    PdfParser(on_part=keep, part_seconds=1e-9, skipped={2}).parse(tmp_path / "drawn.pdf")
    read_on = PdfParser(page_facts=parts[-1]).parse(tmp_path / "drawn.pdf")
    assert read_on == dataclasses.replace(whole, parser_version=0)


def test_a_document_of_several_sections_has_the_text_and_the_pages_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf = pymupdf.open()
    for number in range(1, 8):
        page = pdf.new_page()
        page.insert_text((72, 90), f"Chapter {number}", fontsize=18)
        for row in range(12):
            page.insert_text((72, 120 + 15 * row), f"{PROSE} {number} {row}", fontsize=10)
    pdf.set_toc([[1, f"Chapter {number}", number] for number in range(1, 8)])
    whole = parsed(pdf, tmp_path)
    monkeypatch.setattr("workbench.parsing.pdf_parser.SECTION", 3)
    assert parse_file(tmp_path / "drawn.pdf") == whole
