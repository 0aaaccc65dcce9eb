"""Which page is wanted -> its picture; keeps the last few, and ignores what comes after something else was wanted."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.errors import WorkbenchError
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations
from workbench.worker.job import JobHandle

if TYPE_CHECKING:
    from workbench.operations import Library, PageImage

# A page at twice the size of paper is about 1 MB of PNG.
_KEPT = 8


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page with the characters to be marked on it; scale in pixels a point."""

    document: int
    page: int
    scale: float
    start: int
    end: int


class _Request:
    """One job under way; its own object, so that a late reply is known by what it was asked for."""

    def __init__(self, loader: PageLoader, wanted: WantedPage) -> None:
        self.loader = loader
        self.wanted = wanted

    def done(self, image: PageImage) -> None:
        """Pass the picture on."""
        self.loader.receive(self.wanted, image)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self.loader.receive_failure(self.wanted, error)


class PageLoader(QObject):
    """Fetches pages from the library.

    Signals:
        loaded: The WantedPage and its PageImage.
        failed: The WantedPage, a sentence and a hint.
    """

    loaded = Signal(object, object)
    failed = Signal(object, str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._kept: OrderedDict[WantedPage, PageImage] = OrderedDict()
        self._wanted: WantedPage | None = None
        self._handle: JobHandle[PageImage] | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library and forget the pictures of the old one."""
        self.forget()
        self._library = library

    def forget(self) -> None:
        """Drop every picture, and what is under way."""
        self._cancel()
        self._wanted = None
        self._kept.clear()

    def want(self, wanted: WantedPage) -> None:
        """Fetch a page; whatever was wanted before is wanted no more."""
        if wanted == self._wanted and self._handle is not None:
            return
        self._cancel()
        self._wanted = wanted
        kept = self._kept.get(wanted)
        if kept is not None:
            self._kept.move_to_end(wanted)
            self.loaded.emit(wanted, kept)
            return
        if self._library is None:
            return
        request = _Request(self, wanted)
        self._handle = self._bridge.submit(
            operations.page_image(
                self._library,
                wanted.document,
                wanted.page,
                scale=wanted.scale,
                start=wanted.start,
                end=wanted.end,
            ),
            done=request.done,
            failed=request.failed,
        )

    def receive(self, wanted: WantedPage, image: PageImage) -> None:
        """Take a reply; one that is wanted no more is ignored."""
        if wanted != self._wanted:
            return
        self._handle = None
        self._kept[wanted] = image
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self.loaded.emit(wanted, image)

    def receive_failure(self, wanted: WantedPage, error: BaseException) -> None:
        """Take the news that a page cannot be had."""
        if wanted != self._wanted:
            return
        self._handle = None
        if isinstance(error, WorkbenchError):
            self.failed.emit(wanted, error.message, error.hint)
        else:
            self.failed.emit(wanted, "This page cannot be shown.", "Its text is still there.")

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
