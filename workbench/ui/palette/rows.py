"""The item model of the palette, and how a row is painted: icon, name, where it is found, key."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.language import tr
from workbench.ui.palette.entry import Entry, Kind
from workbench.ui.theme import Theme

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
_PAD = 12
_ICON = 16
# The name may take so much of a row before where it is found gives way.
_NAME_SHARE = 0.66


class EntryModel(QAbstractListModel):
    """Entries as they were found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Entry] = []

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self.entries):
            return None
        entry = self.entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return entry.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return f"{entry.text}\n{entry.detail}".strip()
            case _ if role == ENTRY_ROLE:
                return entry
        return None

    def show(self, entries: Sequence[Entry]) -> None:
        """Show these and no others."""
        self.beginResetModel()
        self.entries = list(entries)
        self.endResetModel()


class EntryDelegate(QStyledItemDelegate):
    """Paints an Entry in one line."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(200, QFontMetrics(self._theme.font()).height() + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw one row."""
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, Entry):
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(4, 1, -4, -1)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = option.state & QStyle.StateFlag.State_Selected
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if chosen else tokens.hover))
            painter.drawRoundedRect(area, 6, 6)
        inner = area.adjusted(_PAD - 2, 0, 2 - _PAD, 0)
        icon = self._theme.pixmap(entry.icon or "keyboard", size=_ICON)
        painter.drawPixmap(inner.left(), inner.center().y() - _ICON // 2 + 1, icon)
        inner.setLeft(inner.left() + _ICON + 10)
        inner.setRight(inner.right() - self._paint_right(painter, inner, entry))
        self._paint_words(painter, inner, entry)
        painter.restore()

    def _paint_right(self, painter: QPainter, area: QRect, entry: Entry) -> int:
        """Write the key, or what it is, at the right; return the width that this takes."""
        text = entry.keys or ("" if entry.kind is Kind.COMMAND else tr(entry.kind.value))
        if not text:
            return 0
        font = self._theme.font(self._theme.tokens().caption)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens().text_muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        return QFontMetrics(font).horizontalAdvance(text) + _PAD

    def _paint_words(self, painter: QPainter, area: QRect, entry: Entry) -> None:
        tokens = self._theme.tokens()
        font = self._theme.font(text=entry.text)
        metrics = QFontMetrics(font)
        room = round(area.width() * (_NAME_SHARE if entry.detail else 1))
        text = metrics.elidedText(entry.text, Qt.TextElideMode.ElideRight, room)
        layout = QTextLayout(text, font)
        layout.setFormats([_marked(start, end, tokens.accent) for start, end in entry.spans if end <= len(text)])
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        painter.setPen(QColor(tokens.text))
        layout.draw(painter, QRect(area.left(), 0, 0, 0).topLeft() + _middle(area, metrics.height()))
        taken = round(line.naturalTextWidth()) + _PAD
        caption = self._theme.font(tokens.caption, text=entry.detail)
        painter.setFont(caption)
        painter.setPen(QColor(tokens.text_muted))
        detail = QFontMetrics(caption).elidedText(
            " ".join(entry.detail.split()), Qt.TextElideMode.ElideRight, area.width() - taken
        )
        painter.drawText(area.adjusted(taken, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, detail)


def _middle(area: QRect, height: int) -> Any:
    return QRect(0, area.top() + (area.height() - height) // 2, 0, 0).topLeft()


def _marked(start: int, end: int, colour: str) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    marked.start, marked.length = start, end - start
    format = QTextCharFormat()
    format.setForeground(QColor(colour))
    format.setFontWeight(600)
    marked.format = format
    return marked
