"""A page as a picture, with passages marked on it."""

from collections.abc import Sequence
from pathlib import Path

from workbench.errors import DamagedDocument
from workbench.model.document import Page
from workbench.parsing.base import no_such_page
from workbench.parsing.image_file import open_picture
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_words import turned
from workbench.parsing.sniffing import sniff
from workbench.parsing.xps_parser import open_pages

Box = tuple[float, float, float, float]

_MARK = (1.0, 0.82, 0.2)
_OPACITY = 0.4
_MARKED_PAPER = bytes((255, 236, 173))
"""A pixel of white paper under a mark."""
_MOST_PIXELS = 40_000_000
"""Larger pages are rendered smaller: a poster of 5 x 5 m would take gigabytes."""


def render_page(
    path: Path,
    page: int,
    *,
    scale: float,
    marks: Sequence[Box] = (),
    password: str | None = None,
    cut: Box | None = None,
) -> bytes:
    """Return a page of a PDF, XPS document or picture as PNG, with translucent rectangles over the marks.

    Args:
        path: The file.
        page: 1-based.
        scale: Pixels for each point.
        marks: In points from the top left corner of the page as displayed, as WordBox has them.
        password: For an encrypted file.
        cut: The part that is wanted, as the marks; all of the page without.

    Raises:
        DocumentError: The file cannot be opened or the page cannot be drawn.
        NotFound: There is no such page.
    """
    content = sniff(path)
    is_picture = content is not None and content.format == "image"
    document = open_picture(path, page) if is_picture else open_pages(path, password)
    try:
        if not is_picture and not 1 <= page <= document.page_count:
            raise no_such_page(page, document.page_count)
        loaded = document[0 if is_picture else page - 1]
        left, top, right, bottom = cut or tuple(loaded.rect)
        area = (right - left) * (bottom - top)
        scale = min(scale, (_MOST_PIXELS / area) ** 0.5) if area > 0 else scale
        back = loaded.derotation_matrix
        shape = loaded.new_shape()
        for mark in marks:
            shape.draw_rect(turned(mark, back))
            shape.finish(color=None, fill=_MARK, fill_opacity=_OPACITY, width=0)
        shape.commit()
        drawn = loaded.get_pixmap(matrix=(scale, 0, 0, scale, 0, 0), clip=cut, alpha=False)
        return bytes(drawn.tobytes("png"))
    except (RuntimeError, ValueError) as error:
        raise DamagedDocument(f"Page {page} cannot be drawn.", "Open the file in a PDF viewer.") from error
    finally:
        document.close()


def marked_box(png: bytes, scale: float) -> Box | None:
    """Return the box, in points, of what was marked on the white paper of a page drawn before; None for nothing."""
    picture = mupdf().Pixmap(png)
    if picture.n != len(_MARKED_PAPER):
        return None
    pixels, stride = picture.samples, picture.stride
    first, last = pixels.find(_MARKED_PAPER), pixels.rfind(_MARKED_PAPER)
    if first < 0:
        return None
    rows = [pixels[row * stride : (row + 1) * stride] for row in range(first // stride, last // stride + 1)]
    left = min(place for row in rows if (place := row.find(_MARKED_PAPER)) >= 0) // 3
    right = max(row.rfind(_MARKED_PAPER) for row in rows) // 3 + 1
    return left / scale, first // stride / scale, right / scale, (last // stride + 1) / scale


def part_of(png: bytes, cut: Box, drawn: float, scale: float) -> bytes:
    """Return a part of a page, in points, as PNG; it was drawn before with so many pixels a point, and is scaled."""
    picture = mupdf().Pixmap(png)
    by = scale / drawn
    area = mupdf().IRect(*(round(side * scale) for side in cut))
    part = mupdf().Pixmap(picture, round(picture.width * by), round(picture.height * by), area)
    return bytes(part.tobytes("png"))


def mark_boxes(page: Page, start: int, end: int) -> tuple[Box, ...]:
    """Return the boxes that cover text[start:end] on a page, one for each line."""
    boxes: list[Box] = []
    for word in page.words:
        if word.end <= start or word.start >= end:
            continue
        box = (word.x0, word.y0, word.x1, word.y1)
        if boxes and _goes_on(boxes[-1], box):
            last = boxes[-1]
            box = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
            boxes[-1] = box
        else:
            boxes.append(box)
    return tuple(boxes)


def _goes_on(last: Box, box: Box) -> bool:
    """Tell whether box stands on the same line as last, not far to its right."""
    height = min(last[3] - last[1], box[3] - box[1])
    overlap = min(last[3], box[3]) - max(last[1], box[1])
    return overlap > 0.5 * height and -height < box[0] - last[2] < 3 * max(height, 1.0)
