"""Presenter of the map: when it is computed, the part of one knowledge base, and the wording of its extent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.language import tr, translate, trn
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.map import LibraryMap, MapDocument, MapOutlook, MapRegion, MapState
from workbench.ui.bridge import Bridge
from workbench.ui.map.map_overlay import Overlay, overlay_of, queries_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.model.map import MapPassage
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.worker.job import JobHandle


QUIET_MS = 3_000
"""Milliseconds after a change of documents: an import changes them many times a second."""


class _PlacementRequest:
    """Pending placement of a question; a separate object, so that an outdated result is recognised by its request."""

    def __init__(self, presenter: MapPresenter) -> None:
        self._presenter = presenter

    def done(self, places: tuple[tuple[float, float], ...]) -> None:
        """Pass the places to the presenter."""
        self._presenter.receive_places(self, places)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Ignore the error: the hits are drawn without the question."""


class MapPresenter(QObject):
    """Presenter of the map, which is kept up to date while it is visible.

    Signals:
        outlook_changed: The MapOutlook: another map, or the reason why there is none.
        run_changed: The Run whose question and hits are drawn.
        overlay_changed: The Overlay: a question and its hits.
        drawing_changed: Whether the map is being drawn.
        progressed: The MapProgress of the drawing.
        passage_found: The MapPassage under the pointer.
        opened: The Citation of a passage that was clicked.
        noticed: A message for the user.
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
        self._is_visible = False
        self._is_loading = False
        self._is_stale = True
        self._outlook: MapOutlook | None = None
        self._shown: MapOutlook | None = None
        self._drawing: JobHandle[MapOutlook] | None = None
        self._was_cancelled = False
        self._run: Run | None = None
        self._request: _PlacementRequest | None = None
        self.within = MapScope()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(QUIET_MS)
        self._later.timeout.connect(self._load_outlook)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def map(self) -> LibraryMap | None:
        """Map on show."""
        return self._shown.map if self._shown is not None else None

    def show_within(self, within: MapScope) -> None:
        """Show another part of the library, or all of it."""
        self.within = within
        self._take(self._outlook)

    @property
    def has_library(self) -> bool:
        """True if a library is open."""
        return self._library is not None

    @property
    def is_drawing(self) -> bool:
        """True while the map is being drawn."""
        return self._drawing is not None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self.cancel()
        self._library, self._outlook, self._run, self._request = library, None, None, None
        self._shown = None
        self._is_stale, self._was_cancelled, self._is_loading = True, False, False
        self._later.stop()
        self.overlay_changed.emit(Overlay())
        self.outlook_changed.emit(None)
        if self._is_visible:
            self._load_outlook()

    def see(self, seen: bool) -> None:
        """Set whether the map is visible; a hidden map is not kept up to date."""
        self._is_visible = seen
        if seen and self._is_stale:
            self._load_outlook()

    def show_run(self, run: Run) -> None:
        """Draw the question and the hits of an answer."""
        self._run = run
        self.run_changed.emit(run)
        self._place()

    @Slot()
    def draw(self) -> None:
        """Draw the map again; the present one stays visible meanwhile."""
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
        """Cancel the drawing; it does not start again by itself until the library is opened again."""
        if self._drawing is not None:
            self._was_cancelled = True
            self._drawing.cancel()

    def point_at(self, point: int) -> None:
        """Request the passage at a point of the map."""
        if self._library is not None and self.map is not None and point >= 0:
            chunk = int(self.map.ids[point])
            self._bridge.submit(
                operations.passage_on_map(self._library, chunk), done=self.passage_found.emit, failed=self._on_gone
            )

    def open(self, chunk: int) -> None:
        """Request the passage of a chunk, and emit its citation as `opened`."""
        if self._library is not None:
            self._bridge.submit(operations.passage_on_map(self._library, chunk), done=self._on_opened)

    def receive_places(self, request: _PlacementRequest, places: tuple[tuple[float, float], ...]) -> None:
        """Show the places of a question, unless the request is outdated."""
        if request is self._request and self._run is not None and self.map is not None:
            self.overlay_changed.emit(overlay_of(self._run, self.map, places))

    @Slot()
    def _load_outlook(self) -> None:
        if self._library is None or self._is_loading or not self._is_visible:
            return
        self._is_loading, self._is_stale = True, False
        self._bridge.submit(
            operations.library_map(self._library), done=self._on_outlook, failed=self._on_failed, cancelled=self._finish
        )

    def _on_outlook(self, outlook: MapOutlook) -> None:
        self._is_loading = False
        self._take(outlook)
        if outlook.notice:
            self.noticed.emit(translate(outlook.notice))
        if outlook.state in (MapState.NOT_DRAWN, MapState.OUTDATED) and not self._was_cancelled:
            self.draw()
        if self._is_stale and self._is_visible:
            self._later.start()

    def _take(self, outlook: MapOutlook | None) -> None:
        """Show the map, or only the part that belongs to the chosen knowledge base."""
        self._outlook, self._shown = outlook, self.within.of(outlook)
        self.outlook_changed.emit(self._shown)
        self._place()

    def _place(self) -> None:
        """Draw the hits immediately, and the question as soon as its place is known."""
        if self._library is None or self._run is None or self.map is None:
            return
        self.overlay_changed.emit(overlay_of(self._run, self.map))
        request = self._request = _PlacementRequest(self)
        self._bridge.submit(
            operations.place_on_map(self._library, queries_of(self._run)), done=request.done, failed=request.failed
        )

    def _on_drawn(self, outlook: MapOutlook) -> None:
        self._end_drawing()
        self._take(outlook)

    def _on_not_drawn(self, error: BaseException, details: str) -> None:
        self._was_cancelled = True  # avoids endless attempts
        self._end_drawing()
        self.failed.emit(error, details)

    def _end_drawing(self) -> None:
        self._drawing = None
        self.drawing_changed.emit(False)

    def _finish(self) -> None:
        self._is_loading = False

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._is_loading = False
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
            if self._is_visible and not self._later.isActive():
                self._later.start()


_NAMED = 3
"""Maximum number of documents that a region names."""


@dataclass(frozen=True, slots=True)
class MapScope:
    """Part of the library that is shown.

    Attributes:
        base: The current knowledge base; empty for all.
        is_whole: Whether all other knowledge bases are shown, too.
    """

    base: str = ""
    is_whole: bool = False

    @property
    def is_part(self) -> bool:
        """True if only the current knowledge base is shown."""
        return bool(self.base) and not self.is_whole

    def of(self, outlook: MapOutlook | None) -> MapOutlook | None:
        """Return an outlook with the part of its map that is shown."""
        if outlook is None or outlook.map is None or not self.is_part:
            return outlook
        return replace(outlook, map=part_of(outlook.map, self.base))


def part_of(map: LibraryMap, knowledge_base: str) -> LibraryMap:
    """Return the points of a knowledge base's documents, at their positions on the whole map."""
    kept = [place for place, one in enumerate(map.shown) if one.knowledge_base == knowledge_base]
    if len(kept) == len(map.shown):
        return map
    # The documents stay sorted by their number of points, so only gaps between indexes are closed.
    places = np.full(len(map.shown), -1, np.int32)
    places[kept] = np.arange(len(kept), dtype=np.int32)
    documents = places[map.documents]
    is_kept = documents >= 0
    shown = tuple(map.shown[place] for place in kept)
    points, documents = map.points[is_kept], documents[is_kept]
    return LibraryMap(map.ids[is_kept], documents, points, shown, _regions(map.regions, points, documents, shown))


def _regions(
    regions: tuple[MapRegion, ...],
    points: NDArray[np.float32],
    documents: NDArray[np.int32],
    shown: tuple[MapDocument, ...],
) -> tuple[MapRegion, ...]:
    # Imported late to keep it out of the start of the window.
    from workbench.indexing.projection import nearest_of

    if not regions or not len(points):
        return ()
    owner = nearest_of(points, np.array([[one.x, one.y] for one in regions], np.float32))
    found = []
    for number, region in enumerate(regions):
        members, counts = np.unique(documents[owner == number], return_counts=True)
        if len(members):
            most = np.argsort(-counts, kind="stable")[:_NAMED].tolist()
            named = tuple(replace(shown[int(members[one])], chunks=int(counts[one])) for one in most)
            found.append(replace(region, chunks=int(counts.sum()), documents=named))
    return tuple(sorted(found, key=lambda one: -one.chunks))


def passages_words(number: int) -> str:
    """Return a formatted number of passages: "1,200 passages"."""
    return trn("{n:,} passage", "{n:,} passages", number)


def extent_words(map: LibraryMap) -> str:
    """Return the extent of a map in words: "1,200 passages of 3 documents"."""
    documents = trn("{n:,} document", "{n:,} documents", len(map.shown))
    return tr("{passages} of {documents}", passages=passages_words(len(map.ids)), documents=documents)
