"""Content type of a fetched body: the file's ending and name, and the page's title."""

import codecs
import contextlib
import html
import mimetypes
import re
from email.message import Message
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from workbench.errors import UnsupportedFormat

PAGE = ".web.html"
"""Ending of a fetched page: its parser removes the site's navigation, which the parser of .html files does not."""

HEAD = 2048
"""Number of bytes to inspect if the server does not state the type."""

_TYPES = {
    "text/html": PAGE,
    "application/xhtml+xml": PAGE,
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "application/json": ".json",
    "text/json": ".json",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    "application/x-ipynb+json": ".ipynb",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/x-rst": ".rst",
    "text/rtf": ".rtf",
    "application/rtf": ".rtf",
    "application/epub+zip": ".epub",
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
    "message/rfc822": ".eml",
    "application/vnd.ms-outlook": ".msg",
    "application/msword": ".doc",
    "application/vnd.ms-excel": ".xls",
    "application/vnd.ms-powerpoint": ".ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/tiff": ".tiff",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
}
_UNSTATED = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/x-download"))
_VAGUE = frozenset(("text/plain", "application/zip", "application/json", "text/xml", "application/xml")) | _UNSTATED
"""Servers send these for many files whose name is more specific: raw Markdown, source code, office documents."""
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>:\"/\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


def content_type(header: str) -> tuple[str, str]:
    """Return a Content-Type header as type and charset, in lower case."""
    message = Message()
    message["content-type"] = header[:200]
    charset = ""
    with contextlib.suppress(ValueError, TypeError):  # a null character in the charset, a part without a number
        charset = message.get_content_charset() or ""
    return header.partition(";")[0].strip().lower(), charset


def ending(kind: str, name: str, supported: frozenset[str]) -> str | None:
    """Return the file ending for a body of that type and name; None if its first bytes must be inspected.

    Args:
        kind: Type as sent by the server, without parameters.
        name: Last part of the address, or the file name sent by the server.
        supported: Endings that parsers accept.

    Raises:
        UnsupportedFormat: No parser accepts such a body.
    """
    named = PurePosixPath(name).suffix.lower()
    if (kind in _VAGUE or kind == "text/markdown") and named in supported and named not in (".html", ".htm", ".xhtml"):
        return named
    if kind in _UNSTATED:
        return None
    found = _TYPES.get(kind) or mimetypes.guess_extension(kind) or ""
    if found == PAGE or found in supported:
        return found
    if kind.startswith("text/") or kind.endswith(("+xml", "/xml", "+json")):
        return ".json" if kind.endswith("json") and ".json" in supported else ".txt"
    raise UnsupportedFormat(
        f"The address leads to something that cannot be read ({kind}).", "Give the address of a page or a document."
    )


def ending_of_bytes(head: bytes, name: str, supported: frozenset[str]) -> str:
    """Return the ending for a body of unknown type, by its first bytes and its name.

    Raises:
        UnsupportedFormat: The body has no readable format.
    """
    if b"%PDF-" in head[:1024]:
        return ".pdf"
    if _HTML.match(head):
        return PAGE
    named = PurePosixPath(name).suffix.lower()
    if named in supported:
        return named
    if b"\x00" not in head:
        return ".txt"
    raise UnsupportedFormat(
        "The address leads to something that cannot be read.", "Give the address of a page or a document."
    )


def file_name(address: str, disposition: str) -> str:
    """Return the name of the body: as sent by the server, else the last part of its address, else its host."""
    message = Message()
    message["content-disposition"] = disposition[:500]
    sent_name = ""
    with contextlib.suppress(ValueError, TypeError):  # as above
        sent_name = message.get_filename() or ""
    parts = urlsplit(address)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    return safe_name(PurePosixPath(sent_name.replace("\\", "/")).name or last or parts.hostname or "page")


def safe_name(text: str, longest: int = 120) -> str:
    """Return a text as a file name that is valid on every file system, at most this many bytes long."""
    plain = " ".join(_UNSAFE.sub(" ", text).split()).strip(". ")
    return plain.encode("utf-8", "replace")[:longest].decode("utf-8", "ignore").strip(". ") or "page"


def in_utf8(data: bytes, charset: str) -> bytes:
    """Return a text's bytes in a form whose encoding can be detected without the server's header.

    If the server, or the page, names another encoding, the result is UTF-8 with a byte order mark; if the server named
    none, or a wrong one, the bytes are unchanged.
    """
    try:
        codec = codecs.lookup(charset).name
        is_marked = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        is_plain = codec in ("utf-8", "utf-8-sig", "ascii") and declared_charset(data).lower() in ("", "utf-8", "utf8")
        if is_marked or is_plain:
            return data
        return codecs.BOM_UTF8 + data.decode("cp1252" if codec == "iso8859-1" else codec).encode()
    except (LookupError, UnicodeError, ValueError):
        return data


_TITLE = re.compile(r"<title[^>]*>(.{1,1000}?)</title", re.I | re.S)
_META_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.I)
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, including those that change the text direction, which would affect neighbouring list entries."""

LOOKED_AT = 1 << 16
LONGEST = 200


def declared_charset(head: bytes) -> str:
    """Return the encoding that a page declares in its head; empty if it declares none."""
    declared = _META_CHARSET.search(head[:4096])
    return declared[1].decode("ascii") if declared else ""


def page_title(head: bytes) -> str:
    """Return the title of a page that begins with these bytes; empty if it has none."""
    names = ("utf-8-sig", declared_charset(head) or "utf-8", "cp1252")
    text = next(filter(None, (_decode(head[:LOOKED_AT], name) for name in names)), "")
    found = _TITLE.search(text)
    title = " ".join(_UNSEEN.sub("", html.unescape(found[1])).split()) if found else ""
    return title if len(title) <= LONGEST else title[: LONGEST - 1].rstrip() + "…"


def untitled(address: str) -> str:
    """Return a name for a page without a title: its address, without scheme and query."""
    parts = urlsplit(address)
    name = " ".join(_UNSEEN.sub("", unquote(f"{parts.hostname or ''}{parts.path}")).split()).rstrip("/")
    return name[:LONGEST] or "page"


def _decode(data: bytes, name: str) -> str:
    try:
        # Allow for a character that is cut at the end.
        return data.decode(name) if len(data) < LOOKED_AT else data[:-4].decode(name, "strict")
    except (LookupError, UnicodeError, ValueError):
        return ""
