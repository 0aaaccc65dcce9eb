"""Plain text: whatever its encoding, paragraphs at blank lines, no headings guessed."""

from pathlib import Path
from typing import ClassVar

from workbench.errors import EmptyDocument
from workbench.model.document import Metadata, ParsedDocument
from workbench.parsing.assembly import clean, paragraphs, stem
from workbench.parsing.encoding import decode


class TextParser:
    """Reads plain text."""

    format: ClassVar[str] = "text"
    suffixes: ClassVar[frozenset[str]] = frozenset({".txt", ".text", ".log", ".rst"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        decoded, _ = decode(path.read_bytes())
        text = clean(decoded)
        blocks = tuple(paragraphs(text, 0, len(text)))
        if not blocks:
            raise EmptyDocument("The file holds no text.", "There is nothing in it to search.")
        return ParsedDocument(text, blocks, (), Metadata(title=stem(path)), self.format)
