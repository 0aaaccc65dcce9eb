"""Page images with the passage highlighted at its words."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.errors import NotFound
from workbench.model.document import Page, WordBox, WordBoxes
from workbench.parsing.page_renderer import mark_boxes, render_page
from workbench.parsing.parse import parse_file


def drawn(tmp_path: Path, rotation: int = 0) -> Path:
    pdf: Any = pymupdf.open()
    page = pdf.new_page(width=300, height=400)
    page.insert_text((40, 60), "first second third", fontsize=12)
    page.set_rotation(rotation)
    path = tmp_path / "drawn.pdf"
    pdf.save(path)
    return path


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_mark_is_drawn_at_the_position_of_the_word(tmp_path: Path, rotation: int) -> None:
    path = drawn(tmp_path, rotation)
    document = parse_file(path)
    start = document.text.index("second")
    (mark,) = mark_boxes(document.pages[0], start, start + len("second"))
    picture: Any = pymupdf.Pixmap(render_page(path, 1, scale=1.0, marks=[mark]))
    bare: Any = pymupdf.Pixmap(render_page(path, 1, scale=1.0))
    changed = [
        (x, y) for x in range(picture.width) for y in range(picture.height) if picture.pixel(x, y) != bare.pixel(x, y)
    ]
    xs, ys = [x for x, _ in changed], [y for _, y in changed]
    assert (picture.width, picture.height) == (document.pages[0].width, document.pages[0].height)
    assert mark == pytest.approx((min(xs), min(ys), max(xs) + 1, max(ys) + 1), abs=1.5)


@pytest.mark.parametrize(("paper", "ink", "marked"), [(1, 0, (255, 236, 173)), (0, 1, (102, 82, 0))])
def test_a_mark_keeps_the_full_contrast_of_the_print(
    tmp_path: Path, paper: int, ink: int, marked: tuple[int, int, int]
) -> None:
    pdf: Any = pymupdf.open()
    page = pdf.new_page(width=100, height=100)
    page.draw_rect((0, 0, 100, 100), fill=(paper,) * 3, width=0)
    page.draw_rect((20, 20, 30, 30), fill=(ink,) * 3, width=0)
    pdf.save(tmp_path / "a.pdf")
    picture: Any = pymupdf.Pixmap(render_page(tmp_path / "a.pdf", 1, scale=1.0, marks=[(10, 10, 90, 90)]))
    assert picture.pixel(25, 25) == (255 * ink,) * 3
    assert picture.pixel(50, 50) == marked


def test_a_missing_page_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no page 2"):
        render_page(drawn(tmp_path), 2, scale=1.0)


def test_marks_are_merged_by_line() -> None:
    words = [WordBox(0, 3, 10, 10, 30, 20), WordBox(4, 8, 34, 10, 50, 21), WordBox(9, 12, 10, 30, 40, 40)]
    page = Page(1, 0, 12, 100, 100, WordBoxes.pack(words))
    assert mark_boxes(page, 1, 12) == ((10, 10, 50, 21), (10, 30, 40, 40))
    assert mark_boxes(page, 3, 4) == ()


def test_huge_page_is_drawn_smaller(tmp_path: Path) -> None:
    pdf: Any = pymupdf.open()
    pdf.new_page(width=14_000, height=14_000)
    path = tmp_path / "huge.pdf"
    pdf.save(path)
    picture: Any = pymupdf.Pixmap(render_page(path, 1, scale=4.0))
    assert picture.width < 7_000
