"""Delegates that paint the rows of the document list and the cells of the document table."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.model.diagnosis import Gravity, to_be_treated
from workbench.model.document import Document, DocumentStatus
from workbench.ui.library.document_columns import DocumentColumn, FolderRow, column_kind
from workbench.ui.library.document_wording import is_locked, is_trouble, second_line
from workbench.ui.library.model import DEPTH_ROLE, DOCUMENT_ROLE, FOLDER_ROLE, DocumentModel
from workbench.ui.theme import Theme

ICONS = {
    DocumentStatus.QUEUED: ("clock", "text_muted"),
    DocumentStatus.PARSING: ("spinner", "accent"),
    DocumentStatus.INDEXED: ("document", "text_muted"),
    DocumentStatus.EMBEDDING: ("document", "accent"),
    DocumentStatus.READY: ("document", "text_muted"),
    DocumentStatus.LOCKED: ("lock", "warn"),
    DocumentStatus.FAILED: ("error", "danger"),
}
LOCKED = ("lock", "warn")
STOPPED = ("stop", "text_muted")
BADGES = {Gravity.WARNING: ("alert", "warn"), Gravity.PROBLEM: ("alert", "danger")}
"""Badges of a document that the user can do something about: the tool tip describes the problem."""
DONE = (DocumentStatus.READY, DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)
PADDING = 10
ICON = 18
BADGE = 14
INDENT = 16


@dataclass(frozen=True, slots=True)
class RowFonts:
    """Fonts of a row, and the metrics of two of them: name measures body, line measures caption."""

    body: QFont
    bold: QFont
    caption: QFont
    name: QFontMetrics
    line: QFontMetrics


class DocumentDelegate(QStyledItemDelegate):
    """Delegate that paints a Document in two lines with the theme's tokens."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cached_fonts: RowFonts | None = None
        theme.changed.connect(self._on_theme_changed)

    @property
    def _fonts(self) -> RowFonts:
        """Fonts of the rows, cached: creating them for each of 200 cells would take 10 ms."""
        if self._cached_fonts is None:
            caption = self._theme.tokens().caption
            fonts = (self._theme.font(), self._theme.font(bold=True), self._theme.font(caption))
            self._cached_fonts = RowFonts(*fonts, QFontMetrics(fonts[0]), QFontMetrics(fonts[2]))
        return self._cached_fonts

    @property
    def _icon(self) -> int:
        return self._theme.scaled(ICON)

    @property
    def _badge(self) -> int:
        return self._theme.scaled(BADGE)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._cached_fonts = None

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        name, line = self._fonts.name, self._fonts.line
        return QSize(160, name.height() + line.height() + 16)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(6, 1, -6, -1)
        self._paint_background(painter, area, option.state)
        area.setLeft(area.left() + INDENT * (index.data(DEPTH_ROLE) or 0))
        document, folder = index.data(DOCUMENT_ROLE), index.data(FOLDER_ROLE)
        if isinstance(document, Document):
            self._paint_document(painter, area, document)
        elif isinstance(folder, FolderRow):
            self._paint_folder(painter, area, folder)
        painter.restore()

    def _paint_document(self, painter: QPainter, area: QRect, document: Document) -> None:
        icon, colour = ICONS[document.status]
        if document.status is DocumentStatus.FAILED and not is_trouble(document):
            icon, colour = STOPPED
        elif is_locked(document):
            icon, colour = LOCKED
        pixmap = self._theme.pixmap(icon, getattr(self._theme.tokens(), colour), ICON)
        painter.drawPixmap(area.left() + PADDING, area.top() + (area.height() - self._icon) // 2, pixmap)
        words = area.adjusted(2 * PADDING + self._icon, 6, -PADDING, -6)
        symptom = to_be_treated(document) if document.status in DONE else None
        mark = BADGES.get(symptom.gravity) if symptom is not None else None
        if mark is not None:
            badge = self._theme.pixmap(mark[0], getattr(self._theme.tokens(), mark[1]), BADGE)
            painter.drawPixmap(
                area.right() - PADDING - self._badge, area.top() + (area.height() - self._badge) // 2, badge
            )
            words.setRight(words.right() - self._badge - 6)
        self._paint_words(painter, words, document)
        if document.status is DocumentStatus.EMBEDDING and document.chunks:
            self._paint_bar(painter, area, document.embedded / document.chunks)

    def _paint_folder(self, painter: QPainter, area: QRect, folder: FolderRow) -> None:
        tokens = self._theme.tokens()
        middle = area.top() + (area.height() - self._icon) // 2
        chevron = "chevron-down" if folder.expanded else "chevron-right"
        painter.drawPixmap(
            area.left() + 2,
            middle + self._theme.scaled(3),
            self._theme.pixmap(chevron, tokens.text_muted, 12),
        )
        painter.drawPixmap(area.left() + PADDING + 8, middle, self._theme.pixmap("folder", tokens.text_muted, ICON))
        number = f"{folder.documents:,}"
        painter.setFont(self._fonts.caption)
        painter.setPen(QColor(tokens.text_muted))
        words = area.adjusted(2 * PADDING + 8 + self._icon, 0, -PADDING, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, number)
        words.setRight(words.right() - self._fonts.line.horizontalAdvance(number) - PADDING)
        painter.setFont(self._fonts.bold)
        painter.setPen(QColor(tokens.text))
        elided = self._fonts.name.elidedText(folder.name, Qt.TextElideMode.ElideMiddle, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, elided)

    def _paint_background(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> None:
        tokens = self._theme.tokens()
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(tokens.accent_soft))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.hover))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        focused = state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange
        painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(area, 7, 7)

    def _paint_words(self, painter: QPainter, area: QRect, document: Document) -> None:
        tokens = self._theme.tokens()
        name, line = self._fonts.name, self._fonts.line
        painter.setFont(self._fonts.body)
        painter.setPen(QColor(tokens.text))
        painter.drawText(
            QRect(area.left(), area.top(), area.width(), name.height()),
            Qt.AlignmentFlag.AlignVCenter,
            name.elidedText(document.name, Qt.TextElideMode.ElideMiddle, area.width()),
        )
        painter.setFont(self._fonts.caption)
        painter.setPen(QColor(tokens.danger if is_trouble(document) else tokens.text_muted))
        painter.drawText(
            QRect(area.left(), area.top() + name.height() + 1, area.width(), line.height()),
            Qt.AlignmentFlag.AlignVCenter,
            line.elidedText(second_line(document), Qt.TextElideMode.ElideRight, area.width()),
        )

    def _paint_bar(self, painter: QPainter, area: QRect, share: float) -> None:
        tokens = self._theme.tokens()
        track = QRect(
            area.left() + 2 * PADDING + self._icon, area.bottom() - 4, area.width() - 3 * PADDING - self._icon, 3
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.border))
        painter.drawRoundedRect(track, 1.5, 1.5)
        painter.setBrush(QColor(tokens.accent))
        track.setWidth(max(3, round(track.width() * min(share, 1.0))))
        painter.drawRoundedRect(track, 1.5, 1.5)


_SIDE = 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class TableDelegate(DocumentDelegate):
    """Delegate that paints the rows of a DocumentModel on one line, cell by cell."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(80, max(self._icon, self._fonts.name.height()) + 12)

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
        is_error = column == DocumentColumn.STATUS and is_trouble(index.data(DOCUMENT_ROLE))
        painter.setFont(self._fonts.caption)
        painter.setPen(QColor(tokens.danger if is_error else tokens.text_muted))
        shown = self._fonts.line.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, _RIGHT if column_kind(column).is_number else _LEFT, shown)

    def _paint_background(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> None:
        tokens = self._theme.tokens()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(tokens.accent_soft))
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QColor(tokens.accent))
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _paint_words(self, painter: QPainter, area: QRect, document: Document) -> None:
        painter.setFont(self._fonts.body)
        painter.setPen(QColor(self._theme.tokens().text))
        shown = self._fonts.name.elidedText(document.name, Qt.TextElideMode.ElideMiddle, area.width())
        # The area is laid out for two lines: this single line is centred in the row.
        painter.drawText(area.adjusted(0, -6, 0, 6), _LEFT, shown)
