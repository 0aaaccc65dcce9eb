"""Minimal page layout for the sample report: text and shapes are collected first and drawn at the end.

It supports headings, paragraphs, lists, ruled tables, columns and running heads. All positions are in points from the
top left corner of an A4 page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

import pymupdf

WIDTH, HEIGHT = 595.0, 842.0
LEFT, RIGHT, TOP, BOTTOM = 70.0, 525.0, 92.0, 762.0
GUTTER = 22.0

Colour = tuple[float, float, float]
INK: Colour = (0.13, 0.15, 0.18)
SOFT: Colour = (0.42, 0.46, 0.51)
SEA: Colour = (0.07, 0.31, 0.39)
TINT: Colour = (0.90, 0.945, 0.95)
RULE: Colour = (0.70, 0.76, 0.79)
WHITE: Colour = (1.0, 1.0, 1.0)

BODY = pymupdf.Font("tiro")
BODY_BOLD = pymupdf.Font("tibo")
BODY_ITALIC = pymupdf.Font("tiit")
SANS = pymupdf.Font("helv")
SANS_BOLD = pymupdf.Font("hebo")


@dataclass(frozen=True)
class Text:
    """A line of text at a base line."""

    x: float
    y: float
    text: str
    font: pymupdf.Font
    size: float
    colour: Colour = INK


@dataclass
class Sheet:
    """Contents of one page."""

    texts: list[Text] = field(default_factory=list)
    shapes: list[Callable[[pymupdf.Shape], None]] = field(default_factory=list)
    chapter: str = ""

    def rectangle(self, x0: float, y0: float, x1: float, y1: float, fill: Colour) -> None:
        """Fill a rectangle."""
        self.shapes.append(lambda shape: _fill(shape, pymupdf.Rect(x0, y0, x1, y1), fill))

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: Colour = RULE, width: float = 0.6) -> None:
        """Draw a line."""
        self.shapes.append(lambda shape: _stroke(shape, [(x0, y0), (x1, y1)], colour, width))

    def curve(self, points: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
        """Draw a line through the points."""
        self.shapes.append(lambda shape: _stroke(shape, points, colour, width))

    def polygon(self, points: Sequence[tuple[float, float]], fill: Colour) -> None:
        """Fill a polygon."""
        self.shapes.append(lambda shape: _fill_polygon(shape, points, fill))

    def draw(self, page: pymupdf.Page) -> None:
        """Draw everything on the page, shapes below the text."""
        shape = page.new_shape()
        for put in self.shapes:
            put(shape)
        shape.commit()
        # One writer for each sequence of texts of a colour, so that the file has the text in reading order.
        for colour, texts in groupby(self.texts, key=lambda text: text.colour):
            writer = pymupdf.TextWriter(page.rect)
            for text in texts:
                writer.append((text.x, text.y), text.text, font=text.font, fontsize=text.size)
            writer.write_text(page, color=colour)


def wrap(text: str, font: pymupdf.Font, size: float, width: float) -> list[str]:
    """Split a text into lines that are not wider than width."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.text_length(longer, size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines


class Flow:
    """Page filler, top to bottom in one or two columns, that records the position of each heading."""

    def __init__(self, first_page: int) -> None:
        self.sheets: list[Sheet] = []
        self.outline: list[tuple[int, str, int]] = []
        self._first_page = first_page
        self._columns, self._column, self._top = 1, 0, TOP
        self.y = TOP
        self._chapter = ""

    @property
    def sheet(self) -> Sheet:
        """Current sheet."""
        return self.sheets[-1]

    @property
    def width(self) -> float:
        """The width of a column."""
        return (RIGHT - LEFT - GUTTER * (self._columns - 1)) / self._columns

    @property
    def x(self) -> float:
        """The left edge of the column."""
        return LEFT + self._column * (self.width + GUTTER)

    def columns(self, count: int) -> None:
        """Balance the current columns, and set the number of columns for the following content."""
        if count < self._columns == 2 and self._column == 0:
            self._even_out()
        self._columns, self._column, self._top = count, 0, self.y

    def _even_out(self) -> None:
        """Move the lower half of the first column, from the start of a paragraph, to the second one."""
        texts = [text for text in self.sheet.texts if text.y > self._top]
        levels = sorted({text.y for text in texts})
        gaps = [after for before, after in pairwise(levels) if after - before > 17]
        middle = (self._top + self.y) / 2
        split = min(gaps, key=lambda level: abs(level - middle), default=self.y)
        up, aside = split - levels[0], self.width + GUTTER
        moved = [replace(text, x=text.x + aside, y=text.y - up) for text in texts if text.y >= split]
        kept = [text for text in self.sheet.texts if text.y <= self._top or text.y < split]
        self.sheet.texts[:] = kept + moved
        self.y = self._top + max(split - self._top, self.y - split)

    def new_page(self) -> None:
        """Start a new page."""
        self.sheets.append(Sheet(chapter=self._chapter))
        self._column, self._top, self.y = 0, TOP, TOP

    def need(self, height: float) -> None:
        """Continue in the next column or page if less than height is left."""
        if self.y + height <= BOTTOM:
            return
        if self._column + 1 < self._columns:
            self._column += 1
            self.y = self._top
        else:
            self.new_page()

    def chapter(self, title: str) -> None:
        """Start a chapter on a new page."""
        self._chapter, self._columns = title, 1
        self.new_page()
        self.outline.append((1, title, self._first_page + len(self.sheets) - 1))
        for line in wrap(title, SANS_BOLD, 22, RIGHT - LEFT):
            self.sheet.texts.append(Text(LEFT, self.y + 16, line, SANS_BOLD, 22, SEA))
            self.y += 28
        self.sheet.line(LEFT, self.y + 2, LEFT + 56, self.y + 2, SEA, 2.2)
        self.y += 24
        self._top = self.y

    def heading(self, level: int, title: str) -> None:
        """Add a heading of level 2 or 3, never as the last line of a column."""
        size, colour, before = (13.5, SEA, 12.0) if level == 2 else (11.0, INK, 8.0)
        self.need(before + size + 52)
        if self.y > self._top:
            self.y += before
        self.outline.append((level, title, self._first_page + len(self.sheets) - 1))
        for line in wrap(title, SANS_BOLD, size, self.width):
            self.sheet.texts.append(Text(self.x, self.y + size, line, SANS_BOLD, size, colour))
            self.y += size * 1.3
        self.y += 5

    def paragraph(self, text: str, *, indent: float = 0.0, bullet: str = "") -> None:
        """Add a paragraph or a list item; at least two of its lines stay together."""
        size, leading = (10.6, 15.4) if self._columns == 1 else (9.8, 13.6)
        lines = wrap(text, BODY, size, self.width - indent)
        for number, line in enumerate(lines):
            left = len(lines) - number
            self.need(leading * (2 if (number == 0 and len(lines) > 1) or left == 2 else 1))
            if number == 0 and bullet:
                self.sheet.texts.append(Text(self.x + 2, self.y + size, bullet, BODY, size, SEA))
            self.sheet.texts.append(Text(self.x + indent, self.y + size, line, BODY, size))
            self.y += leading
        self.y += 7 if not bullet else 4

    def entry(self, term: str, text: str) -> None:
        """Add a glossary entry: the term next to its meaning."""
        lines = wrap(text, BODY, 10.6, self.width - 150)
        self.need(15.4 * len(lines) + 6)
        self.sheet.texts.append(Text(self.x, self.y + 10.6, term, SANS_BOLD, 9.6, SEA))
        for line in lines:
            self.sheet.texts.append(Text(self.x + 150, self.y + 10.6, line, BODY, 10.6))
            self.y += 15.4
        self.y += 6

    def caption(self, text: str) -> None:
        """Add a caption."""
        for line in wrap(text, SANS_BOLD, 9.2, self.width):
            self.sheet.texts.append(Text(self.x, self.y + 9.2, line, SANS_BOLD, 9.2, SEA))
            self.y += 13
        self.y += 3

    def table(self, caption: str, weights: Sequence[float], rows: Sequence[Sequence[str]]) -> None:
        """Add a ruled table below its caption; a table is never split over pages."""
        size, row_height = 9.3, 19.0
        unit = self.width / sum(weights)
        cells = [
            [wrap(cell, SANS, size, weight * unit - 12) for cell, weight in zip(row, weights, strict=True)]
            for row in rows
        ]
        heights = [row_height + 11.5 * (max(map(len, row)) - 1) for row in cells]
        self.need(sum(heights) + 40)
        self.y += 6
        self.caption(caption)
        edges = [self.x + unit * sum(weights[:number]) for number in range(len(weights) + 1)]
        top = self.y
        self.sheet.rectangle(edges[0], top, edges[-1], top + heights[0], TINT)
        for number, (row, height) in enumerate(zip(cells, heights, strict=True)):
            last = rows[number][0] in ("All",) or "Total" in rows[number]
            font = SANS_BOLD if number == 0 or last else SANS
            for column, lines in enumerate(row):
                numeric = column > 0 and all(_is_figure(other[column]) for other in rows[1:])
                for depth, line in enumerate(lines):
                    length = font.text_length(line, size)
                    x = edges[column + 1] - 6 - length if numeric else edges[column] + 6
                    self.sheet.texts.append(Text(x, self.y + 12.8 + 11.5 * depth, line, font, size))
            self.y += height
            self.sheet.line(edges[0], self.y, edges[-1], self.y)
        self.sheet.line(edges[0], top, edges[-1], top, SEA, 1.1)
        for edge in edges:
            self.sheet.line(edge, top, edge, self.y)
        self.y += 16


def _is_figure(cell: str) -> bool:
    return not cell.strip() or cell.strip() == "–" or cell.replace(".", "").replace(",", "").strip().isdigit()


def _fill(shape: pymupdf.Shape, rectangle: pymupdf.Rect, colour: Colour) -> None:
    shape.draw_rect(rectangle)
    shape.finish(color=None, fill=colour, width=0)


def _fill_polygon(shape: pymupdf.Shape, points: Sequence[tuple[float, float]], colour: Colour) -> None:
    shape.draw_polyline([pymupdf.Point(point) for point in points])
    shape.finish(color=None, fill=colour, width=0, closePath=True)


def _stroke(shape: pymupdf.Shape, points: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
    shape.draw_polyline([pymupdf.Point(point) for point in points])
    shape.finish(color=colour, width=width, closePath=False)
