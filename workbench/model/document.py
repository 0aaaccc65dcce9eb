"""A document as parsed and as stored by the library, the findings of its parser, and names of places in it."""

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
    """Name of a format's parts, as used by citations."""

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
        """The plural of the word."""
        return f"{self.value}s"


DRAWN_FORMATS = ("pdf", "xps", "image")
"""Formats whose pages can be drawn, and therefore read by OCR."""

EDITED = mark("text edited by you")

ORIGINALS = "originals"
"""Folder, in a library's folder, of the copies of its documents' files."""


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

    Empty if the format has no pages, the lines are unknown, and the text is not edited.

    Args:
        kind: Kind of the format's pages.
        number: 1-based; None if there is none.
        label: Label of the page, if it has one.
        ocr: True if the text was read by OCR, so that single letters can be wrong.
        edited: True if the user edited the text; this is stated even without a number.
        lines: Lines of the whole file, if the document is a part of it.
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
    """Return several places in words: "page 3", "pages 3, 7"; empty if there are none."""
    if not numbers:
        return ""
    return f"{kind.value if len(numbers) == 1 else kind.plural} {', '.join(map(str, numbers))}"


_PLACE_FORMS = (
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
"""Forms returned by place(), places() and functions that count parts, for translation."""


class FindingKind(StrEnum):
    """Kind of a finding."""

    NO_TEXT = "no text"
    """Pages without usable text that were not read by OCR either."""
    GARBLED = "garbled"
    """Pages whose text layer differs from the visible text."""
    OCR = "ocr"
    """Pages that were read by OCR."""
    TABLES = "tables"
    """Tables that were found; count is their number."""
    LOST_TABLES = "lost tables"
    """Pages with a table that was read as lines of text, and that the layout model has not processed."""
    LAYOUT = "layout"
    """Pages on which the layout model searched for tables; count is the number found."""
    IMAGES = "images"
    """Pictures whose content was not read; count is their number."""
    ENCODING = "encoding"
    """The text's encoding had to be guessed; detail names it."""
    REPLACED = "replaced"
    """Characters that could not be decoded; count is their number."""
    LEFT_OUT = "left out"
    """Content that was not read; detail describes it."""
    TRUNCATED = "truncated"
    """A limit was reached and the rest was not read; detail names the limit."""
    SKIPPED = "skipped"
    """Pages that took too long or crashed their parser process, and were left out."""
    UNREAD = "unread"
    """Parsing was stopped or is in progress: the document has the first pages of the file; count is their total."""


class FailureKind(StrEnum):
    """Kind of the reason why a document, or some of its pages, could not be read."""

    NONE = ""
    TIME = "time"
    """A time limit ended the reading."""
    MEMORY = "memory"
    """The memory limit ended the reading."""
    CRASH = "crash"
    """The reader crashed, or was ended by another program."""
    PASSWORD = "password"
    """It is locked by a password."""
    CANCELLED = "cancelled"
    """The user cancelled its import."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class PageFailure:
    """Reason why pages could not be read, as a sentence, and its kind; both empty if they were."""

    reason: str = ""
    kind: FailureKind = FailureKind.NONE


NO_FAILURE = PageFailure()


@dataclass(frozen=True, slots=True)
class Finding:
    """Fact about how a file was read.

    Attributes:
        kind: Kind of the finding.
        pages: The 1-based pages (slides, sheets...) concerned; empty if the format has none, or all are.
        count: Number of items, if countable.
        detail: Short description for users.
        failure: Kind of the failure that the detail describes.
    """

    kind: FindingKind
    pages: tuple[int, ...] = ()
    count: int = 0
    detail: str = ""
    failure: FailureKind = FailureKind.NONE


def not_read(findings: Iterable[Finding]) -> str:
    """Return a sentence about the content that was not read because of a limit; empty if there is none."""
    details = [finding.detail for finding in findings if finding.kind is FindingKind.TRUNCATED]
    return mark(f"Not all of it was read: {', '.join(filter(None, details))}.") if any(details) else ""


def pages_with(findings: Iterable[Finding], *kinds: FindingKind) -> set[int]:
    """Return the pages of all findings of these kinds."""
    return {page for finding in findings if finding.kind in kinds for page in finding.pages}


def count_unread_pages(findings: Iterable[Finding], pages: int) -> int:
    """Return the number of pages of a document that a search cannot see: without usable text, skipped or not read yet.

    Args:
        findings: Findings of the document.
        pages: Number of its pages, up to the last one that was read.
    """
    known = tuple(findings)
    unusable = pages_with(known, FindingKind.NO_TEXT, FindingKind.GARBLED, FindingKind.SKIPPED)
    of_file = max((one.count for one in known if one.kind is FindingKind.UNREAD), default=pages)
    return len(unusable - pages_with(known, FindingKind.OCR)) + max(0, of_file - pages)


class BlockKind(StrEnum):
    """Kind of a text block; TABLE, CODE and FORMULA are atomic and never split."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    FORMULA = "formula"

    @property
    def is_atomic(self) -> bool:
        """True if a chunker must not split such a block."""
        return self in (BlockKind.TABLE, BlockKind.CODE, BlockKind.FORMULA)


@dataclass(frozen=True, slots=True)
class Block:
    """Contiguous block of the document's text: text[start:end].

    Attributes:
        kind: Kind of the block.
        start: First character, an offset into ParsedDocument.text.
        end: One past the last character.
        level: 1 for the topmost heading, 2 below it, and so on; 0 for anything but a heading.
        page: 1-based page on which the block starts, or None if the format has no pages.
        title: A heading without its markup ("Setup" for "## Setup"), or the names defined by a piece of source code;
            else empty. It is stored in the heading paths of the chunks, not with the block.
        continues: True for a table that goes on with the last one of the page before, in the same columns and without
            naming them; not stored either.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    page: int | None = None
    title: str = ""
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Headings:
    """Headings of a document in order, each with its parent, so that a heading path is found without a scan.

    Attributes:
        starts: First character of each, ascending.
        ends: One past the last.
        levels: 1 for the topmost.
        parents: Index of the parent heading, which has a higher level; -1 if there is none.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()
    parents: tuple[int, ...] = ()

    @classmethod
    def of(cls, places: Iterable[tuple[int, int, int]]) -> "Headings":
        """Return the headings from (start, end, level) tuples, in order."""
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
        """Return the indexes of a heading and its ancestors, topmost first; empty for -1."""
        found: list[int] = []
        while place >= 0:
            found.append(place)
            place = self.parents[place]
        return found[::-1]


@dataclass(frozen=True, slots=True)
class WordBox:
    """Position of text[start:end] on its page, in points from the top left corner of the page as displayed."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


_RECORD = struct.Struct("<iiffff")


@dataclass(frozen=True, slots=True)
class WordBoxes:
    """Packed word boxes: 24 bytes per word (int32 start, end; float32 x0, y0, x1, y1; little-endian).

    A 300-page report has 150,000 words. Transferring them as objects through a pipe takes 0.5 s, during which the
    interpreter lock is held and the window is blocked; as bytes it takes no noticeable time.
    """

    data: bytes = b""

    @classmethod
    def pack(cls, boxes: Iterable[WordBox]) -> "WordBoxes":
        """Return the boxes packed, in the given order."""
        return cls(b"".join(_RECORD.pack(b.start, b.end, b.x0, b.y0, b.x1, b.y1) for b in boxes))

    def __len__(self) -> int:
        return len(self.data) // _RECORD.size

    def __iter__(self) -> Iterator[WordBox]:
        return (WordBox(*record) for record in _RECORD.iter_unpack(self.data))


@dataclass(frozen=True, slots=True)
class Page:
    """Page, slide, sheet, chapter or message, 1-based: text[start:end], with the boxes of its words in text order.

    Attributes:
        number: 1-based.
        start: First character in the document's text.
        end: One past the last.
        width: In points (1/72 inch) as displayed; 0 if it has no image.
        height: As width.
        words: Positions of the words; empty if it has no image.
        label: Its label (of a sheet, a chapter, an attachment, a time), or empty.
        ocr: The text was read from the image by OCR.
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
    """Metadata of a document; an empty string or tuple means a missing value.

    created and modified are ISO 8601 (YYYY-MM-DD, with a time if known). title is never empty: the document's own, else
    its first heading, else the file's stem.
    """

    title: str
    author: str = ""
    created: str = ""
    keywords: tuple[str, ...] = ()
    language: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """Text of a document with its structure.

    Invariant: each block, page, word and chunk is a slice of text, and blocks cover every non-whitespace character of
    the text, in order, without overlap.

    Attributes:
        text: The whole text. Line ends are line feeds; nothing else is normalised.
        blocks: In reading order.
        pages: Pages, slides, sheets...: in order, numbered from 1; empty if the format has none.
        metadata: The document's own metadata.
        format: Short name of the format: "pdf", "markdown", "text", "html", "docx"...
        warnings: Sentences for the user, e.g. "Pages 3 and 4 hold no text."
        page_kind: Kind of the format's pages.
        findings: Findings of the parser.
        parser_version: Version of the parser; set by parse_file.
        custom: Custom metadata from the file, under keys chosen by its author.
        lines: For a part of a long file, the lines of the whole file that contain its text; else empty.
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
    """Source of a document."""

    FILE = "file"
    URL = "url"
    QUERY = "query"
    NOTE = "note"
    ARCHIVE = "archive"


class DocumentStatus(StrEnum):
    """Processing status of a document; INDEXED is found by keyword search, LOCKED waits for a password."""

    QUEUED = "queued"
    PARSING = "parsing"
    INDEXED = "indexed"
    EMBEDDING = "embedding"
    READY = "ready"
    LOCKED = "locked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Document:
    """Document as stored by the library.

    Attributes:
        id: The library's own number, never reused.
        knowledge_base: Name of its knowledge base.
        path: Absolute path of its source; for an origin other than a file its address or a generated name.
        name: File name, for users.
        sha256: Hex digest of the source bytes: unique within its knowledge base.
        size: Bytes.
        pages: Number of pages; 0 if the format has none.
        chunks: Number of chunks.
        embedded: Number of chunks that have a vector.
        reason: Reason of a failure, one sentence; empty otherwise.
        hint: Suggestion for the user.
        failure: Kind of the failure.
        added: ISO 8601, UTC.
        warnings: Warnings of the parser.
        page_kind: Kind of its format's pages.
        origin: Source of the document.
        folder: Its location in the tree of the added folder, "Contracts/2024"; empty at the top.
        tags: The user's own tags, in the user's order.
        edited: Names of the metadata fields that the user wrote; parsing the file again does not change them.
        parser_version: Version of its parser; 0 if unknown.
        findings: Findings of the parser.
        chunk_edits: Number of the user's chunk edits that are not undone.
        passage_tags: Distinct tags that the user gave to its chunks.
        stored_custom: Custom metadata as stored; see custom.
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
    failure: FailureKind = FailureKind.NONE

    @property
    def custom(self) -> CustomFields:
        """Custom metadata, keys in alphabetical order; each field has a value."""
        return tuple(field for field in self.stored_custom if field.values)

    @property
    def custom_values(self) -> dict[str, Any]:
        """Custom metadata as plain values by key."""
        return {field.key: field.plain for field in self.custom}

    @property
    def custom_json(self) -> str:
        """Custom metadata as a JSON object; empty if there is none."""
        return json.dumps(self.custom_values, ensure_ascii=False) if self.stored_custom else ""

    @property
    def pages_of_file(self) -> int:
        """Number of pages of a partially parsed file, while parsing is in progress or after it was stopped.

        0 if the file was parsed completely.
        """
        return next((finding.count for finding in self.findings if finding.kind is FindingKind.UNREAD), 0)

    def ocr_pages(self, first: int | None, last: int | None) -> tuple[int, ...]:
        """Return the pages from first to last (included) whose text was read by OCR."""
        if first is None or last is None:
            return ()
        read = pages_with(self.findings, FindingKind.OCR)
        return tuple(page for page in range(first, last + 1) if page in read)
