"""A page's title, read from its first bytes: for the row in the library, before a parser has seen the page."""

import html
import re
from urllib.parse import unquote, urlsplit

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
