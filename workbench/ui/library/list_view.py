"""The list of documents, with the keys of a tree: Right and Left unfold and fold a folder, Left goes up to it."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTableView

from workbench.ui.library.model import DEPTH_ROLE, FOLDER_ROLE, DocumentModel


class DocumentList(QTableView):
    """A table of one column without its lines; the model has laid the tree out in rows.

    A QListView asks the model for every row whenever one has changed: 350 ms for 100,000 documents. A table with rows
    of one height asks for those on the screen: 1 ms.
    """

    def __init__(self, model: DocumentModel) -> None:
        super().__init__()
        self._model = model
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName("Documents")

    def dress(self, delegate: QAbstractItemDelegate) -> None:
        """Have the rows painted by a delegate, all of one height."""
        self.setItemDelegate(delegate)
        self.verticalHeader().setDefaultSectionSize(delegate.sizeHint(QStyleOptionViewItem(), QModelIndex()).height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and index.isValid() and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            expand = event.key() == Qt.Key.Key_Right
            if not self._model.toggle(index, expand=expand) and not expand:
                self._go_up(index)
            return
        super().keyPressEvent(event)

    def _go_up(self, index: QModelIndex) -> None:
        depth = index.data(DEPTH_ROLE)
        for row in range(index.row() - 1, -1, -1):
            above = self._model.index(row)
            if above.data(FOLDER_ROLE) is not None and above.data(DEPTH_ROLE) < depth:
                self.setCurrentIndex(above)
                return
