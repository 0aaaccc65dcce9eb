"""Map pane: the map with its lists, its empty state, and the card of the passage under the pointer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import sqrt

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.map import LibraryMap, MapOutlook, MapPassage, MapProgress, MapState
from workbench.model.run import Run
from workbench.ui.bridge import Bridge
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import ElidedLabel, IconButton, button, label
from workbench.ui.map.canvas import MapCanvas
from workbench.ui.map.map_lists import MapLists
from workbench.ui.map.map_overlay import Overlay
from workbench.ui.map.presenter import MapPresenter, extent_words
from workbench.ui.map.score_chart import score_plot
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

CLOSED = ("library", mark("No library is open"), mark("Open a library to see its map."))
LOOKING = ("target", mark("Loading the map…"), mark("New passages are being added."))
DRAWING = (
    "target",
    mark("Drawing the map…"),
    mark("Each passage becomes a point, with similar passages close together. You can keep working meanwhile."),
)
REASONS = {
    MapState.NO_DOCUMENTS: (
        "library",
        mark("No documents yet"),
        mark("Add documents to see their passages on the map."),
    ),
    MapState.NOT_EMBEDDED: (
        "clock",
        mark("The passages have no vectors yet"),
        mark("The map appears as soon as the first passages are embedded."),
    ),
    MapState.KEYWORD_ONLY: (
        "info",
        mark("Only keyword search is available"),
        mark("The map needs an embedding model, which could not be loaded. Check the embedding model in the settings."),
    ),
    MapState.NOT_DRAWN: (
        "target",
        mark("No map yet"),
        mark("Each passage becomes a point, with similar passages close together."),
    ),
}

_HOVER_MS = 90
"""Milliseconds before a card is requested: the pointer only passes over most points."""
_WIDE = 1.25
_LISTS_WIDE, _LISTS_HIGH = 500, 460
"""Pixels; if the pane is smaller in both directions, the lists are hidden until the user shows them."""
_REGION = 1.6


class MapPane(QFrame):
    """Pane with the map and its lists, or a text on why there is no map."""

    def __init__(self, presenter: MapPresenter, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._map: LibraryMap | None = None
        self._point = -1
        self.setProperty("role", "pane")
        self.banner = Banner(theme)
        self.canvas = MapCanvas(bridge, theme)
        self.lists = MapLists(theme)
        self.card = PassageCard(theme, self.canvas)
        self._extent_line = ElidedLabel()
        self._extent_line.setProperty("role", "caption")
        self._cancel = button(tr("Cancel"), "ghost", presenter.cancel)
        self._cancel.setAccessibleName(tr("Cancel drawing the map"))
        self._redraw = button(tr("Redraw"), "ghost", presenter.draw)
        self._redraw.setToolTip(tr("Lay out all passages again, keeping their approximate positions"))
        self._only = IconButton(theme, "filter", tr("Only the current knowledge base"), self._on_only)
        self._only.setCheckable(True)
        self._listed = IconButton(theme, "panel-right", tr("Show or hide the lists"), self._on_lists_toggled)
        self._listed.setCheckable(True)
        self._wants_lists: bool | None = None
        self._hits = IconButton(theme, "star", tr("Show the question and its hits"), self.canvas.look_at_hits)
        self._empty = EmptyState(theme, quiet=True)
        self._draw = button(tr("Draw the map"), "primary", presenter.draw)
        self._stop = button(tr("Cancel"), "secondary", presenter.cancel)
        self._bars = [_make_bar(), _make_bar()]
        self._stack = QStackedWidget()
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._hover = QTimer(self)
        self._hover.setSingleShot(True)
        self._hover.setInterval(_HOVER_MS)
        self._state: MapState | None = None
        self._arrange(theme)
        self._connect()
        self._on_outlook(None)

    @property
    def visible_text(self) -> str:
        """Text of the line above the map."""
        return self._extent_line.accessibleName()

    @property
    def shows_map(self) -> bool:
        """True if a map is shown."""
        return self._stack.currentIndex() == 1

    def focus(self) -> None:
        """Set the keyboard focus to the map, or to the button that is available."""
        target: QWidget = self.canvas if self.shows_map else self._stop if self._presenter.is_drawing else self._draw
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() > _WIDE * self.height()
        self._splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        if self._wants_lists is None:
            self._show_lists(max(self.width() / _LISTS_WIDE, self.height() / _LISTS_HIGH) >= 1)

    def _arrange(self, theme: Theme) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 2, 8, 4)
        head.setSpacing(2)
        head.addWidget(self._extent_line, 1)
        for one in (self._redraw, self._cancel, self._only, self._hits):
            head.addWidget(one)
        for icon, name, slot in (
            ("zoom-out", tr("Zoom out (−)"), self.canvas.go_off),
            ("zoom-in", tr("Zoom in (+)"), self.canvas.come_nearer),
            ("target", tr("Show the whole map (0)"), self.canvas.show_whole),
        ):
            head.addWidget(IconButton(theme, icon, name, slot))
        head.addWidget(self._listed)
        self._splitter.addWidget(self.canvas)
        self._splitter.addWidget(self.lists)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([700, 240])
        self.lists.setMinimumSize(200, 90)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._bars[1])
        column.addWidget(self._splitter, 1)
        self._stack.addWidget(self._make_invitation())
        self._stack.addWidget(shown)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self._stack, 1)

    def _make_invitation(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(self._empty)
        self._bars[0].setFixedWidth(260)
        for one in (self._bars[0], self._draw, self._stop):
            column.addWidget(one, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        return page

    def _connect(self) -> None:
        presenter, canvas = self._presenter, self.canvas
        presenter.outlook_changed.connect(self._on_outlook)
        presenter.overlay_changed.connect(self._on_overlay)
        presenter.run_changed.connect(self._on_run)
        presenter.drawing_changed.connect(self._on_drawing)
        presenter.progressed.connect(self._on_progressed)
        presenter.passage_found.connect(self._on_passage)
        presenter.failed.connect(self.banner.show_error)
        canvas.pointed.connect(self._on_pointed)
        canvas.chosen.connect(presenter.open)
        canvas.coloured.connect(self.lists.show_colours)
        self.lists.document_pointed.connect(canvas.mark_document)
        self.lists.documents_chosen.connect(self._on_documents_chosen)
        self.lists.region_chosen.connect(self._on_region_chosen)
        self.lists.hit_chosen.connect(presenter.open)
        self._hover.timeout.connect(self._on_hover)

    @Slot(object)
    def _on_outlook(self, outlook: MapOutlook | None) -> None:
        map = outlook.map if outlook is not None else None
        if map is not self._map:
            self._map = map
            self.canvas.show_map(map)
            self.lists.show_map(map)
        self._state = outlook.state if outlook is not None else None
        self._stack.setCurrentIndex(1 if map is not None else 0)
        self._update_state()

    @Slot(bool)
    def _on_drawing(self, drawing: bool) -> None:
        if drawing:
            self.banner.hide()
            for bar in self._bars:
                bar.setValue(0)
        self._update_state()

    @Slot(object)
    def _on_progressed(self, progress: MapProgress) -> None:
        for bar in self._bars:
            bar.setValue(round(1000 * progress.share))
        if self._map is not None:
            self._extent_line.set_whole_text(_step_words(progress))

    def _update_state(self) -> None:
        """Update texts, buttons and progress bars to the present state."""
        drawing, state = self._presenter.is_drawing, self._state
        for one in (*self._bars, self._cancel, self._stop):
            one.setVisible(drawing)
        self._draw.setVisible(state is MapState.NOT_DRAWN and not drawing)
        self._redraw.setVisible(not drawing)
        if state is None:
            self._explain(LOOKING if self._presenter.has_library else CLOSED)
        elif state in REASONS:
            self._explain(DRAWING if drawing else REASONS[state])
        if self._map is not None:
            self._extent_line.set_whole_text(tr("Redrawing the map…") if drawing else self._format_extent(self._map))
        within = self._presenter.within
        self._only.setVisible(bool(within.base))
        self._only.setChecked(within.is_part)
        self._only.setToolTip(tr("Only the knowledge base “{name}”", name=within.base))

    def _format_extent(self, map: LibraryMap) -> str:
        extent, within = extent_words(map), self._presenter.within
        return tr("{extent} in “{name}”", extent=extent, name=within.base) if within.is_part else extent

    def _explain(self, reason: tuple[str, str, str]) -> None:
        icon, title, text = reason
        self._empty.show_state(icon, tr(title), tr(text))

    @Slot(object)
    def _on_run(self, run: Run) -> None:
        self.lists.scores.show_plot(score_plot(run))

    @Slot(object)
    def _on_overlay(self, overlay: Overlay) -> None:
        self.canvas.show_overlay(overlay)
        self._hits.setEnabled(bool(overlay.spots))
        tip = tr("Show the question and its hits")
        if overlay.lost:
            tip = trn(
                "Show the question and its hits ({n:,} hit not on the map)",
                "Show the question and its hits ({n:,} hits not on the map)",
                overlay.lost,
            )
        self._hits.setToolTip(tip)

    def _show_lists(self, shown: bool) -> None:
        self.lists.setVisible(shown)
        self._listed.setChecked(shown)

    @Slot()
    def _on_lists_toggled(self) -> None:
        self._wants_lists = self._listed.isChecked()
        self._show_lists(self._wants_lists)

    @Slot()
    def _on_only(self) -> None:
        within = self._presenter.within
        self._presenter.show_within(replace(within, is_whole=not self._only.isChecked()))

    @Slot(int)
    def _on_pointed(self, point: int) -> None:
        self._point = point
        self.card.hide()
        self.canvas.mark_document(-1)
        self._hover.start() if point >= 0 else self._hover.stop()

    @Slot()
    def _on_hover(self) -> None:
        self._presenter.point_at(self._point)
        if self._map is not None and self._point >= 0:
            self.canvas.mark_document(int(self._map.documents[self._point]))

    @Slot(object)
    def _on_passage(self, passage: MapPassage) -> None:
        # The pointer may have left the point meanwhile.
        if self._map is not None and self._point >= 0 and int(self._map.ids[self._point]) == passage.citation.chunk:
            self.card.show_passage(passage, self.canvas.pixel_of(self._point))

    @Slot(object)
    def _on_documents_chosen(self, documents: Collection[int]) -> None:
        self.canvas.stand_out(documents)

    @Slot(int)
    def _on_region_chosen(self, region: int) -> None:
        if self._map is not None and region < len(self._map.regions):
            # The circle of radius 1 is divided among the regions.
            self.canvas.look_at(self._map.regions[region], _REGION / sqrt(len(self._map.regions)))


def _step_words(progress: MapProgress) -> str:
    step = translate(progress.step)
    return tr("Redrawing the map: {step}…", step=f"{step[:1].lower()}{step[1:]}")


def _make_bar() -> QProgressBar:
    made = QProgressBar()
    made.setTextVisible(False)
    made.setRange(0, 1000)
    made.setAccessibleName(tr("Progress of the map"))
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return made


_WIDTH = 300
_GAP = 14


class PassageCard(QFrame):
    """Card of a passage, placed next to the pointer and transparent to mouse events."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "toast")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(_WIDTH)
        self._name = label("", "section", wrap=True)
        self._place = label("", "caption", wrap=True)
        self._line = label("", "muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(3)
        for one in (self._name, self._place, self._line):
            layout.addWidget(one)
        self._theme = theme
        self.hide()

    @property
    def visible_text(self) -> str:
        """Text of the card."""
        return "\n".join(one.text() for one in (self._name, self._place, self._line) if one.text())

    def show_passage(self, passage: MapPassage, at: QPointF) -> None:
        """Show a passage next to a position in the parent."""
        citation = passage.citation
        path = " › ".join(citation.headings)
        self._name.setText(citation.document_name)
        self._place.setText(" · ".join(part for part in (translate(citation.place), path) if part))
        self._place.setVisible(bool(self._place.text()))
        self._line.setText(passage.line)
        self.adjustSize()
        # Wrapping labels compute their height for a width only on request.
        layout = self.layout()
        assert layout is not None
        self.setFixedHeight(layout.totalHeightForWidth(_WIDTH))
        self.move(self._position_next_to(at))
        self.show()
        self.raise_()

    def _position_next_to(self, at: QPointF) -> QPoint:
        parent = self.parentWidget()
        assert parent is not None
        room = parent.rect()
        left = at.x() + _GAP if at.x() + _GAP + self.width() <= room.width() else at.x() - _GAP - self.width()
        top = at.y() + _GAP if at.y() + _GAP + self.height() <= room.height() else at.y() - _GAP - self.height()
        return QPoint(max(4, round(left)), max(4, round(top)))
