"""The chunker protocol: a ParsedDocument in, Chunks out."""

from typing import Protocol

from workbench.model.chunk import Chunk
from workbench.model.document import ParsedDocument


class Chunker(Protocol):
    """Cuts a document's text into slices."""

    def chunk(self, document: ParsedDocument, name: str = "") -> list[Chunk]:
        """Return the chunks in order: every non-whitespace character is in at least one.

        Args:
            document: As parsed.
            name: Of its file, which stands in front of what is embedded.
        """
        ...
