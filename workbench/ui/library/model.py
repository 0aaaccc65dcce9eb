"""Qt item model of the library pane, with its documents and their counts by state."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from workbench.language import tr
from workbench.model.document import Document, DocumentStatus
from workbench.ui.library.document_columns import Arrangement, DocumentColumn, FolderRow, column_kind, depth_of
from workbench.ui.library.document_wording import describe_row, folder_spoken, is_trouble, tool_tip
from workbench.ui.library.filter_query import Query, words_of
from workbench.ui.library.row_layout import PIECE, LayoutSpec, LibraryRows, RowLayout, SlicedWork, Steps, lay

_WAITING = (DocumentStatus.QUEUED, DocumentStatus.PARSING)
_PARTLY_READ = (DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)


@dataclass(slots=True)
class Counts:
    """Sums over documents.

    Attributes:
        documents: Number of documents.
        chunks: Number of chunks.
        embedded: Number of chunks that have a vector.
        waiting: Documents that have not been read yet, or of which pages still wait for OCR.
        locked: Documents that need a password.
        failed: Documents that could not be read.
    """

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    waiting: int = 0
    locked: int = 0
    failed: int = 0

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Counts:
        """Return the sums over documents."""
        counts = cls()
        for document in documents:
            counts.add(document)
        return counts

    def add(self, document: Document, sign: int = 1) -> None:
        """Add a document to the sums, or subtract it with -1."""
        self.documents += sign
        self.chunks += sign * document.chunks
        self.embedded += sign * min(document.embedded, document.chunks)
        if document.status is not DocumentStatus.READY:
            # All there is can be searched, but the pages that are pictures have no text yet.
            waits_for_ocr = document.status in _PARTLY_READ and document.embedded >= document.chunks
            self.waiting += sign * (document.status in _WAITING or waits_for_ocr)
            self.locked += sign * (document.status is DocumentStatus.LOCKED)
            self.failed += sign * is_trouble(document)


AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
DOCUMENT_ROLE = Qt.ItemDataRole.UserRole + 1
FOLDER_ROLE = Qt.ItemDataRole.UserRole + 2
DEPTH_ROLE = Qt.ItemDataRole.UserRole + 3
BY_ROWS = QAbstractItemModel.LayoutChangeHint.VerticalSortHint
_WITH_HINT = "QList<QPersistentModelIndex>,QAbstractItemModel::LayoutChangeHint"
_MANY = 100
_SOME = 500
"""Number of documents processed between two yields."""


class DocumentModel(QAbstractTableModel):
    """Model of documents as a list, or as the rows of a tree of folders; a changed document redraws one row.

    As a list it has one column; as a table it has the requested columns, the first of which is the name.

    The model filters, sorts and folds by itself: a QSortFilterProxyModel or a QTreeView calls Python several times per
    row, which takes seconds for 100,000 rows; here a complete rearrangement of that many takes 100 ms. For more than
    AT_ONCE documents it is computed in slices of a few milliseconds, and the previous rows are shown until it is
    complete.

    Signals:
        laid: The requested rows are shown.

    Attributes:
        columns: The columns that are shown.
        layout: The rows that are shown.
        work: The work in progress for the last requests.
    """

    laid = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = (DocumentColumn.NAME,)
        self.layout = RowLayout()
        self.work = SlicedWork(self)
        self._stock = DocumentStock()
        self._wanted = LayoutSpec()
        self._needs_reset = False

    @property
    def counts(self) -> Counts:
        """Counts of all documents, including filtered-out ones."""
        return self._stock.counts

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.layout.rows)

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        is_heading = orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return tr(column_kind(self.columns[section]).title) if is_heading and section < len(self.columns) else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self.layout.rows):
            return None
        number = self.layout.rows[index.row()]
        if number < 0:
            return _folder_data(self.layout.folders[-1 - number], index.column(), role)
        document = self._stock.documents[number]
        if index.column() and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column_kind(self.columns[index.column()]).text(document)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return document.name
            case Qt.ItemDataRole.ToolTipRole:
                return tool_tip(document)
            case Qt.ItemDataRole.AccessibleTextRole:
                return describe_row(document)
            case _ if role == DOCUMENT_ROLE:
                return document
            case _ if role == DEPTH_ROLE:
                return depth_of(document) if self.layout.folders else 0
        return None

    def documents(self) -> list[Document]:
        """Return all documents, including filtered-out ones."""
        return list(self._stock.documents.values())

    def custom_keys(self) -> list[str]:
        """Return the custom metadata keys of all documents; 5 ms for 33,000 documents."""
        return sorted({field.key for one in self._stock.documents.values() for field in one.stored_custom})

    def words(self) -> dict[int, str]:
        """Return a copy of each document's name and title in lower case, oldest first."""
        words = self._stock.words
        return {number: words[number] for number in self._stock.ids}

    def get(self, number: int) -> Document | None:
        """Return the document with this id, None if there is none."""
        return self._stock.documents.get(number)

    def index_of(self, number: int) -> QModelIndex:
        """Return the index of a document's row; invalid if the document is not shown."""
        row = self.layout.row_of(number)
        return self.index(row, 0) if row is not None else QModelIndex()

    def show_columns(self, columns: Sequence[str]) -> None:
        """Set the columns; the first is the name."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self.endResetModel()

    def replace_all(self, documents: Iterable[Document]) -> None:
        """Replace all documents."""
        self.work.give_up()
        self.beginResetModel()
        self._stock, self.layout = DocumentStock(), RowLayout()
        self.endResetModel()
        self._needs_reset = True
        given = [*documents]
        self.work.add(self._put(given, whole=True), size=len(given))

    def put(self, documents: Iterable[Document]) -> None:
        """Add or change documents; if the order stays the same, each redraws or adds one row."""
        given = [*documents]
        self.work.add(self._put(given, whole=len(given) >= _MANY), size=self.counts.documents + len(given))

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove documents."""
        self.work.add(self._drop([*numbers]), size=self.counts.documents)

    def filter(self, *, needle: str | None = None, knowledge_base: str | None = None, every: bool = False) -> None:
        """Show only the documents that match a query (see filter_query.py), of one knowledge base or of all."""
        if needle is not None:
            self._wanted = replace(self._wanted, query=Query.of(needle))
        if knowledge_base is not None or every:
            self._wanted = replace(self._wanted, knowledge_base=knowledge_base)
        self._needs_reset = True
        self._request_layout()

    @property
    def arrangement(self) -> Arrangement:
        """The order of the documents."""
        return self._wanted.arrangement

    def arrange(self, arrangement: Arrangement) -> None:
        """Set the order of the documents, and whether they are shown as a list or a tree."""
        self._wanted = replace(self._wanted, arrangement=arrangement)
        self._request_layout()

    def toggle(self, index: AnyIndex, *, expand: bool | None = None) -> bool:
        """Fold or unfold the folder of a row; return False if it is no folder, or is in the requested state already."""
        folder = index.data(FOLDER_ROLE)
        if not isinstance(folder, FolderRow) or folder.expanded is expand or self.is_searching:
            return False
        self._wanted = replace(self._wanted, collapsed=self._wanted.collapsed ^ {folder.path})
        self._request_layout()
        return True

    @property
    def is_searching(self) -> bool:
        """True if the filter box contains a query."""
        return self._wanted.query != Query()

    def _put(self, documents: Sequence[Document], *, whole: bool) -> Iterator[None]:
        """Add documents; whole computes the layout of all rows instead of the position of each document."""
        added = []
        for position, document in enumerate(documents, 1):
            before = self._stock.take(document)
            if before is None:
                added.append(document.id)
            if whole or self._wanted.moves(before, document, is_plain=self.layout.is_plain):
                whole = True
            else:
                self._show_row(document.id, document)
            if position % _SOME == 0:
                yield
        if added:
            self._stock.enlist(added)
        if whole:
            self._request_layout()
        else:
            self.laid.emit()

    def _drop(self, numbers: Sequence[int]) -> Iterator[None]:
        gone = yield from self._stock.let_go(numbers)
        if not self.layout.is_plain or len(gone) >= _MANY or self._stock.awaits_more_than(gone):
            self._request_layout()
            return
        for number in gone:
            self._show_row(number, None)
        yield from self._stock.forget()
        self.laid.emit()

    def _show_row(self, number: int, document: Document | None) -> None:
        """Redraw the row of a document, insert it if rows are in the order of ids, or remove it."""
        rows, row = self.layout.rows, self.layout.row_of(number)
        is_shown = document is not None and self._wanted.passes(document)
        if row is not None and is_shown:
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))
        elif row is not None:
            self.beginRemoveRows(QModelIndex(), row, row)
            del rows[row]
            self.endRemoveRows()
        elif is_shown and self.layout.is_plain:
            row = bisect_left(rows, number)
            self.beginInsertRows(QModelIndex(), row, row)
            rows.insert(row, number)
            self.endInsertRows()

    def _request_layout(self) -> None:
        """Start computing the current layout; an unfinished computation is dropped."""
        self.work.add(self._lay_out(), key="lay", size=self.counts.documents)

    def _lay_out(self) -> Iterator[None]:
        layout = yield from lay(self._wanted, self._stock.ids, self._stock.rows)
        if self._needs_reset:
            self._needs_reset = False
            self.beginResetModel()
            self.layout = layout
            self.endResetModel()
        else:
            self._rearrange(layout)
        yield from self._stock.forget()
        self.laid.emit()

    def _rearrange(self, layout: RowLayout) -> None:
        """Show the rows in another order; the selection is kept."""
        # The hint lets a view keep one index of each selected row instead of one of each cell.
        self.layoutAboutToBeChanged[_WITH_HINT].emit([], BY_ROWS)  # type: ignore[index]
        old = self.persistentIndexList()
        keys = [self.layout.key_at(index.row()) for index in old]
        self.layout = layout
        places = zip(layout.rows_of(keys), old, strict=True)
        new = [QModelIndex() if row is None else self.index(row, index.column()) for row, index in places]
        self.changePersistentIndexList(old, new)
        self.layoutChanged[_WITH_HINT].emit([], BY_ROWS)  # type: ignore[index]


def _folder_data(folder: FolderRow, column: int, role: int) -> Any:
    if column and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
        return None
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return folder.name
        case Qt.ItemDataRole.ToolTipRole:
            return folder.path
        case Qt.ItemDataRole.AccessibleTextRole:
            return folder_spoken(folder.name, folder.documents, expanded=folder.expanded)
        case _ if role == FOLDER_ROLE:
            return folder
        case _ if role == DEPTH_ROLE:
            return folder.depth
    return None


class DocumentStock:
    """Documents of a model; a removed document is kept until no row shows it any more.

    Attributes:
        documents: Documents by id.
        words: Name and title in lower case, by id.
        counts: Sums over the documents.
    """

    def __init__(self) -> None:
        self.documents: dict[int, Document] = {}
        self.words: dict[int, str] = {}
        self.counts = Counts()
        self._ids: list[int] = []
        self._removed: set[int] = set()

    @property
    def rows(self) -> LibraryRows:
        """Data from which rows are computed."""
        return LibraryRows(self.documents, self.words)

    @property
    def ids(self) -> list[int]:
        """Ids of the documents that are not removed, in ascending order."""
        return [number for number in self._ids if number not in self._removed] if self._removed else self._ids

    def take(self, document: Document) -> Document | None:
        """Store a document and return the one that it replaces; enlist adds the ids."""
        before = self.documents.get(document.id)
        if before is not None:
            self.counts.add(before, -1)
        self.counts.add(document)
        self._removed.discard(document.id)
        self.documents[document.id] = document
        self.words[document.id] = words_of(document)
        return before

    def enlist(self, numbers: Iterable[int]) -> None:
        """Insert the ids of new documents in order."""
        self._ids = sorted([*self._ids, *numbers])

    def let_go(self, numbers: Sequence[int]) -> Steps[set[int]]:
        """Mark documents as removed, and return the ids of those that exist."""
        gone: set[int] = set()
        for start in range(0, len(numbers), PIECE):
            gone.update(number for number in numbers[start : start + PIECE] if number in self.documents)
            yield
        self._removed |= gone
        return gone

    def awaits_more_than(self, gone: set[int]) -> bool:
        """Return whether other removed documents are still shown in rows."""
        return len(self._removed) > len(gone)

    def forget(self) -> Steps[None]:
        """Drop the removed documents; no row may show them."""
        ids, gone = self.ids, self._removed
        self._ids, self._removed = ids, set()
        for position, number in enumerate(gone, 1):
            self.counts.add(self.documents.pop(number), -1)
            del self.words[number]
            if position % _SOME == 0:
                yield
