"""Places in the terms of their formats."""

from pathlib import Path

import pytest

from workbench.model.document import PageKind, place, places

ROOT = Path(__file__).resolve().parents[2]


def test_a_place_is_named_as_its_format_names_it() -> None:
    assert place(PageKind.PAGE, 4) == "page 4"
    assert place(PageKind.SHEET, 2, "Sales") == "sheet 2 “Sales”"
    assert place(PageKind.CHAPTER, None, "Sales") == ""


def test_several_places_are_named_together() -> None:
    assert places(PageKind.SLIDE, [3]) == "slide 3"
    assert places(PageKind.SLIDE, [3, 7]) == "slides 3, 7"
    assert places(PageKind.SLIDE, []) == ""


@pytest.mark.parametrize("kind", PageKind)
def test_the_name_for_the_parts_of_every_format_can_be_translated(kind: PageKind) -> None:
    said = {place(kind, 0), places(kind, [0, 0]), f"0 {kind}", f"0 {kind.plural}", place(kind, 0, "Sales")}
    written = (ROOT / "workbench/model/document.py").read_text("utf-8")
    for words in said:
        assert words.replace("0, 0", "0").replace("0", "{0:d}").replace("Sales", "{1}") in written
