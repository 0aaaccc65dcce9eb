"""How a cell of the table of documents is painted: the name with icon and marks, the rest as a line of text."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from workbench.model.document import Document
from workbench.ui.library.arrangement import FolderRow
from workbench.ui.library.columns import Column, column_kind
from workbench.ui.library.delegate import ICON, INDENT, DocumentDelegate
from workbench.ui.library.model import DEPTH_ROLE, DOCUMENT_ROLE, FOLDER_ROLE, DocumentModel
from workbench.ui.library.wording import is_trouble

_SIDE = 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class TableDelegate(DocumentDelegate):
    """Paints the rows of a DocumentModel on one line, cell by cell."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(80, max(ICON, self._type.name.height()) + 12)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        painter.save()
        area: QRect = option.rect
        self._paint_background(painter, area, option.state)
        if index.column() == 0:
            self._paint_name(painter, area, index)
        else:
            self._paint_cell(painter, area.adjusted(_SIDE, 0, -_SIDE, 0), index)
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        area = area.adjusted(INDENT * (index.data(DEPTH_ROLE) or 0), 0, 0, 0)
        document, folder = index.data(DOCUMENT_ROLE), index.data(FOLDER_ROLE)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(document, Document):
            self._paint_document(painter, area, document)
        elif isinstance(folder, FolderRow):
            self._paint_folder(painter, area, folder)

    def _paint_cell(self, painter: QPainter, area: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        text = index.data()
        if not text:
            return
        model = index.model()
        assert isinstance(model, DocumentModel)
        column, tokens = model.columns[index.column()], self._theme.tokens()
        in_danger = column == Column.STATUS and is_trouble(index.data(DOCUMENT_ROLE))
        painter.setFont(self._type.caption)
        painter.setPen(QColor(tokens.danger if in_danger else tokens.text_muted))
        shown = self._type.line.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, _RIGHT if column_kind(column).is_number else _LEFT, shown)

    def _paint_background(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> None:
        tokens = self._theme.tokens()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(tokens.accent_soft))
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QColor(tokens.accent))
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _paint_words(self, painter: QPainter, area: QRect, document: Document) -> None:
        painter.setFont(self._type.body)
        painter.setPen(QColor(self._theme.tokens().text))
        shown = self._type.name.elidedText(document.name, Qt.TextElideMode.ElideMiddle, area.width())
        # The area stands in for two lines: this is one, in the middle of the row.
        painter.drawText(area.adjusted(0, -6, 0, 6), _LEFT, shown)
