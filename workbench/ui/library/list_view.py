"""View of the documents as a list or a table, with the keys of a tree: Right and Left expand and collapse a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTableView

from workbench.language import tr
from workbench.ui.library.document_columns import NARROWEST, Arrangement, ColumnView, DocumentColumn
from workbench.ui.library.model import DEPTH_ROLE, FOLDER_ROLE, DocumentModel

if TYPE_CHECKING:
    from workbench.model.document import Document

_ROWS = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows


class DocumentListView(QTableView):
    """Table view without grid lines; the model arranges the tree in rows. As a list it has one column.

    A QListView asks the model for every row whenever one has changed: 350 ms for 100,000 documents. A table whose rows
    have one height asks for the visible ones: 1 ms.

    Signals:
        arranged: A heading was clicked; the resulting Arrangement.
        columns_asked: The menu of the columns is requested at a point of the screen.
    """

    arranged = Signal(object)
    columns_asked = Signal(QPoint)

    def __init__(self, model: DocumentModel) -> None:
        super().__init__()
        self._model = model
        self._view = ColumnView()
        self._delegates: tuple[QAbstractItemDelegate, ...] = ()
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Documents"))

    @property
    def view(self) -> ColumnView:
        """Current view: whether it is a table, and its columns with the order and widths that the user set."""
        if not self._view.is_table:
            return self._view
        header, columns = self.horizontalHeader(), self._model.columns
        order = tuple(columns[header.logicalIndex(place)] for place in range(header.count()))
        widths = {column: header.sectionSize(section) for section, column in enumerate(columns)}
        return ColumnView(True, order, {**self._view.widths, **widths})

    def show_view(self, view: ColumnView) -> None:
        """Show the documents as a list, or as a table of these columns; the selection is kept."""
        chosen = self._chosen_rows()
        current, top = self.currentIndex().row(), self.rowAt(0)
        self._view = view
        self._model.show_columns(view.columns if view.is_table else (DocumentColumn.NAME,))
        self._lay_out_columns()
        self.measure()
        last = self._model.columnCount() - 1
        selection = QItemSelection()
        for first_row, last_row in chosen:
            selection.select(self._model.index(first_row, 0), self._model.index(last_row, last))
        self.selectionModel().setCurrentIndex(self._model.index(current, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(selection, _ROWS)
        self.scrollTo(self._model.index(top, 0), QAbstractItemView.ScrollHint.PositionAtTop)

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show the sort order in the headings."""
        column = next((one for one in self._model.columns if one == arrangement.sort), None)
        section = self._model.columns.index(column) if column is not None and self._view.is_table else -1
        down = Qt.SortOrder.DescendingOrder if arrangement.descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(section, down)

    def selected(self, most: int | None = None) -> list[Document]:
        """Return the selected documents in row order; at most the first most of them."""
        found = map(self._model.get, self.selected_numbers()[:most])
        return [document for document in found if document is not None]

    def selected_numbers(self) -> list[int]:
        """Return the ids of the selected documents in row order; five times as fast as returning the documents."""
        numbers: list[int] = []
        for first, last in sorted(self._chosen_rows()):
            numbers += self._model.layout.numbers_at(first, last)
        return numbers

    def dress(self, as_list: QAbstractItemDelegate, as_table: QAbstractItemDelegate | None = None) -> None:
        """Set the delegates; all rows get the same height."""
        self._delegates = (as_list, as_table or as_list)
        self.measure()

    def measure(self) -> None:
        """Set the row height that the text needs now."""
        if self._delegates:
            delegate = self._delegates[self._view.is_table]
            self.setItemDelegate(delegate)
            height = delegate.sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
            self.verticalHeader().setDefaultSectionSize(height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        has_no_modifier = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if has_no_modifier and index.isValid() and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            expand = event.key() == Qt.Key.Key_Right
            if self._model.toggle(index, expand=expand):
                return
            if not self._view.is_table or (index.column() == 0 and not expand):
                if not expand:
                    self._go_up(index)
                return
        super().keyPressEvent(event)

    def _chosen_rows(self) -> list[tuple[int, int]]:
        """Return the first and the last row of each selected range."""
        chosen = self.selectionModel().selection()
        ranges = (chosen.at(place) for place in range(chosen.count()))
        return [(one.top(), one.bottom()) for one in ranges]

    def _lay_out_columns(self) -> None:
        header, is_table = self.horizontalHeader(), self._view.is_table
        header.setVisible(is_table)
        always_off, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setHorizontalScrollBarPolicy(as_needed if is_table else always_off)
        modes = QHeaderView.ResizeMode
        header.setSectionResizeMode(modes.Interactive if is_table else modes.Stretch)
        for section, column in enumerate(self._model.columns):
            header.moveSection(header.visualIndex(section), section)
            if is_table:
                header.resizeSection(section, self._view.width(column))
        if is_table and not header.sectionsMovable():
            self._prepare_header(header)

    def _prepare_header(self, header: QHeaderView) -> None:
        header.setSectionsMovable(True)
        # The header asks its selection model about each row of a column: 3 s for 100,000. A separate one stays empty.
        header.setSelectionModel(QItemSelectionModel(self._model, header))
        # The first column contains the tree.
        header.setFirstSectionMovable(False)
        header.setHighlightSections(False)
        header.setSortIndicatorShown(True)
        header.setMinimumSectionSize(NARROWEST)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.sectionClicked.connect(self._on_heading_clicked)
        header.customContextMenuRequested.connect(self._on_header_menu)
        header.setAccessibleName(tr("Columns"))

    @Slot(int)
    def _on_heading_clicked(self, section: int) -> None:
        now, sort = self._model.arrangement, self._model.columns[section]
        self.arranged.emit(Arrangement(sort, now.sort == sort and not now.descending, now.tree))

    @Slot(QPoint)
    def _on_header_menu(self, place: QPoint) -> None:
        self.columns_asked.emit(self.horizontalHeader().mapToGlobal(place))

    def _go_up(self, index: QModelIndex) -> None:
        depth = index.data(DEPTH_ROLE)
        for row in range(index.row() - 1, -1, -1):
            candidate = self._model.index(row, 0)
            if candidate.data(FOLDER_ROLE) is not None and candidate.data(DEPTH_ROLE) < depth:
                self.setCurrentIndex(candidate)
                return
