"""The map's decisions: looked at when it is seen, drawn when there is none or enough has changed, kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench.language import said
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.map import MapOutlook, MapState
from workbench.ui.bridge import Bridge
from workbench.ui.map.overlay import Overlay, overlay_of, queries_of
from workbench.ui.map.part import Within
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap, MapPassage
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.worker.job import JobHandle

QUIET_MS = 3_000
"""After a change of documents: an import changes them many times a second."""


class _Request:
    """One question being placed; its own object, so that a late answer is known by what it was asked for."""

    def __init__(self, presenter: MapPresenter) -> None:
        self._presenter = presenter

    def done(self, places: tuple[tuple[float, float], ...]) -> None:
        """Pass the places on."""
        self._presenter.receive_places(self, places)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Do without: hits are drawn all the same."""


class MapPresenter(QObject):
    """What the map shows, as long as somebody looks at it.

    Signals:
        outlook_changed: The MapOutlook: another map, or why there is none.
        run_changed: The Run whose question and hits are drawn.
        overlay_changed: The Overlay: a question and its hits.
        drawing_changed: Whether the map is being drawn.
        progressed: The MapProgress of that.
        passage_found: The MapPassage that the pointer is on.
        opened: The Citation of a passage that was clicked.
        noticed: A sentence for the user.
        failed: An error and its details.
    """

    outlook_changed = Signal(object)
    run_changed = Signal(object)
    overlay_changed = Signal(object)
    drawing_changed = Signal(bool)
    progressed = Signal(object)
    passage_found = Signal(object)
    opened = Signal(object)
    noticed = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._is_seen = False
        self._is_looking = False
        self._is_stale = True
        self._outlook: MapOutlook | None = None
        self._shown: MapOutlook | None = None
        self._drawing: JobHandle[MapOutlook] | None = None
        self._was_cancelled = False
        self._run: Run | None = None
        self._request: _Request | None = None
        self.within = Within()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(QUIET_MS)
        self._later.timeout.connect(self._look)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def map(self) -> LibraryMap | None:
        """The map that is shown."""
        return self._shown.map if self._shown is not None else None

    def show_within(self, within: Within) -> None:
        """Show another part of the library, or all of it."""
        self.within = within
        self._take(self._outlook)

    @property
    def has_library(self) -> bool:
        """Whether there is a library to be shown."""
        return self._library is not None

    @property
    def is_drawing(self) -> bool:
        """Whether the map is being drawn."""
        return self._drawing is not None

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self.cancel()
        self._library, self._outlook, self._run, self._request = library, None, None, None
        self._shown = None
        self._is_stale, self._was_cancelled, self._is_looking = True, False, False
        self._later.stop()
        self.overlay_changed.emit(Overlay())
        self.outlook_changed.emit(None)
        if self._is_seen:
            self._look()

    def see(self, seen: bool) -> None:
        """Say whether somebody looks: a map that nobody sees is not brought up to date."""
        self._is_seen = seen
        if seen and self._is_stale:
            self._look()

    def show_run(self, run: Run) -> None:
        """Draw the question and the hits of an answer from now on."""
        self._run = run
        self.run_changed.emit(run)
        self._place()

    @Slot()
    def draw(self) -> None:
        """Draw the map anew; what is shown stays meanwhile."""
        if self._library is None or self._drawing is not None:
            return
        self._was_cancelled = False
        self._drawing = self._bridge.submit(
            operations.draw_map(self._library),
            done=self._on_drawn,
            event=self.progressed.emit,
            failed=self._on_not_drawn,
            cancelled=self._end_drawing,
        )
        self.drawing_changed.emit(True)

    @Slot()
    def cancel(self) -> None:
        """Stop drawing; it is not begun again by itself until the library is opened anew."""
        if self._drawing is not None:
            self._was_cancelled = True
            self._drawing.cancel()

    def point_at(self, point: int) -> None:
        """Fetch what stands at a point of the map."""
        if self._library is not None and self.map is not None and point >= 0:
            chunk = int(self.map.ids[point])
            self._bridge.submit(
                operations.passage_on_map(self._library, chunk), done=self.passage_found.emit, failed=self._on_gone
            )

    def open(self, chunk: int) -> None:
        """Show a passage where passages are shown."""
        if self._library is not None:
            self._bridge.submit(operations.passage_on_map(self._library, chunk), done=self._on_opened)

    def receive_places(self, request: _Request, places: tuple[tuple[float, float], ...]) -> None:
        """Take the places of a question; those that are wanted no more are ignored."""
        if request is self._request and self._run is not None and self.map is not None:
            self.overlay_changed.emit(overlay_of(self._run, self.map, places))

    @Slot()
    def _look(self) -> None:
        if self._library is None or self._is_looking or not self._is_seen:
            return
        self._is_looking, self._is_stale = True, False
        self._bridge.submit(
            operations.library_map(self._library), done=self._on_outlook, failed=self._on_failed, cancelled=self._ended
        )

    def _on_outlook(self, outlook: MapOutlook) -> None:
        self._is_looking = False
        self._take(outlook)
        if outlook.notice:
            self.noticed.emit(said(outlook.notice))
        if outlook.state in (MapState.NOT_DRAWN, MapState.OUTDATED) and not self._was_cancelled:
            self.draw()
        if self._is_stale and self._is_seen:
            self._later.start()

    def _take(self, outlook: MapOutlook | None) -> None:
        """Show the map, or the part of it that is worked in."""
        self._outlook, self._shown = outlook, self.within.of(outlook)
        self.outlook_changed.emit(self._shown)
        self._place()

    def _place(self) -> None:
        """Draw the hits at once; the question where it belongs as soon as that is known."""
        if self._library is None or self._run is None or self.map is None:
            return
        self.overlay_changed.emit(overlay_of(self._run, self.map))
        request = self._request = _Request(self)
        self._bridge.submit(
            operations.place_on_map(self._library, queries_of(self._run)), done=request.done, failed=request.failed
        )

    def _on_drawn(self, outlook: MapOutlook) -> None:
        self._end_drawing()
        self._take(outlook)

    def _on_not_drawn(self, error: BaseException, details: str) -> None:
        self._was_cancelled = True  # not again and again
        self._end_drawing()
        self.failed.emit(error, details)

    def _end_drawing(self) -> None:
        self._drawing = None
        self.drawing_changed.emit(False)

    def _ended(self) -> None:
        self._is_looking = False

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._is_looking = False
        self.failed.emit(error, details)

    def _on_opened(self, passage: MapPassage) -> None:
        self.opened.emit(passage.citation)

    def _on_gone(self, _error: BaseException, _details: str) -> None:
        self._is_stale = True
        self._later.start()

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, (DocumentChanged, DocumentsRemoved)):
            self._is_stale = True
            if self._is_seen and not self._later.isActive():
                self._later.start()
