"""PDF, on files drawn by the tests."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.errors import DamagedDocument, EmptyDocument, EncryptedDocument
from workbench.model.document import BlockKind, Finding, FindingKind, ParsedDocument
from workbench.parsing.parse import parse_file
from workbench.parsing.pdf_metadata import iso_date
from workbench.parsing.pdf_words import FLAGS

PROSE = "Lamps were lit at dusk and the watchman walked his round along the quay"


def saved(document: Any, tmp_path: Path, **options: Any) -> Path:
    path = tmp_path / "drawn.pdf"
    document.save(path, **options)
    document.close()
    return path


def lines(
    page: Any, texts: Sequence[str], *, x: float = 72, y: float = 90, size: float = 10, font: str = "helv"
) -> float:
    for text in texts:
        page.insert_text((x, y), text, fontsize=size, fontname=font)
        y += 1.3 * size
    return y


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((72, 60), "A headline that runs across both columns of this page", fontsize=18)
    for row in range(12):
        # Row by row, like some programs write them: the order in the file must not matter.
        lines(page, [f"left column line number {row} is here"], x=72, y=100 + 14 * row)
        lines(page, [f"right column line number {row} is here"], x=320, y=100 + 14 * row)
    text = parse_file(saved(pdf, tmp_path)).text
    assert text.startswith("A headline")
    assert text.index("left column line number 11") < text.index("right column line number 0")


FLOWING = (
    "The ferry crossed the sound on most",
    "days of that winter, although the ice",
    "was thick and the wind came from the",
    "north. In all the harbours, the share of",
    "boats that were kept ashore grew from",
)


def test_a_chart_beside_running_text_follows_it_and_cuts_no_sentence(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    lines(page, ["The report begins with a sentence that is as wide as the page is, and it goes on", "below."])
    below = lines(page, FLOWING, y=130)
    # Its labels share no base lines with the text; the last one stands between two of its lines.
    for y, label in ((135, "Boats ashore, by harbour"), (147, "in the year 1887"), (161, "Skagen 40"), (186, "1910")):
        page.insert_text((330, y), label, fontsize=9)
    lines(page, ["Here the page is wide again, and the report ends with a sentence as wide as this."], y=below + 20)
    text = parse_file(saved(pdf, tmp_path)).text
    assert " ".join(FLOWING) in " ".join(text.split())
    order = [text.index(part) for part in ("The report begins", FLOWING[-1], "Boats ashore", "1910", "Here the page")]
    assert order == sorted(order)


@pytest.mark.parametrize("labels", [FLOWING, ("Boats", "Nets and", "ropes", "Oil", "Lamps")])
def test_figures_on_the_base_lines_of_labels_stay_in_their_rows(labels: Sequence[str], tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    lines(page, labels, y=130)
    lines(page, [f"{row} 17" for row in range(len(labels))], x=400, y=130)
    text = parse_file(saved(pdf, tmp_path)).text
    assert text.index("0 17") < text.index(labels[1])


def test_word_cut_at_a_line_s_end_is_mended_and_has_two_boxes(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    lines(pdf.new_page(), ["The fair was an inter-", "national one, and a well-", "known one as well."])
    document = parse_file(saved(pdf, tmp_path))
    assert document.text == "The fair was an international\none, and a well-known\none as well."
    start = document.text.index("international")
    boxes = [word for word in document.pages[0].words if start <= word.start < start + len("international")]
    assert [document.text[word.start : word.end] for word in boxes] == ["inter", "national"]
    assert boxes[0].y0 < boxes[1].y0


def test_headings_come_from_sizes(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    y = lines(page, ["The Book of Lamps"], size=22)
    y = lines(page, ["Oil"], y=y + 20, size=15)
    lines(page, [PROSE, "until the morning came."], y=y + 10)
    document = parse_file(saved(pdf, tmp_path))
    assert [(block.kind.value, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", 0),
    ]
    assert document.metadata.title == "The Book of Lamps"


def test_headings_take_the_outline_s_levels(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    y = lines(page, ["Lamps"], font="hebo")
    y = lines(page, [PROSE], y=y + 12)
    y = lines(page, ["Wicks"], y=y + 12, font="hebo")
    lines(page, [PROSE], y=y + 12)
    pdf.set_toc([[1, "Lamps", 1], [2, "Wicks", 1]])
    document = parse_file(saved(pdf, tmp_path))
    assert [(block.level, document.text[block.start : block.end]) for block in document.blocks if block.level] == [
        (1, "Lamps"),
        (2, "Wicks"),
    ]


def test_e3_ruled_table_is_one_block_of_markdown_rows(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    lines(page, [PROSE], y=80)
    cells = [["Part", "Price"], ["Bulb", "3.50"], ["Shade", "12.00"]]
    for row, values in enumerate(cells):
        for column, value in enumerate(values):
            box = pymupdf.Rect(72 + 150 * column, 100 + 24 * row, 222 + 150 * column, 124 + 24 * row)
            page.draw_rect(box)
            page.insert_text((box.x0 + 5, box.y0 + 16), value, fontsize=10)
    document = parse_file(saved(pdf, tmp_path))
    table = "| Part | Price |\n| --- | --- |\n| Bulb | 3.50 |\n| Shade | 12.00 |"
    assert blocks(document) == [("paragraph", PROSE), ("table", table)]
    assert [document.text[word.start : word.end] for word in document.pages[0].words][-6:] == [
        value for row in cells for value in row
    ]


def test_aligned_figures_without_rules_are_a_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, values in enumerate(
        [("Year", "Lamps", "Oil"), ("1901", "120", "3.5"), ("1902", "140", "4.1"), ("1903", "9", "0.2")]
    ):
        for column, value in enumerate(values):
            page.insert_text((72 + 120 * column, 100 + 15 * row), value, fontsize=10)
    ((kind, text),) = blocks(parse_file(saved(pdf, tmp_path)))
    assert kind == BlockKind.TABLE
    assert text.splitlines()[2] == "| 1901 | 120 | 3.5 |"


def test_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number, day in enumerate(("first", "second", "third", "fourth", "fifth"), 1):
        page = pdf.new_page()
        page.insert_text((72, 40), "The Lamp Gazette", fontsize=8)
        page.insert_text((290, 810), f"page {number}", fontsize=8)
        lines(page, [f"On the {day} day the watchman walked alone."], y=120)
    document = parse_file(saved(pdf, tmp_path))
    assert "Gazette" not in document.text
    assert "page" not in document.text
    assert len(document.blocks) == 5


def test_a_sentence_that_continues_on_the_next_page_stays_one_paragraph(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    lines(pdf.new_page(), ["The watchman walked his round"])
    lines(pdf.new_page(), ["until the morning came."])
    document = parse_file(saved(pdf, tmp_path))
    assert [document.text[block.start : block.end] for block in document.blocks] == [
        "The watchman walked his round\nuntil the morning came."
    ]
    second = document.pages[1]
    assert document.text[second.start : second.end] == "until the morning came."


def test_list_items_and_code_are_distinguished(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    y = lines(page, [PROSE, PROSE + ":"])
    y = lines(page, ["- trim the wick", "- fill the lamp"], y=y + 8)
    lines(page, ["if dark:", "    light()"], y=y + 12, font="cour")
    assert blocks(parse_file(saved(pdf, tmp_path)))[1:] == [
        ("list", "- trim the wick\n- fill the lamp"),
        ("code", "if dark:\n    light()"),
    ]


def test_chinese_lines_are_joined_and_boxed_by_character(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    lines(pdf.new_page(), ["知识库里的文件有很多", "种编码。"], font="china-s")
    document = parse_file(saved(pdf, tmp_path))
    assert document.text == "知识库里的文件有很多种编码。"
    assert len(document.pages[0].words) == len(document.text)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_boxes_of_a_rotated_page_are_as_displayed(tmp_path: Path, rotation: int) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page(width=400, height=600)
    page.insert_text((50, 60), "corner", fontsize=12)
    page.set_rotation(rotation)
    (page_parsed,) = parse_file(saved(pdf, tmp_path)).pages
    (word,) = page_parsed.words
    assert (page_parsed.width, page_parsed.height) == ((600, 400) if rotation % 180 else (400, 600))
    expected = {90: (540, 50), 180: (350, 540), 270: (60, 350)}[rotation]
    assert word.x0 - 15 <= expected[0] <= word.x1 + 15
    assert word.y0 - 15 <= expected[1] <= word.y1 + 15


def encrypted(tmp_path: Path, user: str) -> Path:
    pdf = pymupdf.open()
    lines(pdf.new_page(), ["The secret of the lamp."])
    return saved(pdf, tmp_path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user, owner_pw="owner")


def test_e2_blank_password_is_tried_first(tmp_path: Path) -> None:
    assert parse_file(encrypted(tmp_path, ""), "wrong").text == "The secret of the lamp."


def test_b13_given_password_opens(tmp_path: Path) -> None:
    assert parse_file(encrypted(tmp_path, "key"), "key").text == "The secret of the lamp."


@pytest.mark.parametrize(("password", "message"), [(None, "protected"), ("no", "wrong")])
def test_e2_a_missing_or_wrong_password_is_reported(tmp_path: Path, password: str | None, message: str) -> None:
    with pytest.raises(EncryptedDocument, match=message):
        parse_file(encrypted(tmp_path, "key"), password)


def picture() -> Any:
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20))
    pixmap.clear_with(200)
    return pixmap


def test_e4_scanned_document_comes_with_pages_that_wait_for_ocr(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_image(pymupdf.Rect(0, 0, 200, 200), pixmap=picture())
    document = parse_file(saved(pdf, tmp_path))
    assert document.text == ""
    assert document.findings == (Finding(FindingKind.NO_TEXT, (1,), 1),)


def test_blank_document_is_refused(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page()
    with pytest.raises(EmptyDocument, match="no text"):
        parse_file(saved(pdf, tmp_path))


def test_pages_without_text_are_named_in_a_warning(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    lines(pdf.new_page(), [PROSE])
    for _ in range(2):
        pdf.new_page().insert_image(pymupdf.Rect(0, 0, 400, 400), pixmap=picture())
    pdf.new_page()  # a blank page is no loss
    (warning,) = parse_file(saved(pdf, tmp_path)).warnings
    assert warning.startswith("Pages 2 and 3 hold no text")


def test_flags_are_those_of_pymupdf() -> None:
    names = ("TEXT_PRESERVE_WHITESPACE", "TEXT_MEDIABOX_CLIP", "TEXT_CID_FOR_UNKNOWN_UNICODE")
    assert sum(getattr(pymupdf, name) for name in names) == FLAGS


def test_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\n" + b"nothing of a PDF " * 50)
    with pytest.raises(DamagedDocument):
        parse_file(path)


def test_e9_metadata_is_read_and_a_junk_title_is_replaced_by_the_heading(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    y = lines(pdf.new_page(), ["Lamps of the World"], size=20)
    lines(pdf[0], [PROSE], y=y + 10)
    said = {"title": "Microsoft Word - lamps.doc", "author": "Ada", "creationDate": "D:20240301102030+01'00'"}
    pdf.set_metadata({**said, "keywords": "lamp, oil; wick", "modDate": "D:20240405"})
    read = parse_file(saved(pdf, tmp_path)).metadata
    assert (read.title, read.author, read.created) == ("Lamps of the World", "Ada", "2024-03-01T10:20:30")
    assert (read.keywords, read.modified) == (("lamp", "oil", "wick"), "2024-04-05")


@pytest.mark.parametrize(
    ("said", "date"), [("D:2024", "2024-01-01"), ("20240301", "2024-03-01"), ("yesterday", ""), ("D:20249901", "")]
)
def test_pdf_dates_become_iso(said: str, date: str) -> None:
    assert iso_date(said) == date


@pytest.mark.parametrize("name", ["book0_en", "book0_zh", "book1_en", "book1_zh"])
def test_answers_are_found_on_the_pages_that_contain_them(peer_data: Path, name: str) -> None:
    folder = peer_data / "generated" / "page_truth"
    document = parse_file(folder / f"{name}.pdf")
    pages = [bare(document.text[page.start : page.end]) for page in document.pages]
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    gold = [entry for entry in gold if entry["pdf"].endswith(f"{name}.pdf") and entry["verified"]]
    found = sum(any(bare(answer) in pages[entry["page1"] - 1] for answer in entry["answers"]) for entry in gold)
    assert len(gold) > 100
    assert found >= 0.99 * len(gold)


def bare(text: str) -> str:
    """Return the text without white space and hyphens, which vary with line breaks."""
    return "".join(text.split()).replace("-", "")


def test_a_word_of_whitespace_only_is_left_out_of_the_text(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page().insert_htmlbox((50, 50, 300, 300), "<p>a \u2029 b</p><p>\u2029</p>")
    assert blocks(parse_file(saved(pdf, tmp_path))) == [("paragraph", "a b")]
