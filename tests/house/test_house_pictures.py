"""Screenshots of every state: all of them on their page, and small enough for a repository."""

import re
from pathlib import Path

PICTURES = Path(__file__).resolve().parents[2] / "resources" / "screenshots"


def test_every_picture_stands_on_the_page_and_the_page_names_no_other() -> None:
    named = set(re.findall(r"\]\(([^)]+)\)", (PICTURES / "README.md").read_text("utf-8")))
    assert named == {picture.name for picture in PICTURES.glob("*.webp")}


def test_all_pictures_together_are_small() -> None:
    assert sum(picture.stat().st_size for picture in PICTURES.iterdir()) < 4_000_000
