"""Page renderer: single pages with marked passages as PNG, and consecutive pages of a document that is kept open."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench.errors import DamagedDocument
from workbench.model.document import Page
from workbench.parsing.base import no_such_page
from workbench.parsing.image_parser import open_picture
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_parser import open_pages, open_pdf
from workbench.parsing.sniffing import sniff

Box = tuple[float, float, float, float]

_MARKED_PAPER = bytes((255, 236, 173))
"""Color of a white pixel under a mark. Marks are multiplied with the page, so that print keeps its full contrast."""
_MARK_ON_DARK = (102, 82, 0)
"""Color that is added where the page under a mark is mostly dark: multiplied, the mark would not be seen."""
_DARK = 110
_MOST_PIXELS = 40_000_000
"""Larger pages are rendered at a lower scale: a poster of 5 x 5 m would need gigabytes."""


def render_page(
    path: Path,
    page: int,
    *,
    scale: float,
    marks: Sequence[Box] = (),
    password: str | None = None,
    cut: Box | None = None,
) -> bytes:
    """Return a page of a PDF, XPS document or picture as PNG, with colored rectangles under the print of the marks.

    Args:
        path: The file.
        page: 1-based.
        scale: Pixels per point.
        marks: In points from the top left corner of the page as displayed, like WordBox.
        password: Password of an encrypted file.
        cut: The part to draw, in the units of the marks; the whole page by default.

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
        drawn = loaded.get_pixmap(matrix=(scale, 0, 0, scale, 0, 0), clip=cut, alpha=False)
        return bytes(_with_marks(drawn, marks, scale).tobytes("png"))
    except (RuntimeError, ValueError) as error:
        raise DamagedDocument(f"Page {page} cannot be drawn.", "Open the file in a PDF viewer.") from error
    finally:
        document.close()


def _with_marks(drawn: Any, marks: Sequence[Box], scale: float) -> Any:
    """Return a drawn page, an RGB pixmap, with the marks, in points."""
    if not marks:
        return drawn
    pixels = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width * drawn.n]
    pixels = pixels.reshape(drawn.height, drawn.width, drawn.n).copy()
    for left, top, right, bottom in marks:
        rows = slice(max(0, round(top * scale) - drawn.y), max(0, round(bottom * scale) - drawn.y))
        columns = slice(max(0, round(left * scale) - drawn.x), max(0, round(right * scale) - drawn.x))
        part = pixels[rows, columns, :3].astype(np.uint16)
        if part.size:
            is_dark = part.mean() < _DARK
            marked = part + np.array(_MARK_ON_DARK) if is_dark else part * np.frombuffer(_MARKED_PAPER, np.uint8) // 255
            pixels[rows, columns, :3] = np.minimum(marked, 255)
    return mupdf().Pixmap(drawn.colorspace, drawn.width, drawn.height, pixels.tobytes(), 0)


def marked_box(png: bytes, scale: float) -> Box | None:
    """Return the bounding box, in points, of the marks on white paper in a drawn page; None if there are none."""
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
    """Return a part of a page, in points, as PNG, scaled from a page that was drawn with `drawn` pixels per point."""
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
    """Return True if box is on the same line as last, not far to its right."""
    height = min(last[3] - last[1], box[3] - box[1])
    overlap = min(last[3], box[3]) - max(last[1], box[1])
    return overlap > 0.5 * height and -height < box[0] - last[2] < 3 * max(height, 1.0)


_LARGEST = 64 * 2**20
"""Maximum bytes of a file kept in memory; a larger file is opened for each page (15 ms if it has 2,000 pages)."""
_REST = 16
"""Pages after which MuPDF's cache of unpacked pictures and fonts is emptied; it would grow to 256 MB."""


@dataclass(slots=True)
class _OpenDocument:
    """The document drawn last, with its cache key."""

    key: tuple[object, ...] = ()
    document: Any = None
    pages: int = 0

    def forget(self) -> None:
        if self.document is not None:
            self.document.close()
        self.key, self.document = (), None


_open = _OpenDocument()


def leaf(path: Path, page: int, *, scale: float, password: str | None = None) -> bytes:
    """Return a page of a PDF, XPS document or picture as uncompressed PPM, which takes a third of the time of PNG.

    Args:
        path: The file.
        page: 1-based.
        scale: Pixels per point; a very large page is drawn at a lower scale.
        password: Password of an encrypted file.

    Raises:
        DocumentError: The file cannot be opened or the page cannot be drawn.
        NotFound: There is no such page.
    """
    content = sniff(path)
    try:
        if content is not None and content.format == "image":
            with open_picture(path, page) as picture:
                return _drawn(picture[0], scale)
        is_pdf = content is not None and content.format == "pdf"
        return _drawn_from(_document(path, password, is_pdf=is_pdf), page, scale)
    except (RuntimeError, ValueError) as error:
        _open.forget()
        raise DamagedDocument(f"Page {page} cannot be drawn.", "Open the file in a PDF viewer.") from error


def _document(path: Path, password: str | None, *, is_pdf: bool) -> Any:
    """Return the open document; a PDF that is kept does not hold its file open, so it can be moved or deleted."""
    state = path.stat()
    key = (path, state.st_mtime_ns, state.st_size, password)
    if _open.key != key:
        _open.forget()
        is_kept = is_pdf and state.st_size <= _LARGEST
        _open.document = open_pdf(path, password, path.read_bytes()) if is_kept else open_pages(path, password)
        _open.key = key
    return _open.document


def _drawn_from(document: Any, page: int, scale: float) -> bytes:
    try:
        if not 1 <= page <= document.page_count:
            raise no_such_page(page, document.page_count)
        return _drawn(document[page - 1], scale)
    finally:
        _open.pages += 1
        if _open.pages % _REST == 0:
            mupdf().TOOLS.store_shrink(100)
        if not document.stream:
            _open.forget()


def _drawn(page: Any, scale: float) -> bytes:
    area = page.rect.width * page.rect.height
    scale = min(scale, (_MOST_PIXELS / area) ** 0.5) if area > 0 else scale
    return bytes(page.get_pixmap(matrix=(scale, 0, 0, scale, 0, 0), alpha=False).tobytes("ppm"))
