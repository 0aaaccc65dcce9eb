"""Chunker protocol: chunks of a ParsedDocument."""

from typing import Protocol

from workbench.model.chunk import Chunk
from workbench.model.document import ParsedDocument


class Chunker(Protocol):
    """Cuts a document's text into chunks."""

    def chunk(self, document: ParsedDocument, name: str = "") -> list[Chunk]:
        """Return the chunks in order: every non-whitespace character is in at least one.

        Args:
            document: Parsed document.
            name: Name of its file, which precedes the text in the embedding.
        """
        ...
