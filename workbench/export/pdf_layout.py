"""Page layout of an exported PDF with MuPDF, and its style sheet.

No box with a background or a side border has vertical padding: MuPDF would draw that padding again at the top of each
following page.
"""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from workbench.export.escaping import one_line
from workbench.export.pdf import PdfPiece
from workbench.parsing.mupdf import mupdf

pymupdf = mupdf()

_PAGE = pymupdf.paper_rect("a4")
_TEXT = pymupdf.Rect(_PAGE.x0 + 62, _PAGE.y0 + 58, _PAGE.x1 - 62, _PAGE.y1 - 66)
_GAP = 4
_GUTTER = 20
"""Points between two columns."""
_MIN_SPACE = 150
"""Points of free space below which a piece begins on the next page: a heading and the first lines after it."""
_LONGEST_TITLE = 120
_DEEPEST = 3
"""Deepest level of the headings in the outline; the headings of the answers are deeper."""
_OPENS = 1


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

    def add(self, piece: PdfPiece) -> None:
        """Lay out a piece."""
        if self._device is None or piece.new_page or _TEXT.y1 - self._y < _MIN_SPACE:
            self._start_page()
        if piece.columns:
            self._add_columns(piece.columns)
            return
        story = _story(piece)
        if piece.is_whole and self._y > _TEXT.y0:
            more, _ = story.place(self._area())
            story.reset()
            if more:
                self._start_page()
        more = True
        while more:
            more, filled = story.place(self._area())
            self._draw(story)
            self._y = max(self._y, filled[3]) + _GAP
            if more:
                self._start_page()

    def _add_columns(self, columns: Sequence[PdfPiece]) -> None:
        """Lay out pieces beside each other; what is longer than a page is cut off."""
        width = (_TEXT.width - _GUTTER * (len(columns) - 1)) / len(columns) if len(columns) > 1 else _TEXT.width
        stories = [_story(piece) for piece in columns]
        areas = [self._area(place * (width + _GUTTER), width) for place in range(len(columns))]
        if self._y > _TEXT.y0 and any(story.place(area)[0] for story, area in zip(stories, areas, strict=True)):
            self._start_page()
        lowest = self._y
        for place, story in enumerate(stories):
            story.reset()
            _, filled = story.place(self._area(place * (width + _GUTTER), width))
            self._draw(story)
            lowest = max(lowest, filled[3])
        self._y = lowest + _GAP

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
        if element.id:
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


STYLE = """
body { font-family: sans-serif; font-size: 9.5pt; line-height: 1.45; color: #1d2127; }
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
p.page img { border: 0.5pt solid #b8bec5; }
"""
