"""Pages drawn one after another, for somebody who leafs through a document: it stays open between them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import DamagedDocument
from workbench.parsing.base import no_such_page
from workbench.parsing.image_file import open_picture
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_parser import open_pdf
from workbench.parsing.sniffing import sniff
from workbench.parsing.xps_parser import open_pages

_MOST_PIXELS = 40_000_000
_LARGEST = 64 * 2**20
"""Bytes of a file that is kept in memory; a larger one is opened for each page, which takes 15 ms of 2,000 pages."""
_REST = 16
"""After so many pages MuPDF drops what it holds of them, unpacked pictures and fonts: up to 256 MB else."""


@dataclass(slots=True)
class _Open:
    """The document that was drawn from last, and by what it is known."""

    key: tuple[object, ...] = ()
    document: Any = None
    pages: int = 0

    def forget(self) -> None:
        if self.document is not None:
            self.document.close()
        self.key, self.document = (), None


_open = _Open()


def leaf(path: Path, page: int, *, scale: float, password: str | None = None) -> bytes:
    """Return a page of a PDF, XPS document or picture as PPM: not packed, in a third of the time that PNG takes.

    Args:
        path: The file.
        page: 1-based.
        scale: Pixels for each point; a very large page is drawn smaller.
        password: For an encrypted file.

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
    """Return the document, opened; it has no hold on the file, which may be moved and removed meanwhile."""
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
