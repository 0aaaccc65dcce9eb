"""PDF through PyMuPDF: opening, and the way from pages to a document."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument, EmptyDocument, EncryptedDocument
from workbench.model.document import ParsedDocument
from workbench.model.progress import PagesRead
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_aligned_tables import lift_aligned_tables
from workbench.parsing.pdf_columns import reading_order
from workbench.parsing.pdf_contents import mark_contents
from workbench.parsing.pdf_findings import PageFacts, findings_of, settle_layers, warnings_of
from workbench.parsing.pdf_furniture import without_furniture
from workbench.parsing.pdf_headings import mark_headings
from workbench.parsing.pdf_lost_tables import loses_table
from workbench.parsing.pdf_metadata import outline, pdf_metadata
from workbench.parsing.pdf_paragraphs import Paragraph, paragraphs_of
from workbench.parsing.pdf_quality import TextLayer, pictures_of, text_layer
from workbench.parsing.pdf_tables import Grid, lift_grids, lift_ruled_tables
from workbench.parsing.pdf_text import PdfText, cleaned, vocabulary
from workbench.parsing.pdf_words import Line, read_lines
from workbench.worker.interim import say

logger = logging.getLogger(__name__)


NO_PAGES: frozenset[int] = frozenset()


class PdfParser:
    """Reads PDF."""

    format: ClassVar[str] = "pdf"
    suffixes: ClassVar[frozenset[str]] = frozenset({".pdf"})
    version: ClassVar[int] = 8

    def __init__(
        self,
        grids: Mapping[int, Sequence[Grid]] | None = None,
        *,
        skipped: Collection[int] = NO_PAGES,
        on_part: Callable[[ParsedDocument], None] | None = None,
        part_seconds: float = 0.0,
    ) -> None:
        """Prepare to read.

        Args:
            grids: By page number, the tables that the layout model found there; empty where it found none.
            skipped: Numbers of pages that are left out, because an earlier reading did not survive them.
            on_part: Given the pages read so far as a document, now and then while a long one is read.
            part_seconds: Processor time until the first part; each later part takes twice as long as the one before,
                so that parts together take less time than the pages themselves.
        """
        self._grids = grids or {}
        self._skipped = skipped
        self._on_part = on_part
        self._part_seconds = part_seconds

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        document = open_pdf(path, password)
        try:
            return _assembled(document, self._read_pages(document, path), path)
        finally:
            document.close()
            # MuPDF keeps up to 256 MB of fonts and pictures for a next time that never comes: the child is kept warm.
            mupdf().TOOLS.store_shrink(100)

    def _read_pages(self, document: Any, path: Path) -> list[PageFacts]:
        total = document.page_count
        pages: list[PageFacts] = []
        seconds, due = self._part_seconds, time.process_time() + self._part_seconds
        say(PagesRead(0, total))
        for number in range(1, total + 1):
            skips = number in self._skipped
            pages.append(
                PageFacts([], is_skipped=True) if skips else _page_facts(document, number, self._grids.get(number))
            )
            say(PagesRead(number, total))
            if self._on_part is not None and number < total and time.process_time() >= due:
                self._say_part(document, pages, path)
                seconds *= 2
                due = time.process_time() + seconds
        return pages

    def _say_part(self, document: Any, pages: Sequence[PageFacts], path: Path) -> None:
        assert self._on_part is not None
        # Assembling changes what it is given: it decides by all pages, of which there will be more.
        copies = [replace(page, lines=[copy(line) for line in page.lines]) for page in pages]
        if any(page.lines for page in copies):
            self._on_part(_assembled(document, copies, path))


def open_pdf(path: Path, password: str | None, data: bytes | None = None) -> Any:
    """Open a PDF; the blank password is tried first.

    Args:
        path: The file.
        password: For an encrypted one.
        data: What is in it, where it is not to be held open.

    Raises:
        EncryptedDocument: A password is needed, or the one given is wrong.
        DamagedDocument: It is no PDF, or too broken to be mended.
    """
    try:
        document = mupdf().open(path if data is None else None, stream=data, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise _no_pdf() from error
    if not document.is_pdf:  # MuPDF looks at what is in it, too, and takes for HTML what nobody else does
        document.close()
        raise _no_pdf()
    if document.needs_pass and not document.authenticate("") and not (password and document.authenticate(password)):
        document.close()
        if password:
            raise EncryptedDocument("The password is wrong.", "Add the file again with the right password.")
        raise EncryptedDocument("The file is protected by a password.", "Add it again and give the password.")
    return document


def _no_pdf() -> DamagedDocument:
    return DamagedDocument("The file is not a PDF, or is damaged.", "Try to open it in a PDF viewer and save it again.")


def _assembled(document: Any, pages: Sequence[PageFacts], path: Path) -> ParsedDocument:
    """Return the document that the pages make; where these are not all, it says so."""
    settle_layers(pages)
    if not any(page.lines or page.layer is TextLayer.MISSING for page in pages):
        _refuse(document, pages)
    words = vocabulary([page.lines for page in pages])
    entries = outline(document)
    kept = without_furniture([(page.lines, page.height) for page in pages], entries)
    for page, lines in zip(pages, kept, strict=True):
        page.is_furniture = bool(page.lines) and not lines
    _forget_typewriter(kept)
    regions = [reading_order(lines) for lines in kept]
    listed = mark_contents(regions)
    paragraphs = [_page_paragraphs(*page, number) for number, page in enumerate(zip(regions, pages, strict=True), 1)]
    everything = [paragraph for page in paragraphs for paragraph in page]
    mark_headings(everything, entries, listed)
    text = PdfText(words)
    for number, (page_paragraphs, page) in enumerate(zip(paragraphs, pages, strict=True), 1):
        text.add_page(number, page.width, page.height, page_paragraphs)
    text.finish()
    return ParsedDocument(
        text.text,
        tuple(text.blocks),
        tuple(text.pages),
        pdf_metadata(document.metadata or {}, everything, path, document.language or ""),
        PdfParser.format,
        warnings_of(pages, is_repaired=document.is_repaired),
        findings=findings_of(pages, text.blocks, total=document.page_count),
    )


def _page_facts(document: Any, number: int, grids: Sequence[Grid] | None) -> PageFacts:
    try:
        page = document[number - 1]
        lines = [line for line in read_lines(page) if line.words]
        cleaned(lines)
        layer = text_layer(page, lines)
        width, height, pictures = page.rect.width, page.rect.height, pictures_of(page, layer)
        lines, lost = lift_ruled_tables(page, lines)
        lines, tables = lift_grids(lines, grids or ())
        return PageFacts(
            lines, width, height, layer, pictures, lost, is_looked_at=grids is not None, model_tables=tables
        )
    except (RuntimeError, ValueError) as error:
        logger.info("Page %d cannot be read: %s", number, error)
        return PageFacts([], is_damaged=True)


def _forget_typewriter(pages: Sequence[Sequence[Line]]) -> None:
    """Treat a document that is set in a typewriter face throughout as prose, not as code."""
    lines = [line for page in pages for line in page]
    if sum(len(line.words) for line in lines if line.mono) > 0.6 * sum(len(line.words) for line in lines):
        for line in lines:
            line.mono = False


def _page_paragraphs(regions: Sequence[Sequence[Line]], facts: PageFacts, number: int) -> list[Paragraph]:
    lifted = [lift_aligned_tables(region) for region in regions]
    facts.lost_table = loses_table(lifted, has_unread_rules=facts.has_unread_rules)
    return [paragraph for lines, _ in lifted for paragraph in paragraphs_of(lines, number)]


def _refuse(document: Any, pages: Sequence[PageFacts]) -> None:
    """Raise what fits a document without a word of text, and nothing to be read by OCR."""
    if all(page.is_damaged for page in pages) or document.is_repaired:
        raise DamagedDocument("No page of the file can be read.", "Try to open it in a PDF viewer and save it again.")
    raise EmptyDocument("The file holds no text.", "There is nothing in it to search.")
