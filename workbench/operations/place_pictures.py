"""A citation -> a picture of its place: the part of the page around the passage, with the passage marked."""

from functools import partial

from workbench.operations.kept_pages import KEPT_SCALE, kept_page
from workbench.operations.library import Library
from workbench.operations.pages import RENDER_MEGABYTES, RENDER_SECONDS, Marks, drawn_apart, page_of_file
from workbench.operations.passwords import unlocked
from workbench.parsing.page_renderer import Box, mark_boxes, marked_box, part_of, render_page
from workbench.worker.job import JobContext, Operation

_MARGIN = 14.0
"""Points kept around the passage."""

_LARGEST = 1.35
"""Pixels a point at most: the text of a narrow column need not be larger than that around the picture."""


def place_picture(
    library: Library,
    document: int,
    page: int,
    *,
    passage: tuple[int, int],
    size: tuple[int, int],
    ratio: float = 1.0,
) -> Operation[bytes]:
    """Draw the part of a page around text[start:end], marked, as PNG.

    Args:
        library: The library.
        document: The document's id.
        page: 1-based.
        passage: The first character and one past the last.
        size: Width and height of the picture; it is lower where the page is.
        ratio: Pixels of the screen for each pixel of the size.

    Raises:
        NotFound: No such document or page.
        DocumentError: The page cannot be drawn.
    """

    async def operation(_context: JobContext) -> bytes:
        if document < 0:
            return await _of_kept(library, (document, page), passage, size, ratio)
        found, place, file = await page_of_file(library, document, page)
        marks = mark_boxes(place, *passage)
        cut, scale = cut_around(marks, (place.width, place.height), size)

        async def attempt(password: str | None) -> bytes:
            drawing = partial(render_page, file, page, scale=scale * ratio, marks=marks, password=password, cut=cut)
            return await drawn_apart(library, drawing)

        return await unlocked(library, found.sha256, attempt)

    return operation


async def _of_kept(
    library: Library, place: tuple[int, int], passage: tuple[int, int], size: tuple[int, int], ratio: float
) -> bytes:
    """Return the part of a picture that came with an imported session: around what was marked on it."""
    png = await library.on_store(kept_page, library.folder, *place, *passage)
    marked: Box | None = await library.renderer.run(
        marked_box, png, KEPT_SCALE, seconds=RENDER_SECONDS, megabytes=RENDER_MEGABYTES
    )
    width, height = (int.from_bytes(png[at : at + 4], "big") / KEPT_SCALE for at in (16, 20))
    cut, scale = cut_around((marked,) if marked is not None else (), (width, height), size)
    return await drawn_apart(library, partial(part_of, png, cut, KEPT_SCALE, scale * ratio))


def cut_around(marks: Marks, page: tuple[float, float], size: tuple[int, int]) -> tuple[Box, float]:
    """Return the part of a page that shows the marked lines, in points, and how many pixels a point it is drawn with.

    A passage wider or higher than fits is shown from its beginning; without marks it is the top of the page.
    """
    width, height = page
    left = min((mark[0] for mark in marks), default=0.0)
    right = max((mark[2] for mark in marks), default=width)
    top = min((mark[1] for mark in marks), default=0.0)
    bottom = max((mark[3] for mark in marks), default=0.0)
    across = min(width, max(right - left + 2 * _MARGIN, size[0] / _LARGEST))
    scale = size[0] / across
    down = min(height, size[1] / scale)
    x = (left + right - across) / 2
    y = top - _MARGIN if bottom - top + 2 * _MARGIN > down else (top + bottom - down) / 2
    x, y = min(max(0.0, x), width - across), min(max(0.0, y), height - down)
    return (x, y, x + across, y + down), scale
