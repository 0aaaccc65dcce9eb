"""How a session's row is painted: its title, and a muted second line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.ui.sessions.model import SESSION_ROLE, UNTITLED, second_line
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo


class SessionDelegate(QStyledItemDelegate):
    """Paints a SessionInfo in two lines with the theme's tokens."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        line = QFontMetrics(self._theme.font(self._theme.tokens().caption))
        return QSize(160, QFontMetrics(self._theme.font()).height() + line.height() + 14)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        session: SessionInfo | None = index.data(SESSION_ROLE)
        if session is None:
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(6, 1, -6, -1)
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(area, 7, 7)
        self._line(painter, area.adjusted(10, 5, -10, 0), session.title or UNTITLED, tokens.body, tokens.text)
        below = area.adjusted(10, 6 + QFontMetrics(self._theme.font()).height(), -10, 0)
        self._line(painter, below, second_line(session), tokens.caption, tokens.text_muted)
        painter.restore()

    def _line(self, painter: QPainter, area: QRect, text: str, size: float, colour: str) -> None:
        font = self._theme.font(size, text=text)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(
            QRect(area.left(), area.top(), area.width(), metrics.height()), Qt.AlignmentFlag.AlignVCenter, elided
        )
