"""What the chat says before the first question."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.ui.controls import button, label
from workbench.ui.theme import Theme

_WIDEST = 440


class EmptyState(QWidget):
    """An icon, a title and what to do, in the middle; quiet beside something that matters more.

    Signals:
        chosen: The words of the button that was pressed, one of those offered.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, quiet: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._size = 32 if quiet else 44
        self._name = "chat"
        self._icon = label()
        self._title = label("", "title" if quiet else "heading")
        self._text = label("", "muted")
        column = QWidget()
        column.setMaximumWidth(_WIDEST)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 12, 24, 12)
        row.addStretch(1)
        row.addWidget(column, 100)
        row.addStretch(1)
        self._offered: list[QPushButton] = []
        layout = self._column = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6 if quiet else 10)
        layout.addStretch(2)
        for part in (self._icon, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            part.setWordWrap(True)
            layout.addWidget(part)
        layout.addSpacing(6)
        layout.addStretch(3)
        theme.changed.connect(self._show_icon)

    def say(self, icon: str, title: str, text: str) -> None:
        """Show an icon, a title and a sentence."""
        self._name = icon
        self._title.setText(title)
        self._text.setText(text)
        self._show_icon()

    def offer(self, words: Sequence[str], variant: str = "secondary") -> None:
        """Put buttons with these words below the sentence, instead of those that stand there."""
        if [one.text() for one in self._offered] == list(words):
            return
        for one in self._offered:
            self._column.removeWidget(one)
            one.hide()
            one.deleteLater()
        self._offered = [button(text, variant, self._on_pressed) for text in words]
        for one in self._offered:
            # Above the stretch at the end.
            self._column.insertWidget(self._column.count() - 1, one, 0, Qt.AlignmentFlag.AlignHCenter)
            one.show()

    @Slot()
    def _on_pressed(self) -> None:
        pressed = self.sender()
        if isinstance(pressed, QPushButton):
            self.chosen.emit(pressed.text())

    @Slot()
    def _show_icon(self) -> None:
        self._icon.setPixmap(self._theme.pixmap(self._name, self._theme.tokens().border_strong, self._size))
