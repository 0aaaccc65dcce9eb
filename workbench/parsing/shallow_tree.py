"""XML that nests deeper than libxml2 reads (256) as a tree that is not so deep, with all of its text in its order.

Below DEEPEST an element ends where one of its own kind begins in it, which comes to stand behind it, and goes on after
that: <p>a<p>b</p>c</p> is <p>a</p><p>b</p><p>c</p>. So tables stay tables of rows of cells, and readers need no more
than a few hundred calls of themselves.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

Element = Any
"""An element of lxml, which ships no types."""

DEEPEST = 200
"""Levels that are kept as they are; Word's own documents have 30, and Python allows 1,000 calls within each other."""

_MOST_KINDS = 64
"""Kinds of elements within each other below that; text of any more belongs to the last of these."""


@dataclass(slots=True)
class _OpenElement:
    """An element that has begun; above is the one that it is in as the tree has it, None at the deepest level kept.

    It comes into the tree with the first text or empty element in it: ten thousand cells around one word are one cell.
    """

    tag: str
    attributes: dict[str, str]
    above: "_OpenElement | None"
    length: int
    is_leaf: bool = True


class _Flattening:
    """Takes what expat tells and builds the tree."""

    def __init__(self) -> None:
        from lxml import etree  # 20 ms that only deep files take

        self._builder: Any = etree.TreeBuilder()
        self._kept: list[str] = []
        self._below: list[_OpenElement] = []
        self._written: list[_OpenElement] = []
        self.has_begun = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _clark(name)
        named = {_clark(key): value for key, value in attributes.items()}
        self.has_begun = True
        if len(self._kept) < DEEPEST:
            self._kept.append(tag)
            self._builder.start(tag, named)
            return
        above = self._below[-1] if self._below else None
        if above is not None:
            above.is_leaf = False
        same = above
        while same is not None and same.tag != tag:
            same = same.above
        if same is not None:
            above = same.above
        length = above.length + 1 if above is not None else 1
        if above is not None and length > _MOST_KINDS:
            self._below.append(above)
        else:
            self._below.append(_OpenElement(tag, named, above, length))

    def data(self, text: str) -> None:
        if self._below and text.strip():
            self._go_to(self._below[-1])
        if self._kept:
            self._builder.data(text)

    def end(self, _name: str) -> None:
        if not self._below:
            self._builder.end(self._kept.pop())
            return
        ended = self._below.pop()
        is_shared = bool(self._below) and self._below[-1] is ended
        if ended.is_leaf and not is_shared:
            self._go_to(ended)
        if self._written and self._written[-1] is ended and not is_shared:
            self._builder.end(self._written.pop().tag)

    def close(self) -> Element:
        """End what is open, and return the root."""
        while self._written:
            self._builder.end(self._written.pop().tag)
        while self._kept:
            self._builder.end(self._kept.pop())
        return self._builder.close()

    def _go_to(self, place: _OpenElement) -> None:
        """End and begin elements of the tree so that what comes next stands in this one."""
        way: list[_OpenElement] = []
        at: _OpenElement | None = place
        while at is not None:
            way.append(at)
            at = at.above
        way.reverse()
        common = 0
        while common < min(len(way), len(self._written)) and way[common] is self._written[common]:
            common += 1
        while len(self._written) > common:
            self._builder.end(self._written.pop().tag)
        for one in way[common:]:
            self._builder.start(one.tag, one.attributes)
            self._written.append(one)


def shallow_tree(data: bytes) -> Element | None:
    """Return the root of an XML document as far as it can be read; None where nothing of it can.

    Entities are not resolved: a document type must have been cut out.
    """
    flattening = _Flattening()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = flattening.start
    parser.CharacterDataHandler = flattening.data
    parser.EndElementHandler = flattening.end
    with suppress(expat.ExpatError):  # what stands before the flaw is taken
        parser.Parse(data, True)
    return flattening.close() if flattening.has_begun else None


def _clark(name: str) -> str:
    """Return a name as lxml writes it; of “uri local” and “uri local prefix” too."""
    uri, space, rest = name.partition(" ")
    return f"{{{uri}}}{rest}" if space else uri
