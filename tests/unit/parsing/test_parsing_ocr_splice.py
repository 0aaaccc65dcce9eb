"""Insertion of OCR text at its place: the guarantees of a parsed document still hold."""

from pathlib import Path

import pymupdf
import pytest
from ocr_pictures import line

from tests.contracts.test_parser_contract import assert_contract
from workbench.model.document import FailureKind, Finding, FindingKind, PageFailure, ParsedDocument
from workbench.parsing.ocr_document import insert_ocr_pages
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.parse import parse_file

PROSE = "The keeper counted every lamp along the quay and wrote the number down,"


def parsed(tmp_path: Path, layout: str) -> ParsedDocument:
    """Parse a PDF with pages of text (t) or an image (p)."""
    with pymupdf.open() as pdf:
        for number, kind in enumerate(layout):
            page = pdf.new_page()
            if kind == "t":
                page.insert_text((72, 90), f"Own text {number}. {PROSE}", fontsize=10)
                page.insert_text((72, 103), "and so the count of the evening was complete, and went", fontsize=10)
            else:
                picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 50, 50))
                picture.clear_with(180)
                page.insert_image(page.rect, pixmap=picture)
        pdf.save(tmp_path / "mixed.pdf")
    return parse_file(tmp_path / "mixed.pdf")


def read(number: int, *texts: str, confidence: float = 0.99, quarters: int = 0) -> ReadPage:
    lines = tuple(line(text, 72, 100 + 20 * row) for row, text in enumerate(texts))
    return ReadPage(number, lines, quarters, 595, 842, confidence)


@pytest.mark.parametrize("layout", ["ptt", "tpt", "ttp", "pppt", "tpp", "p", "ppp", "tptpt"])
@pytest.mark.parametrize("joined", [False, True], ids=["one at a time", "together"])
def test_the_text_of_every_page_is_inserted_at_its_place(tmp_path: Path, layout: str, *, joined: bool) -> None:
    document = parsed(tmp_path, layout)
    scans = [number for number, kind in enumerate(layout, 1) if kind == "p"]
    pages = [read(number, f"Scanned words {number} of the harbour", "master and his clerk.") for number in scans]
    for some in [pages] if joined else [[page] for page in reversed(pages)]:
        document = insert_ocr_pages(document, some)
    assert_contract(document)
    for page, kind in zip(document.pages, layout, strict=True):
        text = document.text[page.start : page.end]
        assert (f"Scanned words {page.number} of" in text) == (kind == "p") == page.ocr
        assert ("Own text" in text) == (kind == "t")
        assert [document.text[word.start : word.end] for word in page.words] == text.split()


def test_findings_and_warnings_report_the_pages_still_without_text(tmp_path: Path) -> None:
    document = insert_ocr_pages(parsed(tmp_path, "tpp"), [read(2, "Scanned words")])
    assert Finding(FindingKind.OCR, (2,), 1) in document.findings
    assert Finding(FindingKind.NO_TEXT, (3,), 1) in document.findings
    assert document.warnings == ("Page 3 holds no text; scanned pictures cannot be searched.",)


def test_page_on_which_ocr_finds_nothing_is_done_with(tmp_path: Path) -> None:
    document = insert_ocr_pages(parsed(tmp_path, "tp"), [read(2)])
    assert document.pages[1].ocr
    assert [finding.kind for finding in document.findings] == [FindingKind.OCR]
    assert document.warnings == ()


def test_page_to_which_ocr_adds_nothing_is_not_marked_as_read_by_it(tmp_path: Path) -> None:
    document = insert_ocr_pages(parsed(tmp_path, "t"), [read(1)])
    assert not document.pages[0].ocr
    assert document.findings == ()


def test_the_failure_reason_is_stored_with_the_unread_pages_and_removed_once_they_are_read(tmp_path: Path) -> None:
    reason = PageFailure("It made no progress.", FailureKind.TIME)
    failed = insert_ocr_pages(parsed(tmp_path, "tpp"), [read(2, "Scanned words")], reason)
    assert Finding(FindingKind.NO_TEXT, (3,), 1, "It made no progress.", FailureKind.TIME) in failed.findings
    again = insert_ocr_pages(failed, [read(3, "More of them")])
    assert [finding.kind for finding in again.findings] == [FindingKind.OCR]


def test_text_that_is_there_is_not_put_in_twice(tmp_path: Path) -> None:
    document = parsed(tmp_path, "t")
    own = document.pages[0].words
    first = next(iter(own))
    seen = ReadPage(1, (line("Own text", first.x0, first.y0), line("Stamped", 300, 400)), 0, 595, 842, 0.99)
    text = insert_ocr_pages(document, [seen]).text
    assert text.count("Own text") == 1
    assert text.endswith("\n\nStamped")


def test_boxes_of_a_page_that_was_turned_are_those_of_the_page_as_shown(tmp_path: Path) -> None:
    document = insert_ocr_pages(parsed(tmp_path, "p"), [read(1, "Sideways", quarters=1)])
    (word,) = document.pages[0].words
    assert (word.x0, word.y0) == (595 - 114, 72)
    assert word.y1 - word.y0 > word.x1 - word.x0


@pytest.mark.parametrize(("confidence", "kept"), [(0.97, False), (0.5, True)])
def test_garbled_text_is_replaced_only_when_ocr_is_confident(tmp_path: Path, confidence: float, *, kept: bool) -> None:
    document = parsed(tmp_path, "t")
    garbled = ParsedDocument(
        document.text, document.blocks, document.pages, document.metadata, "pdf",
        findings=(Finding(FindingKind.GARBLED, (1,), 1),),
    )  # fmt: skip
    result = insert_ocr_pages(garbled, [read(1, "What people see", confidence=confidence)])
    assert ("Own text" in result.text) is kept
    assert ("What people see" in result.text) is not kept
    reasons = [finding.detail for finding in result.findings if finding.kind is FindingKind.GARBLED]
    assert [reason.startswith("OCR was not sure") for reason in reasons] == [True] * kept


def test_a_text_layer_that_matches_the_ocr_text_is_kept(tmp_path: Path) -> None:
    document = parsed(tmp_path, "t")
    suspected = ParsedDocument(
        document.text, document.blocks, document.pages, document.metadata, "pdf",
        findings=(Finding(FindingKind.GARBLED, (1,), 1),),
    )  # fmt: skip
    result = insert_ocr_pages(suspected, [read(1, *document.text.replace("counted", "count3d").split("\n"))])
    assert result.text == document.text
    assert not result.pages[0].ocr
    assert result.findings == ()
