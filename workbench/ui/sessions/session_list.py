"""Widgets of the session list that are created with the first session: row delegate and search field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.language import tr
from workbench.ui.sessions.model import (
    MATCH_ROLE,
    SESSION_ROLE,
    WORDS_ROLE,
    excerpt_before_match,
    second_line,
    title_of,
)
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo, SessionMatch


_ICON_SIZE = 14


class SessionDelegate(QStyledItemDelegate):
    """Delegate that paints a SessionInfo in two lines with the theme's tokens."""

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
        words: Sequence[str] = index.data(WORDS_ROLE) or ()
        match: SessionMatch | None = index.data(MATCH_ROLE)
        first = area.adjusted(10, 5, -10, 0)
        first.setWidth(first.width() - self._paint_icons(painter, first, session))
        colour = tokens.text_muted if session.archived else tokens.text
        self._paint_line(painter, first, title_of(session), tokens.body, colour, words)
        below = area.adjusted(10, 6 + QFontMetrics(self._theme.font()).height(), -10, 0)
        text = excerpt_before_match(match.excerpt, words) if match is not None else second_line(session)
        self._paint_line(painter, below, text, tokens.caption, tokens.text_muted, words if match is not None else ())
        painter.restore()

    def _paint_icons(self, painter: QPainter, area: QRect, session: SessionInfo) -> int:
        """Draw the pinned and archived icons at the right end; return the width that they take."""
        tokens = self._theme.tokens()
        used_width, side = 0, self._theme.scaled(_ICON_SIZE)
        for name, is_shown in (("pin", session.pinned), ("archive", session.archived)):
            if is_shown:
                used_width += side + 4
                pixmap = self._theme.pixmap(name, tokens.text_muted, _ICON_SIZE)
                height = QFontMetrics(self._theme.font()).height()
                painter.drawPixmap(area.right() - used_width + 5, area.top() + (height - side) // 2, pixmap)
        return used_width

    def _paint_line(
        self, painter: QPainter, area: QRect, text: str, size: float, colour: str, words: Sequence[str] = ()
    ) -> None:
        font = self._theme.font(size, text=text)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, area.width())
        for word in words:
            position = elided.lower().find(word)
            if position >= 0:
                left = area.left() + metrics.horizontalAdvance(elided[:position])
                width = metrics.horizontalAdvance(elided[position : position + len(word)])
                marked = QRect(left, area.top(), width, metrics.height())
                painter.fillRect(marked, QColor(self._theme.tokens().mark_solid))
        painter.setPen(QColor(colour))
        painter.drawText(
            QRect(area.left(), area.top(), area.width(), metrics.height()), Qt.AlignmentFlag.AlignVCenter, elided
        )


class FindField(QLineEdit):
    """Search field that filters the list while the user types.

    Signals:
        list_wanted: The keyboard focus is to move to the list.
        first_wanted: The first row is to be opened.
    """

    list_wanted = Signal()
    first_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setPlaceholderText(tr("Search sessions"))
        self.setAccessibleName(tr("Search sessions"))
        self.setToolTip(tr("Searches titles, questions and answers"))
        self.setClearButtonEnabled(True)
        self.setProperty("variant", "quiet")
        self._search_icon = self.addAction(theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search_icon.setText(tr("Search sessions"))
        theme.changed.connect(self._paint_search_icon)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.first_wanted.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.list_wanted.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Escape:
            self.list_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _paint_search_icon(self) -> None:
        self._search_icon.setIcon(self._theme.icon("search"))
