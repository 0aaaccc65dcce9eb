"""Tables of the HTML of an exported PDF: taken out of the text around them, so that they are divided between rows."""

import html
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from workbench.export.escaping import html_text
from workbench.export.rendering import TABLE_SIZES, table_size
from workbench.export.text_lines import UNBROKEN, column_widths

DEEPEST = 3
"""Largest indentation in lists; what is deeper is indented no further."""
_CELL_START = re.compile("<t[hd][^>]*>")
_CELL_END = re.compile("</t[hd]>")
_CELL = re.compile(r"<(t[hd])([^>]*)>")
_TAG = re.compile("<[^>]*>")
_TEXT = re.compile(r">[^<]+")
_BREAK = "\u200b"
"""Zero-width space, because MuPDF loses the text after a <wbr> at the end of a line."""
_LONG_WORD = re.compile(r"[^\s&;>]{9,}")
_SHORTEST_PART = 8
_BREAK_AFTER = re.compile(rf"(.{{{_SHORTEST_PART}}})(?=.)")


@dataclass(frozen=True, slots=True)
class PdfTable:
    """Table with its rows as HTML.

    Attributes:
        head: Rows that are repeated on each page; empty if there are none.
        rows: The other rows.
        depth: Number of lists that contain the table.
    """

    head: str
    rows: tuple[str, ...]
    depth: int = 0

    @property
    def columns(self) -> int:
        """Number of columns."""
        return max((len(_CELL.findall(row)) for row in (self.head, *self.rows)), default=0)

    @property
    def sizes(self) -> tuple[str, ...]:
        """Classes to try in order: the more columns, the smaller the largest type."""
        return TABLE_SIZES[TABLE_SIZES.index(table_size(self.columns)) :]

    def html(self, rows: Sequence[str], size: str, widths: Sequence[float] = ()) -> str:
        """Return a table of some of the rows below the head.

        Args:
            rows: The rows.
            size: Class of the table, one of TABLE_SIZES.
            widths: Widths of the columns in points; empty if they follow from the contents.
        """
        head, *below = [self.head, *rows] if self.head else list(rows)
        head = _with_widths(head, widths) if widths else head
        top = f"<thead>{head}</thead>" if self.head else ""
        body = "".join(below if self.head else [head, *below])
        return f'<table class="{size}">{top}<tbody>{body}</tbody></table>'

    def records(self, rows: Sequence[str]) -> str:
        """Return each row as a paragraph of heads and cells, for a table or a row that is too large for any page."""
        heads = _contents(self.head)
        lines = (
            "; ".join(f"<b>{name}</b> {cell}" for name, cell in zip_longest(heads, cells, fillvalue=""))
            for cells in map(_contents, rows or (self.head,))
        )
        return "\n".join(f'<p class="record">{line}</p>' for line in lines)

    def unbroken(self) -> list[set[tuple[str, bool]]]:
        """Return for each column the pieces of text in which a line cannot end, each with whether it is bold."""
        columns: list[set[tuple[str, bool]]] = [set() for _ in range(self.columns)]
        for row in (self.head, *self.rows):
            for column, cell in zip(columns, _contents(row), strict=False):
                is_bold = row is self.head or "<strong" in cell
                text = html.unescape(_TAG.sub("", cell.replace(_BREAK, " ")))
                column.update((word, is_bold) for word in UNBROKEN.findall(text))
        return columns

    def widths(self, room: int) -> list[float]:
        """Return the widths of the columns as shares of the width of the table, which is room letters."""
        texts = [[html.unescape(_TAG.sub("", cell)) for cell in _contents(row)] for row in (self.head, *self.rows)]
        letters = column_widths(texts, room)
        return [width / sum(letters) for width in letters]

    def with_breaks(self, longest: int = _SHORTEST_PART) -> "PdfTable":
        """Return the table with places at which a line may end in the words that are longer than some letters."""
        head, *rows = (_with_breaks(row, longest) for row in (self.head, *self.rows))
        return PdfTable(head, tuple(rows), self.depth)


def divide_at_tables(answer: str) -> Iterator[str | PdfTable]:
    """Yield the tables of sanitised HTML and the HTML between them; a list is divided at a table in one of its items.

    A table in a block quote is not taken out of it.
    """
    if "<table" not in answer:
        yield answer
        return
    # Imported here, because most answers have no table.
    from lxml.html import fragment_fromstring

    root = fragment_fromstring(answer, create_parent="div")
    waiting = yield from _parts(root.text, list(root), 0)
    if waiting.strip():
        yield waiting


def _parts(
    text: str | None, children: Sequence[Any], depth: int, waiting: str = ""
) -> Generator[str | PdfTable, None, str]:
    """Yield the tables of elements and the HTML before each; return the HTML after the last one."""
    waiting += html_text(text or "")
    for child in children:
        if not _has_table(child):
            waiting += _markup(child, with_tail=True)
            continue
        match child.tag:
            case "table":
                yield from _indented(waiting, depth)
                yield _table(child, depth)
                waiting = ""
            case "ul" | "ol":
                waiting = yield from _items(child, depth, waiting)
            case "div":
                waiting = yield from _parts(child.text, list(child), depth, waiting)
            case _:
                waiting += _markup(child)
        waiting += html_text(child.tail or "")
    return waiting


def _items(element: Any, depth: int, waiting: str) -> Generator[str | PdfTable, None, str]:
    """Yield the items of a list, divided at tables; those without a table together."""
    start = element.get("start", "1")
    first = int(start) if start.isdecimal() else 1
    together = ""
    for number, item in enumerate(element, start=first):
        children = list(item)
        until = next((place for place, child in enumerate(children) if _has_table(child)), len(children))
        begin = html_text(item.text or "") + "".join(_markup(child, with_tail=True) for child in children[:until])
        together += f"<li>{begin}</li>"
        if until < len(children):
            yield from _indented(waiting + _list(element.tag, first, together), depth)
            rest = yield from _parts("", children[until:], depth + 1)
            yield from _indented(rest, depth + 1)
            waiting, together, first = "", "", number + 1
    return waiting + (_list(element.tag, first, together) if together else "")


def _list(tag: str, first: int, items: str) -> str:
    return f'<{tag} start="{first}">{items}</{tag}>'


def _table(element: Any, depth: int) -> PdfTable:
    heads = element.findall("thead/tr")
    rows = [row for row in element.iter("tr") if row not in heads]
    return PdfTable("".join(map(_markup, heads)), tuple(map(_markup, rows)), depth)


def _has_table(element: Any) -> bool:
    return element.tag == "table" or element.find(".//table") is not None


def _markup(element: Any, *, with_tail: bool = False) -> str:
    from lxml.html import tostring

    return str(tostring(element, encoding="unicode", with_tail=with_tail))


def _indented(body: str, depth: int) -> Iterator[str]:
    if body.strip():
        yield f'<div class="depth-{min(depth, DEEPEST)}">{body}</div>' if depth else body


def _with_widths(row: str, widths: Sequence[float]) -> str:
    left = iter(widths)

    def sized(cell: re.Match[str]) -> str:
        width = next(left, None)
        rule = f"width: {width:.2f}pt" if width is not None else ""
        rest = cell[2].replace('style="', f'style="{rule}; ', 1) if "style=" in cell[2] else f'{cell[2]} style="{rule}"'
        return f"<{cell[1]}{rest}>"

    return _CELL.sub(sized, row)


def numbered_cells(row: str) -> str:
    """Return a row whose cells have the ids "column-0", "column-1" and so on."""
    numbers = iter(range(len(row)))
    return _CELL.sub(lambda cell: f'<{cell[1]} id="column-{next(numbers)}"{cell[2]}>', row)


def _with_breaks(row: str, longest: int) -> str:
    def broken(text: re.Match[str]) -> str:
        return _LONG_WORD.sub(
            lambda word: _BREAK_AFTER.sub(rf"\1{_BREAK}", word[0]) if len(word[0]) > longest else word[0], text[0]
        )

    return _TEXT.sub(broken, row)


def _contents(row: str) -> list[str]:
    """Return the contents of the cells of a row as HTML."""
    return [_CELL_END.split(cell)[0] for cell in _CELL_START.split(row)[1:]]
