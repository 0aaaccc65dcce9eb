"""The table of a reading: documents with their verdicts, and their quotes, which open the passage at one click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from workbench.language import tr
from workbench.model.exhaustive import DocumentReading
from workbench.model.hit import Citation
from workbench.ui.exhaustive.model import ANSWER, CITATION_ROLE, DOCUMENT, SAYS, ReadingModel
from workbench.ui.theme import Theme

MOST_UNFOLDED = 40
"""Of more documents the quotes are folded: the verdicts are what one looks through."""

_SAYS_WIDTH = 118
_DOCUMENT_WIDTH = 190
_ARROW = 12
_LOWEST = 52
_NARROWEST = 80
_Index = QModelIndex | QPersistentModelIndex


class ReadingTable(QTreeView):
    """Documents and quotes.

    Signals:
        citation_activated: The Citation of the quote that was pressed.
    """

    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows = ReadingModel(theme, self)
        self.setModel(self.rows)
        self.setAccessibleName(tr("What each document says"))
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(16)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setMouseTracking(True)
        self.setMinimumHeight(_LOWEST)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(SAYS, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(SAYS, _SAYS_WIDTH)
        header.resizeSection(DOCUMENT, _DOCUMENT_WIDTH)
        header.setMinimumSectionSize(60)
        self.clicked.connect(self._on_clicked)

    def show_rows(self, rows: Sequence[DocumentReading], *, offline: bool) -> None:
        """Show other rows; offline there are no answers but the quotes."""
        self.rows.show(rows, offline=offline)
        for place in range(len(rows)):
            self._unfold(place)
        self.setColumnHidden(ANSWER, offline)
        if rows:
            self.setCurrentIndex(self.rows.index(0, 0))

    def put_row(self, row: DocumentReading) -> None:
        """Show what was read of a document so far; what is chosen stays chosen."""
        before = next((one for one in self.rows.rows if one.document == row.document), None)
        place = self.rows.put(row)
        # Only the first quotes unfold a document: one that the user has folded stays so.
        if before is None or not before.citations:
            self._unfold(place)
        else:
            self._span(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Of a narrow table the answers get the larger part.
        room = self.viewport().width() - self.header().sectionSize(SAYS)
        self.header().resizeSection(DOCUMENT, max(_NARROWEST, min(_DOCUMENT_WIDTH, round(room * 0.4))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate(self.currentIndex())
            return
        super().keyPressEvent(event)

    def drawBranches(self, painter: QPainter, rect: QRect, index: _Index) -> None:
        """Draw the arrow of a document that has quotes; the style would mark it apart from its row."""
        painter.fillRect(rect, QColor(self._theme.tokens().surface))
        if not self.rows.rowCount(self.rows.index(index.row(), 0, index.parent())):
            return
        icon = self._theme.pixmap("chevron-down" if self.isExpanded(index) else "chevron-right", size=_ARROW)
        place = QRect(0, 0, _ARROW, _ARROW)
        place.moveCenter(rect.center())
        painter.drawPixmap(place, icon)

    def _unfold(self, place: int) -> None:
        self._span(place)
        if len(self.rows.rows) <= MOST_UNFOLDED and self.rows.rows[place].citations:
            self.expand(self.rows.index(place, 0))

    def _span(self, place: int) -> None:
        parent = self.rows.index(place, 0)
        for number in range(len(self.rows.rows[place].citations)):
            self.setFirstColumnSpanned(number, parent, True)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        # A click on a document chooses it; its quotes stand below.
        if index.parent().isValid():
            self._activate(index)

    def _activate(self, index: _Index) -> None:
        citation = index.data(CITATION_ROLE)
        if isinstance(citation, Citation):
            self.citation_activated.emit(citation)
