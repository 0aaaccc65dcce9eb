"""PDF through PyMuPDF: opening, and the way from pages to a document."""

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument, DocumentError, EncryptedDocument
from workbench.model.document import ParsedDocument
from workbench.model.import_progress import PagesRead
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_assembly import SECTION, PdfAssembly
from workbench.parsing.pdf_findings import PageFacts
from workbench.parsing.pdf_quality import pictures_of, text_layer
from workbench.parsing.pdf_tables import Grid, lift_grids, lift_ruled_tables
from workbench.parsing.pdf_text import cleaned
from workbench.parsing.pdf_words import read_lines
from workbench.worker.partial_results import say

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
            return self._read(document, path)
        finally:
            document.close()
            # MuPDF keeps up to 256 MB of fonts and pictures for a next time that never comes: the child is kept warm.
            mupdf().TOOLS.store_shrink(100)

    def _read(self, document: Any, path: Path) -> ParsedDocument:
        total = document.page_count
        assembly = PdfAssembly(document, path, is_long=total > SECTION)
        section: list[PageFacts] = []
        seconds, due = self._part_seconds, time.process_time() + self._part_seconds
        say(PagesRead(0, total))
        for number in range(1, total + 1):
            section.append(self._page(document, number))
            say(PagesRead(number, total))
            if len(section) == SECTION or number == total:
                assembly.add(section)
                section = []
            if self._on_part is not None and number < total and time.process_time() >= due:
                self._say_part(assembly, section)
                seconds *= 2
                due = time.process_time() + seconds
        if not total:
            assembly.add(section)
        return assembly.finished()

    def _page(self, document: Any, number: int) -> PageFacts:
        if number in self._skipped:
            return PageFacts([], is_skipped=True)
        return _page_facts(document, number, self._grids.get(number))

    def _say_part(self, assembly: PdfAssembly, section: Sequence[PageFacts]) -> None:
        assert self._on_part is not None
        part = assembly.copy()
        # Adding changes what it is given: it decides by all pages of the section, of which there will be more.
        part.add([replace(page, lines=[copy(line) for line in page.lines]) for page in section])
        with contextlib.suppress(DocumentError):  # nothing to be told yet
            self._on_part(part.finished())


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
