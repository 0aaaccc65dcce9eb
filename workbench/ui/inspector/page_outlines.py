"""Outlines of all passages on the pages in sight: layer over the pages, its button, and selection by a click."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen

from workbench.model.chunk import Outline
from workbench.ui.actions import command, key_of
from workbench.ui.bridge import Bridge
from workbench.ui.controls import IconButton
from workbench.ui.inspector.page_view import PageView
from workbench.ui.lazy_operations import operations
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library


# Points around the letters.
_AIR = 2.0
_ROUND = 3.0


class _OutlinesRequest:
    """The outlines of one page on their way; its own object, so that a late reply is known."""

    def __init__(self, outlines: PageOutlines, page: int) -> None:
        self._outlines = outlines
        self.page = page

    def done(self, found: tuple[Outline, ...]) -> None:
        """Pass them on."""
        self._outlines.receive(self, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Draw none: the page says itself what is the matter."""


class PageOutlines(QObject):
    """Holds the outlines of the pages in sight while they are wanted.

    Signals:
        changed: They are others now.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._document: int | None = None
        self._pages: Collection[int] = ()
        self._asked: dict[int, _OutlinesRequest] = {}
        self._found: dict[int, tuple[Outline, ...]] = {}
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
            self._document, self._pages = document, ()
            self.look()
        else:
            self.changed.emit()

    def show_pages(self, pages: Collection[int]) -> None:
        """Be of other pages of the document; those that come into sight are asked for, those gone are dropped."""
        if pages != self._pages:
            self._pages = pages
            self._ask()

    def grey(self, chunks: Iterable[int]) -> None:
        """Show that these are found by no search."""
        self._disabled = frozenset(chunks)

    def look(self) -> None:
        """Ask for the outlines of the pages anew."""
        self._found, self._asked = {}, {}
        self._ask()

    def receive(self, request: _OutlinesRequest, found: tuple[Outline, ...]) -> None:
        """Take the outlines of a page; of one that is in sight no more they are ignored."""
        if self._asked.get(request.page) is request and self._is_on:
            self._found[request.page] = found
            self.changed.emit()

    def at(self, page: int, place: QPointF) -> int:
        """Return the chunk that stands at a place of a page, in points; 0 for none."""
        found = self._found.get(page, ())
        for outline in found:
            if any(_rectangle(box).contains(place) for box in outline.boxes):
                return outline.chunk
        for outline in found:  # between its lines
            if _around(outline).contains(place):
                return outline.chunk
        return 0

    def paint(self, painter: QPainter, page: int, factor: float) -> None:
        """Draw those of a page; factor is pixels a point. A page is white whatever the theme is."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for outline in self._found.get(page, ()):
            is_chosen, is_off = outline.chunk == self._chosen, outline.chunk in self._disabled
            colour = QColor("#8a8f96" if is_off else "#3355cc")
            pen = QPen(colour, 2.0 if is_chosen else 1.0, Qt.PenStyle.DashLine if is_off else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            area = _around(outline)
            scaled = QRectF(area.x() * factor, area.y() * factor, area.width() * factor, area.height() * factor)
            painter.drawRoundedRect(scaled, _ROUND, _ROUND)

    def _ask(self) -> None:
        wanted = set(self._pages) if self._is_on and self._document is not None else set()
        self._found = {page: found for page, found in self._found.items() if page in wanted}
        self._asked = {page: request for page, request in self._asked.items() if page in wanted}
        for page in sorted(wanted - self._asked.keys()):
            if self._library is not None and self._document is not None:
                request = self._asked[page] = _OutlinesRequest(self, page)
                outlines = operations.page_outlines(self._library, self._document, page)
                self._bridge.submit(outlines, done=request.done, failed=request.failed)
        self.changed.emit()


def _rectangle(box: tuple[float, float, float, float]) -> QRectF:
    return QRectF(QPointF(box[0], box[1]), QPointF(box[2], box[3])).adjusted(-_AIR, -_AIR, _AIR, _AIR)


def _around(outline: Outline) -> QRectF:
    """Return the rectangle that holds all lines of a passage."""
    area = _rectangle(outline.boxes[0])
    for box in outline.boxes[1:]:
        area = area.united(_rectangle(box))
    return area


class OutlinesLayer(QObject):
    """Between the pages and the outlines.

    Attributes:
        button: Shows and hides the outlines.

    Signals:
        chunk_pressed: A chunk whose outline was clicked.
    """

    chunk_pressed = Signal(int)

    def __init__(self, theme: Theme, outlines: PageOutlines, view: PageView) -> None:
        super().__init__(view)
        self._outlines = outlines
        self._view = view
        name = command("passage.outlines").title
        self.button = IconButton(theme, "outlines", f"{name} ({key_of('passage.outlines')})")
        self.button.setAccessibleName(name)
        self.button.setCheckable(True)
        self.button.toggled.connect(outlines.switch)
        view.bar.tools.addWidget(self.button)
        view.canvas.overlay = outlines.paint
        view.canvas.clicked.connect(self.press)
        view.turned.connect(self._on_turned)
        outlines.changed.connect(view.canvas.viewport().update)

    @Slot(int, QPointF)
    def press(self, page: int, place: QPointF) -> None:
        """Choose the passage at a place of a page, in points from its top left corner."""
        chunk = self._outlines.at(page, place)
        if chunk:
            self.chunk_pressed.emit(chunk)

    @Slot()
    def _on_turned(self) -> None:
        self._outlines.show_pages(self._view.in_sight)
