"""Flattening parser for XML that is nested deeper than the limit of libxml2 (256); it keeps all text in its order.

Below DEEPEST, an element that contains another one of its own kind is closed before that and reopened after it:
<p>a<p>b</p>c</p> becomes <p>a</p><p>b</p><p>c</p>. Tables thus remain tables of rows of cells, and recursive readers
need no more than a few hundred nested calls.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

Element = Any
"""Element of lxml, which has no types."""

DEEPEST = 200
"""Levels that are kept unchanged; Word's own documents have 30, and Python allows 1,000 nested calls."""

_MOST_KINDS = 64
"""Maximum nested elements of different kinds below that; text in further ones belongs to the last of these."""


@dataclass(slots=True)
class _OpenElement:
    """Open element; above is its parent in the resulting tree, None at the deepest level kept.

    It is added to the tree with the first text or empty element in it: ten thousand cells around one word are one cell.
    """

    tag: str
    attributes: dict[str, str]
    above: "_OpenElement | None"
    length: int
    is_leaf: bool = True


class _Flattening:
    """Handler of expat events that builds the tree."""

    def __init__(self) -> None:
        from lxml import etree  # takes 20 ms; only needed for deeply nested files

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
        """Close all open elements, and return the root."""
        while self._written:
            self._builder.end(self._written.pop().tag)
        while self._kept:
            self._builder.end(self._kept.pop())
        return self._builder.close()

    def _go_to(self, place: _OpenElement) -> None:
        """Close and open elements of the tree so that the next content goes into this one."""
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
    """Return the root of an XML document, up to its first error; None if nothing can be read.

    Entities are not resolved; the caller must have removed a document type.
    """
    flattening = _Flattening()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = flattening.start
    parser.CharacterDataHandler = flattening.data
    parser.EndElementHandler = flattening.end
    with suppress(expat.ExpatError):  # the part before the error is kept
        parser.Parse(data, True)
    return flattening.close() if flattening.has_begun else None


def _clark(name: str) -> str:
    """Return a name in lxml's notation, from “uri local” or “uri local prefix”."""
    uri, space, rest = name.partition(" ")
    return f"{{{uri}}}{rest}" if space else uri
