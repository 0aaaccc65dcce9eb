"""PDF through PyMuPDF: opening, and the way from pages to a document."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument, EmptyDocument, EncryptedDocument
from workbench.model.document import ParsedDocument
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_aligned_tables import lift_aligned_tables
from workbench.parsing.pdf_columns import reading_order
from workbench.parsing.pdf_contents import mark_contents
from workbench.parsing.pdf_furniture import without_furniture
from workbench.parsing.pdf_headings import mark_headings
from workbench.parsing.pdf_metadata import outline, pdf_metadata
from workbench.parsing.pdf_paragraphs import Paragraph, paragraphs_of
from workbench.parsing.pdf_tables import lift_ruled_tables
from workbench.parsing.pdf_text import PdfText, cleaned, vocabulary
from workbench.parsing.pdf_words import Line, read_lines

logger = logging.getLogger(__name__)

_MOST_LISTED = 12
"""Page numbers that a warning names before it only counts."""


class PdfParser:
    """Reads PDF."""

    format: ClassVar[str] = "pdf"
    suffixes: ClassVar[frozenset[str]] = frozenset({".pdf"})
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        document = open_pdf(path, password)
        try:
            return _read(document, path)
        finally:
            document.close()
            # MuPDF keeps up to 256 MB of fonts and pictures for a next time that never comes: the child is kept warm.
            mupdf().TOOLS.store_shrink(100)


def open_pdf(path: Path, password: str | None) -> Any:
    """Open a PDF; the blank password is tried first.

    Raises:
        EncryptedDocument: A password is needed, or the one given is wrong.
        DamagedDocument: It is no PDF, or too broken to be mended.
    """
    try:
        document = mupdf().open(path, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise DamagedDocument(
            "The file is not a PDF, or is damaged.", "Try to open it in a PDF viewer and save it again."
        ) from error
    if document.needs_pass and not document.authenticate("") and not (password and document.authenticate(password)):
        document.close()
        if password:
            raise EncryptedDocument("The password is wrong.", "Add the file again with the right password.")
        raise EncryptedDocument("The file is protected by a password.", "Add it again and give the password.")
    return document


def _read(document: Any, path: Path) -> ParsedDocument:
    sizes: list[tuple[float, float]] = []
    pages: list[list[Line]] = []
    unread: list[int] = []
    for number in range(document.page_count):
        try:
            page = document[number]
            lines = _page_lines(page)
            sizes.append((page.rect.width, page.rect.height))
        except (RuntimeError, ValueError) as error:
            logger.info("Page %d cannot be read: %s", number + 1, error)
            unread.append(number + 1)
            lines = []
            sizes.append((0.0, 0.0))
        pages.append(lines)
    if not any(pages):
        _refuse(document, unread)
    words = vocabulary(pages)
    entries = outline(document)
    kept = without_furniture([(lines, size[1]) for lines, size in zip(pages, sizes, strict=True)], entries)
    _forget_typewriter(kept)
    regions = [reading_order(lines) for lines in kept]
    listed = mark_contents(regions)
    paragraphs = [_page_paragraphs(page, number) for number, page in enumerate(regions, 1)]
    everything = [paragraph for page in paragraphs for paragraph in page]
    mark_headings(everything, entries, listed)
    text = PdfText(words)
    for number, (page_paragraphs, (width, height)) in enumerate(zip(paragraphs, sizes, strict=True), 1):
        text.add_page(number, width, height, page_paragraphs)
    text.finish()
    empty = [number for number, lines in enumerate(pages, 1) if not lines and number not in unread]
    return ParsedDocument(
        text.text,
        tuple(text.blocks),
        tuple(text.pages),
        pdf_metadata(document.metadata or {}, everything, path, document.language or ""),
        PdfParser.format,
        tuple(_warnings(document, empty, unread)),
    )


def _page_lines(page: Any) -> list[Line]:
    lines = [line for line in read_lines(page) if line.words]
    cleaned(lines)
    return lift_ruled_tables(page, lines)


def _forget_typewriter(pages: Sequence[Sequence[Line]]) -> None:
    """Treat a document that is set in a typewriter face throughout as prose, not as code."""
    lines = [line for page in pages for line in page]
    if sum(len(line.words) for line in lines if line.mono) > 0.6 * sum(len(line.words) for line in lines):
        for line in lines:
            line.mono = False


def _page_paragraphs(regions: Sequence[Sequence[Line]], number: int) -> list[Paragraph]:
    return [paragraph for region in regions for paragraph in paragraphs_of(lift_aligned_tables(region), number)]


def _refuse(document: Any, unread: Sequence[int]) -> None:
    """Raise what fits a document without a word of text."""
    if document.page_count == 0 or len(unread) == document.page_count or document.is_repaired:
        raise DamagedDocument("No page of the file can be read.", "Try to open it in a PDF viewer and save it again.")
    if any(page.get_images() for page in document.pages(0, min(5, document.page_count))):
        raise EmptyDocument(
            "The file holds no text: its pages seem to be scanned pictures.",
            "Run it through a text recognition program (OCR) and add the result.",
        )
    raise EmptyDocument("The file holds no text.", "There is nothing in it to search.")


def _warnings(document: Any, empty: Sequence[int], unread: Sequence[int]) -> list[str]:
    warnings = []
    if empty:
        reason = "" if document.is_repaired else "; scanned pictures cannot be searched"
        warnings.append(f"{_listed(empty)} no text{reason}.")
    if unread:
        warnings.append(f"{_listed(unread, 'is', 'are')} damaged and could not be read.")
    if document.is_repaired:
        warnings.append("The file is damaged; what could be saved of it was read.")
    return warnings


def _listed(numbers: Sequence[int], one: str = "holds", many: str = "hold") -> str:
    """Return the subject of a sentence on some pages, with its verb."""
    if len(numbers) == 1:
        return f"Page {numbers[0]} {one}"
    if len(numbers) > _MOST_LISTED:
        return f"{len(numbers)} pages {many}"
    return f"Pages {', '.join(map(str, numbers[:-1]))} and {numbers[-1]} {many}"
