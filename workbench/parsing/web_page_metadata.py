"""What a web page says of itself: to search engines (JSON-LD), to social networks (meta), to browsers (title, time)."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.model.document import Metadata
from workbench.parsing.assembly import clean, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.html_metadata import html_metadata
from workbench.parsing.html_tree import inline_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_SEPARATOR = re.compile(r"(?<!\s)\s++[|·•»–—-]\s+")
_LARGEST = 1 << 20


def web_page_metadata(tree: LexborHTMLParser, path: Path) -> Metadata:
    """Return the page's metadata; the site's name is taken off the title where the headline shows what is left."""
    plain = html_metadata(tree, path.with_name(path.name.removesuffix(".html").removesuffix(".web") + ".html"))
    said = dict(_statements(tree))
    meta = _meta(tree)
    created = plain.created or said.get("datePublished", "") or meta.get("datepublished", "") or _time(tree)
    return dataclasses.replace(
        plain,
        title=_without_site(plain.title, tree, meta) or stem(path),
        author=plain.author or said.get("author", ""),
        created=iso_date(created),
        modified=plain.modified or iso_date(said.get("dateModified", "")),
        language=plain.language or meta.get("og:locale", "").replace("_", "-"),
    )


def page_address(tree: LexborHTMLParser) -> str:
    """Return where the page says that it stands, for its relative links; empty where it does not say so."""
    for selector, attribute in (
        ("base[href]", "href"),
        ("link[rel=canonical]", "href"),
        ("meta[property='og:url']", "content"),
    ):
        node = tree.css_first(selector)
        address = (node.attributes.get(attribute) or "").strip() if node is not None else ""
        if address.startswith(("http://", "https://")):
            return address
    return ""


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        found.setdefault(name.lower(), clean(attributes.get("content") or "").strip())
    return found


def _without_site(title: str, tree: LexborHTMLParser, meta: dict[str, str]) -> str:
    """Return "Ports of the north" for "Ports of the north | The Daily Gull"."""
    parts = _SEPARATOR.split(title)
    if len(parts) < 2:
        return title
    headlines = [clean(inline_text(node)) for node in tree.css("h1")] + [meta.get("og:title", "")]
    # The site's name may be a headline too; it rarely stands first.
    in_front = (headline for headline in headlines if headline and title.startswith(f"{headline} "))
    anywhere = (headline for headline in headlines if headline in parts)
    return next(in_front, "") or next(anywhere, "") or title


def _time(tree: LexborHTMLParser) -> str:
    """Return the date of the one time element that names when the page was published."""
    for selector in (
        "[itemprop=datePublished][datetime]",
        "time[pubdate][datetime]",
        "article time[datetime]",
        "time[datetime]",
    ):
        node = tree.css_first(selector)
        if node is not None:
            return node.attributes.get("datetime") or ""
    return ""


def _statements(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Yield what the page's JSON-LD says of its dates and its author."""
    for node in tree.css("script[type='application/ld+json']")[:20]:
        text = node.text(deep=True) or ""
        try:
            data = json.loads(text) if len(text) <= _LARGEST else None
        except (ValueError, RecursionError):
            continue
        for thing in _things(data):
            for key in ("datePublished", "dateModified"):
                if isinstance(thing.get(key), str):
                    yield key, thing[key]
            names = ", ".join(_names(thing.get("author")))
            if names:
                yield "author", clean(names)


def _things(data: Any) -> list[dict[str, Any]]:
    """Return the objects of a JSON-LD script: one, a list of them, or a graph."""
    given = data if isinstance(data, list) else [data]
    things = [thing for thing in given[:50] if isinstance(thing, dict)]
    for thing in list(things):
        graph = thing.get("@graph")
        things.extend(one for one in (graph if isinstance(graph, list) else [])[:50] if isinstance(one, dict))
    # The article before the site and its pictures, whose dates are others; dict() keeps the last of them.
    return sorted(things, key=lambda thing: "article" in str(thing.get("@type", "")).lower())


def _names(author: Any) -> Iterator[str]:
    for one in author if isinstance(author, list) else [author]:
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str) and name.strip():
            yield " ".join(name.split())[:200]
