"""The chunker protocol: a ParsedDocument in, Chunks out."""

from typing import Protocol

from workbench.model.chunk import Chunk
from workbench.model.document import ParsedDocument


class Chunker(Protocol):
    """Cuts a document's text into slices."""

    def chunk(self, document: ParsedDocument) -> list[Chunk]:
        """Return the chunks in order: every non-whitespace character is in at least one."""
        ...
