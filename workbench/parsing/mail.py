"""E-mail: messages and attachments as data classes, parsing of attachments, and the conversion into a document."""

import codecs
import contextlib
import re
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header
from pathlib import Path

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument, EncryptedDocument, UnsupportedFormat
from workbench.files.changes import temporary_folder
from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean, paragraphs, stem
from workbench.parsing.encoding import decode
from workbench.parsing.zip_members import MAX_DEPTH as MAX_ARCHIVES
from workbench.parsing.zip_members import SUFFIX as ARCHIVE
from workbench.parsing.zip_members import files_of

MAX_DEPTH = 3
"""A message in a message in a message: anything deeper is named, but not read."""
MAX_FILES = 1000
MAX_BYTES = 512 * 2**20
MAX_SECONDS = 60.0
"""Half of the limit for a whole file in the settings, so that a mailbox of slow attachments keeps its messages."""

_SUFFIX = re.compile(r"\.\w{1,12}$")


@dataclass(slots=True)
class NestingBudget:
    """Remaining limits within the file that is being read; see nesting()."""

    depth: int = 0
    files: int = MAX_FILES
    size: int = MAX_BYTES
    until: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)

    def parse(self, name: str, data: bytes, password: str | None = None) -> ParsedDocument:
        """Return an inner file as a document, parsed by the parser of its format.

        Raises:
            DocumentError: It cannot be read, or a limit is reached.
        """
        # Imported here to avoid a cycle: the registry knows the parsers that call this.
        from workbench.parsing.parse import parse_file

        self._count(len(data))
        suffix = _SUFFIX.search(name)
        # The folder is only accessible to this user.
        with temporary_folder("workbench-nested-") as folder:
            file = folder / f"file{suffix[0] if suffix else ''}"
            file.write_bytes(data)
            return parse_file(file, password)

    @property
    def is_full(self) -> bool:
        """True if nothing more will be read."""
        return self.files <= 0 or self.size <= 0 or time.monotonic() > self.until

    def _count(self, size: int) -> None:
        if self.depth > MAX_DEPTH:
            raise DocumentError(f"It is nested more than {MAX_DEPTH} files deep.", "Save it and add it by itself.")
        self.files -= 1
        self.size -= size
        if self.files < 0 or self.size < 0 or time.monotonic() > self.until:
            raise DocumentError("The file contains more than can be read.", "Save it and add it by itself.")


_current: ContextVar[NestingBudget | None] = ContextVar("nest", default=None)


@contextlib.contextmanager
def nesting() -> Iterator[NestingBudget]:
    """Apply the limits while a file with inner files is read; nested calls share the same budget."""
    nest = _current.get() or _new()
    token = _current.set(nest)
    nest.depth += 1
    try:
        yield nest
    finally:
        nest.depth -= 1
        _current.reset(token)


def _new() -> NestingBudget:
    return NestingBudget()


_SAID_FOR = {
    # Mail programs declare the smaller character set but use the larger one.
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "big5": "big5hkscs",
    "unicode-1-1-utf-7": "utf-7",
}


def charset_text(data: bytes, charset: str | None) -> str:
    """Return bytes as text, decoded by the declared character set if possible, otherwise by detection."""
    name = (charset or "").strip().lower()
    name = _SAID_FOR.get(name, name)
    for candidate in (name, name.replace("windows-", "cp")):
        try:
            # Some of Python's codecs do not decode to text ("hex", "zip").
            if name and codecs.lookup(candidate)._is_text_encoding:
                return data.decode(candidate)
        except (LookupError, ValueError):
            continue
    if not data:
        return ""
    try:
        return decode(data)[0]
    except DamagedDocument:
        return data.decode("latin-1")


def header_text(raw: object) -> str:
    """Return a header's value as text with encoded words decoded; the encoding of raw bytes is detected."""
    text = str(raw or "")
    if not text.isascii():
        # The parser represents raw bytes as lone surrogates.
        text = charset_text(text.encode("utf-8", "surrogateescape"), "utf-8")
    try:
        parts = decode_header(text)
    except (HeaderParseError, ValueError):
        return text
    return "".join(_part(part, charset) for part, charset in parts).replace("\r", "").replace("\n", " ").strip()


def _part(part: bytes | str, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    return part.decode("raw-unicode-escape") if charset is None else charset_text(part, charset)


@dataclass(frozen=True, slots=True)
class Attachment:
    """Attachment of a message.

    Attributes:
        name: Its file name, as the sender wrote it.
        data: Its bytes; empty if it is a message or cannot be read.
        message: A forwarded message.
        is_inline: True for a picture within the text of the message.
        problem: Short reason why it cannot be read; empty if it can.
    """

    name: str
    data: bytes = b""
    message: "Mail | None" = None
    is_inline: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """Message with headers, body and attachments.

    Attributes:
        subject: Subject; like the next three, empty if the message has none.
        sender: Sender as "Name <address>".
        to: Recipients in the same form, separated by commas.
        cc: Recipients of copies, likewise.
        date: Date of sending; None if unknown.
        body: Its text; empty if it only has html or rtf.
        html: Its text as HTML.
        rtf: Its text as RTF, for messages without html.
        attachments: Attachments in order.
        left_out: Number of further parts that were not read.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: datetime | None = None
    body: str = ""
    html: str = ""
    rtf: bytes = b""
    attachments: tuple[Attachment, ...] = ()
    left_out: int = 0

    @property
    def is_empty(self) -> bool:
        """True if the message has no content at all."""
        return not any((self.subject, self.sender, self.body.strip(), self.html, self.rtf, self.attachments))


_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".emf", ".wmf", ".svg")
_DEEPEST = 6
_UNREAD = mark("pages without text of their own; save it and add it separately to have them read")


def mail_document(mail: Mail, path: Path, format: str, password: str | None = None) -> ParsedDocument:
    """Return a message with its attachments as a document.

    Raises:
        EmptyDocument: It contains no text.
    """
    with nesting() as nest:
        text = MailText(nest, password)
        text.add(mail)
        created = mail.date.isoformat(timespec="seconds") if mail.date else ""
        return text.document(Metadata(clean(mail.subject) or stem(path), clean(mail.sender), created), format)


class MailText:
    """Builder of the text of messages, page by page."""

    def __init__(self, nest: NestingBudget, password: str | None) -> None:
        self._nest = nest
        self._password = password
        self._builder = TextBuilder()
        self._pages: list[Page] = []
        self._findings: list[Finding] = []
        self._warnings: list[str] = []

    def note(self, finding: Finding) -> None:
        """Add a finding."""
        self._findings.append(finding)

    def document(self, metadata: Metadata, format: str) -> ParsedDocument:
        """Return the collected text as a document.

        Raises:
            EmptyDocument: It contains no text.
        """
        if not self._builder.blocks:
            raise EmptyDocument("The message holds no text.", "There is nothing in it to search.")
        return ParsedDocument(
            self._builder.text,
            tuple(self._builder.blocks),
            tuple(self._pages),
            metadata,
            format,
            tuple(self._warnings),
            PageKind.MESSAGE,
            tuple(_merged(self._findings)),
        )

    def add(self, mail: Mail, label: str = "", level: int = 1) -> None:
        """Append a message as a page, and its attachments as further pages.

        Args:
            mail: The message.
            label: Label of the page; the subject if empty.
            level: Level of the heading made from the subject.
        """
        start, first = self._builder.length, len(self._builder.blocks)
        self._builder.add(BlockKind.HEADING, one_line(mail.subject), level=min(level, _DEEPEST))
        self._builder.add(BlockKind.PARAGRAPH, _head(mail))
        self._body(mail, level)
        if len(self._builder.blocks) > first:
            self._close_page(start, first, label or one_line(mail.subject))
        own = max(1, len(self._pages))
        if mail.left_out:
            self.note(_parts_left_out(mail.left_out, own))
        for attachment in mail.attachments:
            if _is_picture(attachment) and attachment.is_inline:
                # The parser of an HTML body has already counted its pictures.
                self._findings += [Finding(FindingKind.IMAGES, (own,), 1)] if mail.body.strip() else []
            else:
                self._attach(attachment, level + 1)

    def _body(self, mail: Mail, level: int) -> None:
        if mail.body.strip():
            text = clean(mail.body)
            for block in paragraphs(text, 0, len(text)):
                self._builder.add(BlockKind.PARAGRAPH, text[block.start : block.end])
            return
        # The byte order mark identifies UTF-8, whatever encoding the page declares.
        sources = (("body.html", mail.html.encode("utf-8-sig", "replace")), ("body.rtf", mail.rtf))
        name, data = next(((name, data) for name, data in sources if len(data) > 3), ("", b""))
        if not data:
            return
        try:
            body = self._nest.parse(name, data)
        except EmptyDocument:
            return
        except DocumentError as error:
            self.note(Finding(FindingKind.LEFT_OUT, detail=f"the text of a message: {error.message}"))
            return
        base = self._splice(body.text)
        self._builder.blocks.extend(_moved(block, base, level, None) for block in body.blocks)
        self._findings += [replace(finding, pages=(len(self._pages) + 1,)) for finding in body.findings]

    def _attach(self, attachment: Attachment, level: int) -> None:
        name = one_line(attachment.name)
        if attachment.message is not None:
            if level > MAX_DEPTH * 2:
                self.note(
                    Finding(FindingKind.LEFT_OUT, detail=mark(f"{name}: it is nested too deep in other messages"))
                )
            else:
                self._heading_and(name, attachment.message, level)
        elif attachment.problem:
            self.note(Finding(FindingKind.LEFT_OUT, detail=f"{name}: {attachment.problem}"))
        else:
            self._read(name, attachment.data, level)

    def _heading_and(self, name: str, mail: Mail, level: int) -> None:
        if mail.subject:
            self.add(mail, one_line(mail.subject), level)
        else:
            self.add(replace(mail, subject=name), name, level)

    def _unpack(self, name: str, data: bytes, level: int, depth: int) -> None:
        """Read the files of an archive, each as a separate attachment."""
        if depth > MAX_ARCHIVES:
            self.note(Finding(FindingKind.LEFT_OUT, detail=f"{name}: an archive nested more than two deep"))
            return
        try:
            for number, (within, content) in enumerate(files_of(data, self._nest.size, self._password)):
                if self._nest.is_full:
                    self.note(Finding(FindingKind.LEFT_OUT, detail=f"{name}: its files from number {number + 1} on"))
                    return
                whole = f"{name}/{one_line(within)}"
                if isinstance(content, bytes):
                    self._read(whole, content, level, depth + 1)
                else:
                    self.note(Finding(FindingKind.LEFT_OUT, detail=f"{whole}: {content.message}"))
        except DocumentError as error:
            self.note(Finding(FindingKind.LEFT_OUT, detail=f"{name}: {error.message}"))

    def _read(self, name: str, data: bytes, level: int, depth: int = 1) -> None:
        if name.lower().endswith(ARCHIVE):
            self._unpack(name, data, level, depth)
            return
        try:
            document = self._nest.parse(name, data, self._password)
        except EncryptedDocument:
            self.note(Finding(FindingKind.LEFT_OUT, detail=f"{name}: it needs a password"))
        except UnsupportedFormat:
            kind = FindingKind.IMAGES if name.lower().endswith(_PICTURES) else FindingKind.LEFT_OUT
            self.note(Finding(kind, count=1, detail=name))
        except DocumentError as error:
            self.note(Finding(FindingKind.LEFT_OUT, detail=f"{name}: {error.message}"))
        else:
            if document.blocks:
                self._append(name, document, level)
            else:
                self.note(Finding(FindingKind.LEFT_OUT, count=1, detail=f"{name}: {_UNREAD}"))

    def _append(self, name: str, document: ParsedDocument, level: int) -> None:
        """Append an attachment: its name as a heading, its pages as pages of this document."""
        start, first = self._builder.length, len(self._builder.blocks)
        before = len(self._pages)
        self._builder.add(BlockKind.HEADING, name, level=min(level, _DEEPEST))
        base = self._splice(document.text)
        if not document.pages:
            self._builder.blocks.extend(_moved(block, base, level, None) for block in document.blocks)
            self._close_page(start, first, name)
        else:
            heading = self._builder.blocks[first]
            self._builder.blocks[first] = replace(heading, page=before + 1)
            for page in document.pages:
                begin = start if page.number == 1 else base + page.start
                label = _page_label(name, page, document)
                number = before + page.number
                self._pages.append(Page(number, begin, base + page.end, label=label, ocr=page.ocr))
            self._builder.blocks.extend(
                _moved(block, base, level, before + (block.page or 1)) for block in document.blocks
            )
        self._warnings += [f"{name}: {warning}" for warning in document.warnings]
        self._findings += [_within(finding, before, len(self._pages), name) for finding in document.findings]

    def _splice(self, text: str) -> int:
        """Append a text that has its own blocks; return its start offset."""
        if self._builder.blocks:
            self._builder.append("\n\n")
        base = self._builder.length
        self._builder.append(text)
        return base

    def _close_page(self, start: int, first: int, label: str) -> None:
        """Make a page of all text from start on; first is the index of its first block."""
        number = len(self._pages) + 1
        start = self._builder.blocks[first].start if first else start
        self._pages.append(Page(number, start, self._builder.length, label=label))
        self._builder.blocks[first:] = [replace(block, page=number) for block in self._builder.blocks[first:]]


def _parts_left_out(number: int, page: int) -> Finding:
    remedy = mark("it has more than can be read from one message; save those that you need and add them separately")
    detail = mark(f"1 part of a message: {remedy}") if number == 1 else mark(f"{number:,} parts of a message: {remedy}")
    return Finding(FindingKind.TRUNCATED, (page,), number, detail)


def _is_picture(attachment: Attachment) -> bool:
    return attachment.name.lower().endswith(_PICTURES)


def one_line(text: str) -> str:
    """Return a name or a subject on one line."""
    return " ".join(clean(text).split())


def _head(mail: Mail) -> str:
    date = mail.date.isoformat(" ", "minutes") if mail.date else ""
    fields = (("From", mail.sender), ("To", mail.to), ("Cc", mail.cc), ("Date", date))
    return "\n".join(f"{name}: {one_line(value)}" for name, value in fields if value.strip())


def _moved(block: Block, base: int, level: int, page: int | None) -> Block:
    """Return a block of an attachment with its new offsets; headings go below the heading of the attachment's name."""
    lower = min(block.level + level, _DEEPEST) if block.kind is BlockKind.HEADING else 0
    return replace(block, start=block.start + base, end=block.end + base, level=lower, page=page)


def _page_label(name: str, page: Page, document: ParsedDocument) -> str:
    if len(document.pages) == 1 and not page.label:
        return name
    return f"{name}, {document.page_kind.value} {page.number}" + (f" {page.label}" if page.label else "")


def _within(finding: Finding, before: int, last: int, name: str) -> Finding:
    """Return a finding of an attachment with the page numbers of the whole document."""
    pages = tuple(before + page for page in finding.pages) or tuple(range(before + 1, last + 1))
    if finding.kind in (FindingKind.NO_TEXT, FindingKind.GARBLED):
        # OCR reads the pages of files, but has no access to those of an attachment.
        return Finding(FindingKind.LEFT_OUT, pages, finding.count, f"{name}: {_UNREAD}")
    return replace(finding, pages=pages, detail=f"{name}: {finding.detail}" if finding.detail else "")


def _merged(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Merge findings of the same kind and detail."""
    merged: dict[tuple[FindingKind, str], Finding] = {}
    for finding in findings:
        key = (finding.kind, finding.detail)
        known = merged.get(key)
        if known is None:
            merged[key] = finding
        else:
            pages = tuple(sorted({*known.pages, *finding.pages}))
            merged[key] = replace(known, pages=pages, count=known.count + finding.count)
    return merged.values()
