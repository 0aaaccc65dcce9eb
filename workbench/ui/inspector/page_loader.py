"""Which pages are wanted -> their pictures, one after another, the most wanted first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.errors import WorkbenchError
from workbench.language import said, tr
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library, PagePicture


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page at a scale in pixels a point; start and end of its passage tell pictures of imported sessions apart."""

    document: int
    page: int
    scale: float
    start: int = 0
    end: int = 0


class _Request:
    """One job under way; its own object, so that a late reply is known by what it was asked for."""

    def __init__(self, loader: PageLoader, wanted: WantedPage) -> None:
        self.loader = loader
        self.wanted = wanted

    def done(self, picture: PagePicture) -> None:
        """Pass the picture on."""
        self.loader.receive(self, picture)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self.loader.receive_failure(self, error)

    def cancelled(self) -> None:
        """Go on with the next."""
        self.loader.receive_nothing(self)


class PageLoader(QObject):
    """Fetches pages from the library.

    One is drawn at a time, and none is cancelled: that would kill the process that draws, which takes longer to start
    than three pages to draw. So whoever leafs fast waits for one page that he passed, never for all of them.

    Signals:
        loaded: The WantedPage and its PagePicture.
        failed: The WantedPage, a sentence and a hint.
    """

    loaded = Signal(object, object)
    failed = Signal(object, str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._wanted: list[WantedPage] = []
        self._request: _Request | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self.forget()
        self._library = library

    def forget(self) -> None:
        """Want nothing any more; what is under way is ignored when it comes."""
        self._wanted = []
        self._request = None

    def want(self, pages: Sequence[WantedPage]) -> None:
        """Fetch pages, the first one first; whatever was wanted before and is not begun is wanted no more."""
        under_way = self._request.wanted if self._request is not None else None
        self._wanted = [page for page in pages if page != under_way]
        self._next()

    def receive(self, request: _Request, picture: PagePicture) -> None:
        """Take a reply; one of what was forgotten is ignored."""
        if request is self._request:
            self._request = None
            self.loaded.emit(request.wanted, picture)
            self._next()

    def receive_failure(self, request: _Request, error: BaseException) -> None:
        """Take the news that a page cannot be had."""
        if request is not self._request:
            return
        self._request = None
        if isinstance(error, WorkbenchError):
            self.failed.emit(request.wanted, said(error.message), said(error.hint))
        else:
            self.failed.emit(request.wanted, tr("This page cannot be shown."), tr("Its text is still there."))
        self._next()

    def receive_nothing(self, request: _Request) -> None:
        """Take the news that a job was cancelled: the library is being closed."""
        if request is self._request:
            self._request = None

    def _next(self) -> None:
        if self._request is not None or not self._wanted or self._library is None:
            return
        wanted = self._wanted.pop(0)
        request = self._request = _Request(self, wanted)
        drawing = operations.page_picture(
            self._library, wanted.document, wanted.page, scale=wanted.scale, start=wanted.start, end=wanted.end
        )
        self._bridge.submit(drawing, done=request.done, failed=request.failed, cancelled=request.cancelled)
