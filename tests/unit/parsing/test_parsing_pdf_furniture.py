"""Running heads, feet and page numbers of PDFs, and content that only looks like them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.model.document import ParsedDocument
from workbench.parsing.parse import parse_file

PROSE = "Lamps were lit at dusk and the watchman walked his round along the quay"


def parsed(document: Any, tmp_path: Path) -> ParsedDocument:
    path = tmp_path / "drawn.pdf"
    document.save(path)
    document.close()
    return parse_file(path)


def put(page: Any, x: float, y: float, text: str, size: float = 10, font: str = "helv") -> None:
    page.insert_text((x, y), text, fontsize=size, fontname=font)


def body(page: Any, texts: Sequence[str] = (PROSE,) * 6, y: float = 120) -> None:
    for number, text in enumerate(texts):
        put(page, 72, y + 13 * number, text)


def headings(document: ParsedDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.level]


def chapters(head: str = "{}", outline: bool = False, sides: tuple[float, float] = (400, 400)) -> Any:
    """Return four chapters of two pages each, named in the page heads; a sentence continues over each page break."""
    pdf = pymupdf.open()
    toc = []
    for title in ("Oil", "Wicks", "Glass", "Matches"):
        for part in range(2):
            page = pdf.new_page()
            put(page, sides[len(pdf) % 2], 50, head.format(title), size=8)
            if part == 0:
                put(page, 72, 100, title, size=20)
                toc.append([1, title, len(pdf)])
            said = f"{PROSE}, where {title.lower()} was"
            body(page, (said, f"{title} at home, where"), y=130) if part == 0 else body(page, (f"no {said}",), y=80)
    if outline:
        pdf.set_toc(toc)
    return pdf


@pytest.mark.parametrize("outline", [True, False])
@pytest.mark.parametrize("sides", [(400, 400), (72, 400)], ids=["one side", "alternating"])
def test_running_chapter_titles_are_left_out(tmp_path: Path, outline: bool, sides: tuple[float, float]) -> None:
    document = parsed(chapters(outline=outline, sides=sides), tmp_path)
    assert headings(document) == ["Oil", "Wicks", "Glass", "Matches"]
    assert document.text.count("Oil") == 2
    assert document.text.count("where\nno Lamps") == 4


def test_running_head_with_the_page_s_number_is_left_out(tmp_path: Path) -> None:
    assert "Chapter" not in parsed(chapters(head="Chapter 3. {}"), tmp_path).text


def test_a_running_head_found_nowhere_else_in_the_text_is_kept_once(tmp_path: Path) -> None:
    assert parsed(chapters(head="On {} in general"), tmp_path).text.count("On Oil in general") == 1


def test_first_line_of_the_text_is_kept_though_it_names_a_chapter(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number, title in enumerate(("Oil", "Wicks", "Glass", "Matches")):
        put(pdf.new_page(), 72, 200, title, size=20)
        body(pdf[-1], [f"{PROSE} {number}{line}" for line in range(6)], y=230)
        body(pdf.new_page(), [title, *(f"{PROSE} {number}{line} too" for line in range(6))], y=60)
    text = parsed(pdf, tmp_path).text
    assert [text.count(title) for title in ("Oil", "Wicks", "Glass", "Matches")] == [2, 2, 2, 2]


def test_a_list_item_that_continues_on_the_next_page_stays_one_block(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    body(pdf.new_page(), ("- trim the wick", "- fill the lamp with the oil from the"))
    body(pdf.new_page(), ("cellar before dusk", "and light it."))
    document = parsed(pdf, tmp_path)
    assert [block.kind.value for block in document.blocks] == ["list"]
    assert document.text.endswith("the oil from the\ncellar before dusk\nand light it.")


def test_titles_of_slides_are_kept(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for title in ("Results", "Results", "Results", "Outlook"):
        page = pdf.new_page(width=800, height=450)
        put(page, 60, 60, title, size=30)
        body(page, (PROSE,), y=200)
    assert parsed(pdf, tmp_path).text.count("Results") == 3


def test_questions_that_count_with_the_pages_are_kept_when_the_outline_has_them(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(1, 6):
        page = pdf.new_page()
        put(page, 72, 60, f"Question {number}", font="hebo")
        put(page, 300, 810, str(number))
        body(page)
    pdf.set_toc([[1, f"Question {number}", number] for number in range(1, 6)])
    document = parsed(pdf, tmp_path)
    assert headings(document) == [f"Question {number}" for number in range(1, 6)]


def test_figures_of_a_table_at_the_top_of_pages_are_no_page_numbers(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(5):
        page = pdf.new_page()
        for row in range(4):
            for column in range(3):
                put(page, 72 + 100 * column, 60 + 15 * row, str(1000 + 317 * number * row + 71 * column))
        body(page)
    assert "1071" in parsed(pdf, tmp_path).text


def test_labels_of_a_form_on_every_page_are_kept(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for _ in range(4):
        body(
            pdf.new_page(), [f"{label}: ........" for label in ("Name", "Street", "Town", "Country", "Phone")] * 2, y=90
        )
    assert parsed(pdf, tmp_path).text.count("Name:") == 8


def test_page_with_nothing_but_its_head_is_blank(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(5):
        page = pdf.new_page()
        put(page, 72, 40, "The Lamp Gazette", size=8)
        if number != 2:
            body(page)
    document = parsed(pdf, tmp_path)
    assert "Gazette" not in document.text
    assert document.pages[2].start == document.pages[2].end


def test_document_of_repeated_lines_alone_keeps_them(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for _ in range(4):
        put(pdf.new_page(), 72, 60, "Cut here")
    assert parsed(pdf, tmp_path).text.count("Cut here") == 4


def test_sample_report_has_each_chapter_once() -> None:
    path = Path(__file__).resolve().parents[3] / "resources" / "sample" / "harbour-survey.pdf"
    document = parse_file(path)
    found = headings(document)
    assert found[:4] == [
        "Vessmark Harbour Condition Survey 2025",
        "Quays, channel, breakwater, tidal gate and water",
        "Contents",
        "1 Summary",
    ]
    assert len(found) == len(set(found))
    assert "the\nvalue reported. The gauge was checked" in document.text


def test_a_page_number_right_below_a_table_that_fills_the_page_is_left_out(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(5):
        page = pdf.new_page()
        rows = 20 + 3 * number
        for row in range(rows):
            for left, text in ((72, f"Lamp {'abcdefghij'[row % 10]}"), (300, f"{37 * row % 91},{100 + row}")):
                page.draw_rect((left, 80 + 15 * row, left + 228, 95 + 15 * row))
                put(page, left + 4, 91 + 15 * row, text, size=9)
        put(page, 500, 80 + 15 * rows + 20, f"{60 + number}")
    document = parsed(pdf, tmp_path)
    assert [document.text[one.start : one.end] for one in document.blocks if one.kind.value != "table"] == []
