"""Context of a chunk: neighbours and sections, as true slices of the text."""

from dataclasses import replace

import pytest

from workbench.errors import NotFound
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind
from workbench.retrieval.chunk_context import ChunkContextReader, section_bounds, within

PARTS = (
    ("Preface.", ()),
    ("# One", ("One",)),
    ("First of one.", ("One",)),
    ("Deeper in one.", ("One", "Deep")),
    ("Last of one.", ("One",)),
    ("# Two", ("Two",)),
    ("Appendix one.", ("One",)),
)


class Shelf:
    """One document, with an empty line between its chunks."""

    def __init__(self, parts: tuple[tuple[str, tuple[str, ...]], ...] = PARTS) -> None:
        self.whole = "\n\n".join(text for text, _ in parts)
        self.cut: list[Chunk] = []
        start = 0
        for ordinal, (text, headings) in enumerate(parts):
            end = start + len(text)
            self.cut.append(Chunk(ordinal, start, end, text, None, None, headings, BlockKind.PARAGRAPH, 10, document=7))
            start = end + 2

    def chunks(self, id: int) -> list[Chunk]:
        return self.cut

    def text(self, id: int) -> str:
        return self.whole


def test_neighbours_are_a_slice_of_the_text_including_the_text_between_them() -> None:
    shelf = Shelf()
    found = ChunkContextReader(shelf).neighbours(shelf.cut[2], 1, 2)
    assert found.text == shelf.whole[found.start : found.end]
    assert found.text == "# One\n\nFirst of one.\n\nDeeper in one.\n\nLast of one."
    assert (found.first, found.last, found.document) == (1, 4, 7)


@pytest.mark.parametrize(("place", "first", "last"), [(0, 0, 1), (6, 5, 6)])
def test_at_the_ends_of_a_document_there_are_fewer(place: int, first: int, last: int) -> None:
    shelf = Shelf()
    found = ChunkContextReader(shelf).neighbours(shelf.cut[place])
    assert (found.first, found.last) == (first, last)


def test_a_section_holds_its_subsections_and_ends_at_the_next_heading() -> None:
    shelf = Shelf()
    found = ChunkContextReader(shelf).section(shelf.cut[2])
    assert (found.first, found.last, found.is_cut) == (1, 4, False)
    assert found.text == shelf.whole[found.start : found.end]
    deep = ChunkContextReader(shelf).section(shelf.cut[3])
    assert deep.text == "Deeper in one."


def test_text_before_the_first_heading_is_a_section_of_its_own() -> None:
    assert section_bounds(Shelf().cut, 0) == (0, 0)


def test_the_introduction_of_a_table_does_not_start_a_section() -> None:
    parts = (("# One", ("One",)), ("See here:", ("One",)), ("| 1 |", ("One", "See here:")), ("Last.", ("One",)))
    cut = [replace(chunk, kind=BlockKind.TABLE) if "|" in chunk.text else chunk for chunk in Shelf(parts).cut]
    assert [section_bounds(cut, place) for place in range(4)] == [(0, 3)] * 4


def test_a_table_right_under_its_heading_is_a_section() -> None:
    parts = (("First.", ("One",)), ("# Two", ("One", "Two")), ("| 1 |", ("One", "Two")), ("Last.", ("One",)))
    cut = [replace(chunk, kind=BlockKind.TABLE) if "|" in chunk.text else chunk for chunk in Shelf(parts).cut]
    assert section_bounds(cut, 2) == (1, 2)


def test_a_long_section_is_cut_around_the_chunk() -> None:
    shelf = Shelf(tuple((f"Sentence {number}.", ("One",)) for number in range(20)))
    found = ChunkContextReader(shelf).section(shelf.cut[10], most_tokens=50)
    assert (found.first, found.last, found.is_cut) == (8, 12, True)
    assert within(shelf.cut, 10, 0, 19, 5) == (10, 10)
    assert within(shelf.cut, 19, 0, 19, 30) == (17, 19)


def test_a_chunk_that_no_longer_exists_is_reported() -> None:
    shelf = Shelf()
    gone = shelf.cut.pop(2)
    with pytest.raises(NotFound, match="no longer"):
        ChunkContextReader(shelf).section(gone)
