"""The item model of the library pane: frozen Document rows, filtered as one types, sorted, folded by folder."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.model.document import Document
from workbench.ui.library.arrangement import Arrangement, FolderRow, Sort, depth_of, sorter, tree_rows
from workbench.ui.library.query import Query, words_of
from workbench.ui.library.wording import folder_spoken, spoken, tool_tip

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
DOCUMENT_ROLE = Qt.ItemDataRole.UserRole + 1
FOLDER_ROLE = Qt.ItemDataRole.UserRole + 2
DEPTH_ROLE = Qt.ItemDataRole.UserRole + 3
_MANY = 100


class DocumentModel(QAbstractListModel):
    """Documents as a list, or as the rows of a tree of folders; a changed document redraws one row.

    It filters, sorts and folds by itself: a QSortFilterProxyModel or a QTreeView asks Python several times a row,
    which takes seconds for 100,000; here a whole rearrangement of that many takes under 50 ms.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._documents: dict[int, Document] = {}
        self._words: dict[int, str] = {}
        self._ids: list[int] = []
        self._rows: list[int] = []
        self._folders: list[FolderRow] = []
        self._positions: dict[int, int] | None = None
        self._collapsed: set[str] = set()
        self._query = Query()
        self._has_below = False
        self._knowledge_base: str | None = None
        self.arrangement = Arrangement()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        number = self._rows[index.row()]
        if number < 0:
            return _folder_data(self._folders[-1 - number], role)
        document = self._documents[number]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return document.name
            case Qt.ItemDataRole.ToolTipRole:
                return tool_tip(document)
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken(document)
            case _ if role == DOCUMENT_ROLE:
                return document
            case _ if role == DEPTH_ROLE:
                return depth_of(document) if self._folders else 0
        return None

    def documents(self) -> list[Document]:
        """Return every document, the filtered-out ones too."""
        return list(self._documents.values())

    def words(self) -> dict[int, str]:
        """Return what each document is called, in lower case, oldest first; a copy that nothing changes."""
        return {number: self._words[number] for number in self._ids}

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
        self._words = {number: words_of(document) for number, document in self._documents.items()}
        self._ids = sorted(self._documents)
        self._lay()
        self.endResetModel()

    def put(self, documents: Iterable[Document]) -> None:
        """Add or change documents; where the order stays, each redraws or adds one row."""
        rearrange = False
        for document in documents:
            before = self._documents.get(document.id)
            self._documents[document.id] = document
            self._words[document.id] = words_of(document)
            if before is None:
                insort(self._ids, document.id)
            if self._stands_elsewhere(before, document):
                rearrange = True
            else:
                self._put_row(document)
        if rearrange:
            self._rearrange()

    def drop(self, numbers: Iterable[int]) -> None:
        """Take documents away."""
        gone = [number for number in numbers if number in self._documents]
        if not gone:
            return
        if not self._is_plain or len(gone) >= _MANY:
            self._rearrange(without=gone)
            return
        for number in gone:
            row = self._row(number)
            if row is not None:
                self._hide(row)
        self._forget(gone)

    def filter(self, *, needle: str | None = None, knowledge_base: str | None = None, every: bool = False) -> None:
        """Show only what a query asks for (see query.py), of one knowledge base or of every one."""
        if needle is not None:
            self._query = Query.of(needle)
        if knowledge_base is not None or every:
            self._knowledge_base = knowledge_base
        self.beginResetModel()
        self._lay()
        self.endResetModel()

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the documents in another order, as a list or as a tree."""
        self.arrangement = arrangement
        self._rearrange()

    def toggle(self, index: AnyIndex, *, expand: bool | None = None) -> bool:
        """Fold or unfold the folder of a row; False where it is no folder, or is as wanted already."""
        folder = index.data(FOLDER_ROLE)
        if not isinstance(folder, FolderRow) or folder.expanded is expand or self.is_searching:
            return False
        self._collapsed ^= {folder.path}
        self._rearrange()
        return True

    @property
    def is_searching(self) -> bool:
        """Whether something stands in the filter box."""
        return self._query != Query()

    @property
    def _is_plain(self) -> bool:
        """Whether rows stand by their ids: then a new one is put at its place without looking at the others."""
        arrangement = self.arrangement
        as_added = arrangement.sort is Sort.ADDED and not arrangement.descending
        return as_added and not self._folders and not self._has_below

    def _stands_elsewhere(self, before: Document | None, now: Document) -> bool:
        """Whether the rows have to be put in order anew for a document."""
        if self.arrangement.tree and now.folder != (before.folder if before else ""):
            return True
        if self._is_plain:
            return False
        if before is None or before.knowledge_base != now.knowledge_base:
            return True
        if self._passes(before) is not self._passes(now):
            return True
        match self.arrangement.sort:
            case Sort.NAME:
                return words_of(before) != words_of(now)
            case Sort.STATUS:
                return before.status is not now.status
            case Sort.PAGES:
                return before.pages != now.pages
        return False

    def _put_row(self, document: Document) -> None:
        row = self._row(document.id)
        if row is not None and self._passes(document):
            index = self.index(row)
            self.dataChanged.emit(index, index)
        elif row is not None:
            self._hide(row)
        elif self._is_plain and self._passes(document):
            row = bisect_left(self._rows, document.id)
            self.beginInsertRows(QModelIndex(), row, row)
            self._rows.insert(row, document.id)
            self._positions = None
            self.endInsertRows()

    def _rearrange(self, *, without: Sequence[int] = ()) -> None:
        """Put the rows in order anew, some documents taken away; what is selected stays selected."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        keys = [self._key(index.row()) for index in old]
        # Not before it is told: until then views may ask for any row that they know.
        self._forget(without)
        self._lay()
        rows = self._rows_of(set(keys))
        self.changePersistentIndexList(old, [self.index(rows[key]) if key in rows else QModelIndex() for key in keys])
        self.layoutChanged.emit()

    def _forget(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            del self._documents[number], self._words[number]
        if numbers:
            self._ids = [number for number in self._ids if number in self._documents]

    def _key(self, row: int) -> int | str:
        number = self._rows[row]
        return number if number >= 0 else self._folders[-1 - number].path

    def _rows_of(self, keys: set[int | str]) -> dict[int | str, int]:
        """Return the rows of a few documents and folders."""
        folders = {-1 - number for number, folder in enumerate(self._folders) if folder.path in keys}
        wanted = folders | keys
        return {self._key(row): row for row, number in enumerate(self._rows) if number in wanted} if keys else {}

    def _lay(self) -> None:
        # By id, in which order they lie in memory: looking at 100,000 documents in any other takes three times as long.
        shown = self._ids
        if self._knowledge_base is not None:
            base = self._knowledge_base
            shown = [number for number in shown if self._documents[number].knowledge_base == base]
        found = self._query.chosen(shown, self._documents, self._words)
        self._has_below = bool(found.below)
        self._folders = []
        self._positions = None
        sort = sorter(self.arrangement, self._documents, self._words)
        if self.arrangement.tree and any(self._documents[n].folder for n in chain(found.named, found.below)):
            # What is looked for must not hide in a folded folder.
            collapsed = set() if self.is_searching else self._collapsed
            self._rows, self._folders = tree_rows(found, self._documents, sort, collapsed)
        else:
            self._rows = [*sort(found.named), *sort(found.below)]

    def _passes(self, document: Document) -> bool:
        if self._knowledge_base is not None and document.knowledge_base != self._knowledge_base:
            return False
        found = self._query.chosen([document.id], {document.id: document}, {document.id: words_of(document)})
        return bool(found.named or found.below)

    def _row(self, number: int) -> int | None:
        if self._is_plain:
            row = bisect_left(self._rows, number)
            return row if row < len(self._rows) and self._rows[row] == number else None
        if self._positions is None:
            self._positions = {shown: row for row, shown in enumerate(self._rows)}
        return self._positions.get(number)

    def _hide(self, row: int) -> None:
        self.beginRemoveRows(QModelIndex(), row, row)
        del self._rows[row]
        self._positions = None
        self.endRemoveRows()


def _folder_data(folder: FolderRow, role: int) -> Any:
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
