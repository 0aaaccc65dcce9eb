"""What the map shows, as lists: its documents, which are its legend too, and its regions; and an answer's scores."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from workbench.model.map import LibraryMap, MapDocument, MapRegion
from workbench.ui.controls import button, label
from workbench.ui.library.wording import count
from workbench.ui.map.rows import MapRow, MapRowView
from workbench.ui.map.score_chart import ScoreChart
from workbench.ui.theme import Theme

HINT = "Choose documents to let them stand out."


class MapLists(QTabWidget):
    """Documents and regions, as text; who sees no picture has all of the map here.

    Signals:
        documents_chosen: The places of the documents that are to stand out, a tuple; empty for none.
        region_chosen: The place of the region to look at.
        hit_chosen: The number of the chunk that is a hit to be shown.
    """

    documents_chosen = Signal(object)
    region_chosen = Signal(int)
    hit_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._documents = MapRowView(theme, "Documents on the map", _document_row, several=True)
        self._regions = MapRowView(theme, "Regions of the map", _region_row)
        self._scores = ScoreChart(theme)
        self._scores.chosen.connect(self._on_hit)
        self._all = button("Show all", "link", self._on_all)
        self._all.setAccessibleName("Let all documents be shown alike")
        self._hint = label(HINT, "caption", wrap=True)
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
        self.addTab(page, "Documents")
        self.addTab(self._regions, "Regions")
        self.addTab(self._scores, "Scores")
        self.setAccessibleName("Documents and regions of the map")
        self._documents.selectionModel().selectionChanged.connect(self._on_documents)
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
        self._documents.rows.show(map.shown if map is not None else ())
        self._regions.rows.show(map.regions if map is not None else ())
        self._on_documents()

    @Slot()
    def _on_documents(self) -> None:
        chosen = self._documents.chosen
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


def _document_row(place: int, document: MapDocument) -> MapRow:
    return MapRow(document.name, count(document.chunks, "passage"), place)


def _region_row(_place: int, region: MapRegion) -> MapRow:
    theirs = ", ".join(f"{one.name} {one.chunks:,}" for one in region.documents)
    return MapRow(region.label, f"{count(region.chunks, 'passage')} · {theirs}")
