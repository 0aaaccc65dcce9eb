"""What the map shows, as lists: its documents, which are its legend too, and its regions; and an answer's scores."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, Signal, Slot
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.map import LibraryMap, MapDocument, MapRegion
from workbench.ui.controls import button, label
from workbench.ui.map.colouring import COLOURS, Slots, first_slots
from workbench.ui.map.rows import MapRow, MapRowView
from workbench.ui.map.score_chart import ScoreChart
from workbench.ui.map.wording import passages_words
from workbench.ui.theme import Theme

HINT = mark("Choose documents to let them stand out.")


class MapLists(QTabWidget):
    """Documents and regions, as text; who sees no picture has all of the map here.

    Signals:
        documents_chosen: The places of the documents that are to stand out, a tuple; empty for none.
        region_chosen: The place of the region to look at.
        hit_chosen: The number of the chunk that is a hit to be shown.
        document_pointed: The place of the document that the pointer is on, -1 for none.
    """

    documents_chosen = Signal(object)
    region_chosen = Signal(int)
    hit_chosen = Signal(int)
    document_pointed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._documents = MapRowView(theme, tr("Documents on the map"), self._document_row, several=True)
        self._regions = MapRowView(theme, tr("Regions of the map"), _region_row)
        self._map: LibraryMap | None = None
        self._slots: Slots = ()
        self._scores = ScoreChart(theme)
        self._scores.chosen.connect(self._on_hit)
        self._all = button(tr("Show all"), "link", self._on_all)
        self._all.setAccessibleName(tr("Let all documents be shown alike"))
        self._hint = label(tr(HINT), "caption", wrap=True)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(2)
        foot = QVBoxLayout()
        foot.setContentsMargins(12, 2, 8, 2)
        foot.addWidget(self._hint)
        foot.addWidget(self._all)
        column.addWidget(self._documents, 1)
        column.addLayout(foot)
        self._all.hide()
        self.setDocumentMode(True)
        self.addTab(page, tr("Documents"))
        self.addTab(self._regions, tr("Regions"))
        self.addTab(self._scores, tr("Scores"))
        self.setAccessibleName(tr("Documents and regions of the map"))
        self._documents.selectionModel().selectionChanged.connect(self._on_documents)
        self._documents.entered.connect(self._on_entered)
        self._documents.viewport().installEventFilter(self)
        self._regions.clicked.connect(self._on_region)
        self._regions.activated.connect(self._on_region)

    @property
    def documents(self) -> MapRowView:
        """The list of documents."""
        return self._documents

    @property
    def regions(self) -> MapRowView:
        """The list of regions."""
        return self._regions

    @property
    def scores(self) -> ScoreChart:
        """The scores of an answer's hits."""
        return self._scores

    def show_map(self, map: LibraryMap | None) -> None:
        """List what another map shows; nothing stands out then."""
        self._map = map
        self._slots = first_slots(map)
        self._list_documents()
        self._regions.rows.show(map.regions if map is not None else ())
        self._on_documents()

    def show_colours(self, slots: Slots) -> None:
        """List the documents first that have the colours now: the list is the legend."""
        self._slots = slots
        self._list_documents()

    def _list_documents(self) -> None:
        shown = self._map.shown if self._map is not None else ()
        first = self._slots if len(shown) > COLOURS else ()
        rest = (place for place in range(len(shown)) if place not in first)
        self._documents.rows.show([(place, shown[place]) for place in (*first, *rest)])

    def _document_row(self, _row: int, subject: tuple[int, MapDocument]) -> MapRow:
        place, document = subject
        colour = self._slots.index(place) if place in self._slots else COLOURS
        return MapRow(document.name, passages_words(document.chunks), colour)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._documents.viewport() and event.type() == QEvent.Type.Leave:
            self.document_pointed.emit(-1)
        return super().eventFilter(watched, event)

    @Slot(QModelIndex)
    def _on_entered(self, index: QModelIndex) -> None:
        self.document_pointed.emit(self._documents.rows.subject(index.row())[0])

    @Slot()
    def _on_documents(self) -> None:
        chosen = tuple(self._documents.rows.subject(row)[0] for row in self._documents.chosen)
        self._all.setVisible(bool(chosen))
        self._hint.setVisible(not chosen)
        self.documents_chosen.emit(chosen)

    @Slot()
    def _on_all(self) -> None:
        self._documents.clearSelection()

    @Slot(int)
    def _on_hit(self, place: int) -> None:
        self.hit_chosen.emit(self._scores.plot.hits[place].hit.chunk.id)

    @Slot(QModelIndex)
    def _on_region(self, index: QModelIndex) -> None:
        self.region_chosen.emit(index.row())


def _region_row(_place: int, region: MapRegion) -> MapRow:
    theirs = ", ".join(f"{one.name} {one.chunks:,}" for one in region.documents)
    return MapRow(region.label, f"{passages_words(region.chunks)} · {theirs}")
