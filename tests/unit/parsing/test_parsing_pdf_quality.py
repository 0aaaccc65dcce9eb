"""Pages with a usable text layer."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.model.document import FindingKind, pages_with
from workbench.parsing.parse import parse_file
from workbench.parsing.pdf_quality import TextLayer, text_layer
from workbench.parsing.pdf_words import TextLine

GOOD = "The keeper of the lighthouse counted every lamp along the quay and wrote the number into his book. " * 4
STAMP = "Digitized by a library. Original from the University of Somewhere."


def page(*, picture: float = 0.0, outlines: int = 0) -> Any:
    """Return a page with an image over this part of its height, and this number of strokes."""
    pdf = pymupdf.open()
    drawn = pdf.new_page(width=400, height=400)
    if picture:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20))
        pixmap.clear_with(100)
        drawn.insert_image(pymupdf.Rect(0, 0, 400, 400 * picture), pixmap=pixmap, keep_proportion=False)
    shape = drawn.new_shape()
    for number in range(outlines):
        shape.draw_line((10, 3 * number), (300, 3 * number + 1))
    if outlines:
        shape.finish()
        shape.commit()
    return drawn


def words(text: str) -> list[TextLine]:
    return [TextLine([(0.0, 0.0, 10.0, 10.0, word) for word in text.split()], 0, 0, 10, 10, 10)] if text else []


@pytest.mark.parametrize(
    ("text", "picture", "outlines", "layer"),
    [
        ("", 0.0, 0, TextLayer.BLANK),
        ("", 1.0, 0, TextLayer.MISSING),
        ("", 0.0, 100, TextLayer.MISSING),
        ("", 0.0, 4, TextLayer.BLANK),
        ("Page 12", 0.9, 0, TextLayer.MISSING),
        ("Page 12", 0.1, 0, TextLayer.GOOD),
        (STAMP, 1.0, 0, TextLayer.SPARSE),
        (STAMP, 0.1, 0, TextLayer.GOOD),
        (GOOD, 1.0, 0, TextLayer.GOOD),
    ],
)
def test_e4_page_without_usable_text_is_known(text: str, picture: float, outlines: int, layer: TextLayer) -> None:
    assert text_layer(page(picture=picture, outlines=outlines), words(text)) is layer


@pytest.mark.parametrize(("shared", "found"), [(False, (1, 2, 3, 4, 5, 6)), (True, ())], ids=["scan", "slides"])
def test_e4_scan_with_a_stamp_on_every_page_waits_for_ocr_and_slides_do_not(
    tmp_path: Path, *, shared: bool, found: tuple[int, ...]
) -> None:
    with pymupdf.open() as pdf:
        for number in range(6):
            picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 120, 120))
            picture.clear_with(100 if shared else 100 + number)
            drawn = pdf.new_page(width=400, height=400)
            drawn.insert_image(drawn.rect, pixmap=picture)
            drawn.insert_text((20, 390), STAMP, fontsize=7)
        pdf.save(tmp_path / "stamped.pdf")
    document = parse_file(tmp_path / "stamped.pdf")
    assert tuple(sorted(pages_with(document.findings, FindingKind.NO_TEXT))) == found


def stamped(pdf: Any) -> Any:
    """Return a new page with a stamp as its only text."""
    drawn = pdf.new_page(width=400, height=400)
    drawn.insert_text((20, 390), STAMP, fontsize=7)
    return drawn


@pytest.mark.parametrize(("shared", "found"), [(False, (1, 2, 3, 4)), (True, ())], ids=["scan", "slides"])
def test_e4_picture_among_a_pages_instructions_is_seen(tmp_path: Path, *, shared: bool, found: tuple[int, ...]) -> None:
    with pymupdf.open() as pdf:
        for number in range(4):
            pixels = bytes([100 if shared else 100 + number]) * 120 * 120
            picture = b"q 400 0 0 400 0 0 cm BI /W 120 /H 120 /CS /G /BPC 8 ID " + pixels + b" EI Q\n"
            contents = stamped(pdf).get_contents()[0]
            pdf.update_stream(contents, picture + pdf.xref_stream(contents))
        pdf.save(tmp_path / "inline.pdf")
    document = parse_file(tmp_path / "inline.pdf")
    assert tuple(sorted(pages_with(document.findings, FindingKind.NO_TEXT))) == found


def test_e4_scan_whose_pages_list_all_pictures_waits_for_ocr(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        for number in range(5):
            picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 120, 120))
            picture.clear_with(100 + number)
            drawn = stamped(pdf)
            drawn.insert_image(drawn.rect, pixmap=picture)
        names = {drawn.xref: drawn.get_images()[0][7] for drawn in pdf}
        numbers = [drawn.get_images()[0][0] for drawn in pdf]
        for drawn in pdf:
            holder = int(pdf.xref_get_key(drawn.xref, "Resources")[1].split()[0])
            own = drawn.get_images()[0][0]
            listed = {names[drawn.xref]: own} | {f"other{number}": number for number in numbers if number != own}
            entries = " ".join(f"/{name} {number} 0 R" for name, number in listed.items())
            pdf.xref_set_key(holder, "XObject", f"<< {entries} >>")
        assert all(len(drawn.get_images()) == 5 for drawn in pdf)
        pdf.save(tmp_path / "listed.pdf")
    document = parse_file(tmp_path / "listed.pdf")
    assert pages_with(document.findings, FindingKind.NO_TEXT) == {1, 2, 3, 4, 5}


def moved(text: str, by: int) -> str:
    """Return the text as extracted from a font without a Unicode table."""
    return "".join(chr(ord(character) + by) if character != " " else " " for character in text)


@pytest.mark.parametrize(
    "text",
    [moved(GOOD, -29), moved(GOOD, 0xF000), "\ufffd" * 60, "xkcd grtl " * 40],
    ids=["glyph numbers", "private", "unknown", "no vowels"],
)
def test_garbled_text_is_known(text: str) -> None:
    assert text_layer(page(), words(text)) is TextLayer.GARBLED


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Strč prst skrz krk. Příliš žluťoučký kůň úpěl ďábelské ódy, a vlk zmrzl. " * 6,
        "港口的水深是十二米。灯塔建于一九零三年。" * 8,
        "\uf0b7 First point of the list \uf0b7 second point of the list \uf0b7 third point",
        "BTR-4711-XKCD PRT-2210-QWRT SKR-9921-PLKT " * 12,
        "THE KEEPER OF THE LIGHTHOUSE COUNTED EVERY LAMP ALONG THE QUAY " * 4,
        "17.25 1,204.00 (3.5%) 88.10 " * 20,
    ],
    ids=["english", "czech", "chinese", "bullets", "part numbers", "capitals", "figures"],
)
def test_unusual_text_is_not_classified_as_garbled(text: str) -> None:
    assert text_layer(page(), words(text)) is TextLayer.GOOD
