"""The picture of the points that is shown, drawn anew off the main thread where one looks at something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QImage, QPainter, QPixmap

from workbench.ui.bridge import Bridge
from workbench.ui.map.raster import Picture, Shading, drawing
from workbench.ui.map.view import View

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap

_AROUND = 0.25
"""How much more than is seen is drawn to every side, in shares of the window: as far one pans before it is missed."""


class Pictures(QObject):
    """Shows the last picture moved and stretched to where its points belong, until the next one is there.

    Signals:
        ready: Another picture is there.
    """

    ready = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._map: LibraryMap | None = None
        self._shading: Shading | None = None
        self._key = 0
        self._wanted: tuple[View, float] | None = None
        self._is_drawing = False
        self._shown: tuple[QPixmap, View, float, int] | None = None

    @property
    def is_settled(self) -> bool:
        """Whether what is shown is what was last asked for."""
        return not self._is_drawing

    def show(self, map: LibraryMap | None, shading: Shading | None) -> None:
        """Draw other points, or the same in other colours; what is shown stays until they are drawn."""
        self._map, self._shading = map, shading
        self._key += 1
        if map is None:
            self._shown = None
        self._draw()

    def want(self, view: View, ratio: float) -> None:
        """Have what is seen drawn sharply; nothing happens where it is already."""
        self._wanted = (view, ratio)
        self._draw()

    def paint(self, painter: QPainter, view: View) -> None:
        """Draw what there is to where it belongs."""
        if self._shown is None:
            return
        pixmap, drawn, _ratio, _key = self._shown
        left, top = view.pixel(*drawn.place(0, 0))
        right, bottom = view.pixel(*drawn.place(drawn.width, drawn.height))
        # Stretched it is seen for the 50 ms that the next one takes; moved only, it stays sharp.
        stretched = drawn.scale != view.scale
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, stretched)
        target = QRectF(left, top, right - left, bottom - top)
        if not stretched:
            target.moveTo(round(left), round(top))
        painter.drawPixmap(target, pixmap, QRectF(pixmap.rect()))

    def _draw(self) -> None:
        if self._is_drawing or self._map is None or self._shading is None or self._wanted is None or self._is_good():
            return
        view, ratio = self._wanted
        self._is_drawing = True
        self._bridge.submit(
            drawing(self._map.points, self._shading, view.widened(_AROUND), ratio, self._key),
            done=self._on_drawn,
            failed=self._on_failed,
            cancelled=self._on_cancelled,
        )

    def _is_good(self) -> bool:
        """Whether what is shown has the right points, as sharp as wanted, and all that is seen."""
        if self._shown is None or self._wanted is None:
            return False
        _pixmap, drawn, ratio, key = self._shown
        view, wanted = self._wanted
        if key != self._key or ratio != wanted or drawn.scale != view.scale:
            return False
        left, top = drawn.pixel(*view.place(0, 0))
        return left >= 0 and top >= 0 and left + view.width <= drawn.width and top + view.height <= drawn.height

    def _on_drawn(self, picture: Picture) -> None:
        self._is_drawing = False
        image = QImage(
            picture.data, picture.width, picture.height, 4 * picture.width, QImage.Format.Format_ARGB32_Premultiplied
        )
        if self._map is not None:
            self._shown = (QPixmap.fromImage(image), picture.view, picture.ratio, picture.key)
            self.ready.emit()
        self._draw()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._is_drawing = False
        self._bridge.job_failed.emit(error, details)

    def _on_cancelled(self) -> None:
        self._is_drawing = False
