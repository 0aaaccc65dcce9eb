"""A widget that looks at a part of the map: wheel, drag, double click and keys move the view."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.map.view import View

_STEP = 1.5
"""A key, a button: so much nearer."""
_TWICE = 2.0
_PAN = 60.0
_MOVED = 4.0
"""Pixels after which a press is no click any more but the beginning of a drag."""
_NOTCH = 1.0015
"""To the power of an eighth of a degree of the wheel: a notch, 15 degrees, comes 1.2 times nearer."""

Key = Qt.Key
_MOVES = {
    Key.Key_Left: (_PAN, 0.0),
    Key.Key_Right: (-_PAN, 0.0),
    Key.Key_Up: (0.0, _PAN),
    Key.Key_Down: (0.0, -_PAN),
}


class Viewing(QWidget):
    """Knows what is looked at, not what is there.

    Signals:
        looked: Something else is looked at.
        hovered: Where the pointer is, a QPointF; with no button pressed.
        clicked: Where it was clicked, a QPointF; not at the end of a drag.
    """

    looked = Signal()
    hovered = Signal(object)
    clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = View.whole(max(1, self.width()), max(1, self.height()))
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def view(self) -> View:
        """What is looked at."""
        return self._view

    def look(self, view: View) -> None:
        """Look at something else."""
        self._view = view
        self.looked.emit()
        self.update()

    @Slot()
    def show_whole(self) -> None:
        """Look at all of it."""
        self.look(View.whole(self.width(), self.height()))

    @Slot()
    def come_nearer(self) -> None:
        """Zoom in by a step."""
        self._zoom(_STEP)

    @Slot()
    def go_off(self) -> None:
        """Zoom out by a step."""
        self._zoom(1 / _STEP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.look(self._view.sized(self.width(), self.height()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        place = event.position()
        if event.phase() is not Qt.ScrollPhase.NoScrollPhase and not event.modifiers():
            # Two fingers on a touch pad move the map; with Ctrl, or by a wheel, it comes nearer.
            self.look(self._view.moved(event.pixelDelta().x(), event.pixelDelta().y()))
        else:
            self.look(self._view.zoomed(_NOTCH ** event.angleDelta().y(), place.x(), place.y()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragging = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._pressed is None:
            self.hovered.emit(place)
            return
        moved = place - self._pressed
        if self._is_dragging or moved.manhattanLength() > _MOVED:
            self._is_dragging, self._pressed = True, place
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.look(self._view.moved(moved.x(), moved.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_click = self._pressed is not None and not self._is_dragging
        self._pressed, self._is_dragging = None, False
        self.unsetCursor()
        self.hovered.emit(event.position())
        if was_click:
            self.clicked.emit(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.look(self._view.zoomed(_TWICE, event.position().x(), event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Key(event.key())
        if key in _MOVES:
            self.look(self._view.moved(*_MOVES[key]))
        elif key in (Key.Key_Plus, Key.Key_Equal):
            self.come_nearer()
        elif key in (Key.Key_Minus, Key.Key_Underscore):
            self.go_off()
        elif key == Key.Key_0:
            self.show_whole()
        else:
            super().keyPressEvent(event)

    def _zoom(self, factor: float) -> None:
        self.look(self._view.zoomed(factor, self.width() / 2, self.height() / 2))
