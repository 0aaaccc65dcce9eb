"""What a document is: as parsed (ParsedDocument) and as the library keeps it (Document)."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block of text is; TABLE, CODE and FORMULA are atomic and never split."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    FORMULA = "formula"

    @property
    def is_atomic(self) -> bool:
        """Whether a chunker must keep such a block whole."""
        return self in (BlockKind.TABLE, BlockKind.CODE, BlockKind.FORMULA)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of the document's text that belongs together: text[start:end].

    Attributes:
        kind: What it is.
        start: First character, an offset into ParsedDocument.text.
        end: One past the last character.
        level: 1 for the topmost heading, 2 below it, and so on; 0 for anything but a heading.
        page: 1-based page on which the block starts, or None where the format has no pages.
        title: A heading's words where the text holds markup too ("## Setup" says "Setup"); else empty. The library
            keeps it in the heading paths of the chunks, not with the block.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    page: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class WordBox:
    """Where text[start:end] stands on its page, in points from the top left corner of the page as displayed."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


_RECORD = struct.Struct("<iiffff")


@dataclass(frozen=True, slots=True)
class WordBoxes:
    """Many word boxes as packed bytes: 24 bytes a word (int32 start, end; float32 x0, y0, x1, y1; little-endian).

    A 300-page report has 150,000 words. As objects they take 0.5 s to come through a pipe, during which the
    interpreter lock is held and the window stands still; as bytes they cost nothing.
    """

    data: bytes = b""

    @classmethod
    def pack(cls, boxes: Iterable[WordBox]) -> "WordBoxes":
        """Return the boxes packed, in the order given."""
        return cls(b"".join(_RECORD.pack(b.start, b.end, b.x0, b.y0, b.x1, b.y1) for b in boxes))

    def __len__(self) -> int:
        return len(self.data) // _RECORD.size

    def __iter__(self) -> Iterator[WordBox]:
        return (WordBox(*record) for record in _RECORD.iter_unpack(self.data))


@dataclass(frozen=True, slots=True)
class Page:
    """One page, 1-based: text[start:end], with the boxes of its words in text order.

    width and height are in points (1/72 inch) as displayed.
    """

    number: int
    start: int
    end: int
    width: float
    height: float
    words: WordBoxes = WordBoxes()


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a document says of itself; an empty string or tuple where it says nothing.

    created is ISO 8601 (YYYY-MM-DD, with a time where known). title always holds something:
    the document's own, else its first heading, else the file's stem.
    """

    title: str
    author: str = ""
    created: str = ""
    keywords: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document's text with its structure.

    The invariant that everything rests on: each block, page, word and chunk is a slice of text,
    and blocks cover every non-whitespace character of it, in order, without overlap.

    Attributes:
        text: The whole text. Line ends are line feeds; nothing else is normalised away.
        blocks: In reading order.
        pages: Empty where the format has no pages.
        metadata: What the document says of itself.
        format: Short name of the format: "pdf", "markdown", "text", "html".
        warnings: Sentences for the user, e.g. "Pages 3 and 4 hold no text."
    """

    text: str
    blocks: tuple[Block, ...]
    pages: tuple[Page, ...]
    metadata: Metadata
    format: str
    warnings: tuple[str, ...] = ()


class DocumentStatus(StrEnum):
    """Where a document stands on its way; INDEXED is already found by keyword search."""

    QUEUED = "queued"
    PARSING = "parsing"
    INDEXED = "indexed"
    EMBEDDING = "embedding"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the library keeps it.

    Attributes:
        id: The library's own number, never used again.
        knowledge_base: Name of the knowledge base that holds it.
        path: Where it came from, absolute.
        name: File name, for people.
        sha256: Hex digest of the source bytes: the identity within its knowledge base.
        size: Bytes.
        pages: How many pages; 0 where the format has none.
        chunks: How many chunks.
        embedded: How many of the chunks have their vector.
        reason: Why it failed, one sentence; empty otherwise.
        hint: What to do about it.
        added: ISO 8601, UTC.
        warnings: What the parser had to say.
    """

    id: int
    knowledge_base: str
    path: str
    name: str
    sha256: str
    size: int
    format: str
    status: DocumentStatus
    metadata: Metadata
    pages: int = 0
    chunks: int = 0
    embedded: int = 0
    reason: str = ""
    hint: str = ""
    added: str = ""
    warnings: tuple[str, ...] = field(default=())
