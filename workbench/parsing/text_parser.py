"""Plain text: whatever its encoding, paragraphs at blank lines, no headings guessed."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import Metadata, ParsedDocument
from workbench.parsing.assembly import paragraphs, stem
from workbench.parsing.source_text import read_source, require_text


class TextParser:
    """Reads plain text, and markup that is readable as it is."""

    format: ClassVar[str] = "text"
    suffixes: ClassVar[frozenset[str]] = frozenset(
        {".txt", ".text", ".log", ".org", ".textile", ".wiki", ".tex", ".bib", ".me", ".nfo"}
    )
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        blocks = tuple(paragraphs(source.text, 0, len(source.text)))
        require_text(blocks)
        return ParsedDocument(
            source.text, blocks, (), Metadata(title=stem(path)), self.format, findings=source.findings
        )
