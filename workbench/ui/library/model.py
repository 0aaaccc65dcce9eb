"""The item model of the library pane: frozen Document rows by id, filtered as one types."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.model.document import Document
from workbench.ui.library.wording import spoken, tool_tip

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
DOCUMENT_ROLE = Qt.ItemDataRole.UserRole + 1


class DocumentModel(QAbstractListModel):
    """Documents in the order they were added; a changed document redraws one row.

    It filters by itself: a QSortFilterProxyModel asks Python once a row, which 100,000 rows would feel.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._documents: dict[int, Document] = {}
        self._shown: list[int] = []
        self._needle = ""
        self._knowledge_base: str | None = None

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._shown):
            return None
        document = self._documents[self._shown[index.row()]]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return document.name
            case Qt.ItemDataRole.ToolTipRole:
                return tool_tip(document)
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken(document)
            case _ if role == DOCUMENT_ROLE:
                return document
        return None

    def documents(self) -> list[Document]:
        """Return every document, the filtered-out ones too."""
        return list(self._documents.values())

    def get(self, number: int) -> Document | None:
        """Return the document of an id, None when there is none."""
        return self._documents.get(number)

    def index_of(self, number: int) -> QModelIndex:
        """Return the index of a document's row, invalid when it is not shown."""
        row = self._row(number)
        return self.index(row) if row is not None else QModelIndex()

    def replace_all(self, documents: Iterable[Document]) -> None:
        """Show these documents and no others."""
        self.beginResetModel()
        self._documents = {document.id: document for document in documents}
        self._shown = self._filtered()
        self.endResetModel()

    def put(self, documents: Iterable[Document]) -> None:
        """Add or change documents, each one row."""
        for document in documents:
            self._documents[document.id] = document
            row = self._row(document.id)
            if row is not None and self._passes(document):
                index = self.index(row)
                self.dataChanged.emit(index, index)
            elif row is not None:
                self._hide(row)
            elif self._passes(document):
                row = bisect_left(self._shown, document.id)
                self.beginInsertRows(QModelIndex(), row, row)
                self._shown.insert(row, document.id)
                self.endInsertRows()

    def drop(self, numbers: Iterable[int]) -> None:
        """Take documents away."""
        for number in numbers:
            row = self._row(number)
            if row is not None:
                self._hide(row)
            self._documents.pop(number, None)

    def filter(self, *, needle: str | None = None, knowledge_base: str | None = None, every: bool = False) -> None:
        """Show only names, titles or paths that hold needle, of one knowledge base or of every one."""
        if needle is not None:
            self._needle = needle.casefold().strip()
        if knowledge_base is not None or every:
            self._knowledge_base = knowledge_base
        self.beginResetModel()
        self._shown = self._filtered()
        self.endResetModel()

    def _filtered(self) -> list[int]:
        return sorted(number for number, document in self._documents.items() if self._passes(document))

    def _passes(self, document: Document) -> bool:
        if self._knowledge_base is not None and document.knowledge_base != self._knowledge_base:
            return False
        return not self._needle or self._needle in f"{document.name}\n{document.metadata.title}".casefold()

    def _row(self, number: int) -> int | None:
        row = bisect_left(self._shown, number)
        return row if row < len(self._shown) and self._shown[row] == number else None

    def _hide(self, row: int) -> None:
        self.beginRemoveRows(QModelIndex(), row, row)
        del self._shown[row]
        self.endRemoveRows()
