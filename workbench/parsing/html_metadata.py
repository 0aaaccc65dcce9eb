"""Metadata from the head of an HTML page, and detection of the page's encoding."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model.document import Metadata
from workbench.parsing.assembly import clean, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.encoding import DecodedText, read_text
from workbench.parsing.html_tree import inline_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.I)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]+encoding\s*=\s*["']([A-Za-z0-9_:.-]+)""", re.I)
_WEB_NAMES = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-8859-9": "cp1254",
    "us-ascii": "cp1252",
}
"""Browsers treat the encodings on the left as their supersets on the right."""

_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author")
_CREATED = (
    "article:published_time",
    "date",
    "dc.date",
    "dcterms.created",
    "dcterms.date",
    "citation_publication_date",
    "pubdate",
)
_MODIFIED = ("article:modified_time", "dcterms.modified", "last-modified", "og:updated_time")


def decode_html(data: bytes) -> str:
    """Return a page's text."""
    return read_html(data).text


def read_html(data: bytes) -> DecodedText:
    """Return a page's text, decoded by its byte order mark, its declaration, or detection."""
    declared = _CHARSET.search(data[:4096]) or _XML_ENCODING.search(data[:256])
    if declared and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = declared[1].decode("ascii").lower()
        name = _WEB_NAMES.get(name, name)
        try:
            return DecodedText(data.decode(name), name)
        except (LookupError, UnicodeError, ValueError):
            # The declaration is wrong, which is common: detect the encoding from the bytes.
            pass
    return read_text(data)


def html_metadata(tree: LexborHTMLParser, path: Path) -> Metadata:
    """Return the page's metadata; the title falls back to the first heading, then to the file's name."""
    said: dict[str, str] = {}
    for meta in tree.css("meta"):
        name = meta.attributes.get("name") or meta.attributes.get("property") or ""
        content = clean(meta.attributes.get("content") or "").strip()
        if content:
            said.setdefault(name.lower(), content)
    title_node = tree.css_first("head title") or tree.css_first("body > title")
    heading = tree.css_first("h1") or tree.css_first("h2")
    title = inline_text(title_node) if title_node else ""
    title = title or said.get("og:title", "") or (inline_text(heading) if heading else "")
    root = tree.root
    return Metadata(
        title=clean(title) or stem(path),
        author=_first(said, _AUTHOR),
        created=_date(said, _CREATED),
        keywords=tuple(word.strip() for word in said.get("keywords", "").split(",") if word.strip()),
        modified=_date(said, _MODIFIED),
        language=(root.attributes.get("lang") or "") if root is not None else "",
    )


def _date(said: dict[str, str], names: tuple[str, ...]) -> str:
    return next((date for date in (iso_date(said.get(name, "")) for name in names) if date), "")


def _first(said: dict[str, str], names: tuple[str, ...]) -> str:
    return next((said[name] for name in names if name in said), "")
