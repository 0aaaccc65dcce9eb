"""Page layout of an exported PDF with MuPDF, and its style sheet.

No box with a background or a side border has vertical padding: MuPDF would draw that padding again at the top of each
following page.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.export.divided_tables import DEEPEST, PdfTable, numbered_cells
from workbench.export.escaping import one_line
from workbench.export.pdf import FRAMED, PdfPiece
from workbench.export.text_lines import LONGEST_WORD
from workbench.parsing.mupdf import mupdf

pymupdf = mupdf()

_PAGE = pymupdf.paper_rect("a4")
_TEXT = pymupdf.Rect(_PAGE.x0 + 68, _PAGE.y0 + 58, _PAGE.x1 - 68, _PAGE.y1 - 66)
_GAP = 4
_GUTTER = 20
"""Points between two columns."""
_MIN_SPACE = 150
"""Points of free space below which a piece begins on the next page: a heading and the first lines after it."""
_FRAME = (0.72, 0.75, 0.77)
"""Colour of the frame of a picture."""
_LONGEST_TITLE = 120
_DEEPEST = 3
"""Deepest level of the headings in the outline; the headings of the answers are deeper."""
_OPENS = 1
_TALLEST = 200_000
"""Height in points of the area in which a piece is measured."""
_INDENT = 30
"""Points by which MuPDF indents a list."""
_POINTS = {"few": 8.5, "many": 7.5, "most": 6.5}
"""Size of the type of each class of tables."""
_PADDING = {"few": (2.5, 5.0), "many": (2.0, 3.0), "most": (1.5, 2.0)}
"""Points above and below each cell, and at its left and right."""
_LETTER = 0.5
"""Average width of a letter, as a share of the size of the type."""
_TABLE_MARGINS = 14
_LEAST_ROWS = 2
"""Rows of a divided table for which there must be space below its head, before it is continued on the next page."""
_LARGEST_GAP = _TEXT.height / 2
"""Points of free space that are left so that a table is not divided."""


@dataclass(frozen=True, slots=True)
class _TableLayout:
    """Measured table: its class, the widths of its columns, and the heights of its head and rows in points."""

    table: PdfTable
    size: str
    widths: tuple[float, ...]
    head: float
    rows: tuple[float, ...]

    def fitting(self, first: int, room: float) -> int:
        """Return how many rows from row first fit below the head."""
        room -= self.head + _TABLE_MARGINS
        count = 0
        for height in self.rows[first:]:
            room -= height
            if room < 0:
                break
            count += 1
        return count

    def part(self, first: int, count: int) -> str:
        """Return the head and count rows from row first as HTML."""
        return self.table.html(self.table.rows[first : first + count], self.size, self.widths)

    def record(self, number: int) -> str:
        """Return a row as a paragraph."""
        return self.table.records(self.table.rows[number : number + 1])


class PdfPages:
    """Layout of consecutive pieces; each continues where the previous one ended."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        self._writer = pymupdf.DocumentWriter(self._bytes)
        self._device: Any = None
        self._number = -1
        self._y = _TEXT.y0
        self._targets: dict[str, tuple[int, float]] = {}
        self._links: list[tuple[int, tuple[float, ...], str]] = []
        self._headings: list[tuple[int, str, int, float]] = []
        self._frames: list[tuple[int, tuple[float, ...]]] = []

    def add(self, piece: PdfPiece) -> None:
        """Lay out a piece."""
        if self._device is None or piece.new_page:
            self._start_page()
        if piece.columns:
            self._add_columns(piece)
        elif piece.table is not None:
            self._add_table(piece, piece.table)
        else:
            self._flow(piece)

    def _start_page_for(self, story: Any, width: float, *, is_whole: bool) -> None:
        """Start a page if there is too little space for the beginning of a piece, or for a piece that is whole.

        MuPDF loses a piece of which not even the first line fits.
        """
        if self._y == _TEXT.y0 or (self._room >= _MIN_SPACE and not is_whole):
            return
        height = _height(story, width)
        if self._room < height and (self._room < _MIN_SPACE or height <= _TEXT.height):
            self._start_page()

    def _flow(self, piece: PdfPiece, left: float = 0.0) -> None:
        """Lay out the body of a piece, and continue it on further pages."""
        if not piece.html.strip():
            return
        story = _story(piece)
        self._start_page_for(story, _TEXT.width - left, is_whole=piece.is_whole)
        more = True
        while more:
            more, filled = story.place(self._area(left))
            self._draw(story)
            self._y = max(self._y, filled[3]) + _GAP
            if more:
                self._start_page()

    def _add_table(self, piece: PdfPiece, table: PdfTable) -> None:
        """Lay out a table, its head on each page, and each row on one page.

        A table that fits on a page is not divided, unless much of the page before it would be empty.
        """
        left = _INDENT * min(table.depth, DEEPEST)
        made = _measure_table(table, _TEXT.width - left)
        above = _height(_story(piece), _TEXT.width) + _GAP if piece.html.strip() else 0.0
        if made is None or not made.rows:
            self._flow(PdfPiece(f"{piece.html}\n{table.records(table.rows)}"))
            return
        needed = above + made.head + _TABLE_MARGINS + sum(made.rows)
        if needed > _TEXT.height or self._room > _LARGEST_GAP:
            needed = above + made.head + _TABLE_MARGINS + sum(made.rows[:_LEAST_ROWS])
        if self._y > _TEXT.y0 and self._room < needed:
            self._start_page()
        self._flow(piece)
        first = 0
        while first < len(made.rows):
            count = made.fitting(first, self._room)
            if not count and self._y > _TEXT.y0:
                self._start_page()
                continue
            # MuPDF cuts off a row that is longer than a page.
            self._flow(PdfPiece(made.part(first, count) if count else made.record(first)), left)
            first += max(1, count)

    def _add_columns(self, piece: PdfPiece) -> None:
        """Lay out pieces beside each other, and continue those that are longer than a page on the next one."""
        count = len(piece.columns)
        width = (_TEXT.width - _GUTTER * (count - 1)) / count
        stories = [(_story(column), place * (width + _GUTTER)) for place, column in enumerate(piece.columns)]
        above = _height(_story(piece), _TEXT.width) + _GAP if piece.html else 0.0
        if self._y > _TEXT.y0 and self._room < above + max(_height(story, width) for story, _ in stories):
            self._start_page()
        self._flow(piece)
        while stories:
            lowest, unfinished = self._y, []
            for story, left in stories:
                more, filled = story.place(self._area(left, width))
                self._draw(story)
                lowest = max(lowest, filled[3])
                unfinished += [(story, left)] if more else []
            self._y = lowest + _GAP
            stories = unfinished
            if stories:
                self._start_page()

    @property
    def _room(self) -> float:
        """Free height of the page in points."""
        return float(_TEXT.y1 - self._y)

    def _area(self, left: float = 0.0, width: float = 0.0) -> Any:
        """Return the free rectangle of the page, or a column of it."""
        start = _TEXT.x0 + left
        return pymupdf.Rect(start, self._y, start + width if width else _TEXT.x1, _TEXT.y1)

    def _draw(self, story: Any) -> None:
        # MuPDF requires a function of one argument; a bound method does not count as one.
        story.element_positions(lambda element: self._record_element(element), {})
        story.draw(self._device)

    def finished(self, title: str, version: str, exported: str) -> bytes:
        """Return the bytes of the PDF."""
        if self._device is None:
            self._start_page()
        self._writer.end_page()
        self._writer.close()
        with pymupdf.open("pdf", self._bytes.getvalue()) as document:
            self._link(document)
            document.set_toc(self._outline())
            _number_pages(document)
            for number, area in self._frames:
                # A frame in the style sheet is ignored by MuPDF.
                document[number].draw_rect(area, color=_FRAME, width=0.5)
            document.set_metadata(
                {
                    "title": one_line(title),
                    "creator": f"Knowledge Workbench {version}",
                    "producer": "MuPDF",
                    "creationDate": _pdf_date(exported),
                    "modDate": _pdf_date(exported),
                }
            )
            document.subset_fonts()
            return bytes(document.tobytes(garbage=3, deflate=True, use_objstms=1, no_new_id=True))

    def _start_page(self) -> None:
        if self._device is not None:
            self._writer.end_page()
        self._device = self._writer.begin_page(_PAGE)
        self._number += 1
        self._y = _TEXT.y0

    def _record_element(self, element: Any) -> None:
        if not element.open_close & _OPENS:
            return
        if element.id and element.id.startswith(FRAMED):
            left, top, _, bottom = element.rect
            self._frames.append((self._number, (left, top, left + float(element.id.removeprefix(FRAMED)), bottom)))
        elif element.id:
            self._targets.setdefault(element.id, (self._number, element.rect[1]))
        if element.href:
            self._add_link(tuple(element.rect), element.href)
        if 0 < element.heading <= _DEEPEST and element.text:
            self._headings.append((element.heading, element.text, self._number, element.rect[1]))

    def _add_link(self, area: tuple[float, ...], href: str) -> None:
        """Record a link; merge it with the previous one, because MuPDF reports each word of a link separately."""
        if self._links:
            number, before, known = self._links[-1]
            is_one_line = (number, before[1], before[3]) == (self._number, area[1], area[3])
            if known == href and is_one_line and before[2] >= area[0] - 1:
                self._links[-1] = (number, (*before[:2], *area[2:]), href)
                return
        self._links.append((self._number, area, href))

    def _link(self, document: Any) -> None:
        for number, area, href in self._links:
            link: dict[str, Any] = {"from": pymupdf.Rect(area)}
            if not href.startswith("#"):
                link |= {"kind": pymupdf.LINK_URI, "uri": href}
            elif target := self._targets.get(href[1:]):
                link |= {"kind": pymupdf.LINK_GOTO, "page": target[0], "to": pymupdf.Point(0, target[1])}
            else:
                continue
            document[number].insert_link(link)

    def _outline(self) -> list[list[Any]]:
        entries: list[list[Any]] = []
        for level, text, number, y in self._headings:
            place = {"kind": pymupdf.LINK_GOTO, "page": number, "to": pymupdf.Point(0, y), "zoom": 0}
            # No entry may be more than one level below the one before it.
            deep = min(level, entries[-1][0] + 1) if entries else 1
            entries.append([deep, one_line(text)[:_LONGEST_TITLE], number + 1, place])
        return entries


def _story(piece: PdfPiece) -> Any:
    archive = pymupdf.Archive()
    for name, png in piece.pictures.items():
        archive.add(png, name)
    return pymupdf.Story(f"<html><body>{piece.html}</body></html>", user_css=STYLE, archive=archive)


def _height(story: Any, width: float) -> float:
    """Return the height of a story in points."""
    _, filled = story.place(pymupdf.Rect(0, 0, width, _TALLEST))
    story.reset()
    return float(filled[3])


def _measure_table(table: PdfTable, width: float) -> _TableLayout | None:
    """Return a table in the largest type in which it fits into a width; None if it does not in any."""
    unbroken = table.with_breaks(LONGEST_WORD)
    for candidate, size in [*((unbroken, size) for size in table.sizes), (table.with_breaks(), table.sizes[-1])]:
        made = _measure(candidate, size, width)
        if made is not None:
            return made
    return None


def _measure(table: PdfTable, size: str, width: float) -> _TableLayout | None:
    found: dict[str, tuple[float, ...]] = {}

    def record(element: Any) -> None:
        if element.id and element.open_close & _OPENS:
            found.setdefault(element.id, tuple(element.rect))

    numbered = tuple(row.replace("<tr", f'<tr id="row-{number}"', 1) for number, row in enumerate(table.rows))
    head = numbered_cells(table.head) if table.head else ""
    rows = numbered if head or not numbered else (numbered_cells(numbered[0]), *numbered[1:])
    measured = PdfTable(head, rows)
    letters = round(width / (_POINTS[size] * _LETTER))
    # A width in CSS is without the padding.
    wanted = [max(1.0, width * share - 2 * _PADDING[size][1]) for share in measured.widths(letters)]
    story = _story(PdfPiece(measured.html(rows, size, wanted)))
    more, _ = story.place(pymupdf.Rect(0, 0, width, _TALLEST))
    story.element_positions(lambda element: record(element), {})
    cells = [found[name] for number in range(table.columns) if (name := f"column-{number}") in found]
    tops = [found[name][1] for number in range(len(rows)) if (name := f"row-{number}") in found]
    if more or len(tops) < len(rows) or not _fits(table, size, cells, width):
        return None
    ends = [*tops[1:], found[f"row-{len(rows) - 1}"][3]] if rows else []
    return _TableLayout(
        table,
        size,
        tuple(cell[2] - cell[0] for cell in cells),
        tops[0] if tops else 0.0,
        tuple(end - top for top, end in zip(tops, ends, strict=True)),
    )


def _fits(table: PdfTable, size: str, cells: Sequence[tuple[float, ...]], width: float) -> bool:
    """Return whether a table is within a width, and each word within its column; MuPDF lets words stick out."""
    if any(cell[2] > width for cell in cells):
        return False
    fonts = {is_bold: pymupdf.Font("hebo" if is_bold else "helv") for is_bold in (True, False)}
    return all(
        fonts[is_bold].text_length(word, _POINTS[size]) <= cell[2] - cell[0] + 1
        for cell, words in zip(cells, table.unbroken(), strict=False)
        for word, is_bold in words
    )


def _number_pages(document: Any) -> None:
    font = pymupdf.Font("helv")
    for page in document:
        # The layout leaves an inverted coordinate system in effect.
        page.wrap_contents()
        writer = pymupdf.TextWriter(page.rect, color=(0.36, 0.4, 0.44))
        text = f"{page.number + 1} / {document.page_count}"
        width = font.text_length(text, 8)
        writer.append((page.rect.width / 2 - width / 2, page.rect.height - 34), text, font=font, fontsize=8)
        writer.write_text(page)


def _pdf_date(iso: str) -> str:
    try:
        return f"D:{datetime.fromisoformat(iso):%Y%m%d%H%M%S}Z"
    except ValueError:
        return ""


_SIZES = "\n".join(
    f"table.{name} {{ font-size: {points}pt; }}\n"
    f"table.{name} th, table.{name} td {{ padding: {_PADDING[name][0]}pt {_PADDING[name][1]}pt; }}"
    for name, points in _POINTS.items()
)
STYLE = (
    """
body { margin: 0; font-family: sans-serif; font-size: 9.5pt; line-height: 1.45; color: #1d2127; }
h1 { font-size: 19pt; line-height: 1.25; margin: 0 0 4pt 0; }
h2 { font-size: 13pt; line-height: 1.35; margin: 14pt 0 2pt 0; color: #17565d; }
h3 { font-size: 11pt; margin: 12pt 0 3pt 0; }
h4 { font-size: 9.5pt; margin: 10pt 0 3pt 0; color: #5c6570; }
h5 { font-size: 10.5pt; margin: 8pt 0 2pt 0; }
p { margin: 4pt 0; }
ul, ol { margin: 4pt 0; }
li p { margin: 1pt 0; }
.meta { color: #5c6570; font-size: 8pt; margin: 1pt 0; }
a:link { color: #17565d; }
sup.cite { font-size: 7pt; }
sup.cite a:link { text-decoration: none; font-weight: bold; }
.where { margin: 8pt 0 0 0; }
.remark { color: #8a3318; margin: 5pt 0; }
.invalid { color: #8a3318; }
blockquote { margin: 3pt 0 3pt 0; padding: 0 0 0 8pt; border-left: 2pt solid #c9d6d8; color: #33393f; }
table { border-collapse: collapse; width: 100%; font-size: 8.5pt; margin: 5pt 0; }
.depth-1 { margin-left: 30pt; }
.depth-2 { margin-left: 60pt; }
.depth-3 { margin-left: 90pt; }
.record { margin: 5pt 0; }
th, td { border-bottom: 0.5pt solid #b8bec5; padding: 2.5pt 5pt; text-align: left; vertical-align: top; }
th { color: #5c6570; }
td.score, th.score { text-align: right; }
.code, pre.data { background-color: #f0f2f4; padding: 0 6pt; margin: 5pt 0; }
pre { font-family: monospace; font-size: 8pt; line-height: 1.35; white-space: pre-wrap; margin: 0; }
code { font-family: monospace; font-size: 8.5pt; }
dl { margin: 2pt 0; font-size: 8.5pt; }
dt { color: #5c6570; }
dd { margin: 0 0 2pt 10pt; }
.time { color: #5c6570; font-size: 8pt; margin-left: 5pt; }
ol.steps { font-size: 9pt; }
p.page { margin: 4pt 0 10pt 0; }
td code, th code { font-size: 0.9em; }
"""
    + _SIZES
)
