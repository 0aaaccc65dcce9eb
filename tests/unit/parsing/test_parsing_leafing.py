"""Pages drawn one after another without opening their document again."""

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.errors import DamagedDocument, EncryptedDocument, NotFound
from workbench.parsing.page_renderer import leaf


def written(path: Path, *colours: tuple[float, float, float], **how: Any) -> Path:
    """Write a PDF with one page of each colour."""
    pdf: Any = pymupdf.open()
    for colour in colours:
        pdf.new_page(width=60, height=40).draw_rect((0, 0, 60, 40), fill=colour, color=colour)
    pdf.save(path, **how)
    return path


def middle(ppm: bytes, width: int = 60, height: int = 40) -> tuple[int, ...]:
    """Return the colour of the pixel in the middle."""
    head = b"P6\n%d %d\n255\n" % (width, height)
    assert ppm.startswith(head)
    place = len(head) + 3 * (width * (height // 2) + width // 2)
    return tuple(ppm[place : place + 3])


RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def test_each_page_is_drawn_at_the_scale_that_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "two.pdf", RED, BLUE)
    assert middle(leaf(path, 2, scale=1.0)) == (0, 0, 255)
    assert middle(leaf(path, 1, scale=2.0), 120, 80) == (255, 0, 0)


def test_changed_file_is_opened_again(tmp_path: Path) -> None:
    path = written(tmp_path / "one.pdf", RED)
    leaf(path, 1, scale=1.0)
    written(path, BLUE, BLUE)
    assert middle(leaf(path, 1, scale=1.0)) == (0, 0, 255)


def test_file_can_be_removed_while_its_pages_are_leafed_through(tmp_path: Path) -> None:
    path = written(tmp_path / "one.pdf", RED)
    leaf(path, 1, scale=1.0)
    open_files = Path("/proc/self/fd")
    if open_files.is_dir():
        assert str(path) not in [str(one.resolve()) for one in open_files.iterdir()]
    path.unlink()


def test_picture_is_its_only_page(tmp_path: Path) -> None:
    picture: Any = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 60, 40), False)
    picture.set_rect(picture.irect, (0, 255, 0))
    picture.save(tmp_path / "green.png")
    assert b"\x00\xff\x00" in leaf(tmp_path / "green.png", 1, scale=1.0)


@pytest.mark.parametrize(("page", "error"), [(0, NotFound), (3, NotFound)])
def test_missing_page_is_reported(tmp_path: Path, page: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"no page {page}"):
        leaf(written(tmp_path / "two.pdf", RED, BLUE), page, scale=1.0)


def test_locked_or_damaged_file_is_reported(tmp_path: Path) -> None:
    locked = written(
        tmp_path / "locked.pdf", RED, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="heron", owner_pw="heron"
    )
    with pytest.raises(EncryptedDocument):
        leaf(locked, 1, scale=1.0)
    assert middle(leaf(locked, 1, scale=1.0, password="heron")) == (255, 0, 0)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    with pytest.raises(DamagedDocument):
        leaf(tmp_path / "broken.pdf", 1, scale=1.0)
