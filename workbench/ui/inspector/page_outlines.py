"""Outlines of all passages on the visible pages: layer over the pages, its menu entry, and selection by a click."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen

from workbench import operations
from workbench.model.chunk import Outline
from workbench.ui.actions import command, key_of
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.page_view import PageView

if TYPE_CHECKING:
    from workbench.operations import Library


# Points of margin around the letters.
_MARGIN = 2.0
_RADIUS = 3.0


class _OutlinesRequest:
    """Request for the outlines of one page; a late reply is recognised by its request."""

    def __init__(self, outlines: PageOutlines, page: int) -> None:
        self._outlines = outlines
        self.page = page

    def done(self, found: tuple[Outline, ...]) -> None:
        """Pass the outlines on."""
        self._outlines.receive(self, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Draw no outlines: the page itself shows what is wrong."""


class PageOutlines(QObject):
    """Outlines of the passages on the visible pages, loaded while they are switched on.

    Signals:
        changed: The outlines changed.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._document: int | None = None
        self._pages: Collection[int] = ()
        self._requests: dict[int, _OutlinesRequest] = {}
        self._loaded_outlines: dict[int, tuple[Outline, ...]] = {}
        self._is_on = False
        self._chosen = 0
        self._disabled: frozenset[int] = frozenset()

    @property
    def is_on(self) -> bool:
        """True while the outlines are switched on."""
        return self._is_on

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._library = library
        self.mean(None)

    @Slot(bool)
    def switch(self, on: bool) -> None:
        """Switch the outlines on or off."""
        self._is_on = on
        self.look()

    def mean(self, document: int | None, chunk: int = 0) -> None:
        """Set the document and its chunk that is shown; None for no document."""
        self._chosen = chunk
        if document != self._document:
            self._document, self._pages = document, ()
            self.look()
        else:
            self.changed.emit()

    def show_pages(self, pages: Collection[int]) -> None:
        """Set the visible pages; request the outlines of new ones and drop those of hidden ones."""
        if pages != self._pages:
            self._pages = pages
            self._request_outlines()

    def grey(self, chunks: Iterable[int]) -> None:
        """Set the chunks that are drawn grey because no search finds them."""
        self._disabled = frozenset(chunks)

    def look(self) -> None:
        """Request the outlines of the visible pages again."""
        self._loaded_outlines, self._requests = {}, {}
        self._request_outlines()

    def receive(self, request: _OutlinesRequest, found: tuple[Outline, ...]) -> None:
        """Store the outlines of a page; ignored if the page is no longer visible."""
        if self._requests.get(request.page) is request and self._is_on:
            self._loaded_outlines[request.page] = found
            self.changed.emit()

    def at(self, page: int, place: QPointF) -> int:
        """Return the chunk at a position of a page, in points; 0 for none."""
        found = self._loaded_outlines.get(page, ())
        for outline in found:
            if any(_rectangle(box).contains(place) for box in outline.boxes):
                return outline.chunk
        for outline in found:  # between its lines
            if _bounding_rectangle(outline).contains(place):
                return outline.chunk
        return 0

    def paint(self, painter: QPainter, page: int, factor: float) -> None:
        """Draw the outlines of a page; factor is pixels per point. Pages are white in every theme."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for outline in self._loaded_outlines.get(page, ()):
            is_chosen, is_off = outline.chunk == self._chosen, outline.chunk in self._disabled
            colour = QColor("#8a8f96" if is_off else "#3355cc")
            pen = QPen(colour, 2.0 if is_chosen else 1.0, Qt.PenStyle.DashLine if is_off else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            area = _bounding_rectangle(outline)
            scaled = QRectF(area.x() * factor, area.y() * factor, area.width() * factor, area.height() * factor)
            painter.drawRoundedRect(scaled, _RADIUS, _RADIUS)

    def _request_outlines(self) -> None:
        wanted = set(self._pages) if self._is_on and self._document is not None else set()
        self._loaded_outlines = {page: found for page, found in self._loaded_outlines.items() if page in wanted}
        self._requests = {page: request for page, request in self._requests.items() if page in wanted}
        for page in sorted(wanted - self._requests.keys()):
            if self._library is not None and self._document is not None:
                request = self._requests[page] = _OutlinesRequest(self, page)
                outlines = operations.page_outlines(self._library, self._document, page)
                self._bridge.submit(outlines, done=request.done, failed=request.failed)
        self.changed.emit()


def _rectangle(box: tuple[float, float, float, float]) -> QRectF:
    return QRectF(QPointF(box[0], box[1]), QPointF(box[2], box[3])).adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _bounding_rectangle(outline: Outline) -> QRectF:
    """Return the bounding rectangle of all lines of a passage."""
    area = _rectangle(outline.boxes[0])
    for box in outline.boxes[1:]:
        area = area.united(_rectangle(box))
    return area


class OutlinesLayer(QObject):
    """Layer that draws the outlines over the page view.

    Attributes:
        action: Shows and hides the outlines; an entry in the menu of the page.

    Signals:
        chunk_pressed: The chunk whose outline was clicked.
    """

    chunk_pressed = Signal(object)

    def __init__(self, outlines: PageOutlines, view: PageView) -> None:
        super().__init__(view)
        self._outlines = outlines
        self._view = view
        # The key is only shown, not set: the pane has it, and Qt runs neither of two actions with one key.
        name = command("passage.outlines").title
        self.action = view.bar.fit.menu().addAction(f"{name}\t{key_of('passage.outlines')}")
        self.action.setCheckable(True)
        self.action.toggled.connect(outlines.switch)
        view.canvas.overlay = outlines.paint
        view.canvas.clicked.connect(self.press)
        view.turned.connect(self._on_turned)
        outlines.changed.connect(view.canvas.viewport().update)

    @Slot(int, QPointF)
    def press(self, page: int, place: QPointF) -> None:
        """Select the passage at a position of a page, in points from its top left corner."""
        chunk = self._outlines.at(page, place)
        if chunk:
            self.chunk_pressed.emit(chunk)

    @Slot()
    def _on_turned(self) -> None:
        self._outlines.show_pages(self._view.in_sight)
