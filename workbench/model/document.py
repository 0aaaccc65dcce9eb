"""A document as parsed and as the library keeps it, the findings of its parser, and names of places in it."""

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.language import mark
from workbench.model.metadata import CustomFields
from workbench.model.source_lines import NO_LINES, LineSpan, LineTable
from workbench.model.visible import visible_name


class PageKind(StrEnum):
    """What a format calls the parts that a citation names."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    CHAPTER = "chapter"
    MESSAGE = "message"
    CELL = "cell"
    RECORD = "record"
    PART = "part"

    @property
    def plural(self) -> str:
        """The word for several."""
        return f"{self.value}s"


EDITED = mark("text edited by you")


def place(
    kind: PageKind,
    number: int | None,
    label: str = "",
    *,
    ocr: bool = False,
    edited: bool = False,
    lines: LineSpan | None = None,
) -> str:
    """Return a place in words: "page 4", "sheet 2 “Sales”", "page 7 (read by OCR)", "lines 120,301 to 120,310".

    Empty where the format has no pages, and the lines are not known.

    Args:
        kind: What the format calls its parts.
        number: 1-based; None where there is none.
        label: The part's own name, if it has one.
        ocr: Its text was read from a picture, so that single letters can be wrong.
        edited: Its text is no longer what stands there, which is said even where there is no number.
        lines: Where it stands in the whole file, of which the document is a part.
    """
    words = ""
    if number is not None:
        words = f"{kind.value} {number} “{visible_name(label)}”" if label else f"{kind.value} {number}"
        words = mark(f"{words} (read by OCR)") if ocr else words
    if lines is not None:
        words = lines.behind(words)
    if edited:
        return mark(f"{words}, text edited by you") if words else EDITED
    return words


def places(kind: PageKind, numbers: list[int]) -> str:
    """Return several places in words: "page 3", "pages 3, 7", or nothing."""
    if not numbers:
        return ""
    return f"{kind.value if len(numbers) == 1 else kind.plural} {', '.join(map(str, numbers))}"


_SAID = (
    mark("page {0:d}"),
    mark("pages {0:d}"),
    mark("page {0:d} “{1}”"),
    mark("{0:d} page"),
    mark("{0:d} pages"),
    mark("slide {0:d}"),
    mark("slides {0:d}"),
    mark("slide {0:d} “{1}”"),
    mark("{0:d} slide"),
    mark("{0:d} slides"),
    mark("sheet {0:d}"),
    mark("sheets {0:d}"),
    mark("sheet {0:d} “{1}”"),
    mark("{0:d} sheet"),
    mark("{0:d} sheets"),
    mark("chapter {0:d}"),
    mark("chapters {0:d}"),
    mark("chapter {0:d} “{1}”"),
    mark("{0:d} chapter"),
    mark("{0:d} chapters"),
    mark("message {0:d}"),
    mark("messages {0:d}"),
    mark("message {0:d} “{1}”"),
    mark("{0:d} message"),
    mark("{0:d} messages"),
    mark("cell {0:d}"),
    mark("cells {0:d}"),
    mark("cell {0:d} “{1}”"),
    mark("{0:d} cell"),
    mark("{0:d} cells"),
    mark("record {0:d}"),
    mark("records {0:d}"),
    mark("record {0:d} “{1}”"),
    mark("{0:d} record"),
    mark("{0:d} records"),
    mark("part {0:d}"),
    mark("parts {0:d}"),
    mark("part {0:d} “{1}”"),
    mark("{0:d} part"),
    mark("{0:d} parts"),
)
"""What place, places and whoever counts such parts say, for those who show it in another language."""


class FindingKind(StrEnum):
    """What a finding is about."""

    NO_TEXT = "no text"
    """Pages without usable text that were not read by OCR either."""
    GARBLED = "garbled"
    """Pages whose text layer is not the text that people see."""
    OCR = "ocr"
    """Pages that were read by OCR."""
    TABLES = "tables"
    """Tables that were found; count says how many."""
    LOST_TABLES = "lost tables"
    """Pages with a table that was read as lines of text, and that the layout model has not looked at."""
    LAYOUT = "layout"
    """Pages on which the layout model looked for tables; count says how many it found."""
    IMAGES = "images"
    """Pictures whose content was not read; count says how many."""
    ENCODING = "encoding"
    """The text's encoding had to be guessed; detail names it."""
    REPLACED = "replaced"
    """Characters that could not be decoded; count says how many."""
    LEFT_OUT = "left out"
    """Something that was not read; detail says what."""
    TRUNCATED = "truncated"
    """A limit was reached and the rest was not read; detail says which."""
    SKIPPED = "skipped"
    """Pages that took too long or ended their reader, and were left out."""
    UNREAD = "unread"
    """The reading was stopped, or goes on: the document holds the first pages of a file; count says of how many."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about how a file was read.

    Attributes:
        kind: What it is about.
        pages: The 1-based pages (slides, sheets...) concerned; empty where the format has none, or all are.
        count: How many, where that can be counted.
        detail: A few words more, fit to be shown.
    """

    kind: FindingKind
    pages: tuple[int, ...] = ()
    count: int = 0
    detail: str = ""


def not_read(findings: Iterable[Finding]) -> str:
    """Return what of a file was not read because a limit was reached, one sentence; empty where all was."""
    details = [finding.detail for finding in findings if finding.kind is FindingKind.TRUNCATED]
    return mark(f"Not all of it was read: {', '.join(filter(None, details))}.") if any(details) else ""


def pages_with(findings: Iterable[Finding], *kinds: FindingKind) -> set[int]:
    """Return the pages of all findings of these kinds."""
    return {page for finding in findings if finding.kind in kinds for page in finding.pages}


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
        title: A heading's words where the text holds markup too ("## Setup" says "Setup"), or the names that a piece
            of source code defines; else empty. The library keeps it in the heading paths of the chunks, not with the
            block.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    page: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Headings:
    """The headings of a document in order, each with the one above it, so that a path is found without reading on.

    Attributes:
        starts: First character of each, ascending.
        ends: One past the last.
        levels: 1 for the topmost.
        parents: The place of the heading of a higher level under which each stands; -1 where there is none.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()
    parents: tuple[int, ...] = ()

    @classmethod
    def of(cls, places: Iterable[tuple[int, int, int]]) -> "Headings":
        """Return the headings of (start, end, level), in order."""
        places = tuple(places)
        parents: list[int] = []
        for number, (_, _, level) in enumerate(places):
            above = number - 1
            while above >= 0 and places[above][2] >= level:
                above = parents[above]
            parents.append(above)
        starts, ends, levels = zip(*places, strict=True) if places else ((), (), ())
        return cls(starts, ends, levels, tuple(parents))

    def path(self, place: int) -> list[int]:
        """Return the places of a heading and of those above it, topmost first; nothing for -1."""
        found: list[int] = []
        while place >= 0:
            found.append(place)
            place = self.parents[place]
        return found[::-1]


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
    """One page, slide, sheet, chapter or message, 1-based: text[start:end], with the boxes of its words in text order.

    Attributes:
        number: 1-based.
        start: First character in the document's text.
        end: One past the last.
        width: In points (1/72 inch) as displayed; 0 where there is no picture of it.
        height: As width.
        words: Where the words stand; empty where there is no picture.
        label: Its own name (of a sheet, a chapter, an attachment), or nothing.
        ocr: The text was read from the picture by OCR.
    """

    number: int
    start: int
    end: int
    width: float = 0.0
    height: float = 0.0
    words: WordBoxes = WordBoxes()
    label: str = ""
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a document says of itself; an empty string or tuple where it says nothing.

    created and modified are ISO 8601 (YYYY-MM-DD, with a time where known). title always holds something:
    the document's own, else its first heading, else the file's stem.
    """

    title: str
    author: str = ""
    created: str = ""
    keywords: tuple[str, ...] = ()
    language: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document's text with its structure.

    The invariant that everything rests on: each block, page, word and chunk is a slice of text,
    and blocks cover every non-whitespace character of it, in order, without overlap.

    Attributes:
        text: The whole text. Line ends are line feeds; nothing else is normalised away.
        blocks: In reading order.
        pages: Pages, slides, sheets...: in order, numbered on from 1; empty where the format has none.
        metadata: What the document says of itself.
        format: Short name of the format: "pdf", "markdown", "text", "html", "docx"...
        warnings: Sentences for the user, e.g. "Pages 3 and 4 hold no text."
        page_kind: What the format calls its pages.
        findings: What the parser found and lost.
        parser_version: Of the parser that read it; parse_file fills it in.
        custom: What it says of itself besides, under keys of its author's choice.
        lines: Of a part of a long file, on which lines of the whole file its text stands; else empty.
    """

    text: str
    blocks: tuple[Block, ...]
    pages: tuple[Page, ...]
    metadata: Metadata
    format: str
    warnings: tuple[str, ...] = ()
    page_kind: PageKind = PageKind.PAGE
    findings: tuple[Finding, ...] = ()
    parser_version: int = 0
    custom: CustomFields = ()
    lines: LineTable = NO_LINES


class Origin(StrEnum):
    """Where a document came from."""

    FILE = "file"
    URL = "url"
    QUERY = "query"
    NOTE = "note"
    ARCHIVE = "archive"


class DocumentStatus(StrEnum):
    """Where a document stands on its way; INDEXED is already found by keyword search, LOCKED waits for a password."""

    QUEUED = "queued"
    PARSING = "parsing"
    INDEXED = "indexed"
    EMBEDDING = "embedding"
    READY = "ready"
    LOCKED = "locked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the library keeps it.

    Attributes:
        id: The library's own number, never used again.
        knowledge_base: Name of the knowledge base that holds it.
        path: Where it came from, absolute; for an origin other than a file its address or a name of its own.
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
        page_kind: What its format calls its pages.
        origin: Where it came from.
        folder: Where it stands in the tree of the folder that was added, "Contracts/2024"; empty at the top.
        tags: The user's own, in the user's order.
        edited: Names of the metadata fields that the user wrote; reading the file again leaves them alone.
        parser_version: Of the parser that read it; 0 when not known.
        findings: What the parser found and lost.
        chunk_edits: How many changes of its chunks the user made and did not undo.
        passage_tags: The tags that the user gave to its chunks, each once.
        stored_custom: Metadata of the user's own as they are kept; see custom.
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
    page_kind: PageKind = PageKind.PAGE
    origin: Origin = Origin.FILE
    folder: str = ""
    tags: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    parser_version: int = 0
    findings: tuple[Finding, ...] = ()
    chunk_edits: int = 0
    passage_tags: tuple[str, ...] = ()
    stored_custom: CustomFields = ()

    @property
    def custom(self) -> CustomFields:
        """Metadata of the user's own, keys in the order of the alphabet; each field has a value."""
        return tuple(field for field in self.stored_custom if field.values)

    @property
    def custom_values(self) -> dict[str, Any]:
        """The same as plain values by key."""
        return {field.key: field.plain for field in self.custom}

    @property
    def custom_json(self) -> str:
        """The same as a JSON object; nothing for none."""
        return json.dumps(self.custom_values, ensure_ascii=False) if self.stored_custom else ""

    @property
    def pages_of_file(self) -> int:
        """How many pages the file has, where only the first ones were read: the reading goes on, or was stopped.

        0 where all of it was read.
        """
        return next((finding.count for finding in self.findings if finding.kind is FindingKind.UNREAD), 0)

    def ocr_pages(self, first: int | None, last: int | None) -> tuple[int, ...]:
        """Return those of the pages from first to last (included) whose text was read by OCR."""
        if first is None or last is None:
            return ()
        read = pages_with(self.findings, FindingKind.OCR)
        return tuple(page for page in range(first, last + 1) if page in read)
