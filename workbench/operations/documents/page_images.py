"""Page images: the page of a citation or chunk with the passage marked, or only the part around it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.errors import DamagedDocument, MissingFile, NotFound
from workbench.model.document import Document, Page
from workbench.operations.imports.reader_process import try_passwords
from workbench.operations.library.library import Library
from workbench.operations.sessions.imported_page_images import KEPT_SCALE, read_page_image
from workbench.operations.shared.originals import original_of
from workbench.parsing.page_renderer import Box, leaf, mark_boxes, marked_box, part_of, render_page
from workbench.worker.job import JobContext, Operation
from workbench.worker.processes import ProcessFailure

Marks = tuple[tuple[float, float, float, float], ...]
"""Rectangles (x0, y0, x1, y1) in points, relative to the page's top left corner."""

RENDER_SECONDS = 20
RENDER_MEGABYTES = 2048


@dataclass(frozen=True, slots=True)
class PageImage:
    """Image of a page with the passage marked.

    Attributes:
        png: The image, including the marks.
        page: 1-based page number.
        pages: Number of pages of the document.
        scale: Pixels per point.
        width: Width of the page in points.
        height: Height of the page in points.
        marks: The marked rectangles.
    """

    png: bytes
    page: int
    pages: int
    scale: float
    width: float
    height: float
    marks: Marks


@dataclass(frozen=True, slots=True)
class PagePicture:
    """Image of a page for a window, which draws the marks itself.

    Attributes:
        data: PPM; PNG if it is from an imported session.
        width: Width of the page in points; 0 if the pages of the document contain it.
        height: Height of the page in points, or 0, as for width.
    """

    data: bytes
    width: float = 0.0
    height: float = 0.0


def page_image(
    library: Library, document: int, page: int, *, scale: float = 2.0, start: int = 0, end: int = 0
) -> Operation[PageImage]:
    """Draw a page of a document in a child process, with text[start:end] marked on it.

    Raises:
        NotFound: There is no such document or page.
        DocumentError: The page cannot be drawn.
    """

    async def operation(_context: JobContext) -> PageImage:
        return await draw_page(library, document, page, scale=scale, start=start, end=end)

    return operation


def page_picture(
    library: Library, document: int, page: int, *, scale: float, start: int = 0, end: int = 0
) -> Operation[PagePicture]:
    """Draw a page of a document for a window, in a child process that keeps the document open for the next one.

    Args:
        library: The library.
        document: Its id; a negative id belongs to an imported session, whose image was drawn for text[start:end].
        page: 1-based page number.
        scale: Pixels per point.
        start: Offset of the first character of the passage.
        end: Offset behind its last character.

    Raises:
        NotFound: No such document or page.
        DocumentError: The page cannot be drawn.
    """

    async def operation(_context: JobContext) -> PagePicture:
        if document < 0:
            kept = await _kept_image(library, document, page, (start, end))
            return PagePicture(kept.png, kept.width, kept.height)
        found, file = await _file_of(library, document)

        async def attempt(password: str | None) -> bytes:
            return await drawn_apart(library, partial(leaf, file, page, scale=scale, password=password))

        return PagePicture(await try_passwords(library, found.sha256, attempt))

    return operation


def document_pages(library: Library, document: int) -> Operation[tuple[Page, ...]]:
    """Return the pages of a document, with their size and their span of the text, without their words."""

    async def operation(_context: JobContext) -> tuple[Page, ...]:
        return await library.on_store(library.documents.pages, document)

    return operation


def page_marks(library: Library, document: int, page: int, spans: Sequence[tuple[int, int]]) -> Operation[Marks]:
    """Return the rectangles that cover spans of the document's text on a page; empty if none of them is on it."""

    def marks() -> Marks:
        place = library.documents.page(document, page)
        if place is None:
            return ()
        return _boxes_of(place, spans)

    async def operation(_context: JobContext) -> Marks:
        return await library.on_store(marks)

    return operation


def _boxes_of(page: Page, spans: Iterable[tuple[int, int]]) -> Marks:
    """Return the boxes that cover spans of the text on a page; a span that occurs twice is covered once."""
    return tuple(box for start, end in dict.fromkeys(spans) if end > start for box in mark_boxes(page, start, end))


def page_at(library: Library, document: int, offset: int) -> Operation[int | None]:
    """Return the page number of a character of a document's text; None if the format has no pages."""

    async def operation(_context: JobContext) -> int | None:
        pages = await library.on_store(library.documents.pages, document)
        before = [page.number for page in pages if page.start <= offset]
        return before[-1] if before else None

    return operation


async def draw_page(
    library: Library, document: int, page: int, *, scale: float, start: int = 0, end: int = 0
) -> PageImage:
    """Draw a page; see page_image."""
    if document < 0:
        return await _kept_image(library, document, page, (start, end))
    found, place, file = await page_of_file(library, document, page)
    marks = mark_boxes(place, start, end) if end > start else ()

    async def attempt(password: str | None) -> bytes:
        return await drawn_apart(library, partial(render_page, file, page, scale=scale, marks=marks, password=password))

    png = await try_passwords(library, found.sha256, attempt)
    return PageImage(png, page, found.pages, scale, place.width, place.height, marks)


async def page_of_file(library: Library, document: int, page: int) -> tuple[Document, Page, Path]:
    """Return a document, its page and the file that the page is drawn from.

    Raises:
        NotFound: There is no such document or page.
        MissingFile: The file is missing.
    """
    found, file = await _file_of(library, document)
    place: Page | None = await library.on_store(library.documents.page, document, page)
    if place is None:
        raise NotFound(f"“{found.name}” has no page {page} to show.", "Its text can be read in the inspector.")
    return found, place, file


async def _file_of(library: Library, document: int) -> tuple[Document, Path]:
    found = await library.on_store(library.documents.get, document)
    file = await library.on_store(original_of, library, found)
    if file is None:
        raise MissingFile(
            f"The library's copy of “{found.name}” is gone, so its pages cannot be shown.",
            "Add the file again; its text can still be read and searched.",
        )
    return found, file


async def _kept_image(library: Library, document: int, page: int, marked: tuple[int, int]) -> PageImage:
    """Return the page image of an imported session, whose document is not in this library."""
    png = await library.on_store(read_page_image, library.folder, document, page, *marked)
    width, height = (int.from_bytes(png[place : place + 4], "big") / KEPT_SCALE for place in (16, 20))
    return PageImage(png, page, page, KEPT_SCALE, width, height, ())


async def drawn_apart(library: Library, drawing: Callable[[], bytes]) -> bytes:
    """Run a drawing function of the parsing package in a child process and return the image.

    The function must not reference anything from operations: the child process would import all of them, 18 MB.
    """
    try:
        return await library.renderer.run(drawing, seconds=RENDER_SECONDS, megabytes=RENDER_MEGABYTES)
    except ProcessFailure as error:
        raise DamagedDocument("This page cannot be drawn.", "Its text can be read in the inspector.") from error


_MARGIN = 14.0
"""Margin around the passage in points."""

_LARGEST = 1.35
"""Maximum pixels per point: the text of a narrow column need not be larger than the text around the image."""


def place_picture(
    library: Library,
    document: int,
    page: int,
    *,
    passage: tuple[int, int],
    size: tuple[int, int],
    others: Sequence[tuple[int, int]] = (),
    ratio: float = 1.0,
) -> Operation[bytes]:
    """Draw the part of a page around text[start:end], marked, as PNG.

    Args:
        library: The library.
        document: The document's id.
        page: 1-based page number.
        passage: Offset of the first character, and offset behind the last one.
        size: Width and height of the image; the image is lower if the page is.
        others: Further spans of the text to mark where the image shows them.
        ratio: Device pixels per pixel of the size.

    Raises:
        NotFound: There is no such document or page.
        DocumentError: The page cannot be drawn.
    """

    async def operation(_context: JobContext) -> bytes:
        if document < 0:
            return await _kept_part(library, (document, page), passage, size, ratio)
        found, place, file = await page_of_file(library, document, page)
        marks = mark_boxes(place, *passage)
        cut, scale = cut_around(marks, (place.width, place.height), size)
        marks = _boxes_of(place, (passage, *others))

        async def attempt(password: str | None) -> bytes:
            drawing = partial(render_page, file, page, scale=scale * ratio, marks=marks, password=password, cut=cut)
            return await drawn_apart(library, drawing)

        return await try_passwords(library, found.sha256, attempt)

    return operation


async def _kept_part(
    library: Library, place: tuple[int, int], passage: tuple[int, int], size: tuple[int, int], ratio: float
) -> bytes:
    """Return the part of an imported session's page image around the marks that are drawn in it."""
    png = await library.on_store(read_page_image, library.folder, *place, *passage)
    marked: Box | None = await library.renderer.run(
        marked_box, png, KEPT_SCALE, seconds=RENDER_SECONDS, megabytes=RENDER_MEGABYTES
    )
    width, height = (int.from_bytes(png[at : at + 4], "big") / KEPT_SCALE for at in (16, 20))
    cut, scale = cut_around((marked,) if marked is not None else (), (width, height), size)
    return await drawn_apart(library, partial(part_of, png, cut, KEPT_SCALE, scale * ratio))


def cut_around(marks: Marks, page: tuple[float, float], size: tuple[int, int]) -> tuple[Box, float]:
    """Return the part of a page that shows the marked lines, in points, and its scale in pixels per point.

    A passage that does not fit is shown from its beginning; without marks the top of the page is shown.
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
