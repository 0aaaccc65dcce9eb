"""The line in which one looks for a session; from it Down leads into the list, Enter to what is found, Esc back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from workbench.language import tr
from workbench.ui.theme import Theme


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
