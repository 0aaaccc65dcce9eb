"""Places in the words of their format."""

from workbench.model.place import PageKind, place, places


def test_a_place_is_named_as_its_format_names_it() -> None:
    assert place(PageKind.PAGE, 4) == "page 4"
    assert place(PageKind.SHEET, 2, "Sales") == "sheet 2 “Sales”"
    assert place(PageKind.CHAPTER, None, "Sales") == ""


def test_several_places_are_named_together() -> None:
    assert places(PageKind.SLIDE, [3]) == "slide 3"
    assert places(PageKind.SLIDE, [3, 7]) == "slides 3, 7"
    assert places(PageKind.SLIDE, []) == ""
