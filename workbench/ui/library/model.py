"""Qt item model of the library pane, with the documents it holds and their counts by state."""

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


@dataclass(slots=True)
class Counts:
    """Sums over documents.

    Attributes:
        documents: All of them.
        chunks: Of all.
        embedded: Those of the chunks that have their vector.
        waiting: Documents that were not read yet.
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
        made = cls()
        for document in documents:
            made.add(document)
        return made

    def add(self, document: Document, sign: int = 1) -> None:
        """Count a document in; with -1 out again."""
        self.documents += sign
        self.chunks += sign * document.chunks
        self.embedded += sign * min(document.embedded, document.chunks)
        if document.status is not DocumentStatus.READY:
            self.waiting += sign * (document.status in _WAITING)
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


class DocumentModel(QAbstractTableModel):
    """Documents as a list, or as the rows of a tree of folders; a changed document redraws one row.

    Its one column says all; as a table it has as many as are asked for, of which the first is the name.

    It filters, sorts and folds by itself: a QSortFilterProxyModel or a QTreeView asks Python several times a row,
    which takes seconds for 100,000; here a whole rearrangement of that many takes 100 ms. Of more than AT_ONCE it is
    made in slices of a few milliseconds, and the rows of before are shown until it is done.

    Signals:
        laid: What was asked for is shown.

    Attributes:
        columns: What is shown of a document.
        layout: The rows that are shown.
        work: What is being done for what was asked for last.
    """

    laid = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = (DocumentColumn.NAME,)
        self.layout = RowLayout()
        self.work = SlicedWork(self)
        self._stock = DocumentStock()
        self._wanted = LayoutSpec()
        self._is_another = False

    @property
    def counts(self) -> Counts:
        """How many documents there are, the filtered-out ones too."""
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
        """Return every document, the filtered-out ones too."""
        return list(self._stock.documents.values())

    def custom_keys(self) -> list[str]:
        """Return the keys of the user's own metadata that documents have; 5 ms for 33,000 documents."""
        return sorted({field.key for one in self._stock.documents.values() for field in one.stored_custom})

    def words(self) -> dict[int, str]:
        """Return what each document is called, in lower case, oldest first; a copy that nothing changes."""
        words = self._stock.words
        return {number: words[number] for number in self._stock.ids}

    def get(self, number: int) -> Document | None:
        """Return the document of an id, None when there is none."""
        return self._stock.documents.get(number)

    def index_of(self, number: int) -> QModelIndex:
        """Return the index of a document's row, invalid when it is not shown."""
        row = self.layout.row_of(number)
        return self.index(row, 0) if row is not None else QModelIndex()

    def show_columns(self, columns: Sequence[str]) -> None:
        """Show documents in these columns; the first is their name."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self.endResetModel()

    def replace_all(self, documents: Iterable[Document]) -> None:
        """Show these documents and no others."""
        self.work.give_up()
        self.beginResetModel()
        self._stock, self.layout = DocumentStock(), RowLayout()
        self.endResetModel()
        self._is_another = True
        given = [*documents]
        self.work.add(self._put(given, anew=True), size=len(given))

    def put(self, documents: Iterable[Document]) -> None:
        """Add or change documents; where the order stays, each redraws or adds one row."""
        given = [*documents]
        self.work.add(self._put(given, anew=len(given) >= _MANY), size=self.counts.documents + len(given))

    def drop(self, numbers: Iterable[int]) -> None:
        """Take documents away."""
        self.work.add(self._drop([*numbers]), size=self.counts.documents)

    def filter(self, *, needle: str | None = None, knowledge_base: str | None = None, every: bool = False) -> None:
        """Show only what a query asks for (see filter_query.py), of one knowledge base or of every one."""
        if needle is not None:
            self._wanted = replace(self._wanted, query=Query.of(needle))
        if knowledge_base is not None or every:
            self._wanted = replace(self._wanted, knowledge_base=knowledge_base)
        self._is_another = True
        self._lay()

    @property
    def arrangement(self) -> Arrangement:
        """In which order the documents stand."""
        return self._wanted.arrangement

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the documents in another order, as a list or as a tree."""
        self._wanted = replace(self._wanted, arrangement=arrangement)
        self._lay()

    def toggle(self, index: AnyIndex, *, expand: bool | None = None) -> bool:
        """Fold or unfold the folder of a row; False where it is no folder, or is as wanted already."""
        folder = index.data(FOLDER_ROLE)
        if not isinstance(folder, FolderRow) or folder.expanded is expand or self.is_searching:
            return False
        self._wanted = replace(self._wanted, collapsed=self._wanted.collapsed ^ {folder.path})
        self._lay()
        return True

    @property
    def is_searching(self) -> bool:
        """Whether something stands in the filter box."""
        return self._wanted.query != Query()

    def _put(self, documents: Sequence[Document], *, anew: bool) -> Iterator[None]:
        """Take documents in; anew lays all rows out again instead of looking where each belongs."""
        added = []
        for place, document in enumerate(documents, 1):
            before = self._stock.take(document)
            if before is None:
                added.append(document.id)
            if anew or self._wanted.moves(before, document, is_plain=self.layout.is_plain):
                anew = True
            else:
                self._show_row(document.id, document)
            if place % _SOME == 0:
                yield
        if added:
            self._stock.enlist(added)
        if anew:
            self._lay()
        else:
            self.laid.emit()

    def _drop(self, numbers: Sequence[int]) -> Iterator[None]:
        gone = yield from self._stock.let_go(numbers)
        if not self.layout.is_plain or len(gone) >= _MANY or self._stock.awaits_more_than(gone):
            self._lay()
            return
        for number in gone:
            self._show_row(number, None)
        yield from self._stock.forget()
        self.laid.emit()

    def _show_row(self, number: int, document: Document | None) -> None:
        """Draw the row of a document anew, add it where rows stand by their ids, or take it away."""
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

    def _lay(self) -> None:
        """Lay the rows out as it is wanted now; what was wanted before and is not done yet is not done any more."""
        self.work.add(self._lay_out(), key="lay", size=self.counts.documents)

    def _lay_out(self) -> Iterator[None]:
        layout = yield from lay(self._wanted, self._stock.ids, self._stock.rows)
        if self._is_another:
            self._is_another = False
            self.beginResetModel()
            self.layout = layout
            self.endResetModel()
        else:
            self._rearrange(layout)
        yield from self._stock.forget()
        self.laid.emit()

    def _rearrange(self, layout: RowLayout) -> None:
        """Show the rows in another order; what is selected stays selected."""
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


"""Documents between two yields."""


class DocumentStock:
    """What a model has; a document that goes is kept until no row shows it any more.

    Attributes:
        documents: By id.
        words: What each is called, in lower case.
        counts: How many there are.
    """

    def __init__(self) -> None:
        self.documents: dict[int, Document] = {}
        self.words: dict[int, str] = {}
        self.counts = Counts()
        self._ids: list[int] = []
        self._gone: set[int] = set()

    @property
    def rows(self) -> LibraryRows:
        """What rows are made of."""
        return LibraryRows(self.documents, self.words)

    @property
    def ids(self) -> list[int]:
        """Those that stay, in ascending order."""
        return [number for number in self._ids if number not in self._gone] if self._gone else self._ids

    def take(self, document: Document) -> Document | None:
        """Take in a document, and return the one that it takes the place of; ids are told by enlist."""
        before = self.documents.get(document.id)
        if before is not None:
            self.counts.add(before, -1)
        self.counts.add(document)
        self._gone.discard(document.id)
        self.documents[document.id] = document
        self.words[document.id] = words_of(document)
        return before

    def enlist(self, numbers: Iterable[int]) -> None:
        """Put the ids of new documents at their places."""
        self._ids = sorted([*self._ids, *numbers])

    def let_go(self, numbers: Sequence[int]) -> Steps[set[int]]:
        """Note which documents are to go, and return those that are there."""
        gone: set[int] = set()
        for start in range(0, len(numbers), PIECE):
            gone.update(number for number in numbers[start : start + PIECE] if number in self.documents)
            yield
        self._gone |= gone
        return gone

    def awaits_more_than(self, gone: set[int]) -> bool:
        """Tell whether others are to go, too, whose rows are still shown."""
        return len(self._gone) > len(gone)

    def forget(self) -> Steps[None]:
        """Forget the documents that went, once no row shows them."""
        ids, gone = self.ids, self._gone
        self._ids, self._gone = ids, set()
        for place, number in enumerate(gone, 1):
            self.counts.add(self.documents.pop(number), -1)
            del self.words[number]
            if place % _SOME == 0:
                yield
