"""A session as a Word document: real headings, lists and tables, and each citation a footnote with its passage."""

from typing import ClassVar

from workbench.export.base import READING, ExportContext
from workbench.language import mark
from workbench.model.export import Part, Parts
from workbench.model.session import Session


class DocxExporter:
    """Writes a session as a Word document."""

    format: ClassVar[str] = "docx"
    suffix: ClassVar[str] = ".docx"
    title: ClassVar[str] = mark("Word document")
    description: ClassVar[str] = mark("To go on writing, each citation a footnote.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}
    usual: ClassVar[Parts] = READING | {Part.PAGES}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file; the same session at the same moment gives the same bytes."""
        # Heavy: 0.1 s and 15 MB, of which the window's process needs nothing.
        from workbench.export.docx_body import DocxBody

        return DocxBody(context).finished(session)
