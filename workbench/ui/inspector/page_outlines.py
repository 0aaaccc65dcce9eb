"""Where every passage stands on the page that is shown: drawn over the picture, chosen by a click."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen

from workbench.model.chunk_use import Outline
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.operations import Library

# Points around the letters.
_AIR = 2.0
_ROUND = 3.0


class _Request:
    """The outlines of one page on their way; its own object, so that a late reply is known."""

    def __init__(self, outlines: PageOutlines, document: int, page: int) -> None:
        self._outlines = outlines
        self._of = document, page

    def done(self, found: tuple[Outline, ...]) -> None:
        """Pass them on."""
        self._outlines.receive(self._of, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Draw none: the page says itself what is the matter."""


class PageOutlines(QObject):
    """Holds the outlines of one page while they are wanted.

    Signals:
        changed: They are others now.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._document: int | None = None
        self._page = 0
        self._found: tuple[Outline, ...] = ()
        self._is_on = False
        self._chosen = 0
        self._disabled: frozenset[int] = frozenset()

    @property
    def is_on(self) -> bool:
        """Whether they are wanted."""
        return self._is_on

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library = library
        self.mean(None)

    @Slot(bool)
    def switch(self, on: bool) -> None:
        """Want them, or want them no more."""
        self._is_on = on
        self.look()

    def mean(self, document: int | None, chunk: int = 0) -> None:
        """Be of another document, and show which of its chunks is looked at; None for no document."""
        self._chosen = chunk
        if document != self._document:
            self._document, self._page = document, 0
            self.look()
        else:
            self.changed.emit()

    def show_page(self, page: int) -> None:
        """Be of another page of the document."""
        if page != self._page:
            self._page = page
            self.look()

    def grey(self, chunks: Iterable[int]) -> None:
        """Show that these are found by no search."""
        self._disabled = frozenset(chunks)

    def look(self) -> None:
        """Ask for the outlines of the page anew."""
        self._found = ()
        self.changed.emit()
        if self._is_on and self._library is not None and self._document is not None and self._page:
            request = _Request(self, self._document, self._page)
            outlines = operations.page_outlines(self._library, self._document, self._page)
            self._bridge.submit(outlines, done=request.done, failed=request.failed)

    def receive(self, page: tuple[int, int], found: tuple[Outline, ...]) -> None:
        """Take the outlines of a page; of one that is shown no more they are ignored."""
        if page == (self._document, self._page) and self._is_on:
            self._found = found
            self.changed.emit()

    def at(self, place: QPointF) -> int:
        """Return the chunk that stands at a place of the page, in points; 0 for none."""
        for outline in self._found:
            if any(_rectangle(box).contains(place) for box in outline.boxes):
                return outline.chunk
        for outline in self._found:  # between its lines
            if _around(outline).contains(place):
                return outline.chunk
        return 0

    def paint(self, painter: QPainter, factor: float) -> None:
        """Draw them; factor is pixels a point. A page is white whatever the theme is."""
        for outline in self._found:
            is_chosen, is_off = outline.chunk == self._chosen, outline.chunk in self._disabled
            colour = QColor("#8a8f96" if is_off else "#3355cc")
            pen = QPen(colour, 2.0 if is_chosen else 1.0, Qt.PenStyle.DashLine if is_off else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            area = _around(outline)
            scaled = QRectF(area.x() * factor, area.y() * factor, area.width() * factor, area.height() * factor)
            painter.drawRoundedRect(scaled, _ROUND, _ROUND)


def _rectangle(box: tuple[float, float, float, float]) -> QRectF:
    return QRectF(QPointF(box[0], box[1]), QPointF(box[2], box[3])).adjusted(-_AIR, -_AIR, _AIR, _AIR)


def _around(outline: Outline) -> QRectF:
    """Return the rectangle that holds all lines of a passage."""
    area = _rectangle(outline.boxes[0])
    for box in outline.boxes[1:]:
        area = area.united(_rectangle(box))
    return area
