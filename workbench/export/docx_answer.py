"""An answer as sanitised HTML -> paragraphs, lists, tables and code of Word; the HTML is that of every other format."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from workbench.export.docx_xml import link, paragraph, run, table

NOTE = "note"
"""Class of the element that stands for a marker; its title is the footnote's label."""
WRONG = "invalid"
"""Class of an invented marker."""

_HEADINGS = {"h1": "Heading3", "h2": "Heading3", "h3": "Heading4", "h4": "Heading4", "h5": "Heading5", "h6": "Heading5"}
_COLOUR = re.compile(r"(?<![-\w])color:\s*#([0-9a-fA-F]{6})")
_ALIGN = re.compile(r"text-align:\s*(left|right|center)")
_BLANKS = re.compile(r"[ \t\r\n]+")
_INLINE = {"a", "b", "br", "code", "em", "i", "s", "span", "strong", "sub", "sup"}
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Linked:
    """What an answer needs of the file: marks of footnotes by label, links by address, a new list's number."""

    note: Callable[[str], str]
    address: Callable[[str], str]
    new_list: Callable[[bool, int], int]


@dataclass(frozen=True, slots=True)
class _Look:
    bold: bool = False
    italic: bool = False
    struck: bool = False
    style: str = ""
    colour: str = ""
    raised: str = ""
    keeps_lines: bool = False


class AnswerWriter:
    """Turns one answer after the other into body XML."""

    def __init__(self, linked: Linked) -> None:
        self._linked = linked

    def write(self, answer_html: str) -> str:
        """Return the body XML of an answer."""
        # Not on the way of the other formats.
        from lxml import html

        root = html.fragment_fromstring(answer_html, create_parent="div")
        return "".join(self._blocks(root, "Normal", None))

    def _blocks(self, parent: Any, style: str, level: tuple[int, int] | None) -> Iterator[str]:
        """Yield the blocks in an element; text beside them becomes paragraphs of its own."""
        waiting = _text(parent.text, is_first=True)
        for child in parent:
            if child.tag in _INLINE:
                waiting += self._runs(child, _Look()) + _text(child.tail)
                continue
            if waiting:
                yield paragraph(waiting, style, numbering=level)
                level = None
            for block in self._block(child, style, level):
                yield block
                level = None
            waiting = _text(child.tail, is_first=True)
        if waiting:
            yield paragraph(waiting, style, numbering=level)

    def _block(self, element: Any, style: str, level: tuple[int, int] | None) -> Iterator[str]:
        match element.tag:
            case "p":
                yield paragraph(self._runs(element, _Look()), style, numbering=level)
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                yield paragraph(self._runs(element, _Look()), _HEADINGS[element.tag])
            case "ul" | "ol":
                yield from self._list(element, style)
            case "table":
                yield self._table(element)
            case "pre":
                yield paragraph(self._runs(element, _Look(keeps_lines=True)), "Code")
            case "blockquote":
                yield from self._blocks(element, "Quote", None)
            case "hr":
                yield paragraph("", "Rule")
            case "div" if element.get("class") == "formula":
                yield paragraph(self._runs(element, _Look()), style, align="center")
            case _:
                yield from self._blocks(element, style, level)

    def _list(self, element: Any, style: str) -> Iterator[str]:
        depth = min(sum(parent.tag in ("ul", "ol") for parent in element.iterancestors()), _DEEPEST)
        is_ordered = element.tag == "ol"
        start = element.get("start", "1")
        first = int(start) if start.isdecimal() and len(start) < 6 else 1
        number = self._linked.new_list(is_ordered, first)
        named = "ListNumber" if is_ordered else "ListBullet"
        for item in element:
            yield from self._blocks(item, named if style != "Quote" else style, (number, depth))

    def _table(self, element: Any) -> str:
        rows = []
        for row in element.iter("tr"):
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            rows.append([self._cell(cell) for cell in cells])
        return table([row for row in rows if row])

    def _cell(self, cell: Any) -> str:
        align = _ALIGN.search(cell.get("style", ""))
        runs = self._runs(cell, _Look(bold=cell.tag == "th"))
        return paragraph(runs, "TableText", align=align[1] if align and align[1] != "left" else "")

    def _runs(self, element: Any, look: _Look) -> str:
        """Return the runs in an element, itself with its look included, without its tail."""
        match element.tag:
            case "br":
                return "<w:r><w:br/></w:r>"
            case "sup" if element.get("class") == NOTE:
                return self._linked.note(element.get("title", ""))
            case "strong" | "b":
                look = replace(look, bold=True)
            case "em" | "i":
                look = replace(look, italic=True)
            case "s":
                look = replace(look, struck=True)
            case "sup" | "sub":
                look = replace(look, raised="superscript" if element.tag == "sup" else "subscript")
            case "code" if not look.keeps_lines:
                look = replace(look, style="CodeText")
            case "span":
                look = _dressed(look, element)
            case "a":
                look = replace(look, style="Hyperlink")
        inside = [run(_flowing(element.text, look), **_as_arguments(look))]
        for child in element:
            inside += [self._runs(child, look), run(_flowing(child.tail, look), **_as_arguments(look))]
        text = "".join(inside)
        if element.tag != "a" or not text:
            return text
        return link(self._linked.address(element.get("href", "")), text)


def _text(text: str | None, *, is_first: bool = False) -> str:
    flowing = _flowing(text, _Look())
    return run(flowing.lstrip() if is_first else flowing)


def _dressed(look: _Look, element: Any) -> _Look:
    if element.get("class") == WRONG:
        return replace(look, style="Wrong")
    style = element.get("style", "")
    colour = _COLOUR.search(style)
    bold, italic = look.bold or "font-weight: bold" in style, look.italic or "font-style: italic" in style
    return replace(look, bold=bold, italic=italic, colour=colour[1].upper() if colour else look.colour)


def _as_arguments(look: _Look) -> dict[str, Any]:
    return {name: getattr(look, name) for name in ("bold", "italic", "struck", "style", "colour", "raised")}


def _flowing(text: str | None, look: _Look) -> str:
    if not text or look.keeps_lines:
        return text or ""
    return _BLANKS.sub(" ", text)
