"""The button that leads back to the newest answer, above the lower edge of the conversation."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.language import tr
from workbench.ui.theme import Theme

_ICON = 14
_EDGE = 12


class JumpButton(QPushButton):
    """Hidden until it is needed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(tr("Jump to the latest"), parent)
        self._theme = theme
        self.setIconSize(QSize(_ICON, _ICON))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()
        theme.changed.connect(self._dress)
        self._dress()

    def offer(self, needed: bool) -> None:
        """Show the button in the middle, above what scrolls, or hide it."""
        self.setVisible(needed)
        around = self.parentWidget()
        if needed and around is not None:
            self.adjustSize()
            self.move((around.width() - self.width()) // 2, around.height() - self.height() - _EDGE)
            self.raise_()

    @Slot()
    def _dress(self) -> None:
        self.setIcon(self._theme.icon("chevron-down", size=_ICON))
