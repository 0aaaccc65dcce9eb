"""The table of a reading: a row a document, its quotes below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from workbench.language import mark, said, tr
from workbench.model.exhaustive import DocumentReading
from workbench.model.hit import Citation
from workbench.ui.exhaustive.wording import remarks, verdict_of
from workbench.ui.theme import Theme

COLUMNS = (mark("Says"), mark("Document"), mark("Answer"))
SAYS, DOCUMENT, ANSWER = range(3)
CITATION_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = 0


class ReadingModel(QAbstractItemModel):
    """Rows sorted by document; a row that is read further is replaced in its place."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[DocumentReading] = []
        self._places: dict[int, int] = {}
        self._offline = False
        theme.changed.connect(self._on_theme_changed)

    @property
    def rows(self) -> Sequence[DocumentReading]:
        """What is shown."""
        return self._rows

    def show(self, rows: Sequence[DocumentReading], *, offline: bool) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self._places = {one.document: place for place, one in enumerate(self._rows)}
        self._offline = offline
        self.endResetModel()

    def put(self, row: DocumentReading) -> int:
        """Show a row in the place of that of its document, a new one behind the others; return its place."""
        place = self._places.get(row.document)
        if place is None:
            place = len(self._rows)
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows.append(row)
            self._places[row.document] = place
            self.endInsertRows()
            return place
        parent = self.index(place, 0)
        before, now = len(self._rows[place].citations), len(row.citations)
        # First the quotes that are gone or new, so that a view never asks for one that is not there.
        if now < before:
            self.beginRemoveRows(parent, now, before - 1)
            self._rows[place] = row
            self.endRemoveRows()
        elif now > before:
            self.beginInsertRows(parent, before, now - 1)
            self._rows[place] = row
            self.endInsertRows()
        self._rows[place] = row
        self.dataChanged.emit(parent, self.index(place, len(COLUMNS) - 1))
        if now:
            self.dataChanged.emit(self.index(0, 0, parent), self.index(now - 1, len(COLUMNS) - 1, parent))
        return place

    def index(self, row: int, column: int, parent: _Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Return the index of a document, or of a quote below one: that one's internal id is the document's row + 1."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _NO_PARENT)

    def parent(self, index: _Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        """Return the document of a quote."""
        above = index.internalId() if index.isValid() else _NO_PARENT
        return QModelIndex() if above == _NO_PARENT else self.createIndex(above - 1, 0, _NO_PARENT)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._rows)
        is_document = parent.internalId() == _NO_PARENT and parent.column() == 0
        return len(self._rows[parent.row()].citations) if is_document else 0

    def columnCount(self, _parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section])
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows and says, and of a quote its Citation."""
        if not index.isValid():
            return None
        above = index.internalId()
        if above != _NO_PARENT:
            return self._of_quote(self._rows[above - 1].citations[index.row()], index.column(), role)
        return self._of_document(self._rows[index.row()], index.column(), role)

    def _of_document(self, row: DocumentReading, column: int, role: int) -> Any:
        word, icon, colour = verdict_of(row.verdict, offline=self._offline)
        remark, problem = remarks(row), said(row.problem)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (word, row.name, row.answer or (problem if not row.citations else ""))[column] or remark
            case Qt.ItemDataRole.DecorationRole if column == SAYS:
                return self._theme.icon(icon, getattr(self._theme.tokens(), colour))
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(part for part in (row.name, row.answer, remark, problem) if part)
            case Qt.ItemDataRole.AccessibleTextRole if column == SAYS:
                return ". ".join(part for part in (row.name, word, row.answer, remark) if part)
            case Qt.ItemDataRole.FontRole if column == ANSWER:
                return self._theme.font(text=row.answer)
            case _ if role == CITATION_ROLE:
                return row.citations[0] if row.citations else None
        return None

    def _of_quote(self, citation: Citation, column: int, role: int) -> Any:
        quote, place = " ".join(citation.quote.split()), said(citation.place)
        match role:
            case Qt.ItemDataRole.DisplayRole if column == SAYS:
                return f"“{quote}”{f'  {place}' if place else ''}"
            case Qt.ItemDataRole.ToolTipRole:
                return f"{citation.quote}\n\n{place}".strip()
            case Qt.ItemDataRole.AccessibleTextRole if column == SAYS:
                return tr("Quote: {quote}. {place}. Press Enter to show the passage.", quote=quote, place=place)
            case Qt.ItemDataRole.DecorationRole if column == SAYS:
                return self._theme.icon("quote")
            case Qt.ItemDataRole.FontRole:
                return self._theme.font(text=quote)
            case _ if role == CITATION_ROLE:
                return citation
        return None

    @Slot()
    def _on_theme_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))
