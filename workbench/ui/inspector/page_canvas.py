"""Painting of the visible pages: vertical layout of all pages, and a bounded cache of their pictures."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from workbench.model.chunk import Box
from workbench.model.document import Page
from workbench.ui.theme import Theme

_STEP = 24
"""Pixels scrolled by an arrow key, and by a third of a notch of the wheel."""
_CLICK_DISTANCE = 4
"""Maximum pixels that the pointer may move during a click."""
# Colours of paper, independent of the theme.
_PAPER = "#ffffff"
# Marks are multiplied with the page, so that black print keeps its full contrast (16:1, with a translucent mark on top
# 6:1); on a dark page they are added to it instead, and light print keeps its contrast.
_MARK = QColor("#ffecad")
_MARK_ON_DARK = QColor("#665200")
_DARK = 110
"""Mean grey value, 0 to 255, below which the paper under a mark counts as dark."""

Overlay = Callable[[QPainter, int, float], None]
"""Callback that paints over a page: takes the painter, the page number and the pixels per point."""


class PageCanvas(QAbstractScrollArea):
    """Scrollable view of the pages.

    Attributes:
        pictures: Cache of the pictures of pages.
        overlay: Callback that paints over each page, or None.

    Signals:
        moved: Other pages are visible, or the viewport was resized.
        zoom_asked: 1 to zoom in, -1 to zoom out.
        clicked: Number of a page, and the position on it in points.
    """

    moved = Signal()
    zoom_asked = Signal(int)
    clicked = Signal(int, QPointF)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.stack = PageLayout(())
        self.pictures = PagePictureCache()
        self.overlay: Overlay | None = None
        self._marks: dict[int, Sequence[Box]] = {}
        self._notes: dict[int, str] = {}
        self._pressed = self._drag = QPoint()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self.viewport().update)

    @property
    def in_sight(self) -> range:
        """The pages that are at least partly visible."""
        top = self.verticalScrollBar().value()
        return self.stack.between(top, top + self.viewport().height())

    @property
    def page(self) -> int:
        """The current page: the one a third below the upper edge; the last one at the end."""
        bar = self.verticalScrollBar()
        if bar.value() and bar.value() == bar.maximum():
            return self.stack.last
        uppermost = self.stack.at(bar.value() + 1)
        return self.stack.at(bar.value() + min(self.viewport().height() / 3, self.stack.size(uppermost)[1] / 2))

    def set_stack(self, stack: PageLayout) -> None:
        """Set other pages, or the same pages at another zoom; the page position at the upper edge is kept."""
        before, top = self.stack, self.verticalScrollBar().value()
        page = before.at(top)
        within = (top - before.top(page)) / max(1, before.size(page)[1]) if before.last >= before.first else 0.0
        self.stack = stack
        self._set_bars()
        if stack.first <= page <= stack.last and before.last == stack.last:
            self.verticalScrollBar().setValue(round(stack.top(page) + within * stack.size(page)[1]))
        self.viewport().update()

    def mark(self, page: int, boxes: Sequence[Box]) -> None:
        """Mark boxes on a page."""
        self._marks[page] = boxes
        self.viewport().update()

    def marks(self, page: int) -> Sequence[Box]:
        """Return the marked boxes of a page."""
        return self._marks.get(page, ())

    def unmark(self) -> None:
        """Remove all marks."""
        self._marks.clear()
        self.viewport().update()

    def note(self, page: int, text: str) -> None:
        """Show on a page's paper why it is not drawn."""
        self._notes[page] = text
        self.viewport().update()

    def has_note(self, page: int) -> bool:
        """Return True if a page has a note, because it cannot be drawn."""
        return page in self._notes

    def forget(self) -> None:
        """Drop pictures, marks and notes, because another document is shown."""
        self.pictures.clear()
        self._notes.clear()
        self.unmark()

    def show_place(self, page: int, box: Box | None, air: float = 0.0) -> None:
        """Scroll to a page, or to a box on it, which is placed a third below the upper edge."""
        top, factor = self.stack.top(page), self.stack.factor(page)
        down = top + box[1] * factor - self.viewport().height() / 3 if box is not None else top - GAP
        self.verticalScrollBar().setValue(round(down))
        left = self._left_edge(page) + (box[0] - air) * factor if box is not None else self._left_edge(page)
        self.horizontalScrollBar().setValue(round(left))

    def place_of(self, page: int) -> QRect:
        """Return the rectangle of a page in the viewport."""
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return QRect(QPoint(self._left_edge(page) - across, self.stack.top(page) - down), self._size(page))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        for page in self.in_sight:
            place = self.place_of(page)
            if place.intersects(event.rect()):
                self._paint(painter, page, place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_bars()
        self.moved.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_asked.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self._drag = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scroll with the pointer, as paper is moved on a desk."""
        place = event.position().toPoint()
        moved, self._drag = place - self._drag, place
        for bar, distance in ((self.horizontalScrollBar(), moved.x()), (self.verticalScrollBar(), moved.y())):
            bar.setValue(bar.value() - distance)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit clicked for a click on a page."""
        place = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or (place - self._pressed).manhattanLength() > _CLICK_DISTANCE:
            return
        for page in self.in_sight:
            rectangle = self.place_of(page)
            if rectangle.contains(place):
                self.clicked.emit(page, QPointF(place - rectangle.topLeft()) / self.stack.factor(page))

    def _paint(self, painter: QPainter, page: int, place: QRect) -> None:
        tokens = self._theme.tokens()
        picture = self.pictures.get(page)
        if picture is None:
            painter.fillRect(place, QColor(_PAPER))
            painter.setPen(QColor("#8a8f96"))
            painter.setFont(self._theme.font())
            words = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(place.adjusted(_STEP, 0, -_STEP, 0), words, self._notes.get(page, str(page)))
        else:
            self._paint_picture(painter, place, picture.pixels)
        factor = self.stack.factor(page)
        self._paint_marks(painter, page, place)
        if self.overlay is not None:
            painter.save()
            painter.translate(place.topLeft())
            self.overlay(painter, page, factor)
            painter.restore()
        painter.setPen(QColor(tokens.border_strong))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place.adjusted(0, 0, -1, -1))

    def _paint_marks(self, painter: QPainter, page: int, place: QRect) -> None:
        factor, picture = self.stack.factor(page), self.pictures.get(page)
        painter.save()
        for left, top, right, bottom in self.marks(page):
            box = QRectF(left * factor, top * factor, (right - left) * factor, (bottom - top) * factor)
            is_dark = picture is not None and _is_dark(picture.pixels, box, place.size())
            mode = QPainter.CompositionMode
            painter.setCompositionMode(mode.CompositionMode_Plus if is_dark else mode.CompositionMode_Multiply)
            painter.fillRect(box.translated(place.topLeft()), _MARK_ON_DARK if is_dark else _MARK)
        painter.restore()

    def _paint_picture(self, painter: QPainter, place: QRect, pixels: QPixmap) -> None:
        ratio = self.devicePixelRatioF()
        exact = QRectF(QPointF(place.topLeft()), pixels.deviceIndependentSize() / ratio)
        if abs(exact.width() - place.width()) <= 1 and abs(exact.height() - place.height()) <= 1:
            # A copy pixel by pixel: any other size would be smoothed on each scroll.
            painter.drawPixmap(exact, pixels, QRectF(pixels.rect()))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(place, pixels)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)

    def _size(self, page: int) -> QSize:
        return QSize(*self.stack.size(page))

    def _left_edge(self, page: int) -> int:
        """Return the left edge of a page, which is centred in the viewport or in the widest page."""
        return max(self.viewport().width(), self.stack.width) // 2 - self.stack.size(page)[0] // 2

    def _set_bars(self) -> None:
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        room = self.viewport().size()
        down.setRange(0, max(0, self.stack.height - room.height()))
        down.setPageStep(max(1, room.height() - _STEP))
        across.setRange(0, max(0, self.stack.width - room.width()))
        across.setPageStep(room.width())
        for bar in (down, across):
            bar.setSingleStep(_STEP)

    @Slot()
    def _on_scrolled(self) -> None:
        self.viewport().update()
        self.moved.emit()


def _is_dark(pixels: QPixmap, box: QRectF, size: QSize) -> bool:
    """Return True if the part of a picture under a mark is mostly dark; size is that of the page in the viewport."""
    across, down = pixels.width() / max(1, size.width()), pixels.height() / max(1, size.height())
    area = QRectF(box.x() * across, box.y() * down, box.width() * across, box.height() * down).toAlignedRect()
    part = pixels.copy(area.intersected(pixels.rect()))
    if part.isNull():
        return False
    grey = part.toImage().scaled(1, 1, mode=Qt.TransformationMode.SmoothTransformation)
    return QColor(grey.pixel(0, 0)).lightness() < _DARK


GAP = 12
"""Pixels above each page and below the last."""
_DEFAULT_SIZE = (595.0, 842.0)
"""Size in points of a page whose size is not known."""


class PageLayout:
    """Vertical layout of the pages of a document at one zoom.

    Args:
        pages: In order, their numbers without gaps.
        factor: Pixels per point; 0 gives each page the same width instead.
        width: Width of each page in pixels if factor is 0.

    Attributes:
        first: Number of the first page.
        last: Number of the last page.
        width: Width of the widest page in pixels.
        height: Total height of pages and gaps in pixels.
    """

    def __init__(self, pages: Sequence[Page], *, factor: float = 0.0, width: float = 0.0) -> None:
        sizes = [(page.width, page.height) if page.width and page.height else _DEFAULT_SIZE for page in pages]
        self._sizes = sizes
        self._factors = [factor or width / size[0] for size in sizes]
        self._heights = [round(size[1] * by) for size, by in zip(sizes, self._factors, strict=True)]
        self._tops = list(accumulate((height + GAP for height in self._heights), initial=GAP))
        self.first = pages[0].number if pages else 1
        self.last = self.first + len(pages) - 1
        self.height = self._tops[-1]
        self.width = max((self.size(page)[0] for page in range(self.first, self.last + 1)), default=0)

    def factor(self, page: int) -> float:
        """Return the pixels per point of a page."""
        return self._factors[page - self.first]

    def points(self, page: int) -> tuple[float, float]:
        """Return width and height of a page in points."""
        return self._sizes[page - self.first]

    def size(self, page: int) -> tuple[int, int]:
        """Return width and height of a page in pixels."""
        place = page - self.first
        return round(self._sizes[place][0] * self._factors[place]), self._heights[place]

    def top(self, page: int) -> int:
        """Return the vertical position at which a page begins."""
        return self._tops[page - self.first]

    def at(self, height: float) -> int:
        """Return the page at a vertical position; in a gap, the page below it."""
        place = bisect_right(self._tops, height) - 1
        if place >= 0 and height >= self._tops[place] + (self._heights[place] if place < len(self._heights) else 0):
            place += 1
        return min(self.last, self.first + max(0, place))

    def between(self, top: float, bottom: float) -> range:
        """Return the pages that are at least partly between two vertical positions."""
        return range(self.at(top), self.at(bottom - 1) + 1) if self._heights else range(0)


MOST_BYTES = 64 * 2**20
"""Memory limit: 40 pictures at the width of the pane, 10 on a screen of two pixels per point. Visible pages are kept
even beyond it."""
_PPM = b"P6\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture of a page.

    Attributes:
        pixels: The pixmap.
        scale: Pixels per point that were requested.
    """

    pixels: QPixmap
    scale: float

    @property
    def bytes(self) -> int:
        """Memory use in bytes."""
        return 4 * self.pixels.width() * self.pixels.height()


class PagePictureCache:
    """Cache of pictures by page; the least recently used are dropped first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._pictures: OrderedDict[int, Picture] = OrderedDict()
        self.bytes = 0

    def get(self, page: int) -> Picture | None:
        """Return the picture of a page and mark it as recently used."""
        if page in self._pictures:
            self._pictures.move_to_end(page)
        return self._pictures.get(page)

    def scale(self, page: int) -> float:
        """Return the scale at which a page was drawn; 0 if it was not."""
        kept = self._pictures.get(page)
        return kept.scale if kept is not None else 0.0

    def put(self, page: int, picture: Picture, needed: Collection[int]) -> None:
        """Add a picture, and drop others above the memory limit, except those of the needed pages."""
        self._drop(page)
        self._pictures[page] = picture
        self.bytes += picture.bytes
        for other in [one for one in self._pictures if one not in needed and one != page]:
            if self.bytes <= self._most:
                break
            self._drop(other)

    def clear(self) -> None:
        """Drop all pictures."""
        self._pictures.clear()
        self.bytes = 0

    def _drop(self, page: int) -> None:
        dropped = self._pictures.pop(page, None)
        if dropped is not None:
            self.bytes -= dropped.bytes


def pixels_of(data: bytes) -> QPixmap:
    """Return a pixmap: PPM is only copied (1 ms a page), any other format is decoded by Qt (20 ms for PNG)."""
    if data.startswith(_PPM):
        size, _most, start = _header(data)
        image = QImage(data[start:], size[0], size[1], 3 * size[0], QImage.Format.Format_RGB888)
        return QPixmap.fromImage(image)
    picture = QPixmap()
    picture.loadFromData(data)
    return picture


def _header(data: bytes) -> tuple[tuple[int, int], int, int]:
    """Return width and height, the maximum value, and the offset of the pixels of a PPM picture."""
    lines = data[:40].split(b"\n", 3)
    width, height = lines[1].split()
    return (int(width), int(height)), int(lines[2]), sum(len(line) + 1 for line in lines[:3])
