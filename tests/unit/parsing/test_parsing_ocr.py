"""OCR: images of known words, read by the real engines, and pages in landscape orientation."""

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from ocr_pictures import CHINESE, ENGLISH, line, page_picture, scanned_pdf

from workbench.errors import NotFound, OcrUnavailable
from workbench.model.document import FindingKind
from workbench.parsing.ocr_document import fragments, insert_ocr_pages
from workbench.parsing.ocr_engines import OcrLine, TesseractEngine, _lines
from workbench.parsing.ocr_page import ReadPage, read_page, read_rotated, rotate_back
from workbench.parsing.parse import parse_file


def read(path: Path, page: int = 1, engine: str = "rapidocr") -> ReadPage:
    return read_page(path, None, page, engine, "eng")


def text_of(page: ReadPage) -> str:
    return fragments([page], {})[0].text


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_e4_a_scanned_page_is_read_in_every_orientation(tmp_path: Path, turn: int) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture(turn=turn))
    page = read(path)
    assert text_of(page).split() == " ".join(ENGLISH).split()
    assert page.confidence > 0.9


def test_row_15_chinese_is_read(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture(CHINESE, font="china-s"))
    assert "".join(text_of(read(path)).split()) == "".join(CHINESE)


def test_word_boxes_are_at_the_positions_of_the_words(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture())
    (fragment,) = fragments([read(path)], {})
    boxes = {fragment.text[word.start : word.end]: word for word in fragment.words}
    first, last = boxes["The"], boxes["dusk"]
    assert 35 < first.x0 < 45 < last.x0
    assert 42 < first.y0 < first.y1 < 70


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the program tesseract")
def test_row_15_tesseract_reads_too(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture())
    assert text_of(read(path, engine="tesseract")).split() == " ".join(ENGLISH).split()


def test_the_error_for_a_missing_tesseract_shows_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OcrUnavailable, match="not installed") as caught:
        TesseractEngine("eng")
    assert "RapidOCR" in caught.value.hint


def test_a_page_that_does_not_exist_is_reported_as_not_found(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture())
    with pytest.raises(NotFound, match="no page 2"):
        read(path, 2)


class Compass:
    """Engine that reads only upright images well: the mark is at the top left."""

    def read(self, pixels: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> list[OcrLine]:
        corners = [pixels[0, 0, 0], pixels[0, -1, 0], pixels[-1, -1, 0], pixels[-1, 0, 0]]
        turned = corners.index(255)
        tall = turned % 2 == 1
        return [OcrLine(((0.0, 0.0, 5.0, 40.0, "words"),), 0.6 if turned else 0.99, tall)]


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_page_is_turned_until_it_can_be_read(quarters: int) -> None:
    upright = np.zeros((40, 20, 3), np.uint8)
    upright[0, 0] = 255
    lines, turned = read_rotated(Compass(), np.rot90(upright, -quarters).copy())
    assert (lines[0].confidence, turned) == (0.99, quarters)


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_boxes_are_turned_back(quarters: int) -> None:
    pixels = np.zeros((40, 20), np.uint8)
    pixels[4:9, 2:12] = 1
    rows, columns = np.nonzero(np.rot90(pixels, quarters))
    box = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert rotate_back(box, quarters, 20, 40) == (2, 4, 12, 9)


def page(number: int, *lines: OcrLine) -> ReadPage:
    return ReadPage(number, lines, 0, 595, 842, 0.99)


def test_columns_are_read_one_after_the_other() -> None:
    left = [line(f"left column line number {row} goes", 60, 100 + 18 * row) for row in range(8)]
    right = [line(f"right column line number {row} is", 320, 100 + 18 * row) for row in range(8)]
    mixed = [one for pair in zip(left, right, strict=True) for one in pair]
    text = text_of(page(1, *mixed))
    assert text.index("left column line number 7") < text.index("right column line number 0")


def test_word_cut_at_a_line_s_end_is_mended() -> None:
    text = text_of(page(1, line("The fair was an inter-", 60, 100), line("national one.", 60, 118)))
    assert text == "The fair was an international\none."


def test_larger_lines_are_headings_and_lower_ones_are_not() -> None:
    lines = [line("Harbour Rules", 60, 60, height=28), line("Every boat pays its fee,", 60, 110)]
    lines += [line("now or soon enough,", 60, 131, height=11), line("No boat may leave unpaid.", 60, 146)]
    (fragment,) = fragments([page(1, *lines)], {})
    assert [(block.kind.value, block.level) for block in fragment.blocks] == [("heading", 1), ("paragraph", 0)]


def test_running_heads_of_scans_are_left_out() -> None:
    pages = [
        page(number, line("The Harbour Book", 200, 30), line(f"Words of page {number} here.", 60, 200))
        for number in range(1, 5)
    ]
    assert [fragment.text for fragment in fragments(pages, {})] == [f"Words of page {n} here." for n in range(1, 5)]


def test_unsure_lines_are_left_out() -> None:
    noise = OcrLine(((60.0, 300.0, 90.0, 314.0, "~'|"),), 0.3)
    assert text_of(page(1, line("Clear words", 60, 100), noise)) == "Clear words"


def test_tesseract_s_letters_of_chinese_are_joined() -> None:
    head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
    rows = [f"5\t1\t1\t1\t1\t{n}\t{20 * n}\t10\t18\t20\t90\t{c}" for n, c in enumerate(("港口", "的", "deep", "水"))]
    (found,) = _lines("\n".join([head, *rows]))
    assert [word[4] for word in found.words] == ["港口的", "deep", "水"]
    assert found.confidence == pytest.approx(0.9)


def test_garbled_text_layer_is_replaced_by_what_people_see(tmp_path: Path) -> None:
    glyphs = "".join(chr(ord(character) - 29) if character != " " else " " for character in " ".join(ENGLISH))
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture(), text_layer=glyphs)
    document = parse_file(path)
    assert [finding.kind for finding in document.findings] == [FindingKind.GARBLED]
    better = insert_ocr_pages(document, [read(path)])
    assert better.text.split() == " ".join(ENGLISH).split()
    assert [finding.kind for finding in better.findings] == [FindingKind.OCR]


def test_scan_with_an_unseen_text_layer_is_left_alone(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture(), text_layer=" ".join(ENGLISH))
    assert not {FindingKind.NO_TEXT, FindingKind.GARBLED} & {finding.kind for finding in parse_file(path).findings}


def test_e4_words_of_a_picture_beside_text_are_added_once(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", page_picture())
    seen = read(path)
    document = insert_ocr_pages(parse_file(path), [seen])
    own = dataclasses.replace(document, pages=tuple(dataclasses.replace(one, ocr=False) for one in document.pages))
    assert insert_ocr_pages(own, [seen]).text == document.text
