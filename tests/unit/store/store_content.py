"""Documents created without a parser or a chunker."""

from collections.abc import Callable

from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Document, Metadata, ParsedDocument

Add = Callable[..., Document]


def parsed(text: str, *, title: str = "A title", format: str = "text") -> ParsedDocument:
    return ParsedDocument(text, (Block(BlockKind.PARAGRAPH, 0, len(text)),), (), Metadata(title), format)


def chunked(text: str) -> list[Chunk]:
    """Return one chunk for each line."""
    chunks: list[Chunk] = []
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        kind = BlockKind.PARAGRAPH
        chunks.append(Chunk(len(chunks), start, end, line, None, None, ("Heading",), kind, len(line.split())))
        start = end
    return chunks
