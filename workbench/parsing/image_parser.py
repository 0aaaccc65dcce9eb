"""Pictures: documents whose pages all wait for OCR."""

from pathlib import Path
from typing import ClassVar

from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Page, ParsedDocument
from workbench.parsing.image_file import page_sizes, picture_metadata


class ImageParser:
    """Reads the frame of a picture file, its pages and metadata; its text comes with the reading of its pages."""

    format: ClassVar[str] = "image"
    suffixes: ClassVar[frozenset[str]] = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002
        """Return the document at path, without text."""
        sizes, frames = page_sizes(path)
        pages = tuple(Page(number, 0, 0, width, height) for number, (width, height) in enumerate(sizes, 1))
        missing = Finding(FindingKind.NO_TEXT, tuple(page.number for page in pages), len(pages))
        findings = [missing]
        if frames > len(pages):
            detail = mark(f"the first {len(pages):,} pages of {frames:,} were taken; divide the file and add the parts")
            findings.append(Finding(FindingKind.TRUNCATED, count=frames - len(pages), detail=detail))
        return ParsedDocument("", (), pages, picture_metadata(path), self.format, findings=tuple(findings))
