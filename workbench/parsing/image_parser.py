"""Pictures: documents whose pages all wait for OCR."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import Page, ParsedDocument
from workbench.model.finding import Finding, FindingKind
from workbench.parsing.image_file import MOST_FRAMES, page_sizes, picture_metadata


class ImageParser:
    """Reads the frame of a picture file, its pages and metadata; its text comes with the reading of its pages."""

    format: ClassVar[str] = "image"
    suffixes: ClassVar[frozenset[str]] = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002
        """Return the document at path, without text."""
        pages = tuple(Page(number, 0, 0, width, height) for number, (width, height) in enumerate(page_sizes(path), 1))
        missing = Finding(FindingKind.NO_TEXT, tuple(page.number for page in pages), len(pages))
        findings = [missing]
        if len(pages) >= MOST_FRAMES:
            findings.append(Finding(FindingKind.TRUNCATED, detail=f"the first {MOST_FRAMES:,} pages were taken"))
        return ParsedDocument("", (), pages, picture_metadata(path), self.format, findings=tuple(findings))
