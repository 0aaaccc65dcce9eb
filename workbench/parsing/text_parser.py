"""Plain text: whatever its encoding, paragraphs at blank lines, no headings guessed."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import Metadata, ParsedDocument
from workbench.parsing.assembly import paragraphs, stem
from workbench.parsing.source_text import SourceText, read_source, require_text


class TextParser:
    """Reads plain text, and markup that is readable as it is."""

    format: ClassVar[str] = "text"
    suffixes: ClassVar[frozenset[str]] = frozenset(
        {".txt", ".text", ".log", ".org", ".textile", ".wiki", ".tex", ".bib", ".me", ".nfo"}
    )
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        return plain_document(read_source(path), path, self.format)


def plain_document(source: SourceText, path: Path, format: str) -> ParsedDocument:
    """Return a file's text as it is, as a document of this format.

    Raises:
        EmptyDocument: There is no visible character in it.
    """
    blocks = tuple(paragraphs(source.text, 0, len(source.text)))
    require_text(blocks)
    return ParsedDocument(source.text, blocks, (), Metadata(title=stem(path)), format, findings=source.findings)
