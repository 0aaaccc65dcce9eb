"""Parsers of e-mail files: EML, MBOX and Outlook MSG, whose properties are streams in a compound file (MS-OXMSG)."""

import mmap
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from email.parser import HeaderParser
from email.utils import parsedate_to_datetime
from mimetypes import guess_extension
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import olefile

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import stem
from workbench.parsing.formats import suffixes_of
from workbench.parsing.mail import Attachment, Mail, MailText, charset_text, header_text, mail_document, nesting
from workbench.parsing.ole import ole_stream

SUBJECT, BODY, RTF, HTML, HEADERS = 0x0037, 0x1000, 0x1009, 0x1013, 0x007D
SENDER_NAME, SENDER_ADDRESS, SENDER_SMTP, FROM_NAME, FROM_ADDRESS = 0x0C1A, 0x0C1F, 0x5D01, 0x0042, 0x0065
DISPLAY_TO, DISPLAY_CC = 0x0E04, 0x0E03
SUBMITTED, DELIVERED = 0x0039, 0x0E06
CODE_PAGE, INTERNET_CODE_PAGE = 0x3FFD, 0x3FDE
LONG_NAME, SHORT_NAME, SHOWN_NAME, DATA, CONTENT_ID = 0x3707, 0x3704, 0x3001, 0x3701, 0x3712

_UNICODE, _BYTES_TEXT, _BINARY, _OBJECT = 0x001F, 0x001E, 0x0102, 0x000D
_FIXED = "__properties_version1.0"
_TOP_HEADER, _MESSAGE_HEADER = 32, 24
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_CODE_PAGES = {65001: "utf-8", 20127: "ascii", 28591: "latin-1", 54936: "gb18030", 50220: "iso2022_jp", 51932: "euc_jp"}
_MAX_DEPTH = 6

Storage = tuple[str, ...]


def read_msg(path: Path) -> Mail:
    """Return the message in a file.

    Raises:
        DamagedDocument: The file is not an Outlook message.
    """
    if not olefile.isOleFile(str(path)):
        raise DamagedDocument("The file is not an Outlook message.", "Save the message again in the mail program.")
    with olefile.OleFileIO(str(path)) as ole:
        return _PropertyReader(ole, path.stat().st_size).message((), _TOP_HEADER)


class _PropertyReader:
    """Reader of properties by their numbers; missing ones are empty."""

    def __init__(self, ole: "olefile.OleFileIO", size: int) -> None:
        self._ole = ole
        self._size = size
        self._names = {tuple(part.lower() for part in entry): entry for entry in ole.listdir(storages=True)}

    def message(self, at: Storage, header: int, depth: int = 0) -> Mail:
        """Return the message in a storage."""
        fixed = self._fixed(at, header)
        page = int.from_bytes((fixed.get(INTERNET_CODE_PAGE) or fixed.get(CODE_PAGE) or b"")[:4], "little")
        charset = _CODE_PAGES.get(page, f"cp{page}") if page else None
        headers = HeaderParser().parsestr(self._text(at, HEADERS, charset))
        name = self._text(at, SENDER_NAME, charset) or self._text(at, FROM_NAME, charset)
        address = self._text(at, SENDER_SMTP, charset) or self._text(at, SENDER_ADDRESS, charset)
        if "@" not in address:
            # Exchange stores a directory name as the address.
            address = self._text(at, FROM_ADDRESS, charset) if "@" in self._text(at, FROM_ADDRESS, charset) else ""
        sent = fixed.get(SUBMITTED) or fixed.get(DELIVERED)
        return Mail(
            subject=self._text(at, SUBJECT, charset) or header_text(headers["subject"]),
            sender=header_text(headers["from"]) or _address(name, address),
            to=header_text(headers["to"]) or self._text(at, DISPLAY_TO, charset),
            cc=header_text(headers["cc"]) or self._text(at, DISPLAY_CC, charset),
            date=_msg_date(sent) if sent else None,
            body=self._text(at, BODY, charset),
            html=self._html(at, charset),
            rtf=self._rtf(at),
            attachments=self._attachments(at, charset, depth),
        )

    def _attachments(self, at: Storage, charset: str | None, depth: int) -> tuple[Attachment, ...]:
        below = len(at) + 1
        found = sorted(
            name[:below]
            for name in self._names
            if len(name) == below and name[: below - 1] == at and name[-1].startswith("__attach")
        )
        return tuple(self._attachment(storage, charset, depth, number) for number, storage in enumerate(found, 1))

    def _attachment(self, at: Storage, charset: str | None, depth: int, number: int) -> Attachment:
        names = (self._text(at, pid, charset) for pid in (LONG_NAME, SHORT_NAME, SHOWN_NAME))
        name = next((name for name in names if name), f"attachment {number}")
        message = (*at, _stream(DATA, _OBJECT))
        if (*message, _FIXED) in self._names:
            if depth >= _MAX_DEPTH:
                return Attachment(name, problem=mark("it is nested too deep in other messages"))
            return Attachment(name, message=self.message(message, _MESSAGE_HEADER, depth + 1))
        data = self._bytes(at, DATA, _BINARY)
        if data is None:
            return Attachment(name, problem=mark("it is stored in the format of another program"))
        return Attachment(name, data, is_inline=bool(self._text(at, CONTENT_ID, charset)))

    def _html(self, at: Storage, charset: str | None) -> str:
        data = self._bytes(at, HTML, _BINARY)
        return self._text(at, HTML, charset) if data is None else charset_text(data, charset)

    def _rtf(self, at: Storage) -> bytes:
        packed = self._bytes(at, RTF, _BINARY)
        if not packed:
            return b""
        # Only needed for the few messages without any other text.
        from compressed_rtf import decompress

        try:
            return bytes(decompress(packed))
        except Exception:  # noqa: BLE001 - that is what it raises; the message has lost its text, not its attachments
            return b""

    def _text(self, at: Storage, pid: int, charset: str | None) -> str:
        data = self._bytes(at, pid, _UNICODE)
        if data is not None:
            text = data.decode("utf-16-le", "replace")
        else:
            text = charset_text(self._bytes(at, pid, _BYTES_TEXT) or b"", charset)
        return text.rstrip("\0")

    def _bytes(self, at: Storage, pid: int, kind: int) -> bytes | None:
        name = (*at, _stream(pid, kind))
        if name not in self._names:
            return None
        return ole_stream(self._ole, self._names[name], self._size)

    def _fixed(self, at: Storage, header: int) -> dict[int, bytes]:
        """Return the properties of fixed length: 16 bytes each, of which the last 8 are the value."""
        name = (*at, _FIXED)
        if name not in self._names:
            return {}
        data = ole_stream(self._ole, self._names[name], self._size) or b""
        records = (data[start : start + 16] for start in range(header, len(data) - 15, 16))
        return {int.from_bytes(record[2:4], "little"): record[8:] for record in records}


def _stream(pid: int, kind: int) -> str:
    return f"__substg1.0_{pid:04x}{kind:04x}"


def _address(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _msg_date(value: bytes) -> datetime | None:
    """Return a time that is stored in units of 100 ns since 1601."""
    try:
        moment = _EPOCH + timedelta(microseconds=int.from_bytes(value, "little") // 10)
    except OverflowError:
        return None
    return moment if moment.year > 1900 else None


MAX_PARTS = 2000
"""Maximum parts of a message: a digest of a mailing list has some hundred, a malicious message a million empty ones."""

_Part: TypeAlias = "Message[Any, Any]"
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCRYPTED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")


class EmlParser:
    """Parser of a message with its attachments."""

    format: ClassVar[str] = "eml"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("eml")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        message = message_from_bytes(path.read_bytes().lstrip(b"\xef\xbb\xbf\r\n\t "))
        if not any(name.lower() in ("from", "to", "subject", "date", "received", "mime-version") for name in message):
            raise DamagedDocument("The file is not an e-mail message.", "Save the message again in the mail program.")
        return mail_document(read_mail(message), path, self.format, password)


def read_mail(message: _Part) -> Mail:
    """Convert and decode a message parsed by the standard library."""
    content = _Content()
    content.take(message)
    return Mail(
        subject=header_text(message["subject"]),
        sender=header_text(message["from"]),
        to=_addresses(message, "to"),
        cc=_addresses(message, "cc"),
        date=_date(message),
        body="\n\n".join(content.texts),
        html="\n".join(content.pages),
        attachments=tuple(content.attachments),
        left_out=content.left_out,
    )


class _Content:
    """Text and attachments collected from the parts of a message."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.pages: list[str] = []
        self.attachments: list[Attachment] = []
        self.parts = 0
        self.left_out = 0

    def take(self, part: _Part) -> None:
        """Add a part and its subparts."""
        self.parts += 1
        kind = part.get_content_type()
        children: Any = part.get_payload()
        if self.parts > MAX_PARTS:
            self.left_out += sum(1 for one in part.walk() if not one.is_multipart())
            return
        if kind in _SIGNATURES:
            return
        if kind == "message/rfc822" and isinstance(children, list) and children:
            self.attachments.append(Attachment(_name(part) or "message", message=read_mail(children[0])))
        elif kind == "multipart/alternative" and isinstance(children, list):
            self._take_best(children)
        elif isinstance(children, list):
            for child in children:
                self.take(child)
        elif kind in ("text/plain", "text/html", "message/delivery-status") and not _is_attached(part):
            text = charset_text(_payload(part), part.get_content_charset())
            if kind == "text/html":
                self.pages.append(text)
            else:
                self.texts.append(_flowed(part, text))
        else:
            self.attachments.append(self._attachment(part, kind))

    def _take_best(self, choices: list[_Part]) -> None:
        """Add one of the alternative forms of a message: the plain text if there is any."""
        taken = []
        for choice in choices:
            content = _Content()
            content.parts = self.parts
            content.take(choice)
            self.parts = content.parts
            taken.append(content)
        plain = next((c for c in taken if any(text.strip() for text in c.texts)), None)
        best = plain or next((c for c in taken if c.pages), None)
        if best is not None:
            self.texts += best.texts
            self.pages += [] if best.texts else best.pages
        for content in taken:
            self.attachments += content.attachments
            self.left_out += content.left_out

    def _attachment(self, part: _Part, kind: str) -> Attachment:
        name = _name(part) or f"attachment {len(self.attachments) + 1}{guess_extension(kind) or ''}"
        if kind in _ENCRYPTED:
            return Attachment(name, problem=mark("it is encrypted for its receiver"))
        if kind == "application/ms-tnef" or name.lower() == "winmail.dat":
            return Attachment(name, problem=mark("Outlook packed the attachments in its own format"))
        if kind in ("message/external-body", "message/partial"):
            return Attachment(name, problem=mark("the message does not contain it"))
        inline = "content-id" in part and part.get_content_disposition() != "attachment"
        return Attachment(name, _payload(part), is_inline=inline)


def _is_attached(part: _Part) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_name(part))


def _payload(part: _Part) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _name(part: _Part) -> str:
    try:
        return header_text(part.get_filename())
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""  # a name that is broken in one of many ways


def _flowed(part: _Part, text: str) -> str:
    """Return a text with the soft line breaks of its mail program removed (RFC 3676), so that sentences stay whole."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    lines: list[str] = []
    soft = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if soft and not line.startswith(">"):
            lines[-1] += line
        else:
            lines.append(line)
        soft = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return "\n".join(lines)


def _addresses(message: _Part, name: str) -> str:
    return ", ".join(header_text(value) for value in message.get_all(name, []))


def _date(message: _Part) -> datetime | None:
    try:
        return parsedate_to_datetime(header_text(message["date"]))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


MAX_MESSAGES = 10_000
MAX_BYTES = 512 * 2**20

_START = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
_QUOTED = re.compile(rb"(?m)^>(>*From )")


class MboxParser:
    """Parser of a mailbox: each message is a page, and its attachments are further pages."""

    format: ClassVar[str] = "mbox"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("mbox")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        # If the file is truncated meanwhile, SIGBUS ends the process; parsers run in a separate one.
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            starts = list(_starts(data))
            if not starts:
                raise DamagedDocument("The file is not a mailbox.", "Export the mailbox again in the mail program.")
            with nesting() as nest:
                text = MailText(nest, password)
                for start, end in starts[:MAX_MESSAGES]:
                    text.add(read_mail(message_from_bytes(_QUOTED.sub(rb"\1", data[start:end]))))
                if len(starts) > MAX_MESSAGES or len(data) > MAX_BYTES:
                    count = min(len(starts), MAX_MESSAGES)
                    detail = mark(f"only the first {count:,} messages were read; divide the mailbox and add the parts")
                    text.note(Finding(FindingKind.TRUNCATED, detail=detail))
                return text.document(Metadata(stem(path)), self.format)


def _starts(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Yield start and end of each message."""
    begin = None
    for found in _START.finditer(data):
        if begin is not None:
            yield begin, found.start()
        begin = found.end()
        if begin > MAX_BYTES:
            return
    if begin is not None:
        yield begin, len(data)


class MsgParser:
    """Parser of an Outlook message with its attachments."""

    format: ClassVar[str] = "msg"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("msg")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        # olefile is imported late: it is large, and few people have this format.

        mail = read_msg(path)
        if mail.is_empty:
            raise DamagedDocument("There is no message in the file.", "Save the message again in the mail program.")
        return mail_document(mail, path, self.format, password)
