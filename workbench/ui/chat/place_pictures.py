"""A citation -> the picture of its place on the page; keeps the last few, draws one at a time, the last one wanted."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmap

from workbench.model.document import PageKind
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.model.hit import Citation
    from workbench.operations import Library

SIZE = (432, 150)
_KEPT = 12
"""At two pixels of the screen for one of the size each takes 1 MB."""


@dataclass(frozen=True, slots=True)
class Place:
    """Some characters on a page; ratio is pixels of the screen for each pixel of the picture's size."""

    document: int
    page: int
    start: int
    end: int
    ratio: float

    @classmethod
    def of(cls, citation: Citation, ratio: float) -> Place | None:
        """Return where a citation stands; None where that is on no page that can be drawn."""
        document, page = citation.document, citation.page
        if document is None or page is None or citation.page_kind is not PageKind.PAGE:
            return None
        return cls(document, page, citation.start, citation.end, ratio)


class PlacePictures(QObject):
    """Has places drawn by the worker.

    Nothing under way is cancelled: that would kill the process that draws, and cost the next one its start.

    Signals:
        come: A Place and its picture (QPixmap), or None where it cannot be had.
    """

    come = Signal(object, object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._kept: OrderedDict[Place, QPixmap] = OrderedDict()
        self._wanted: Place | None = None
        self._is_drawing = False

    def set_library(self, library: Library | None) -> None:
        """Take another library and forget the pictures of the old one."""
        self._library = library
        self.forget()

    def forget(self) -> None:
        """Drop every picture."""
        self._kept.clear()
        self._wanted = None
        self._is_drawing = False

    def at_hand(self, place: Place) -> QPixmap | None:
        """Return a picture that was drawn before."""
        if place in self._kept:
            self._kept.move_to_end(place)
        return self._kept.get(place)

    def want(self, place: Place) -> None:
        """Have a place drawn; one wanted before that was not begun is wanted no more."""
        self._wanted = place
        if not self._is_drawing:
            self._draw()

    def _draw(self) -> None:
        place, self._wanted = self._wanted, None
        if place is None or self._library is None:
            return
        self._is_drawing = True
        drawing = operations.place_picture(
            self._library,
            place.document,
            place.page,
            passage=(place.start, place.end),
            size=SIZE,
            ratio=place.ratio,
        )
        self._bridge.submit(
            drawing, done=partial(self._on_drawn, place), failed=partial(self._on_failed, place), cancelled=self._end
        )

    def _on_drawn(self, place: Place, png: bytes) -> None:
        picture = QPixmap()
        picture.loadFromData(png)
        picture.setDevicePixelRatio(place.ratio)
        self._kept[place] = picture
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self.come.emit(place, picture)
        self._end()

    def _on_failed(self, place: Place, _error: BaseException, _details: str) -> None:
        # The quote stands beside it, and the inspector says why the page cannot be shown.
        self.come.emit(place, None)
        self._end()

    def _end(self) -> None:
        self._is_drawing = False
        self._draw()
