"""Comparison of screenshots: what counts as a change, and what the report shows of it."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parents[2]
SIZE = (200, 100)


class Folders:
    """The pictures before and after a change, and the report about them."""

    def __init__(self, folder: Path) -> None:
        self.before, self.after, self.report = (folder / name for name in ("before", "after", "report"))
        self.before.mkdir()
        self.after.mkdir()

    def compare(self) -> tuple[int, list[str]]:
        """Return the exit status and the lines of the command."""
        command = [sys.executable, str(ROOT / "packaging" / "screenshots"), "--report", str(self.report)]
        done = subprocess.run(
            [*command, "--compare", self.before, self.after], capture_output=True, text=True, check=False
        )
        return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def _save(path: Path, *boxes: tuple[int, int, int, int], size: tuple[int, int] = SIZE, ink: str = "black") -> None:
    picture = Image.new("RGB", size, "white")
    for box in boxes:
        ImageDraw.Draw(picture).rectangle(box, fill=ink)
    picture.save(path, lossless=True)


def test_equal_pictures_are_the_same(folders: Folders) -> None:
    for folder in (folders.before, folders.after):
        _save(folder / "answer.webp", (10, 10, 20, 20))
    assert folders.compare() == (0, ["answer.webp: same", "0 of 1 pictures changed"])


def test_a_changed_picture_is_shown_with_its_rectangle_and_its_share(folders: Folders) -> None:
    _save(folders.before / "answer.png", (10, 10, 19, 19))
    _save(folders.after / "answer.png", (10, 10, 19, 19), (100, 50, 119, 59))
    status, lines = folders.compare()
    assert (status, lines[0]) == (1, "answer.png: 1.00% changed at 100, 50, 20 × 10")
    assert "answer.png.compared.png" in (folders.report / "index.html").read_text("utf-8")
    with Image.open(folders.report / "answer.png.compared.png") as shown:
        assert shown.width > 3 * SIZE[0]
        assert shown.getpixel((shown.width - SIZE[0] + 110, 55)) == (230, 0, 120)


def test_a_line_that_moved_by_a_pixel_is_a_change(folders: Folders) -> None:
    _save(folders.before / "answer.webp", (0, 40, 199, 40))
    _save(folders.after / "answer.webp", (0, 41, 199, 41))
    assert folders.compare()[0] == 1


def test_a_slightly_different_tone_is_a_change_only_of_a_surface(folders: Folders) -> None:
    for name, box in (("spot", (0, 0, 9, 9)), ("surface", (0, 0, 99, 99))):
        _save(folders.before / f"{name}.webp")
        _save(folders.after / f"{name}.webp", box, ink="#fafafa")
    status, lines = folders.compare()
    assert status == 1
    assert lines[:2] == ["spot.webp: same, 0.50% slightly different", "surface.webp: 50.00% changed at 0, 0, 100 × 100"]


def test_another_smoothing_of_an_edge_is_no_change(folders: Folders) -> None:
    for folder, tone in ((folders.before, 100), (folders.after, 150)):
        _save(folder / "answer.webp", (0, 50, 199, 99))
        with Image.open(folder / "answer.webp") as picture:
            picture.paste((tone, tone, tone), (0, 49, 200, 50))
            picture.save(folder / "answer.webp", lossless=True)
    status, lines = folders.compare()
    assert (status, lines[0]) == (0, "answer.webp: same, 1.00% slightly different")


def test_new_missing_and_resized_pictures_are_changes(folders: Folders) -> None:
    _save(folders.before / "gone.webp")
    _save(folders.after / "added.webp")
    _save(folders.before / "grown.webp")
    _save(folders.after / "grown.webp", size=(200, 120))
    status, lines = folders.compare()
    assert status == 1
    assert {"added.webp: new", "gone.webp: missing now"} < set(lines)
    assert any(line.startswith("grown.webp: 200 × 100 pixels became 200 × 120") for line in lines)


def test_a_folder_without_pictures_is_a_fault_that_is_told(folders: Folders) -> None:
    status, lines = folders.compare()
    assert (status, lines) == (2, [f"There are no pictures in {folders.before}."])
