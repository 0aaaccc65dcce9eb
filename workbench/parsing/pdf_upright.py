"""Pages whose text does not run from left to right as they are stored: turned, and stored so that it seems not to."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_rules import Box, Matrix
from workbench.parsing.pdf_words import FLAGS, Line, turned

Back = Callable[[Box], Box]
"""Brings a box back onto the page as displayed."""

_QUARTERS = {(1, 0): 0, (0, -1): 1, (-1, 0): 2, (0, 1): 3}
"""By the direction of a line: how often it is to be turned to the right."""


_FORWARD = ((1, 0, 0, 1, 0, 0), (0, 1, -1, 0, 0, 0), (-1, 0, 0, -1, 0, 0), (0, -1, 1, 0, 0, 0))
"""Matrices that turn so often to the right."""


def is_sideways(lines: Sequence[Line]) -> bool:
    """Tell whether most of the words do not run from left to right on the page as displayed."""
    return sum(len(line.words) for line in lines if not line.upright) > 0.5 * sum(len(line.words) for line in lines)


@contextmanager
def upright(page: Any) -> Iterator[tuple[Any, Back]]:
    """Give a page that shows the same with most of its text upright, and the way back from there.

    The layout model reads no other. Turning the page itself loses words where it is cropped.
    """
    quarters = _quarters(page)
    if not page.rotation and not quarters:
        yield page, _same
        return
    rotation, shown = page.rotation, tuple(page.rotation_matrix)
    # A page that is stored turned would come scaled.
    page.set_rotation(0)
    try:
        width, height = page.rect.width, page.rect.height
        with mupdf().open() as copies:
            across, down = (height, width) if quarters % 2 else (width, height)
            copy = copies.new_page(width=across, height=down)
            copy.show_pdf_page(copy.rect, page.parent, page.number, rotate=-90 * quarters % 360)
            back = (
                (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
                (0.0, -1.0, 1.0, 0.0, 0.0, height),
                (-1.0, 0.0, 0.0, -1.0, width, height),
                (0.0, 1.0, -1.0, 0.0, width, 0.0),
            )[quarters]
            yield copy, lambda box: turned(turned(box, back), shown)
    finally:
        page.set_rotation(rotation)


@dataclass(frozen=True, slots=True)
class UprightFrame:
    """Coordinates in which most of a page's text runs from left to right; in points, with any origin.

    Attributes:
        stored: Matrix from the page as it is stored.
        shown: Matrix from the page as displayed.
        back: Matrix onto the page as displayed.
    """

    stored: Matrix
    shown: Matrix
    back: Matrix


def upright_frame(page: Any) -> UprightFrame:
    """Return the frame in which a page's text is upright, without making a copy of the page."""
    stored = mupdf().Matrix(*_FORWARD[_quarters(page)])
    shown = page.derotation_matrix * stored
    return UprightFrame(tuple(stored), tuple(shown), tuple(~shown))


def _same(box: Box) -> Box:
    return box


def _quarters(page: Any) -> int:
    directions: Counter[tuple[int, int]] = Counter()
    for block in page.get_textpage(flags=FLAGS).extractDICT()["blocks"]:
        for line in block.get("lines", ()):
            x, y = line["dir"]
            directions[round(x), round(y)] += sum(len(span["text"].strip()) for span in line["spans"])
    return _QUARTERS.get(directions.most_common(1)[0][0], 0) if directions else 0
