"""A session as one PDF: outline, page numbers, every marker a link to its source and back, all fonts inside.

MuPDF lays the pages out from our own HTML, in which no address but http, https and mailto is ever a link; nothing is
loaded while it does so, and the file holds no script, no form and no attachment.
"""

from typing import ClassVar

from workbench.export.base import READING, ExportContext
from workbench.export.pdf_parts import pieces
from workbench.language import mark, tr
from workbench.model.export import Part, Parts
from workbench.model.session import Session


class PdfExporter:
    """Writes a session as a PDF."""

    format: ClassVar[str] = "pdf"
    suffix: ClassVar[str] = ".pdf"
    title: ClassVar[str] = "PDF"
    description: ClassVar[str] = mark("Pages to print and keep, with the cited pages.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}
    usual: ClassVar[Parts] = READING | {Part.PAGES}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file; the same session at the same moment gives the same bytes."""
        # Heavy: 0.2 s and 40 MB, of which the window's process needs nothing.
        from workbench.export.pdf_pages import PdfPages

        pages = PdfPages()
        for piece in pieces(session, context):
            pages.add(piece)
        return pages.finished(session.info.title.strip() or tr("Session"), context.version, context.exported)
