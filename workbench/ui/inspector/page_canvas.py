"""All pages below one another, of which those in sight are painted: their pictures, or their paper until these come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from workbench.model.chunk import Box
from workbench.ui.inspector.page_pictures import PagePictures
from workbench.ui.inspector.page_stack import GAP, PageStack
from workbench.ui.theme import Theme

_STEP = 24
"""Pixels of an arrow key, and a third of a notch of the wheel."""
_STILL = 4
"""Pixels that a hand moves while it clicks."""
# Of the paper, whatever the theme is.
_PAPER = "#ffffff"
_MARK = QColor(255, 209, 51, 102)

Overlay = Callable[[QPainter, int, float], None]
"""Paints over a page: its number, and how many pixels a point is."""


class PageCanvas(QAbstractScrollArea):
    """Scrolls through the pages.

    Attributes:
        pictures: Of the pages that were drawn.
        overlay: What is painted over each page, if anything.

    Signals:
        moved: Other pages are in sight, or the room is another.
        zoom_asked: 1 to zoom in, -1 to zoom out.
        clicked: A page, and the place on it in points.
    """

    moved = Signal()
    zoom_asked = Signal(int)
    clicked = Signal(int, QPointF)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.stack = PageStack(())
        self.pictures = PagePictures()
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
        """The pages of which some is seen."""
        top = self.verticalScrollBar().value()
        return self.stack.between(top, top + self.viewport().height())

    @property
    def page(self) -> int:
        """The page that is looked at: the one a third below the upper edge, the last one at the end."""
        bar = self.verticalScrollBar()
        if bar.value() and bar.value() == bar.maximum():
            return self.stack.last
        uppermost = self.stack.at(bar.value() + 1)
        return self.stack.at(bar.value() + min(self.viewport().height() / 3, self.stack.size(uppermost)[1] / 2))

    def set_stack(self, stack: PageStack) -> None:
        """Show other pages, or the same at another zoom; the place that is looked at stays in sight."""
        before, top = self.stack, self.verticalScrollBar().value()
        page = before.at(top)
        within = (top - before.top(page)) / max(1, before.size(page)[1]) if before.last >= before.first else 0.0
        self.stack = stack
        self._set_bars()
        if stack.first <= page <= stack.last and before.last == stack.last:
            self.verticalScrollBar().setValue(round(stack.top(page) + within * stack.size(page)[1]))
        self.viewport().update()

    def mark(self, page: int, boxes: Sequence[Box]) -> None:
        """Mark places of a page."""
        self._marks[page] = boxes
        self.viewport().update()

    def marks(self, page: int) -> Sequence[Box]:
        """Return what is marked on a page."""
        return self._marks.get(page, ())

    def unmark(self) -> None:
        """Mark nothing."""
        self._marks.clear()
        self.viewport().update()

    def note(self, page: int, text: str) -> None:
        """Say on its paper why a page is not drawn."""
        self._notes[page] = text
        self.viewport().update()

    def has_note(self, page: int) -> bool:
        """Return whether a page cannot be drawn."""
        return page in self._notes

    def forget(self) -> None:
        """Drop pictures, marks and notes: another document is shown."""
        self.pictures.clear()
        self._notes.clear()
        self.unmark()

    def show_place(self, page: int, box: Box | None, air: float = 0.0) -> None:
        """Scroll to a page, or to a place on it, which comes to stand a third below the upper edge."""
        top, factor = self.stack.top(page), self.stack.factor(page)
        down = top + box[1] * factor - self.viewport().height() / 3 if box is not None else top - GAP
        self.verticalScrollBar().setValue(round(down))
        left = self._left(page) + (box[0] - air) * factor if box is not None else self._left(page)
        self.horizontalScrollBar().setValue(round(left))

    def place_of(self, page: int) -> QRect:
        """Return where a page stands in the viewport."""
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return QRect(QPoint(self._left(page) - across, self.stack.top(page) - down), self._size(page))

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
        """Move the pages with the pointer, as paper on a desk."""
        place = event.position().toPoint()
        moved, self._drag = place - self._drag, place
        for bar, distance in ((self.horizontalScrollBar(), moved.x()), (self.verticalScrollBar(), moved.y())):
            bar.setValue(bar.value() - distance)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell of a click on a page."""
        place = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or (place - self._pressed).manhattanLength() > _STILL:
            return
        for page in self.in_sight:
            there = self.place_of(page)
            if there.contains(place):
                self.clicked.emit(page, QPointF(place - there.topLeft()) / self.stack.factor(page))

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
        for left, top, right, bottom in self.marks(page):
            box = QRectF(left * factor, top * factor, (right - left) * factor, (bottom - top) * factor)
            painter.fillRect(box.translated(place.topLeft()), _MARK)
        if self.overlay is not None:
            painter.save()
            painter.translate(place.topLeft())
            self.overlay(painter, page, factor)
            painter.restore()
        painter.setPen(QColor(tokens.border_strong))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place.adjusted(0, 0, -1, -1))

    def _paint_picture(self, painter: QPainter, place: QRect, pixels: QPixmap) -> None:
        ratio = self.devicePixelRatioF()
        exact = QRectF(QPointF(place.topLeft()), pixels.deviceIndependentSize() / ratio)
        if abs(exact.width() - place.width()) <= 1 and abs(exact.height() - place.height()) <= 1:
            # Pixel by pixel: a copy, where anything else would be smoothed on each scroll.
            painter.drawPixmap(exact, pixels, QRectF(pixels.rect()))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(place, pixels)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)

    def _size(self, page: int) -> QSize:
        return QSize(*self.stack.size(page))

    def _left(self, page: int) -> int:
        """Return where a page begins from the left: in the middle, of the room or of the widest page."""
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
