"""A citation or chunk -> a picture of its page with the passage marked."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.errors import DamagedDocument, MissingFile, NotFound
from workbench.model.document import Page
from workbench.operations.library import Library
from workbench.operations.passwords import unlocked
from workbench.operations.sources import find_original
from workbench.parsing.render import mark_boxes, render_page
from workbench.worker.job import JobContext, Operation
from workbench.worker.processes import ProcessCrashed, ProcessOutOfMemory, ProcessTimedOut

Marks = tuple[tuple[float, float, float, float], ...]
"""Rectangles (x0, y0, x1, y1) in points from the page's top left corner."""

RENDER_SECONDS = 20
RENDER_MEGABYTES = 2048


@dataclass(frozen=True, slots=True)
class PageImage:
    """A drawn page.

    Attributes:
        png: The picture, the marks drawn in.
        page: 1-based.
        pages: How many pages the document has.
        scale: Pixels a point.
        width: Of the page, in points.
        height: Of the page, in points.
        marks: The marked rectangles.
    """

    png: bytes
    page: int
    pages: int
    scale: float
    width: float
    height: float
    marks: Marks


def page_image(
    library: Library, document: int, page: int, *, scale: float = 2.0, start: int = 0, end: int = 0
) -> Operation[PageImage]:
    """Draw a page of a document in a child process, with text[start:end] marked on it.

    Raises:
        NotFound: No such document or page.
        DocumentError: The page cannot be drawn.
    """

    async def operation(_context: JobContext) -> PageImage:
        return await draw_page(library, document, page, scale=scale, start=start, end=end)

    return operation


async def draw_page(
    library: Library, document: int, page: int, *, scale: float, start: int = 0, end: int = 0
) -> PageImage:
    """Draw a page; see page_image."""
    found = await library.on_store(library.documents.get, document)
    place: Page | None = await library.on_store(library.documents.page, document, page)
    file = await library.on_store(find_original, library.originals, found)
    if file is None:
        raise MissingFile(
            f"The library's copy of “{found.name}” is gone, so its pages cannot be shown.",
            "Add the file again; its text can still be read and searched.",
        )
    if place is None:
        raise NotFound(f"“{found.name}” has no page {page} to show.", "Its text can be read in the inspector.")
    marks = mark_boxes(place, start, end) if end > start else ()

    async def attempt(password: str | None) -> bytes:
        return await _isolated(library, file, page, scale, marks, password)

    png = await unlocked(library, found.sha256, attempt)
    return PageImage(png, page, found.pages, scale, place.width, place.height, marks)


async def _isolated(library: Library, file: Path, page: int, scale: float, marks: Marks, password: str | None) -> bytes:
    try:
        # Nothing of this room travels: the child would import all operations, 18 MB.
        drawing = partial(render_page, file, page, scale=scale, marks=marks, password=password)
        return await library.renderer.run(drawing, seconds=RENDER_SECONDS, megabytes=RENDER_MEGABYTES)
    except (ProcessCrashed, ProcessTimedOut, ProcessOutOfMemory) as error:
        raise DamagedDocument("This page cannot be drawn.", "Its text can be read in the inspector.") from error
