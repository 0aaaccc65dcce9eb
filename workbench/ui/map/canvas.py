"""Widget of the map: points, names, question and hits, and the point nearest to the pointer."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QSize, QSizeF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.language import tr
from workbench.ui.bridge import Bridge
from workbench.ui.map.colouring import Slots, first_slots, shading_of, visible, visible_slots
from workbench.ui.map.map_overlay import (
    Overlay,
    boxes_of,
    label_size,
    labels_of,
    paint_document,
    paint_labels,
    paint_overlay,
    paint_ring,
    spot_at,
)
from workbench.ui.map.presenter import extent_words
from workbench.ui.map.raster import Pictures
from workbench.ui.map.viewport import View, ViewportWidget
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap, MapRegion
    from workbench.ui.map.raster import Shading


REACH = 9.0
"""Largest distance in pixels between the pointer and the point that it selects."""


def nearest(points: NDArray[np.float32], visible: NDArray[np.bool_] | None, view: View, left: float, top: float) -> int:
    """Return the index of the point nearest to a pixel, -1 if none is near; takes 0.3 ms for 100,000 points.

    Args:
        points: float32 [n, 2].
        visible: bool [n], the points that can be selected; None for all.
        view: View of the map.
        left: Horizontal position of the pixel.
        top: Vertical position of the pixel.
    """
    if not len(points):
        return -1
    x, y = view.place(left, top)
    squared = np.square(points[:, 0] - np.float32(x)) + np.square(points[:, 1] - np.float32(y))
    if visible is not None:
        squared[~visible] = np.inf
    found = int(squared.argmin())
    return found if squared[found] <= (REACH / view.scale) ** 2 else -1


_AROUND_HITS = 1.35
_SETTLED_MS = 300
"""Milliseconds after the last move until colours are assigned again; they do not change during a movement."""
_MARKED = 4_000
"""Approximate number of points that are drawn again to mark a long document."""


class MapCanvas(ViewportWidget):
    """Widget that shows a map.

    Signals:
        pointed: The index in the map's arrays of the point under the pointer, -1 for none.
        chosen: The identifier of the chunk that was clicked.
        coloured: Other documents have the colours: Slots.
    """

    pointed = Signal(int)
    chosen = Signal(int)
    coloured = Signal(tuple)

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._map: LibraryMap | None = None
        self._overlay = Overlay()
        self._chosen: tuple[int, ...] = ()
        self._visible: NDArray[np.bool_] | None = None
        self._slots: Slots = ()
        self._marked: NDArray[np.float32] | None = None
        self._point = -1
        self._settle_timer = QTimer(self)
        self._settle_timer.setSingleShot(True)
        self._settle_timer.setInterval(_SETTLED_MS)
        self._settle_timer.timeout.connect(self._colour)
        self._sizes: dict[str, QSizeF] = {}
        self._pictures = Pictures(bridge, self)
        self._pictures.ready.connect(self.update)
        self.looked.connect(self._on_looked)
        self.hovered.connect(self._on_hovered)
        self.clicked.connect(self._on_clicked)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Map of the library"))
        theme.changed.connect(self._shade)

    @property
    def is_settled(self) -> bool:
        """True if the picture of the points is up to date."""
        return self._pictures.is_settled

    def sizeHint(self) -> QSize:
        return QSize(480, 320)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 140)

    def show_map(self, map: LibraryMap | None) -> None:
        """Show another map without changing the view."""
        self._map = map
        self._chosen = ()
        self._slots = first_slots(map)
        self._marked = None
        self._sizes.clear()
        self._point_at(-1)
        self._shade()
        self._describe()

    def show_overlay(self, overlay: Overlay) -> None:
        """Draw a question and its hits over the points."""
        self._overlay = overlay
        self._describe()
        self.update()

    def stand_out(self, documents: Collection[int]) -> None:
        """Highlight documents, given by their indexes in map.shown; an empty collection shows all alike."""
        self._chosen = tuple(documents)
        self._shade()

    def mark_document(self, document: int) -> None:
        """Draw the points of a document over all others, given by its index in map.shown; -1 for none."""
        points = self._map.points[self._map.documents == document] if self._map is not None and document >= 0 else None
        # A sample of a long document shows its position equally well.
        self._marked = points[:: max(1, len(points) // _MARKED)] if points is not None else None
        self.update()

    def look_at(self, region: MapRegion, radius: float) -> None:
        """Show a region."""
        self.look(self.view.around(region.x, region.y, radius))

    @Slot()
    def look_at_hits(self) -> None:
        """Show the question and its hits."""
        places = [(spot.x, spot.y) for spot in self._overlay.spots]
        places += [(star.x, star.y) for star in self._overlay.stars if star.x is not None and star.y is not None]
        if places:
            across, down = zip(*places, strict=True)
            x, y = (min(across) + max(across)) / 2, (min(down) + max(down)) / 2
            radius = max(max(across) - x, max(down) - y, 0.05)
            self.look(self.view.around(x, y, radius * _AROUND_HITS))

    def pixel_of(self, point: int) -> QPointF:
        """Return the pixel position of a point."""
        assert self._map is not None
        return QPointF(*self.view.pixel(*self._map.points[point].tolist()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if self._map is not None:
            self._pictures.paint(painter, self.view)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._marked is not None:
                paint_document(painter, tokens, self._to_pixels(self._marked))
            taken = boxes_of(self._overlay, self.view)
            paint_labels(painter, self._theme, labels_of(self._map.regions, self.view, self._measure, taken))
            paint_overlay(painter, self._theme, self._overlay, self.view)
            if self._point >= 0:
                paint_ring(painter, tokens, self.pixel_of(self._point))
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRect(1, 1, self.width() - 2, self.height() - 2))
        painter.end()

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(-1)
        super().leaveEvent(event)

    @Slot()
    def _on_looked(self) -> None:
        self._point_at(-1)
        self._pictures.want(self.view, self.devicePixelRatioF())
        self._settle_timer.start()

    @Slot()
    def _colour(self) -> None:
        """Assign the colours to the documents with most visible points, unless some documents are highlighted."""
        if self._map is None or self._chosen:
            return
        slots = visible_slots(self._map, self.view, self._slots)
        if slots != self._slots:
            self._slots = slots
            self._shade()
            self.coloured.emit(slots)

    def _to_pixels(self, points: NDArray[np.float32]) -> QPolygonF:
        return QPolygonF([QPointF(*self.view.pixel(x, y)) for x, y in points.tolist()])

    @Slot(object)
    def _on_hovered(self, place: QPointF) -> None:
        self._point_at(self._find_point(place))

    @Slot(object)
    def _on_clicked(self, _place: QPointF) -> None:
        if self._point >= 0 and self._map is not None:
            self.chosen.emit(int(self._map.ids[self._point]))

    def _find_point(self, place: QPointF) -> int:
        """Return the index of the point at a position, -1 for none; a hit's number is larger than its point."""
        if self._map is None:
            return -1
        spot = spot_at(self._overlay, self.view, place.x(), place.y())
        if spot is not None:
            return spot.point
        return nearest(self._map.points, self._visible, self.view, place.x(), place.y())

    def _point_at(self, point: int) -> None:
        if point != self._point:
            self._point = point
            self.setCursor(Qt.CursorShape.PointingHandCursor) if point >= 0 else self.unsetCursor()
            self.pointed.emit(point)
            self.update()

    def _measure(self, text: str) -> QSizeF:
        # Without this cache 60 names take 2 ms at each paint.
        if text not in self._sizes:
            self._sizes[text] = label_size(self._theme, text)
        return self._sizes[text]

    @Slot()
    def _shade(self) -> None:
        self._visible = visible(self._map, self._chosen) if self._map is not None else None
        self._pictures.show(self._map, self._shading())
        self.update()

    def _shading(self) -> Shading | None:
        if self._map is None:
            return None
        return shading_of(self._map, self._chosen, self._theme.tokens(), self._slots)

    def _describe(self) -> None:
        """Set the accessible description to a summary; the lists next to the map contain the details."""
        description = ""
        if self._map is not None:
            largest = "; ".join(region.label for region in self._map.regions[:5])
            description = tr("{extent}. Largest regions: {regions}.", extent=extent_words(self._map), regions=largest)
            description = f"{description} {self._overlay.words}"
        self.setAccessibleDescription(description.strip())
