"""The card beside the point that the pointer is on: its document, its page, how it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.language import said
from workbench.ui.controls import label
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.map import MapPassage

_WIDTH = 300
_AWAY = 14


class PassageCard(QFrame):
    """Never under the pointer, never in its way."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "toast")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(_WIDTH)
        self._name = label("", "section", wrap=True)
        self._place = label("", "caption", wrap=True)
        self._line = label("", "muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(3)
        for one in (self._name, self._place, self._line):
            layout.addWidget(one)
        self._theme = theme
        self.hide()

    @property
    def said(self) -> str:
        """All that it says."""
        return "\n".join(one.text() for one in (self._name, self._place, self._line) if one.text())

    def show_passage(self, passage: MapPassage, at: QPointF) -> None:
        """Show a passage beside a place of the parent."""
        citation = passage.citation
        path = " › ".join(citation.headings)
        self._name.setText(citation.document_name)
        self._place.setText(" · ".join(part for part in (said(citation.place), path) if part))
        self._place.setVisible(bool(self._place.text()))
        self._line.setText(passage.line)
        self.adjustSize()
        # Labels that wrap say their height for a width only when they are asked for it.
        layout = self.layout()
        assert layout is not None
        self.setFixedHeight(layout.totalHeightForWidth(_WIDTH))
        self.move(self._beside(at))
        self.show()
        self.raise_()

    def _beside(self, at: QPointF) -> QPoint:
        parent = self.parentWidget()
        assert parent is not None
        room = parent.rect()
        left = at.x() + _AWAY if at.x() + _AWAY + self.width() <= room.width() else at.x() - _AWAY - self.width()
        top = at.y() + _AWAY if at.y() + _AWAY + self.height() <= room.height() else at.y() - _AWAY - self.height()
        return QPoint(max(4, round(left)), max(4, round(top)))
