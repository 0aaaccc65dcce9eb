"""Pages of a PDF -> a document, by sections: what one decides about is a section, and only its words are held.

A document of up to SECTION pages is one section. Of a longer one the words of all pages would take 200 KB a page.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import ParsedDocument
from workbench.parsing.pdf_aligned_tables import lift_aligned_tables
from workbench.parsing.pdf_columns import reading_order
from workbench.parsing.pdf_contents import mark_contents
from workbench.parsing.pdf_findings import PageFacts, findings_of, settle_layers, warnings_of
from workbench.parsing.pdf_furniture import without_furniture
from workbench.parsing.pdf_headings import mark_headings
from workbench.parsing.pdf_lost_tables import loses_table
from workbench.parsing.pdf_metadata import outline, pdf_metadata
from workbench.parsing.pdf_paragraphs import Paragraph, paragraphs_of
from workbench.parsing.pdf_quality import TextLayer
from workbench.parsing.pdf_text import PdfText, vocabulary
from workbench.parsing.pdf_words import Line

SECTION = 1000
"""Pages about which headings, running heads and the order of columns are decided together: 200 MB of words."""


class PdfAssembly:
    """Grows a document by pages; each call of add is a section."""

    def __init__(self, document: Any, path: Path, *, is_long: bool) -> None:
        """Begin a document.

        Args:
            document: The open file.
            path: Where it is.
            is_long: It has several sections.
        """
        self._document = document
        self._path = path
        self._is_long = is_long
        self._outline = outline(document)
        self._text = PdfText(frozenset())
        self._pages: list[PageFacts] = []
        self._first: list[Paragraph] = []

    def copy(self) -> "PdfAssembly":
        """Return one that grows on its own."""
        other = copy(self)
        other._text = self._text.copy()
        other._pages = list(self._pages)
        return other

    def add(self, pages: Sequence[PageFacts]) -> None:
        """Add a section; the lines of its pages are let go."""
        settle_layers(pages)
        first = len(self._pages) + 1
        last = len(self._pages) + len(pages)
        entries = [one for one in self._outline if first <= one[2] <= last] if self._is_long else self._outline
        self._text.use_vocabulary(vocabulary([page.lines for page in pages]))
        kept = without_furniture([(page.lines, page.height) for page in pages], entries)
        for page, lines in zip(pages, kept, strict=True):
            page.is_furniture = bool(page.lines) and not lines
        _forget_typewriter(kept)
        regions = [reading_order(lines) for lines in kept]
        listed = mark_contents(regions)
        numbered = enumerate(zip(regions, pages, strict=True), first)
        paragraphs = [_page_paragraphs(*page, number) for number, page in numbered]
        everything = [paragraph for page in paragraphs for paragraph in page]
        mark_headings(everything, entries, listed)
        for number, (page_paragraphs, page) in enumerate(zip(paragraphs, pages, strict=True), first):
            self._text.add_page(number, page.width, page.height, page_paragraphs)
        self._first = self._first or everything
        self._pages += [replace(page, lines=[], has_text=bool(page.lines)) for page in pages]

    def finished(self) -> ParsedDocument:
        """Return the document; where pages of the file are missing in it, it says so.

        Raises:
            EmptyDocument: It has no text, and nothing to be read by OCR.
            DamagedDocument: Because it is broken.
        """
        document, text = self._document, self._text
        if not any(page.has_text or page.layer is TextLayer.MISSING for page in self._pages):
            raise _refusal(document, self._pages)
        text.finish()
        return ParsedDocument(
            text.text,
            tuple(text.blocks),
            tuple(text.pages),
            pdf_metadata(document.metadata or {}, self._first, self._path, document.language or ""),
            "pdf",
            warnings_of(self._pages, is_repaired=document.is_repaired),
            findings=findings_of(self._pages, text.blocks, total=document.page_count),
        )


def _page_paragraphs(regions: Sequence[Sequence[Line]], facts: PageFacts, number: int) -> list[Paragraph]:
    lifted = [lift_aligned_tables(region) for region in regions]
    facts.lost_table = loses_table(lifted, has_unread_rules=facts.has_unread_rules)
    return [paragraph for lines, _ in lifted for paragraph in paragraphs_of(lines, number)]


def _forget_typewriter(pages: Sequence[Sequence[Line]]) -> None:
    """Treat a document that is set in a typewriter face throughout as prose, not as code."""
    lines = [line for page in pages for line in page]
    if sum(len(line.words) for line in lines if line.mono) > 0.6 * sum(len(line.words) for line in lines):
        for line in lines:
            line.mono = False


def _refusal(document: Any, pages: Sequence[PageFacts]) -> DamagedDocument | EmptyDocument:
    """Return what fits a document without a word of text, and nothing to be read by OCR."""
    if all(page.is_damaged for page in pages) or document.is_repaired:
        return DamagedDocument("No page of the file can be read.", "Try to open it in a PDF viewer and save it again.")
    return EmptyDocument("The file holds no text.", "There is nothing in it to search.")
