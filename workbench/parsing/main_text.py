"""What a web page is about: the part that holds its running text, without the site around it.

Two facts of how pages are built do the work. What belongs to the site calls itself so (nav, "cookie-banner",
"related-posts"), and consists of links. So: what calls itself furniture goes first; then the part is the smallest
element that still holds nearly all of the text that is not links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.parsing.html_tree import is_furniture, is_hidden, walk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

HELD = 0.85
"""Share of the running text that the part must hold: with 0.7 introductions got lost, with 0.95 sidebars came in."""

LINKS = 0.8
"""Share of its letters that stand in links, above which a block of several links is a menu."""

FEW_LINKS = 4
LONG = 0.4
"""No element with more than this share of the page's text is furniture, whatever it calls itself."""

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
"""Elements that are text themselves: a page of one paragraph is not about the paragraph alone."""

_TABLE = frozenset(("table", "tbody", "thead", "tr"))
_HEADINGS = ("h1", "h2", "h3")


@dataclass(slots=True)
class _Weight:
    """Visible letters below an element, those of them in links, and how many links."""

    letters: int = 0
    linked: int = 0
    links: int = 0

    @property
    def running(self) -> int:
        return self.letters - self.linked

    def add(self, other: _Weight) -> None:
        """Take in what a child holds."""
        self.letters += other.letters
        self.linked += other.linked
        self.links += other.links


def main_part(body: LexborNode) -> LexborNode:
    """Return the element that holds what a page is about; furniture below body is deleted from the tree."""
    weights = _weights(body)
    whole = weights[body.mem_id].letters
    for node in list(_called_furniture(body, weights, LONG * whole)):
        node.decompose()
    weights = _weights(body)
    if not weights[body.mem_id].running:
        # A page of nothing but links: those are what it is about.
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
    """Yield the topmost elements that say they belong to the site."""
    return _topmost(body, lambda node: _says_so(node) and weights[node.mem_id].letters <= most)


def _topmost(root: LexborNode, wanted: Callable[[LexborNode], bool]) -> Iterator[LexborNode]:
    """Yield the visible elements below root that are wanted; what is below one of them is not asked about."""
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


def _says_so(node: LexborNode) -> bool:
    if node.tag in _CONTENT:
        return False
    attributes = node.attributes
    if is_furniture(node) or node.tag in _TAGS or attributes.get("role") in _ROLES:
        return True
    if node.tag in _HEADINGS:
        return False
    return bool(_NAMED.search(attributes.get("class") or "") or _NAMED.search(attributes.get("id") or ""))


def _smallest_holding(body: LexborNode, weights: dict[int, _Weight]) -> LexborNode:
    """Return the deepest element that holds most of the running text; of a table, the cell that does or none of it."""
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
    """Yield the topmost groups below part that are little but links."""
    return _topmost(part, lambda node: node.tag in _GROUPS and _is_menu(weights[node.mem_id]))


def _is_menu(weight: _Weight) -> bool:
    return weight.links >= FEW_LINKS and weight.linked >= LINKS * weight.letters
