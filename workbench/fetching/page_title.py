"""A page's title, read from its first bytes: for the row in the library, before a parser has seen the page."""

import html
import re

_TITLE = re.compile(r"<title[^>]*>(.{1,1000}?)</title", re.I | re.S)
_META_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.I)
LOOKED_AT = 1 << 16
LONGEST = 200


def page_title(head: bytes) -> str:
    """Return the title of a page that begins with these bytes; empty where it has none."""
    declared = _META_CHARSET.search(head[:4096])
    names = ("utf-8-sig", declared[1].decode("ascii") if declared else "utf-8", "cp1252")
    text = next(filter(None, (_decoded(head[:LOOKED_AT], name) for name in names)), "")
    found = _TITLE.search(text)
    return " ".join(html.unescape(found[1]).split())[:LONGEST] if found else ""


def _decoded(data: bytes, name: str) -> str:
    try:
        # A character cut in two at the end is no reason to give up.
        return data.decode(name) if len(data) < LOOKED_AT else data[:-4].decode(name, "strict")
    except (LookupError, UnicodeError, ValueError):
        return ""
