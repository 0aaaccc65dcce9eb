"""Parser of pages fetched from the web.

Main text without the site around it, links, and metadata (JSON-LD, meta tags).

The method relies on two facts of how pages are built. Elements that belong to the site are named accordingly (nav,
"cookie-banner", "related-posts"), and consist of links. So elements with such names are removed first; then the main
part is the smallest element that contains nearly all of the text outside links.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urljoin

from workbench.errors import EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.formats import suffixes_of
from workbench.parsing.html_metadata import decode_html, html_metadata
from workbench.parsing.html_parser import read_element
from workbench.parsing.html_tree import (
    count_words,
    inline_text,
    is_furniture,
    is_hidden,
    left_out,
    walk,
    without_furniture,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


TOO_LITTLE = 0.15
"""Share of the page's text below which the part that was found cannot be the main part."""

MOST_LINKS = 200
_SPACE = re.compile(r"\s+")


class WebPageParser:
    """Parser of pages from WebFetcher; the user's own .html files are read completely, by HtmlParser."""

    format: ClassVar[str] = "webpage"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("webpage")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the page at path."""
        # Imported late, because the window's process imports the modules of all parsers.
        from selectolax.lexbor import LexborHTMLParser

        source = decode_html(path.read_bytes())
        tree = LexborHTMLParser(source)
        address = page_address(tree)
        body = tree.body or tree.root
        part = main_part(body) if body is not None else None
        # After removal of the site's elements, whose headlines and dates are not those of the page.
        metadata = web_page_metadata(tree, path)
        title = metadata.title if tree.css_first("head title") is not None else ""
        builder = _main_text(body, part, title) if body is not None and part is not None else TextBuilder()
        findings: tuple[Finding, ...] = ()
        whole = LexborHTMLParser(source)
        everything = whole.body or whole.root
        if everything is not None:
            shown = inline_text(everything)
            if builder.length < TOO_LITTLE * len(shown):
                builder = read_element(everything)
                body = part = everything
                if not builder.blocks:
                    builder, part = read_element(everything, keep_furniture=True), None
            if part is not None:
                findings = tuple(_left_out(builder, shown, without_furniture(part)))
        if not builder.blocks:
            raise EmptyDocument(
                "The page holds no text of its own.",
                "It may be made by scripts: add it again with “Run scripts on the page”.",
            )
        links = _links(builder, body, address) if body is not None else {}
        findings = (*findings, *_add_links(builder, links))
        return ParsedDocument(builder.text, tuple(builder.blocks), (), metadata, self.format, findings=findings)


def _main_text(body: LexborNode, part: LexborNode, title: str) -> TextBuilder:
    builder = read_element(part)
    if not builder.blocks or any(block.kind is BlockKind.HEADING for block in builder.blocks[:3]):
        return builder
    # The headline is often above the text, in a separate element with the date and the pictures.
    heading = next((inline_text(node) for node in body.css("h1") if inline_text(node)), "") or title
    headed = TextBuilder()
    headed.add(BlockKind.HEADING, heading, level=1)
    if not headed.blocks:
        return builder
    headed.append("\n\n")
    offset = headed.length
    headed.append(builder.text)
    headed.blocks.extend(
        dataclasses.replace(block, start=block.start + offset, end=block.end + offset) for block in builder.blocks
    )
    return headed


def _left_out(builder: TextBuilder, shown: str, kept: str) -> Iterator[Finding]:
    """Yield the finding about words of the page that were left out; an inserted headline counts as kept."""
    headline = builder.text[: builder.blocks[0].end] if builder.blocks else ""
    moved = headline if headline in shown and headline not in kept else ""
    return left_out(count_words(shown) - count_words(kept) - count_words(moved))


def _links(builder: TextBuilder, part: LexborNode, address: str) -> dict[str, str]:
    """Return the targets of the text's links with their words."""
    text = builder.text
    at = 0
    found: dict[str, str] = {}
    for node in part.css("a[href]"):
        target = urljoin(address, (node.attributes.get("href") or "").strip())
        words = _SPACE.sub(" ", inline_text(node))[:120]
        is_elsewhere = target.startswith(("http://", "https://")) and target.partition("#")[0] != address
        target = clean(target).replace(" ", "%20")
        if not (is_elsewhere and words and len(target) < 500) or target in found:
            continue
        # Links are in the order of the text; searching from its start for each of 10,000 links would be quadratic.
        place = text.find(words, at)
        if place >= 0:
            at = place
        if place >= 0 or words in text:
            found[target] = words
    return found


def _add_links(builder: TextBuilder, links: dict[str, str]) -> Iterator[Finding]:
    """Append the links, which would interrupt the text itself; yield a finding if there are too many."""
    kept = list(islice(links.items(), MOST_LINKS))
    if kept:
        builder.add(BlockKind.HEADING, "Links", level=2)
        builder.add(BlockKind.LIST, "\n".join(f"- {words}: {target}" for target, words in kept))
    number = len(links) - len(kept)
    if number:
        remedy = mark("the link texts were read; open the page to see where they lead")
        detail = (
            mark(f"where 1 link leads: {remedy}") if number == 1 else mark(f"where {number:,} links lead: {remedy}")
        )
        yield Finding(FindingKind.LEFT_OUT, count=number, detail=detail)


HELD = 0.85
"""Minimum share of the running text in the main part: 0.7 lost introductions, 0.95 included sidebars."""

LINKS = 0.8
"""Share of letters in links above which a block of several links is a menu."""

FEW_LINKS = 4
LONG = 0.4
"""An element with more than this share of the page's text is never furniture, whatever its name."""

_TAGS = frozenset(("nav", "footer", "aside", "dialog", "form"))
_ROLES = frozenset(("complementary", "banner", "dialog", "alertdialog", "form", "alert", "tablist"))
_NAMED = re.compile(
    r"(?:^|[-_\s])(?:cookies?|consent|gdpr|banner|share|sharing|social|newsletter|subscri(?:be|ption)|related|recommend\w*"
    r"|breadcrumbs?|sidebar|side-bar|rail|menus?|navbar|navigation|nav|pagination|pager|promo\w*|adverts?|advertisement|ads?"
    r"|sponsor\w*|comments?|disqus|respond|login|signup|sign-up|paywall|popup|modal|overlay|skip-?(?:link|nav|to-content)\w*"
    r"|toolbar|toc|footer|site-?header|masthead|topbar|trending|most-read|outbrain|taboola|tags|byline-share"
    r"|read-?(?:more|next)|hatnote|noprint|editsection|mw-editsection|headerlink|prev-next|edit-page)(?:$|[-_\s])",
    re.I,
)
_CONTENT = frozenset(("body", "html", "main", "article"))
_GROUPS = frozenset(("div", "ul", "ol", "section", "td", "p", "menu", "dl", "header"))
_WHOLE = frozenset(("p", "pre", "ul", "ol", "dl", "blockquote"))
"""Elements of text: the main part of a page with a single paragraph is more than that paragraph."""

_TABLE = frozenset(("table", "tbody", "thead", "tr"))
_HEADINGS = ("h1", "h2", "h3")


@dataclass(slots=True)
class _Weight:
    """Visible letters below an element, those of them in links, and the number of links."""

    letters: int = 0
    linked: int = 0
    links: int = 0

    @property
    def running(self) -> int:
        return self.letters - self.linked

    def add(self, other: _Weight) -> None:
        """Add the weight of a child."""
        self.letters += other.letters
        self.linked += other.linked
        self.links += other.links


def main_part(body: LexborNode) -> LexborNode:
    """Return the element with the main content of a page; furniture below body is deleted from the tree."""
    weights = _weights(body)
    whole = weights[body.mem_id].letters
    for node in list(_called_furniture(body, weights, LONG * whole)):
        node.decompose()
    weights = _weights(body)
    if not weights[body.mem_id].running:
        # A page with nothing but links: they are its content.
        return body
    part = _smallest_holding(body, weights)
    menus = list(_menus(part, weights))
    if sum(weights[node.mem_id].letters for node in menus) < 0.5 * weights[part.mem_id].letters:
        for node in menus:
            node.decompose()
    return part


def _weights(root: LexborNode) -> dict[int, _Weight]:
    """Return the weight of every visible element."""
    found = {root.mem_id: _Weight()}
    above = [root.mem_id]
    links = 0
    for entering, node in walk(root, is_hidden):
        if node.is_text_node:
            if entering:
                letters = len("".join((node.text_content or "").split()))
                weight = found[above[-1]]
                weight.letters += letters
                weight.linked += letters if links else 0
            continue
        is_link = node.tag == "a" and "href" in node.attributes
        if entering:
            found[node.mem_id] = _Weight(links=int(is_link))
            above.append(node.mem_id)
            links += is_link
        else:
            own = found[above.pop()]
            links -= is_link
            found[above[-1]].add(own)
    return found


def _called_furniture(body: LexborNode, weights: dict[int, _Weight], most: float) -> Iterator[LexborNode]:
    """Yield the topmost elements that are named as belonging to the site."""
    return _topmost(body, lambda node: _is_named_furniture(node) and weights[node.mem_id].letters <= most)


def _topmost(root: LexborNode, wanted: Callable[[LexborNode], bool]) -> Iterator[LexborNode]:
    """Yield the topmost visible elements below root that are wanted; their descendants are not tested."""
    steps = walk(root, is_hidden)
    step = next(steps, None)
    while step is not None:
        entering, node = step
        taken = entering and not node.is_text_node and wanted(node)
        if taken:
            yield node
        try:
            step = steps.send(True if taken else None)  # type: ignore[attr-defined]
        except StopIteration:
            return


def _is_named_furniture(node: LexborNode) -> bool:
    if node.tag in _CONTENT:
        return False
    attributes = node.attributes
    if is_furniture(node) or node.tag in _TAGS or attributes.get("role") in _ROLES:
        return True
    if node.tag in _HEADINGS:
        return False
    return bool(_NAMED.search(attributes.get("class") or "") or _NAMED.search(attributes.get("id") or ""))


def _smallest_holding(body: LexborNode, weights: dict[int, _Weight]) -> LexborNode:
    """Return the deepest element with most of the running text; in a table a cell, but not its rows."""
    needed = HELD * weights[body.mem_id].running
    part = seen = body
    while True:
        below = next((node for node in _children(seen) if _running(node, weights) >= needed), None)
        if below is None or below.tag in _WHOLE:
            return part
        seen = below
        if below.tag not in _TABLE:
            part = below


def _running(node: LexborNode, weights: dict[int, _Weight]) -> int:
    weight = weights.get(node.mem_id)
    return weight.running if weight is not None else 0


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        if not child.is_text_node and not child.is_comment_node:
            yield child
        child = child.next


def _menus(part: LexborNode, weights: dict[int, _Weight]) -> Iterator[LexborNode]:
    """Yield the topmost groups below part that consist mostly of links."""
    return _topmost(part, lambda node: node.tag in _GROUPS and _is_menu(weights[node.mem_id]))


def _is_menu(weight: _Weight) -> bool:
    return weight.links >= FEW_LINKS and weight.linked >= LINKS * weight.letters


_SEPARATOR = re.compile(r"(?<!\s)\s++[|·•»–—-]\s+")
_LARGEST = 1 << 20


def web_page_metadata(tree: LexborHTMLParser, path: Path) -> Metadata:
    """Return the page's metadata; the site's name is removed from the title if a headline confirms the rest."""
    plain = html_metadata(tree, path.with_name(path.name.removesuffix(".html").removesuffix(".web") + ".html"))
    statements = dict(_statements(tree))
    meta = _meta(tree)
    created = plain.created or statements.get("datePublished", "") or meta.get("datepublished", "") or _time(tree)
    return dataclasses.replace(
        plain,
        title=_without_site(plain.title, tree, meta) or stem(path),
        author=plain.author or statements.get("author", ""),
        created=iso_date(created),
        modified=plain.modified or iso_date(statements.get("dateModified", "")),
        language=plain.language or meta.get("og:locale", "").replace("_", "-"),
    )


def page_address(tree: LexborHTMLParser) -> str:
    """Return the address that the page states, as the base of its relative links; empty if there is none."""
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
    # The site's name may be a headline, too, but is rarely at the start of the title.
    in_front = (headline for headline in headlines if headline and title.startswith(f"{headline} "))
    anywhere = (headline for headline in headlines if headline in parts)
    return next(in_front, "") or next(anywhere, "") or title


def _time(tree: LexborHTMLParser) -> str:
    """Return the date in the time element that most likely states the date of publication."""
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
    """Yield dates and author from the page's JSON-LD."""
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
    # Articles last, because dict() keeps the last value; the site and its pictures have other dates.
    return sorted(things, key=lambda thing: "article" in str(thing.get("@type", "")).lower())


def _names(author: Any) -> Iterator[str]:
    for one in author if isinstance(author, list) else [author]:
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str) and name.strip():
            yield " ".join(name.split())[:200]
