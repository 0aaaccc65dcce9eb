"""Detection of a file's format by its bytes."""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from workbench.parsing.zip_members import UNREADABLE

HEAD = 4096
"""Bytes at the start of a file that are inspected."""

ZIP_BASED = frozenset(("docx", "pptx", "xlsx", "xlsb", "odt", "ods", "odp", "epub", "xps"))
"""Formats in a ZIP container."""

_OLD = frozenset(("doc", "xls", "ppt", "msg"))
_SEALABLE = frozenset(("docx", "xlsx", "xlsb", "pptx"))

NAMED_BY_BYTES = ZIP_BASED | _OLD | {"pdf", "rtf", "image", "zip"}
"""Formats that are detected by their bytes: if a file with such a name contains text, the name is wrong."""


@dataclass(frozen=True, slots=True)
class Content:
    """Detected content of a file.

    Attributes:
        format: Short name of the parser's format; empty if no parser supports it.
        words: Description: "a PDF document".
        may_be: Further possible formats, if the file's name has one of them.
        is_text: True if it may be any text format that the file's name has.
    """

    format: str
    words: str
    may_be: frozenset[str] = frozenset()
    is_text: bool = False


TEXT = Content("text", "plain text", is_text=True)
_FICTION_BOOK = Content("fb2", "a FictionBook", is_text=True)
HTML = Content("html", "an HTML page", is_text=True)
PDF = Content("pdf", "a PDF document")
MENTIONS_PDF = Content("pdf", "a PDF document", is_text=True)
"""The signature is near the start: a PDF after other bytes, or a text about PDF."""
ZIP = Content("zip", "a ZIP archive")
_BROKEN_ZIP = Content("", "a ZIP archive that is cut off or damaged", ZIP_BASED | {"zip"})
_OPEN_DOCUMENT = Content("", "an OpenDocument file of an unknown kind", ZIP_BASED)
_SEALED = Content("docx", "an encrypted office document", _SEALABLE)
_OLD_OFFICE = Content("", "an old office document of an unknown kind", _OLD | _SEALABLE)
_PICTURE = Content("image", "a picture")
_MEDIA = Content("", "an audio or video file")
_COMPRESSED = Content("", "a compressed file")
_PROGRAM = Content("", "a program")
_OLD_EXCEL = Content("xls", "an old Excel sheet")

_MAGIC = (
    (b"\x89PNG\r\n", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"II*\x00", _PICTURE),
    (b"MM\x00*", _PICTURE),
    # Excel 2, 3 and 4 wrote their records without a container.
    (b"\x09\x00\x04\x00", _OLD_EXCEL),
    (b"\x09\x02\x06\x00", _OLD_EXCEL),
    (b"\x09\x04\x06\x00", _OLD_EXCEL),
    (b"\x7fELF", _PROGRAM),
    (b"\x1f\x8b", _COMPRESSED),
    (b"\xfd7zXZ", _COMPRESSED),
    (b"\x28\xb5\x2f\xfd", _COMPRESSED),
    (b"7z\xbc\xaf\x27\x1c", Content("", "a 7-Zip archive")),
    (b"Rar!\x1a\x07", Content("", "a RAR archive")),
    (b"SQLite format 3\x00", Content("", "a SQLite database")),
)
"""Signatures with bytes that do not occur in text: the rest may be damaged, but is never text."""

_MAGIC_WORDS = (
    (b"GIF8", _PICTURE),
    (b"BM", _PICTURE),
    (b"MZ", _PROGRAM),
    (b"BZh", _COMPRESSED),
    (b"OggS", _MEDIA),
    (b"ID3", _MEDIA),
    (b"fLaC", _MEDIA),
)
"""Signatures that a text may begin with, too."""

_PDF_OBJECT = re.compile(rb"(?:^|[\r\n])\d{1,7} \d{1,5} obj\b")
"""Object of a PDF: detects a PDF whose first line is missing."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_CONTROLS = bytes(byte for byte in range(27) if byte < 9 or byte > 13)
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_FB2 = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<FictionBook\b", re.S)
_MBOX = re.compile(rb"From \S.{4,200}\d\d:\d\d.*\r?\n[A-Za-z][A-Za-z-]*:[ \t]")
_MAIL_LINE = re.compile(rb"[A-Za-z][A-Za-z0-9-]*:|[ \t]+\S")
_MAIL_FIELD = re.compile(rb"^(?:from|date|message-id|received|subject|mime-version|return-path|to):", re.I | re.M)

_XLSB = Content("xlsb", "a binary Excel workbook")
_XPS = Content("xps", "an XPS document")
_PARTS = (
    ("word/", b"wordprocessingml", Content("docx", "a Word document")),
    ("ppt/", b"presentationml", Content("pptx", "a PowerPoint presentation")),
    ("xl/", b"spreadsheetml", Content("xlsx", "an Excel workbook")),
)
_EPUB = Content("epub", "an EPUB book")
_MIMETYPES = (
    (b"application/epub+zip", _EPUB),
    (b"application/vnd.oasis.opendocument.text", Content("odt", "an OpenDocument text")),
    (b"application/vnd.oasis.opendocument.spreadsheet", Content("ods", "an OpenDocument sheet")),
    (b"application/vnd.oasis.opendocument.presentation", Content("odp", "an OpenDocument presentation")),
)
_STREAMS = (
    ("EncryptedPackage", _SEALED),
    ("WordDocument", Content("doc", "an old Word document")),
    ("Workbook", Content("xls", "an old Excel workbook")),
    ("Book", Content("xls", "an old Excel workbook")),
    ("PowerPoint Document", Content("ppt", "an old PowerPoint presentation")),
    ("__properties_version1.0", Content("msg", "an Outlook message")),
)


def sniff(path: Path) -> Content | None:
    """Return the content of the file, or None if it cannot be determined.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
        if head.startswith(b"PK\x03\x04"):
            return _container(file)
        if head.startswith(_OLE):
            return _compound(file)
    if head.lstrip().startswith(b"%PDF-"):
        return PDF
    if b"%PDF-" in head[:1024] or _PDF_OBJECT.search(head[:1024]):
        return MENTIONS_PDF
    if head.startswith(b"{\\rtf"):
        return Content("rtf", "a rich text document")
    if head.startswith(b"BM") and head[6:10] == bytes(4):
        # Checked before text: a white picture looks like UTF-16.
        return _PICTURE
    if binary := _begun_with(_MAGIC, head):
        return binary
    if _is_text(head):
        return _text(head)
    if head[:4] == b"RIFF":
        return _PICTURE if head[8:12] == b"WEBP" else _MEDIA
    if head[4:8] == b"ftyp":
        return _MEDIA
    return _begun_with(_MAGIC_WORDS, head)


def _begun_with(magic: tuple[tuple[bytes, Content], ...], head: bytes) -> Content | None:
    return next((content for beginning, content in magic if head.startswith(beginning)), None)


def _is_text(head: bytes) -> bool:
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls <= max(4, len(head) // 50) or _is_wide(head)


def _is_wide(head: bytes) -> bool:
    """Return True if the zeros in the head are those of UTF-16 or UTF-32."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return True
    even, odd = head[0::2].count(0), head[1::2].count(0)
    # Half the bytes of Latin text; a tenth of Chinese text, in which only spaces and line ends have them.
    return max(even, odd) > max(8 * min(even, odd), len(head) // 40)


def _text(head: bytes) -> Content:
    if _HTML.match(head):
        return HTML
    if _FB2.match(head):
        return _FICTION_BOOK
    if _MBOX.match(head):
        return Content("mbox", "a mailbox", is_text=True)
    if _is_mail(head):
        return Content("eml", "an e-mail message", is_text=True)
    return Content("code", "a script", is_text=True) if head.startswith(b"#!") else TEXT


def _is_mail(head: bytes) -> bool:
    """Return True if the file starts with header lines, including three common ones."""
    lines = head.replace(b"\r\n", b"\n").split(b"\n\n")[0].split(b"\n")
    complete = lines[:-1] if len(lines) > 1 else lines
    return all(map(_MAIL_LINE.match, complete)) and len(set(_MAIL_FIELD.findall(head.lower()))) >= 3


def _container(file: BinaryIO) -> Content:
    """Return the kind of a ZIP file."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            mimetype = _entry(archive, "mimetype")
            types = _entry(archive, "[Content_Types].xml")
    except UNREADABLE:
        return _BROKEN_ZIP
    for start, content in _MIMETYPES:
        if mimetype.strip().startswith(start):
            return content
    if "xl/workbook.bin" in names:
        return _XLSB
    if any(name.lower().endswith(".fdseq") for name in names):
        return _XPS
    if "[Content_Types].xml" in names:
        for prefix, _, content in _PARTS:
            if any(name.startswith(prefix) for name in names):
                return content
        for _, word, content in _PARTS:
            if word in types:
                return content
    if "META-INF/container.xml" in names:
        return _EPUB
    return _OPEN_DOCUMENT if {"META-INF/manifest.xml", "content.xml"} <= set(names) else ZIP


def _entry(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the beginning of an entry, or empty bytes if it is missing, encrypted or damaged."""
    try:
        with archive.open(name) as entry:
            return entry.read(65_536)
    except KeyError:
        return b""
    except UNREADABLE:
        return b""


def _compound(file: BinaryIO) -> Content:
    """Return the kind of an OLE compound file."""
    # Imported late: the window's process uses the name alone and never needs it.
    import olefile

    try:
        with olefile.OleFileIO(file) as compound:
            return next((content for stream, content in _STREAMS if compound.exists(stream)), _OLD_OFFICE)
    except Exception:  # noqa: BLE001 - a damaged directory may raise any exception; then the name decides
        return _OLD_OFFICE
