"""Iteration over an HTML tree without recursion, because malicious pages are nested 20,000 levels deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from workbench.language import mark
from workbench.model.document import Finding, FindingKind

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

BLOCKS = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "optgroup",
        "option",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    )
)
"""Elements whose text is separated from that of adjacent elements."""

_NEVER_SHOWN = frozenset(
    (
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "canvas",
        "iframe",
        "object",
        "embed",
        "head",
        "audio",
        "video",
        "select",
        "textarea",
        "datalist",
        "button",
    )
)
_FURNITURE = frozenset(("nav", "footer"))
_FURNITURE_ROLES = frozenset(("navigation", "contentinfo", "search", "menu", "menubar", "toolbar"))
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])|opacity\s*:\s*0(?![.\d]*[1-9])", re.I
)
_SPACE = re.compile(r"[ \t\n\r\f]+")
# Han, kana and hangul characters match individually; a number with its point, or a word with its apostrophe or hyphen,
# is a single match.
_ONE_BY_ONE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_ONE_BY_ONE}]|[^\W{_ONE_BY_ONE}]+(?:['’.,-][^\W{_ONE_BY_ONE}]+)*")
_CLOSED_AT_ONCE = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([A-Za-z][\w:-]{0,30})(\s[^<>]{0,2000})?/>"
)


def page_tree(text: str) -> LexborHTMLParser:
    """Return the tree of a page; in XHTML, <title/> and <a id="x"/> are empty, as their authors intended."""
    # Imported here: the window's process imports this module and parses no pages.
    from selectolax.lexbor import LexborHTMLParser

    if "<?xml" in text[:200] or "http://www.w3.org/1999/xhtml" in text[:2000]:
        text = _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", text)
    return LexborHTMLParser(text)


def is_hidden(node: LexborNode) -> bool:
    """Return True if an element is not visible on the page."""
    tag = node.tag or ""
    if tag in _NEVER_SHOWN:
        return True
    attributes = node.attributes
    return bool(attributes) and (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or bool(_HIDING_STYLE.search(attributes.get("style") or ""))
    )


def is_furniture(node: LexborNode) -> bool:
    """Return True if an element belongs to the site rather than to the page's own text."""
    return node.tag in _FURNITURE or node.attributes.get("role") in _FURNITURE_ROLES


def walk(root: LexborNode, skip: Callable[[LexborNode], bool]) -> Iterator[tuple[bool, LexborNode]]:
    """Yield (True, node) on entering and (False, node) on leaving each node below root, in reading order.

    Nodes for which skip returns True are left out with their descendants. The caller may skip a subtree by sending True
    after it was entered.
    """
    depth = 0
    node = root.child
    while node is not None:
        down = None
        if not node.is_comment_node and (node.is_text_node or not skip(node)):
            taken = yield True, node
            down = None if taken else node.child
            if down is None:
                yield False, node
        if down is not None:
            node, depth = down, depth + 1
            continue
        while node.next is None and depth:
            parent = node.parent
            if parent is None:
                return
            node, depth = parent, depth - 1
            yield False, node
        node = node.next


def inline_text(root: LexborNode, skip: Callable[[LexborNode], bool] = is_hidden) -> str:
    """Return an element's visible text as one line, without nodes for which skip returns True."""
    parts: list[str] = []
    for entering, node in walk(root, skip):
        if node.is_text_node:
            if entering:
                parts.append(node.text_content or "")
        elif node.tag in BLOCKS or node.tag == "br":
            parts.append(" ")
    return _SPACE.sub(" ", "".join(parts)).strip()


def without_furniture(root: LexborNode) -> str:
    """Return an element's visible text as one line, without elements that belong to the site."""
    return inline_text(root, lambda node: is_hidden(node) or is_furniture(node))


def words_unread(root: LexborNode) -> tuple[int, int]:
    """Return the number of unread words of an element: in menus and footers, and in hidden elements."""
    if root.css_first("nav, footer, [role], [hidden], [aria-hidden], [style]") is None:
        return 0, 0
    shown = count_words(inline_text(root))
    every = count_words(inline_text(root, lambda node: node.tag in _NEVER_SHOWN))
    return shown - count_words(without_furniture(root)), every - shown


def count_words(text: str) -> int:
    """Return the number of words of a text; in scripts without spaces each character counts as a word."""
    return sum(1 for _ in _WORD.finditer(text))


def left_out(words: int) -> Iterator[Finding]:
    """Yield the finding about words of a page that belong to the site and were not read, if there are any."""
    if words > 0:
        one = mark("the page's menus, footers and other parts of the site, 1 word")
        several = mark(f"the page's menus, footers and other parts of the site, {words:,} words")
        yield Finding(FindingKind.LEFT_OUT, count=words, detail=one if words == 1 else several)


def raw_text(root: LexborNode) -> str:
    """Return an element's text with its white space unchanged, as for pre."""
    parts: list[str] = []
    for entering, node in walk(root, is_hidden):
        if entering and node.is_text_node:
            parts.append(node.text_content or "")
        elif entering and node.tag == "br":
            parts.append("\n")
    return "".join(parts)
