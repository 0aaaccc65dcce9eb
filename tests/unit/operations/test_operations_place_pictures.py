"""Images of the part of a page around a passage."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.operations import Library
from workbench.operations.documents.page_images import cut_around
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]
A4 = (595.0, 842.0)
SIZE = (432, 150)


def test_a_passage_is_centred_in_its_picture() -> None:
    cut, scale = cut_around(((70.0, 400.0, 520.0, 412.0), (70.0, 414.0, 300.0, 426.0)), A4, SIZE)
    assert cut[0] == pytest.approx(56.0)
    assert cut[2] == pytest.approx(534.0)
    assert (cut[1] + cut[3]) / 2 == pytest.approx(413.0)
    assert (cut[2] - cut[0]) * scale == pytest.approx(SIZE[0])
    assert (cut[3] - cut[1]) * scale == pytest.approx(SIZE[1])


@pytest.mark.parametrize("mark", [(10.0, 5.0, 40.0, 15.0), (560.0, 830.0, 590.0, 840.0)])
def test_a_passage_at_the_edge_is_shown_within_the_page(mark: tuple[float, float, float, float]) -> None:
    (left, top, right, bottom), scale = cut_around((mark,), A4, SIZE)
    assert 0 <= left <= mark[0] < mark[2] <= right <= A4[0]
    assert 0 <= top <= mark[1] < mark[3] <= bottom <= A4[1]
    assert scale == pytest.approx(1.35)


def test_a_long_passage_is_shown_from_its_beginning_and_a_page_without_marks_from_its_top() -> None:
    cut, _scale = cut_around(tuple((70.0, y, 500.0, y + 10) for y in range(100, 700, 12)), A4, SIZE)
    assert cut[1] == pytest.approx(86.0)
    assert cut_around((), A4, SIZE)[0][:2] == (0.0, 0.0)


def test_the_place_of_a_passage_is_drawn_with_its_mark_and_those_of_the_other_parts(
    library: Library, run: Run, tmp_path: Path
) -> None:
    pdf: Any = pymupdf.open()
    pdf.new_page().insert_text((70, 400), "The heron flew over the harbour.", fontsize=11)
    pdf.save(tmp_path / "heron.pdf")
    run(operations.add_documents(library, [tmp_path / "heron.pdf"]))
    (document,) = library.documents.list()

    def count_marked(others: Sequence[tuple[int, int]]) -> int:
        drawn = operations.place_picture(library, document.id, 1, passage=(4, 9), size=SIZE, others=others, ratio=2.0)
        picture: Any = pymupdf.Pixmap(run(drawn))
        assert (picture.width, picture.height) == pytest.approx((864, 300), abs=2)
        pixels = (picture.pixel(x, y) for x in range(0, 864, 3) for y in range(0, 300, 3))
        return sum(pixel[2] < pixel[0] - 60 for pixel in pixels)

    assert count_marked([]) > 10
    assert count_marked([(4, 9), (24, 31)]) > 1.5 * count_marked([])
