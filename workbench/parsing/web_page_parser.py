"""A page fetched from the web: what it is about, without the site's furniture, and where its links lead."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urljoin

from workbench.errors import EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean
from workbench.parsing.html_metadata import decode_html
from workbench.parsing.html_parser import read_element
from workbench.parsing.html_tree import count_words, inline_text, left_out, without_furniture
from workbench.parsing.main_text import main_part
from workbench.parsing.web_page_metadata import page_address, web_page_metadata

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

TOO_LITTLE = 0.15
"""Share of the page's text below which the part that was found cannot be what the page is about."""

MOST_LINKS = 200
_SPACE = re.compile(r"\s+")


class WebPageParser:
    """Reads what WebFetcher brings; .html files that the user has are read whole, by HtmlParser."""

    format: ClassVar[str] = "webpage"
    suffixes: ClassVar[frozenset[str]] = frozenset({".web.html"})
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the page at path."""
        # Not on the way to the window, whose process imports every parser's module.
        from selectolax.lexbor import LexborHTMLParser

        source = decode_html(path.read_bytes())
        tree = LexborHTMLParser(source)
        address = page_address(tree)
        body = tree.body or tree.root
        part = main_part(body) if body is not None else None
        # After the site's furniture is gone: its headlines and dates are not the page's.
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
                "It may be made by scripts: add it again with “Let the page's scripts run first”.",
            )
        links = _links(builder, body, address) if body is not None else {}
        findings = (*findings, *_add_links(builder, links))
        return ParsedDocument(builder.text, tuple(builder.blocks), (), metadata, self.format, findings=findings)


def _main_text(body: LexborNode, part: LexborNode, title: str) -> TextBuilder:
    builder = read_element(part)
    if not builder.blocks or any(block.kind is BlockKind.HEADING for block in builder.blocks[:3]):
        return builder
    # The headline often stands above the text, in a part of its own with the date and the pictures.
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
    """Yield what is said of the words that the page shows and that were not kept; a headline put in front was."""
    headline = builder.text[: builder.blocks[0].end] if builder.blocks else ""
    moved = headline if headline in shown and headline not in kept else ""
    return left_out(count_words(shown) - count_words(kept) - count_words(moved))


def _links(builder: TextBuilder, part: LexborNode, address: str) -> dict[str, str]:
    """Return where the text's links lead, each with its words."""
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
        # Links stand in the order of the text: looked for from its start, 10,000 of them would go through it as often.
        place = text.find(words, at)
        if place >= 0:
            at = place
        if place >= 0 or words in text:
            found[target] = words
    return found


def _add_links(builder: TextBuilder, links: dict[str, str]) -> Iterator[Finding]:
    """Append the links, which would stand between the words of the text itself; yield what is left out of them."""
    kept = list(islice(links.items(), MOST_LINKS))
    if kept:
        builder.add(BlockKind.HEADING, "Links", level=2)
        builder.add(BlockKind.LIST, "\n".join(f"- {words}: {target}" for target, words in kept))
    number = len(links) - len(kept)
    if number:
        remedy = mark("their words were read; the page itself shows where they lead")
        detail = (
            mark(f"where 1 link leads: {remedy}") if number == 1 else mark(f"where {number:,} links lead: {remedy}")
        )
        yield Finding(FindingKind.LEFT_OUT, count=number, detail=detail)
