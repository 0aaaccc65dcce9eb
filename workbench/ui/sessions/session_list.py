"""Widgets of the list of sessions that are created with the first session: row delegate and search field."""

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


_SIGN = 14


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
        words: Sequence[str] = index.data(WORDS_ROLE) or ()
        match: SessionMatch | None = index.data(MATCH_ROLE)
        first = area.adjusted(10, 5, -10, 0)
        first.setWidth(first.width() - self._signs(painter, first, session))
        colour = tokens.text_muted if session.archived else tokens.text
        self._line(painter, first, title_of(session), tokens.body, colour, words)
        below = area.adjusted(10, 6 + QFontMetrics(self._theme.font()).height(), -10, 0)
        text = excerpt_before_match(match.excerpt, words) if match is not None else second_line(session)
        self._line(painter, below, text, tokens.caption, tokens.text_muted, words if match is not None else ())
        painter.restore()

    def _signs(self, painter: QPainter, area: QRect, session: SessionInfo) -> int:
        """Draw at the right end whether it is pinned and archived; return the width that takes."""
        tokens = self._theme.tokens()
        taken = 0
        for name, is_so in (("pin", session.pinned), ("archive", session.archived)):
            if is_so:
                taken += _SIGN + 4
                picture = self._theme.pixmap(name, tokens.text_muted, _SIGN)
                height = QFontMetrics(self._theme.font()).height()
                painter.drawPixmap(area.right() - taken + 5, area.top() + (height - _SIGN) // 2, picture)
        return taken

    def _line(
        self, painter: QPainter, area: QRect, text: str, size: float, colour: str, words: Sequence[str] = ()
    ) -> None:
        font = self._theme.font(size, text=text)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, area.width())
        for word in words:
            place = elided.lower().find(word)
            if place >= 0:
                left = area.left() + metrics.horizontalAdvance(elided[:place])
                width = metrics.horizontalAdvance(elided[place : place + len(word)])
                marked = QRect(left, area.top(), width, metrics.height())
                painter.fillRect(marked, QColor(self._theme.tokens().mark_solid))
        painter.setPen(QColor(colour))
        painter.drawText(
            QRect(area.left(), area.top(), area.width(), metrics.height()), Qt.AlignmentFlag.AlignVCenter, elided
        )


class FindField(QLineEdit):
    """What is typed here is looked for as one types.

    Signals:
        list_wanted: The keyboard is to go to the list.
        first_wanted: The first row is to be opened.
    """

    list_wanted = Signal()
    first_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setPlaceholderText(tr("Find in sessions"))
        self.setAccessibleName(tr("Find in sessions"))
        self.setToolTip(tr("Looks in titles, questions and answers"))
        self.setClearButtonEnabled(True)
        self.setProperty("variant", "quiet")
        self._sign = self.addAction(theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._sign.setText(tr("Find in sessions"))
        theme.changed.connect(self._paint_sign)

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

    def _paint_sign(self) -> None:
        self._sign.setIcon(self._theme.icon("search"))
