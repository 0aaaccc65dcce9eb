"""A format as a card: its picture, its name, what it is good for; one of them is chosen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui.theme import Theme

_ICON = 26
_MARGIN = 12


class FormatCard(QAbstractButton):
    """Is chosen by a click, by the space bar, or with the arrow keys among its neighbours."""

    def __init__(self, theme: Theme, format: str, title: str, description: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.format = format
        self._theme = theme
        self._description = description
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(description)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        tokens = self._theme.tokens()
        title = QFontMetrics(self._theme.font(tokens.body)).height()
        words = QFontMetrics(self._theme.font(tokens.caption)).height()
        return QSize(300, title + 2 * words + _MARGIN)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self.rect().adjusted(1, 1, -1, -1)
        marked = self.isChecked() or self.hasFocus()
        painter.setPen(QPen(QColor(tokens.accent if marked else tokens.border), 2 if self.hasFocus() else 1))
        ground = tokens.accent_soft if self.isChecked() else tokens.hover if self.underMouse() else tokens.surface
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(area, 8, 8)
        colour = tokens.accent if self.isChecked() else tokens.text_muted
        icon = self._theme.pixmap(f"format-{self.format}", colour, _ICON)
        painter.drawPixmap(_MARGIN, (self.height() - _ICON) // 2, icon)
        self._write(painter)
        painter.end()

    def _write(self, painter: QPainter) -> None:
        """Write name and description beside the picture, both together in the middle."""
        tokens = self._theme.tokens()
        font, small = self._theme.font(tokens.body), self._theme.font(tokens.caption)
        font.setBold(True)
        left = _MARGIN + _ICON + 12
        room = QRect(left, 0, self.width() - left - _MARGIN, self.height())
        flags = int(Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
        title = QFontMetrics(font).height()
        below = QFontMetrics(small).boundingRect(room, flags, self._description).height()
        top = max(0, (self.height() - title - below) // 2)
        for words, face, colour, place in (
            (self.text(), font, tokens.text, room.adjusted(0, top, 0, 0)),
            (self._description, small, tokens.text_muted, room.adjusted(0, top + title, 0, 0)),
        ):
            painter.setFont(face)
            painter.setPen(QColor(colour))
            painter.drawText(place, flags, words)
