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
"""Ending of a fetched page: its parser leaves the site's furniture out, which that of .html files does not."""

HEAD = 2048
"""Bytes that are looked at where the server does not say what it sends."""

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
_UNSAID = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/x-download"))
_VAGUE = frozenset(("text/plain", "application/zip", "application/json", "text/xml", "application/xml")) | _UNSAID
"""Servers say these of many files whose name says more: raw Markdown, source code, office documents."""
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>:\"/\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


def content_type(header: str) -> tuple[str, str]:
    """Return a Content-Type header as type and charset, in lower case."""
    message = Message()
    message["content-type"] = header[:200]
    charset = ""
    with contextlib.suppress(ValueError, TypeError):  # an encoding with a zero in its name, a part without a number
        charset = message.get_content_charset() or ""
    return header.partition(";")[0].strip().lower(), charset


def ending(kind: str, name: str, supported: frozenset[str]) -> str | None:
    """Return the ending for a body of that type and name; None when only its first bytes can tell.

    Args:
        kind: The type as the server said, without parameters.
        name: The last part of the address, or the name that the server gave the file.
        supported: Endings that parsers take.

    Raises:
        UnsupportedFormat: No parser takes such a body.
    """
    named = PurePosixPath(name).suffix.lower()
    if (kind in _VAGUE or kind == "text/markdown") and named in supported and named not in (".html", ".htm", ".xhtml"):
        return named
    if kind in _UNSAID:
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
    """Return the ending for a body of which nothing is known but its first bytes and its name.

    Raises:
        UnsupportedFormat: It is nothing that can be read.
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
    """Return what the body is called: as the server says, else the last part of its address, else its host."""
    message = Message()
    message["content-disposition"] = disposition[:500]
    said = ""
    with contextlib.suppress(ValueError, TypeError):  # as above
        said = message.get_filename() or ""
    parts = urlsplit(address)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    return safe_name(PurePosixPath(said.replace("\\", "/")).name or last or parts.hostname or "page")


def safe_name(text: str, longest: int = 120) -> str:
    """Return a text as a name that every file system takes, at most so many bytes long."""
    plain = " ".join(_UNSAFE.sub(" ", text).split()).strip(". ")
    return plain.encode("utf-8", "replace")[:longest].decode("utf-8", "ignore").strip(". ") or "page"


def in_utf8(data: bytes, charset: str) -> bytes:
    """Return a text's bytes so that its encoding can be told without the server's word for it.

    UTF-8 with a mark where the server named another encoding, or the page does; untouched where the server named none,
    or a wrong one.
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
"""Controls, and marks that turn the direction of what follows: in a list they would turn their neighbours."""

LOOKED_AT = 1 << 16
LONGEST = 200


def declared_charset(head: bytes) -> str:
    """Return the encoding that a page names in its own head; empty where it names none."""
    declared = _META_CHARSET.search(head[:4096])
    return declared[1].decode("ascii") if declared else ""


def page_title(head: bytes) -> str:
    """Return the title of a page that begins with these bytes; empty where it has none."""
    names = ("utf-8-sig", declared_charset(head) or "utf-8", "cp1252")
    text = next(filter(None, (_decoded(head[:LOOKED_AT], name) for name in names)), "")
    found = _TITLE.search(text)
    title = " ".join(_UNSEEN.sub("", html.unescape(found[1])).split()) if found else ""
    return title if len(title) <= LONGEST else title[: LONGEST - 1].rstrip() + "…"


def untitled(address: str) -> str:
    """Return what a page without a title is called: its address, without what only machines read."""
    parts = urlsplit(address)
    name = " ".join(_UNSEEN.sub("", unquote(f"{parts.hostname or ''}{parts.path}")).split()).rstrip("/")
    return name[:LONGEST] or "page"


def _decoded(data: bytes, name: str) -> str:
    try:
        # A character cut in two at the end is no reason to give up.
        return data.decode(name) if len(data) < LOOKED_AT else data[:-4].decode(name, "strict")
    except (LookupError, UnicodeError, ValueError):
        return ""
