"""Viewport of the map: coordinate transform, and the widget that pans and zooms."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

WHOLE = 0.47
"""Pixels per unit of the map when all of it is visible, as a share of the shorter side."""

LEAST, MOST = 0.6, 200.0
"""Lowest and highest zoom, as a multiple of the whole map."""


@dataclass(frozen=True, slots=True)
class View:
    """View of the map, which lies within the circle of radius 1; its y axis points upwards.

    Attributes:
        width: Width of the window in pixels.
        x: x coordinate on the map of the middle of the window.
        scale: Pixels per unit of the map.
    """

    width: int
    height: int
    x: float
    y: float
    scale: float

    @classmethod
    def whole(cls, width: int, height: int) -> View:
        """Return the view of the whole map."""
        return cls(width, height, 0.0, 0.0, WHOLE * max(1, min(width, height)))

    @property
    def nearness(self) -> float:
        """Zoom factor relative to the view of the whole map."""
        return self.scale / View.whole(self.width, self.height).scale

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a position on the map."""
        return self.width / 2 + (x - self.x) * self.scale, self.height / 2 - (y - self.y) * self.scale

    def place(self, left: float, top: float) -> tuple[float, float]:
        """Return the position on the map at a pixel."""
        return self.x + (left - self.width / 2) / self.scale, self.y - (top - self.height / 2) / self.scale

    def sized(self, width: int, height: int) -> View:
        """Return the view in a window of another size, with the same zoom."""
        scale = self.nearness * View.whole(width, height).scale
        return View(width, height, self.x, self.y, scale)

    def moved(self, right: float, down: float) -> View:
        """Return the view with the map moved by some pixels; its middle never leaves the map."""
        return self._on_map(self.x - right / self.scale, self.y + down / self.scale)

    def zoomed(self, factor: float, left: float, top: float) -> View:
        """Return the view zoomed by a factor, with the same position on the map at a pixel."""
        whole = View.whole(self.width, self.height).scale
        scale = min(MOST * whole, max(LEAST * whole, self.scale * factor))
        x, y = self.place(left, top)
        near = replace(self, scale=scale)
        return near._on_map(x - (left - self.width / 2) / scale, y + (top - self.height / 2) / scale)

    def around(self, x: float, y: float, radius: float) -> View:
        """Return the view of a position with a radius around it."""
        whole = View.whole(self.width, self.height).scale
        scale = min(MOST * whole, max(LEAST * whole, WHOLE * min(self.width, self.height) / max(radius, 1e-6)))
        return View(self.width, self.height, x, y, scale)

    def widened(self, share: float) -> View:
        """Return the view extended on every side by a share of the window."""
        return replace(self, width=round(self.width * (1 + 2 * share)), height=round(self.height * (1 + 2 * share)))

    def _on_map(self, x: float, y: float) -> View:
        return replace(self, x=min(1.0, max(-1.0, x)), y=min(1.0, max(-1.0, y)))


_STEP = 1.5
"""Zoom factor of a key press or a button."""
_TWICE = 2.0
_PAN = 60.0
_DRAG_THRESHOLD = 4.0
"""Pixels after which a press is no longer a click but the beginning of a drag."""
_NOTCH = 1.0015
"""Zoom factor per eighth of a degree of the wheel: a notch, 15 degrees, zooms in by 1.2."""

Key = Qt.Key
_MOVES = {
    Key.Key_Left: (_PAN, 0.0),
    Key.Key_Right: (-_PAN, 0.0),
    Key.Key_Up: (0.0, _PAN),
    Key.Key_Down: (0.0, -_PAN),
}


class ViewportWidget(QWidget):
    """Widget that pans and zooms a view; subclasses draw the content.

    Signals:
        looked: The view changed.
        hovered: The position of the pointer, a QPointF, while no button is pressed.
        clicked: The position of a click, a QPointF; not emitted at the end of a drag.
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
        """Current view."""
        return self._view

    def look(self, view: View) -> None:
        """Change the view."""
        self._view = view
        self.looked.emit()
        self.update()

    @Slot()
    def show_whole(self) -> None:
        """Show the whole map."""
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
            # Two fingers on a touch pad pan the map; with Ctrl, or by a wheel, it is zoomed.
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
        if self._is_dragging or moved.manhattanLength() > _DRAG_THRESHOLD:
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
