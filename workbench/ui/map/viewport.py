"""Viewport of the map: coordinate transform, widget that pans and zooms, and the point nearest to a position."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

WHOLE = 0.47
"""Pixels that a unit of the map takes when all of it is seen, as a share of the shorter side."""

LEAST, MOST = 0.6, 200.0
"""How far one can go off and come near, as a multiple of the whole."""


@dataclass(frozen=True, slots=True)
class View:
    """The map is within the circle of radius 1, its y growing upwards.

    Attributes:
        width: Of the window on it, in pixels.
        x: The place of the map that is in the middle.
        scale: Pixels for a unit of the map.
    """

    width: int
    height: int
    x: float
    y: float
    scale: float

    @classmethod
    def whole(cls, width: int, height: int) -> View:
        """Return the view of all of it."""
        return cls(width, height, 0.0, 0.0, WHOLE * max(1, min(width, height)))

    @property
    def nearness(self) -> float:
        """How much nearer than the whole it is."""
        return self.scale / View.whole(self.width, self.height).scale

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return where a place of the map is seen."""
        return self.width / 2 + (x - self.x) * self.scale, self.height / 2 - (y - self.y) * self.scale

    def place(self, left: float, top: float) -> tuple[float, float]:
        """Return which place of the map is seen at a pixel."""
        return self.x + (left - self.width / 2) / self.scale, self.y - (top - self.height / 2) / self.scale

    def sized(self, width: int, height: int) -> View:
        """Return the view through a window of another size, as near as before."""
        scale = self.nearness * View.whole(width, height).scale
        return View(width, height, self.x, self.y, scale)

    def moved(self, right: float, down: float) -> View:
        """Return the view with the map moved by so many pixels; its middle never leaves the map."""
        return self._on_map(self.x - right / self.scale, self.y + down / self.scale)

    def zoomed(self, factor: float, left: float, top: float) -> View:
        """Return a nearer view, or one from farther off, in which what is seen at a pixel stays there."""
        whole = View.whole(self.width, self.height).scale
        scale = min(MOST * whole, max(LEAST * whole, self.scale * factor))
        x, y = self.place(left, top)
        near = replace(self, scale=scale)
        return near._on_map(x - (left - self.width / 2) / scale, y + (top - self.height / 2) / scale)

    def around(self, x: float, y: float, radius: float) -> View:
        """Return the view of a place with so much around it."""
        whole = View.whole(self.width, self.height).scale
        scale = min(MOST * whole, max(LEAST * whole, WHOLE * min(self.width, self.height) / max(radius, 1e-6)))
        return View(self.width, self.height, x, y, scale)

    def widened(self, share: float) -> View:
        """Return the view with so much more to every side, in shares of the window."""
        return replace(self, width=round(self.width * (1 + 2 * share)), height=round(self.height * (1 + 2 * share)))

    def _on_map(self, x: float, y: float) -> View:
        return replace(self, x=min(1.0, max(-1.0, x)), y=min(1.0, max(-1.0, y)))


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


class ViewportWidget(QWidget):
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
