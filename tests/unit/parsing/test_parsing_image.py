"""Image files as documents."""

from pathlib import Path

import pymupdf
import pytest
from ocr_pictures import page_picture
from PIL import Image

from workbench.errors import DamagedDocument, NotFound
from workbench.model.document import Finding, FindingKind
from workbench.parsing import image_parser
from workbench.parsing.image_parser import page_pixels
from workbench.parsing.page_renderer import render_page
from workbench.parsing.parse import parse_file


def picture() -> Image.Image:
    drawn = page_picture()
    return Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".webp", ".bmp", ".gif"])
def test_e4_picture_is_a_document_whose_page_waits_for_ocr(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scan{suffix}"
    picture().save(path)
    document = parse_file(path)
    assert (document.format, document.text, len(document.pages)) == ("image", "", 1)
    assert document.findings == (Finding(FindingKind.NO_TEXT, (1,), 1),)
    assert document.metadata.title == "scan"


def test_size_in_points_comes_from_the_resolution(tmp_path: Path) -> None:
    picture().save(tmp_path / "a.png", dpi=(150, 150))
    (page,) = parse_file(tmp_path / "a.png").pages
    assert (round(page.width), round(page.height)) == (420, 300)


def test_picture_on_its_side_is_shown_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[315] = "Ada Lind"
    exif[306] = "2024:03:01 10:20:30"
    picture().save(tmp_path / "a.jpg", exif=exif, dpi=(150, 150))
    document = parse_file(tmp_path / "a.jpg")
    assert (round(document.pages[0].width), round(document.pages[0].height)) == (300, 420)
    assert page_pixels(tmp_path / "a.jpg", 1)[0].size == (625, 875)
    assert (document.metadata.author, document.metadata.created) == ("Ada Lind", "2024-03-01T10:20:30")


def test_tiff_has_a_page_for_each_of_its_pictures(tmp_path: Path) -> None:
    picture().save(tmp_path / "a.tif", save_all=True, append_images=[picture(), picture()])
    assert len(parse_file(tmp_path / "a.tif").pages) == 3


def test_passage_is_marked_on_the_picture(tmp_path: Path) -> None:
    picture().save(tmp_path / "a.png", dpi=(150, 150))
    plain = pymupdf.Pixmap(render_page(tmp_path / "a.png", 1, scale=1.0))
    marked = pymupdf.Pixmap(render_page(tmp_path / "a.png", 1, scale=1.0, marks=[(10, 200, 100, 220)]))
    assert (plain.width, plain.height) == (420, 300)
    assert plain.pixel(50, 210) == (255, 255, 255)
    assert marked.pixel(50, 210) != (255, 255, 255)
    assert marked.pixel(200, 250) == (255, 255, 255)
    with pytest.raises(NotFound, match="no page 2"):
        render_page(tmp_path / "a.png", 2, scale=1.0)


def test_a_transparent_picture_is_drawn_on_a_white_background(tmp_path: Path) -> None:
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(tmp_path / "a.png")
    assert page_pixels(tmp_path / "a.png", 1)[0].getpixel((5, 5)) == (255, 255, 255)


def test_picture_that_unpacks_to_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_parser, "_MOST_PIXELS", 1000)
    picture().save(tmp_path / "a.png")
    with pytest.raises(DamagedDocument, match="too large"):
        parse_file(tmp_path / "a.png")


def test_cut_off_picture_is_refused_with_a_sentence(tmp_path: Path) -> None:
    picture().save(tmp_path / "a.jpg")
    data = (tmp_path / "a.jpg").read_bytes()
    (tmp_path / "a.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(DamagedDocument, match="damaged"):
        parse_file(tmp_path / "a.jpg")
