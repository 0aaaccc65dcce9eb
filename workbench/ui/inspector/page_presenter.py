"""Presenter of the page view: page sizes and marks of a passage, and loading of page pictures by priority."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.errors import WorkbenchError
from workbench.language import tr, translate
from workbench.model.document import Page
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.page_view import PageView

if TYPE_CHECKING:
    from workbench.model.chunk import Box
    from workbench.operations import Library, PagePicture


_KEPT_SCALE = 1.5
"""Pixels per point of the pictures that come with an imported session."""


class _PageRequest:
    """Request for pages or marks; a late reply is recognised by its request."""

    def __init__(self, presenter: PagePresenter, page: int) -> None:
        self._presenter = presenter
        self._page = page

    def pages(self, pages: Sequence[Page]) -> None:
        """Pass the pages on."""
        self._presenter.receive_pages(self, pages)

    def marks(self, marks: Sequence[Box]) -> None:
        """Pass the marks on."""
        self._presenter.receive_marks(self, self._page, marks)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self._presenter.receive_failure(self, error)


class PagePresenter(QObject):
    """Presenter that fills the page view.

    Signals:
        pages_changed: The document has other pages than those shown before.
        shown: The page of an imported session is shown; not every session has one.
        failed: The page of the passage cannot be shown: an error message and a hint.
    """

    pages_changed = Signal()
    shown = Signal()
    failed = Signal(str, str)

    def __init__(self, bridge: Bridge, view: PageView) -> None:
        super().__init__(view)
        self._bridge = bridge
        self._view = view
        self._library: Library | None = None
        self._document = 0
        self._last_opened = 0
        self._page = 0
        self._spans: Sequence[tuple[int, int]] = ()
        self._is_stale = False
        self._pages: Sequence[Page] = ()
        self._requests: list[_PageRequest] = []
        self._loader = PageLoader(bridge, self)
        self._loader.loaded.connect(self._on_loaded)
        self._loader.failed.connect(self._on_page_failed)
        view.pages_wanted.connect(self._on_pages_wanted)

    @property
    def pages(self) -> Sequence[Page]:
        """The pages of the document that is shown; empty if it has none, or if they are not known yet."""
        return self._pages

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._library = library
        self._loader.set_library(library)
        self._last_opened = 0
        self.clear()

    def clear(self) -> None:
        """Clear the view."""
        self._document = 0
        self._pages = ()
        self._requests.clear()
        self._loader.forget()
        self._view.clear()
        self.pages_changed.emit()

    def forget(self) -> None:
        """Mark the pages as outdated, because the document changed; the next passage requests them again."""
        self._is_stale = True

    def show(self, document: int, page: int, spans: Sequence[tuple[int, int]]) -> None:
        """Show a page with spans of the document's text marked; the pages of another document are loaded first."""
        self._page, self._spans = page, spans
        self._requests.clear()
        if document < 0:
            self._document = document
            self._loader.want([WantedPage(document, page, _KEPT_SCALE, *spans[0])])
        elif document != self._document or self._is_stale or not self._pages:  # drops earlier requests
            self.clear()
            self._is_stale = False
            self._document = document
            self._ask_for_pages()
        else:
            self._show_passage()

    def receive_pages(self, request: _PageRequest, pages: Sequence[Page]) -> None:
        """Show the pages of the document; ignored if the request was dropped."""
        if request not in self._requests:
            return
        self._requests.remove(request)
        self._pages = pages
        self.pages_changed.emit()
        if pages:
            self._open(pages, at=min(self._page, pages[-1].number))
            self._show_passage()
        else:
            self.failed.emit(tr("This page cannot be shown."), tr("Its text is still there."))

    def receive_marks(self, request: _PageRequest, page: int, marks: Sequence[Box]) -> None:
        """Mark the passage on one of its pages; ignored if the request was dropped."""
        if request not in self._requests:
            return
        self._requests.remove(request)
        if page == self._page:
            self._view.go_to(page, marks)
        else:
            self._view.canvas.mark(page, marks)

    def receive_failure(self, request: _PageRequest, error: BaseException) -> None:
        """Report that a document has no pages to show."""
        if request in self._requests:
            self._requests.clear()
            if isinstance(error, WorkbenchError):
                self.failed.emit(translate(error.message), translate(error.hint))
            else:
                self.failed.emit(tr("This page cannot be shown."), tr("Its text is still there."))

    def _ask_for_pages(self) -> None:
        if self._library is not None:
            request = _PageRequest(self, 0)
            self._requests.append(request)
            pages = operations.document_pages(self._library, self._document)
            self._bridge.submit(pages, done=request.pages, failed=request.failed)

    def _open(self, pages: Sequence[Page], at: int = 0) -> None:
        """Show pages: those of the document that was shown last at the zoom that the user chose for them."""
        is_same = self._last_opened == self._document
        self._last_opened = self._document
        self._view.show_pages(pages, at=at, keeps_zoom=is_same)

    def _show_passage(self) -> None:
        """Go to the page at once; mark the passage there and on its further pages when the marks are loaded."""
        page, spans = self._page, [span for span in self._spans if span[1] > span[0]]
        self._view.canvas.unmark()
        numbers = [
            one.number
            for one in self._pages
            if any(one.start < end and one.end > start for start, end in spans or self._spans)
        ] or [page]
        if not any(one in self._view.in_sight for one in numbers):
            self._view.turn_to(page)
        for number in sorted({page, *numbers}) if self._library is not None and spans else ():
            assert self._library is not None
            request = _PageRequest(self, number)
            self._requests.append(request)
            marks = operations.page_marks(self._library, self._document, number, spans)
            self._bridge.submit(marks, done=request.marks, failed=request.failed)

    @Slot(object)
    def _on_pages_wanted(self, pages: Sequence[tuple[int, float]]) -> None:
        if self._document > 0:
            self._loader.want([WantedPage(self._document, page, scale) for page, scale in pages])

    @Slot(object, object)
    def _on_loaded(self, wanted: WantedPage, picture: PagePicture) -> None:
        if wanted.document != self._document:
            return
        if wanted.document < 0:
            self._open((Page(wanted.page, 0, 0, picture.width, picture.height),))
            self.shown.emit()
        self._view.take(wanted.page, wanted.scale, picture)

    @Slot(object, str, str)
    def _on_page_failed(self, wanted: WantedPage, message: str, hint: str) -> None:
        if wanted.document != self._document:
            return
        if wanted.page == self._page:
            self.failed.emit(message, hint)
        elif wanted.document > 0:
            self._view.canvas.note(wanted.page, message)


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page at a scale in pixels per point; start and end of its passage identify pictures of imported sessions."""

    document: int
    page: int
    scale: float
    start: int = 0
    end: int = 0


class _PageLoaderRequest:
    """Request for the picture of a page; a late reply is recognised by its request."""

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
        """Report that the request was cancelled."""
        self.loader.receive_nothing(self)


class PageLoader(QObject):
    """Loader of page pictures.

    One page is drawn at a time, and none is cancelled: that would kill the child process that draws, which takes longer
    to start than three pages take to draw. A user who leafs fast therefore waits for one skipped page, never for all of
    them.

    Signals:
        loaded: The WantedPage and its PagePicture.
        failed: The WantedPage, an error message and a hint.
    """

    loaded = Signal(object, object)
    failed = Signal(object, str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._queue: list[WantedPage] = []
        self._request: _PageLoaderRequest | None = None

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self.forget()
        self._library = library

    def forget(self) -> None:
        """Drop all requests; the reply to the running one is ignored."""
        self._queue = []
        self._request = None

    def want(self, pages: Sequence[WantedPage]) -> None:
        """Request pages in order of priority; earlier requests that have not started are dropped."""
        under_way = self._request.wanted if self._request is not None else None
        self._queue = [page for page in pages if page != under_way]
        self._next()

    def receive(self, request: _PageLoaderRequest, picture: PagePicture) -> None:
        """Emit the picture; ignored if its request was dropped."""
        if request is self._request:
            self._request = None
            self.loaded.emit(request.wanted, picture)
            self._next()

    def receive_failure(self, request: _PageLoaderRequest, error: BaseException) -> None:
        """Report that a page could not be loaded."""
        if request is not self._request:
            return
        self._request = None
        if isinstance(error, WorkbenchError):
            self.failed.emit(request.wanted, translate(error.message), translate(error.hint))
        else:
            self.failed.emit(request.wanted, tr("This page cannot be shown."), tr("Its text is still there."))
        self._next()

    def receive_nothing(self, request: _PageLoaderRequest) -> None:
        """Drop a request that was cancelled, because the library is being closed."""
        if request is self._request:
            self._request = None

    def _next(self) -> None:
        if self._request is not None or not self._queue or self._library is None:
            return
        wanted = self._queue.pop(0)
        request = self._request = _PageLoaderRequest(self, wanted)
        drawing = operations.page_picture(
            self._library, wanted.document, wanted.page, scale=wanted.scale, start=wanted.start, end=wanted.end
        )
        self._bridge.submit(drawing, done=request.done, failed=request.failed, cancelled=request.cancelled)
