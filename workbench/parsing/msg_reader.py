"""Reader of Outlook messages, whose properties are numbered streams in a compound file (MS-OXMSG)."""

from datetime import UTC, datetime, timedelta
from email.parser import HeaderParser
from pathlib import Path

import olefile

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.parsing.mail import Attachment, Mail
from workbench.parsing.mail_words import charset_text, header_text
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
            date=_date(sent) if sent else None,
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
                return Attachment(name, problem=mark("it lies too deep in other messages"))
            return Attachment(name, message=self.message(message, _MESSAGE_HEADER, depth + 1))
        data = self._bytes(at, DATA, _BINARY)
        if data is None:
            return Attachment(name, problem=mark("it is kept in the form of its own program"))
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


def _date(value: bytes) -> datetime | None:
    """Return a time that is stored in units of 100 ns since 1601."""
    try:
        moment = _EPOCH + timedelta(microseconds=int.from_bytes(value, "little") // 10)
    except OverflowError:
        return None
    return moment if moment.year > 1900 else None
