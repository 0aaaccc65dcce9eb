"""Parsers of PDF and XPS files with PyMuPDF: opening, page facts, and assembly into a document by sections.

A document of up to SECTION pages is one section. For a longer one the words of all pages would need 200 KB a page.
"""

import contextlib
import dataclasses
import logging
import time
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument, EncryptedDocument
from workbench.files.changes import temporary_folder
from workbench.model.document import FindingKind, ParsedDocument
from workbench.model.import_progress import PagesRead
from workbench.parsing.assembly import stem
from workbench.parsing.formats import suffixes_of
from workbench.parsing.mupdf import mupdf
from workbench.parsing.ooxml import OfficePackage
from workbench.parsing.pdf_aligned_tables import extract_aligned_tables, has_lost_table
from workbench.parsing.pdf_headers_footers import without_furniture
from workbench.parsing.pdf_metadata import outline, pdf_metadata
from workbench.parsing.pdf_quality import (
    PageFacts,
    TextLayer,
    findings_of,
    pictures_of,
    settle_text_layers,
    text_layer,
    warnings_of,
)
from workbench.parsing.pdf_structure import (
    Paragraph,
    mark_continued_tables,
    mark_headings,
    mark_table_of_contents,
    paragraphs_of,
)
from workbench.parsing.pdf_tables import Grid, extract_model_tables, extract_ruled_tables
from workbench.parsing.pdf_text import PdfText, cleaned, vocabulary
from workbench.parsing.pdf_words import TextLine, read_lines, reading_order
from workbench.parsing.sniffing import sniff
from workbench.worker.child_messages import pack_value, send_partial_result, unpack_value

SECTION = 1000
"""Pages whose headings, running heads and column order are determined together; their words need 200 MB."""


class PdfAssembly:
    """Builder of a document from its pages; each call of add() adds a section."""

    def __init__(self, document: Any, path: Path, *, is_long: bool) -> None:
        """Initialize the assembly of a document.

        Args:
            document: The open file.
            path: Its path.
            is_long: True if it has several sections.
        """
        self._document = document
        self._path = path
        self._is_long = is_long
        self._outline = outline(document)
        self._text = PdfText(frozenset())
        self._pages: list[PageFacts] = []
        self._first: list[Paragraph] = []

    def copy(self) -> "PdfAssembly":
        """Return a copy that grows independently."""
        other = copy(self)
        other._text = self._text.copy()
        other._pages = list(self._pages)
        return other

    def add(self, pages: Sequence[PageFacts]) -> None:
        """Add a section; the lines of its pages are not kept."""
        settle_text_layers(pages)
        first = len(self._pages) + 1
        last = len(self._pages) + len(pages)
        entries = [one for one in self._outline if first <= one[2] <= last] if self._is_long else self._outline
        self._text.use_vocabulary(vocabulary([page.lines for page in pages]))
        kept = without_furniture([(page.lines, page.height) for page in pages], entries)
        for page, lines in zip(pages, kept, strict=True):
            page.is_furniture = bool(page.lines) and not lines
        _forget_typewriter(kept)
        regions = [reading_order(lines) for lines in kept]
        listed = mark_table_of_contents(regions)
        numbered = enumerate(zip(regions, pages, strict=True), first)
        paragraphs = [_page_paragraphs(*page, number) for number, page in numbered]
        everything = [paragraph for page in paragraphs for paragraph in page]
        mark_headings(everything, entries, listed)
        mark_continued_tables(paragraphs)
        for number, (page_paragraphs, page) in enumerate(zip(paragraphs, pages, strict=True), first):
            self._text.add_page(number, page.width, page.height, page_paragraphs)
        self._first = self._first or everything
        self._pages += [replace(page, lines=[], has_text=bool(page.lines)) for page in pages]

    def finished(self) -> ParsedDocument:
        """Return the document; its findings and warnings name pages of the file that are missing.

        Raises:
            EmptyDocument: It has no text, and nothing to be read by OCR.
            DamagedDocument: It has no text because it is broken.
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


def _page_paragraphs(regions: Sequence[Sequence[TextLine]], facts: PageFacts, number: int) -> list[Paragraph]:
    lifted = [extract_aligned_tables(region) for region in regions]
    facts.lost_table = has_lost_table(lifted, has_unread_rules=facts.has_unread_rules)
    return [paragraph for lines, _ in lifted for paragraph in paragraphs_of(lines, number)]


def _forget_typewriter(pages: Sequence[Sequence[TextLine]]) -> None:
    """Treat a document with mostly monospaced text as prose, not as code."""
    lines = [line for page in pages for line in page]
    if sum(len(line.words) for line in lines if line.mono) > 0.6 * sum(len(line.words) for line in lines):
        for line in lines:
            line.mono = False


def _refusal(document: Any, pages: Sequence[PageFacts]) -> DamagedDocument | EmptyDocument:
    """Return the error for a document without text and without pages for OCR."""
    if all(page.is_damaged for page in pages) or document.is_repaired:
        return DamagedDocument("No page of the file can be read.", "Try to open it in a PDF viewer and save it again.")
    return EmptyDocument("The file holds no text.", "There is nothing in it to search.")


logger = logging.getLogger(__name__)


NO_PAGES: frozenset[int] = frozenset()


class PdfParser:
    """Parser of PDF files."""

    format: ClassVar[str] = "pdf"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("pdf")
    version: ClassVar[int] = 11

    def __init__(
        self,
        grids: Mapping[int, Sequence[Grid]] | None = None,
        *,
        skipped: Collection[int] = NO_PAGES,
        page_facts: bytes = b"",
        on_part: Callable[[ParsedDocument, bytes], None] | None = None,
        part_seconds: float = 0.0,
    ) -> None:
        """Initialize the parser.

        Args:
            grids: Tables found by the layout model, by page number; empty if it found none on a page.
            skipped: Numbers of pages that are left out because the parser process crashed on them before.
            page_facts: Attribute page_facts of the parser that read the same file before, or what on_part received of
                it; these pages are not read again, except those that were left out.
            on_part: Receives the pages read so far as a document and as page_facts, at intervals while a long document
                is read.
            part_seconds: Processor time until the first part; each later part takes twice as long as the one before,
                so that all parts together take less time than the pages themselves.
        """
        self._grids = grids or {}
        self._skipped = skipped
        self._earlier_sections = _unpack_sections(page_facts)
        self._earlier: list[PageFacts] = []
        self._on_part = on_part
        self._part_seconds = part_seconds
        self.page_facts = b""
        """After parse(): the pages as they were read, packed, if the document lost tables and has one section.

        14 KB a page. With them, a document of 143 pages is parsed again in half the processor time.
        """

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        document = open_pdf(path, password)
        try:
            return self._read(document, path)
        finally:
            document.close()
            # MuPDF would keep up to 256 MB of fonts and pictures that this process, which is reused, does not need
            # again.
            mupdf().TOOLS.store_shrink(100)

    def _read(self, document: Any, path: Path) -> ParsedDocument:
        total = document.page_count
        assembly = PdfAssembly(document, path, is_long=total > SECTION)
        section: list[PageFacts] = []
        packed: list[bytes] = []
        only = b""
        seconds, due = self._part_seconds, time.process_time() + self._part_seconds
        send_partial_result(PagesRead(0, total))
        for number in range(1, total + 1):
            earlier = self._earlier_page(number)
            section.append(self._page(document, number, earlier))
            send_partial_result(PagesRead(number, total))
            if len(section) == SECTION or number == total:
                # Now, because add() changes the pages.
                if number == total <= SECTION and not self._grids:
                    only = _pack_pages(section)
                elif number < total and self._on_part is not None:
                    packed.append(_compress(_pack_pages(section)))
                assembly.add(section)
                section = []
            # A part of pages that were read before would replace the longer one that is stored.
            is_due = earlier is None and number < total and time.process_time() >= due
            if self._on_part is not None and is_due:
                self._send_part(assembly, section, packed)
                seconds *= 2
                due = time.process_time() + seconds
        if not total:
            assembly.add(section)
        parsed = assembly.finished()
        if any(finding.kind is FindingKind.LOST_TABLES for finding in parsed.findings):
            self.page_facts = pack_value([_compress(only)]) if only else b""
        return parsed

    def _earlier_page(self, number: int) -> PageFacts | None:
        """Return a page as it was read before; None if it was not. Called with each page in order."""
        section, place = divmod(number - 1, SECTION)
        if not place:
            self._earlier = _unpack_pages(self._earlier_sections, section)
        return self._earlier[place] if place < len(self._earlier) else None

    def _page(self, document: Any, number: int, earlier: PageFacts | None) -> PageFacts:
        if number in self._skipped:
            return PageFacts([], is_skipped=True)
        facts = _page_facts(document, number) if earlier is None or earlier.is_skipped else earlier
        grids = self._grids.get(number)
        return facts if grids is None else _with_model_tables(facts, grids)

    def _send_part(self, assembly: PdfAssembly, section: Sequence[PageFacts], packed: Sequence[bytes]) -> None:
        assert self._on_part is not None
        part = assembly.copy()
        # add() changes its arguments: it makes decisions from all pages of the section, which is still incomplete.
        part.add([replace(page, lines=[copy(line) for line in page.lines]) for page in section])
        with contextlib.suppress(DocumentError):  # nothing to report yet
            self._on_part(part.finished(), pack_value([*packed, _compress(_pack_pages(section))]))


def open_pdf(path: Path, password: str | None, data: bytes | None = None) -> Any:
    """Open a PDF; an empty password is tried first.

    Args:
        path: The file.
        password: Password of an encrypted file.
        data: Content of the file, if the file should not be held open.

    Raises:
        EncryptedDocument: A password is needed, or the one given is wrong.
        DamagedDocument: The file is not a PDF, or too broken to be repaired.
    """
    try:
        document = mupdf().open(path if data is None else None, stream=data, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise _no_pdf() from error
    if not document.is_pdf:  # MuPDF also inspects the content, and takes files for HTML that others do not
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


_line_fields = attrgetter(*(field.name for field in dataclasses.fields(TextLine)))


def _pack_pages(pages: Sequence[PageFacts]) -> bytes:
    """Return the pages of a section as bytes; lines as tuples, which are packed in a third of the time of objects."""
    return pack_value([(replace(page, lines=[]), [_line_fields(line) for line in page.lines]) for page in pages])


def _compress(packed: bytes) -> bytes:
    """Return a packed section as in page_facts: 14 KB a page instead of 60."""
    return zlib.compress(packed, 1)


def _unpack_sections(page_facts: bytes) -> list[bytes]:
    """Return the packed sections in page_facts of a parser; empty if they are damaged."""
    try:
        return [bytes(section) for section in unpack_value(page_facts)] if page_facts else []
    except Exception as error:  # noqa: BLE001 - unpickling damaged bytes can raise any exception
        logger.info("The pages read before cannot be used: %s", error)
        return []


def _unpack_pages(sections: Sequence[bytes], number: int) -> list[PageFacts]:
    """Return the pages of a section, counted from 0; empty if there is none, or it is damaged."""
    if number >= len(sections):
        return []
    try:
        pages = unpack_value(zlib.decompress(sections[number]))
        return [replace(page, lines=[TextLine(*line) for line in lines]) for page, lines in pages]
    except Exception as error:  # noqa: BLE001 - unpickling damaged bytes can raise any exception
        logger.info("The pages read before cannot be used: %s", error)
        return []


def _page_facts(document: Any, number: int) -> PageFacts:
    try:
        page = document[number - 1]
        lines = [line for line in read_lines(page) if line.words]
        cleaned(lines)
        layer = text_layer(page, lines)
        width, height, pictures = page.rect.width, page.rect.height, pictures_of(page, layer)
        lines, lost = extract_ruled_tables(page, lines)
        return PageFacts(lines, width, height, layer, pictures, lost)
    except (RuntimeError, ValueError) as error:
        logger.info("Page %d cannot be read: %s", number, error)
        return PageFacts([], is_damaged=True)


def _with_model_tables(facts: PageFacts, grids: Sequence[Grid]) -> PageFacts:
    """Return a page with the tables that the layout model found on it."""
    if facts.is_damaged:
        return facts
    lines, tables = extract_model_tables(facts.lines, grids)
    return replace(facts, lines=lines, is_looked_at=True, model_tables=tables)


class XpsParser:
    """Parser of .xps and .oxps files."""

    format: ClassVar[str] = "xps"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("xps")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        with temporary_folder("workbench-") as folder:
            printed = folder / "printed.pdf"
            printed.write_bytes(_as_pdf(path))
            document = PdfParser().parse(printed)
        metadata = OfficePackage.open(path, None).metadata(None, path)
        heading = document.metadata.title
        title = heading if metadata.title == stem(path) and heading != printed.stem else metadata.title
        return dataclasses.replace(document, format=self.format, metadata=dataclasses.replace(metadata, title=title))


def open_pages(path: Path, password: str | None) -> Any:
    """Open the pages of a PDF or an XPS document for rendering.

    Raises:
        EncryptedDocument: A password is needed, or the one given is wrong.
        DamagedDocument: The file is neither, or too broken to be repaired.
    """
    content = sniff(path)
    if content is not None and content.format == XpsParser.format:
        return mupdf().open(stream=_as_pdf(path), filetype="pdf")
    return open_pdf(path, password)


def _as_pdf(path: Path) -> bytes:
    try:
        document = mupdf().open(stream=path.read_bytes(), filetype="xps")
    except (RuntimeError, ValueError) as error:
        raise _damaged() from error
    try:
        return bytes(document.convert_to_pdf())
    except (RuntimeError, ValueError) as error:
        raise _damaged() from error
    finally:
        document.close()


def _damaged() -> DamagedDocument:
    return DamagedDocument("The XPS document is damaged.", "Open it in the XPS viewer and print it to a PDF.")
