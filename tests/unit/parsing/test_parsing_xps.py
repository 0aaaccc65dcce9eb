"""XPS documents: pages with boxes, drawn like those of a PDF."""

from pathlib import Path

import pytest
from parser_contract import assert_contract
from xps_file import xps

from workbench.errors import DamagedDocument
from workbench.model.document import PageKind
from workbench.parsing.mupdf import mupdf
from workbench.parsing.page_renderer import mark_boxes, render_page
from workbench.parsing.parse import parse_file

PAGES = [["The ferry stayed in port.", "It rained."], ["The second page begins."]]


@pytest.mark.parametrize("suffix", [".xps", ".oxps"])
def test_pages_are_read_with_their_words_places(tmp_path: Path, suffix: str) -> None:
    document = parse_file(xps(tmp_path / f"tide{suffix}", PAGES))
    assert_contract(document)
    assert (document.format, document.page_kind, len(document.pages)) == ("xps", PageKind.PAGE, 2)
    assert "The ferry stayed in port." in document.text
    page = document.pages[1]
    assert document.text[page.start : page.end].strip() == "The second page begins."
    assert (round(page.width), round(page.height)) == (612, 792)
    assert next(round(word.y1) for word in page.words) in range(70, 80)


def test_author_and_name_are_its_metadata(tmp_path: Path) -> None:
    metadata = parse_file(xps(tmp_path / "tide.xps", PAGES)).metadata
    assert metadata.author == "Ada Lee"
    assert metadata.title in ("tide", "The ferry stayed in port.")


def test_a_page_is_drawn_with_the_passage_marked(tmp_path: Path) -> None:
    path = xps(tmp_path / "tide.xps", PAGES)
    page = parse_file(path).pages[0]
    marks = mark_boxes(page, page.start, page.start + 9)
    plain, marked = (render_page(path, 1, scale=1, marks=boxes) for boxes in ((), marks))
    picture = mupdf().Pixmap(marked)
    assert (picture.width, picture.height) == (612, 792)
    assert plain != marked


def test_an_xps_document_with_a_wrong_file_extension_is_recognised(tmp_path: Path) -> None:
    document = parse_file(xps(tmp_path / "tide.docx", PAGES))
    assert document.format == "xps"
    assert "an XPS document" in document.warnings[-1]


def test_a_document_that_is_cut_off_is_damaged(tmp_path: Path) -> None:
    path = xps(tmp_path / "tide.xps", PAGES)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(DamagedDocument):
        parse_file(path)


@pytest.mark.parametrize(("name", "pages", "said"), [("testPPT", 3, "Watershed"), ("testXLSX", 1, "foo bar baz")])
def test_xps_files_printed_by_office_programs_are_read(peer_data: Path, name: str, pages: int, said: str) -> None:
    document = parse_file(peer_data / "office" / "tika" / f"{name}.xps")
    assert_contract(document)
    assert len(document.pages) == pages
    assert said in document.text
