"""Lists next to the map: documents as its legend and regions, with item model and delegate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr
from workbench.model.map import LibraryMap, MapDocument, MapRegion
from workbench.ui.controls import button, label
from workbench.ui.map.colouring import COLOURS, Slots, colour_of, first_slots
from workbench.ui.map.presenter import passages_words
from workbench.ui.map.score_chart import ScoreChart
from workbench.ui.theme import Theme

HINT = mark("Select documents to highlight them.")


class MapLists(QTabWidget):
    """Tabs with documents, regions and scores: the content of the map as text, for people who cannot see it.

    Signals:
        documents_chosen: The indexes of the documents to highlight, a tuple; empty for none.
        region_chosen: The index of the region to show.
        hit_chosen: The identifier of the chunk of a hit to open.
        document_pointed: The index of the document under the pointer, -1 for none.
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
        self._all.setAccessibleName(tr("Remove the highlighting"))
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
        """List of documents."""
        return self._documents

    @property
    def regions(self) -> MapRowView:
        """List of regions."""
        return self._regions

    @property
    def scores(self) -> ScoreChart:
        """Chart of the scores of an answer's hits."""
        return self._scores

    def show_map(self, map: LibraryMap | None) -> None:
        """List the content of another map, without highlighted documents."""
        self._map = map
        self._slots = first_slots(map)
        self._list_documents()
        self._regions.rows.show(map.regions if map is not None else ())
        self._on_documents()

    def show_colours(self, slots: Slots) -> None:
        """List the documents that have the colours first: the list is the legend."""
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
    names = ", ".join(f"{one.name} {one.chunks:,}" for one in region.documents)
    return MapRow(region.label, f"{passages_words(region.chunks)} · {names}")


ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_PAD = 5
_SIDE = 12
_DOT = 10
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class MapRow:
    """Row of a list.

    Attributes:
        colour: Index in the palette; None for a row without a dot.
    """

    title: str
    second: str
    colour: int | None = None


class MapRows(QAbstractListModel):
    """Item model of subjects that are replaced as a whole; rows are built on demand, since there may be 100,000."""

    def __init__(self, row_of: Callable[[int, Any], MapRow], parent: QObject | None = None) -> None:
        """Store the function that builds a row from the index and the subject."""
        super().__init__(parent)
        self._row_of = row_of
        self._subjects: Sequence[Any] = ()

    def show(self, subjects: Sequence[Any]) -> None:
        """Replace the subjects."""
        self.beginResetModel()
        self._subjects = subjects
        self.endResetModel()

    def subject(self, row: int) -> Any:
        """Return the subject of a row."""
        return self._subjects[row]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._subjects)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, tooltip or accessible text of a row, or the row itself (ROW_ROLE)."""
        if not index.isValid():
            return None
        row = self._row_of(index.row(), self._subjects[index.row()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.ToolTipRole:
                return f"{row.title}\n{row.second}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title}. {row.second}"
            case _ if role == ROW_ROLE:
                return row
        return None


class MapRowDelegate(QStyledItemDelegate):
    """Delegate that paints two lines after a dot in the colour of the document."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        caption = QFontMetrics(self._theme.font(self._theme.tokens().caption))
        return QSize(140, QFontMetrics(self._theme.font()).lineSpacing() + caption.lineSpacing() + 2 * _PAD + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw one row."""
        row = index.data(ROW_ROLE)
        if not isinstance(row, MapRow):
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(6, 1, -6, -1)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.drawRoundedRect(area, 7, 7)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 7, 7)
        inner = area.adjusted(_SIDE - 4, _PAD - 1, 4 - _SIDE, 1 - _PAD)
        if row.colour is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour_of(row.colour, tokens)))
            painter.drawEllipse(inner.left(), inner.top() + 4, _DOT, _DOT)
            inner.setLeft(inner.left() + _DOT + 8)
        y = inner.top()
        for text, size, colour in (
            (row.title, tokens.body, tokens.text),
            (row.second, tokens.caption, tokens.text_muted),
        ):
            font = self._theme.font(size, text=text)
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            line = QRect(inner.left(), y, inner.width(), metrics.lineSpacing())
            elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, elided)
            y += metrics.lineSpacing() + 1
        painter.restore()


class MapRowView(QListView):
    """View of a list of rows, with single or extended selection."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        row_of: Callable[[int, Any], MapRow],
        *,
        several: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.rows = MapRows(row_of, self)
        self.setModel(self.rows)
        self.setItemDelegate(MapRowDelegate(theme, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.setAccessibleName(name)
        theme.changed.connect(self.viewport().update)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Selected rows from top to bottom."""
        ranges = self.selectionModel().selection()
        return tuple(sorted(row for one in ranges.toList() for row in range(one.top(), one.bottom() + 1)))
