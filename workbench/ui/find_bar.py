"""Find bar: searches the text that a pane shows.

It shows the number of matches, and has buttons for the next and previous one; Esc closes it.
"""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from workbench.language import tr
from workbench.ui.controls import IconButton, label
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

# Milliseconds between the last keystroke and the search: the matches of a word's first letter are of no use.
_PAUSE = 120


class FindBar(QFrame):
    """Search field of a pane, hidden until it is opened.

    Signals:
        looked: The query, when it has changed; empty when the bar was closed.
        moved: 1 for the next match, -1 for the previous one.
        left: The user closed the bar.
    """

    looked = Signal(str)
    moved = Signal(int)
    left = Signal()

    def __init__(self, theme: Theme, where: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "find")
        self._field = QLineEdit()
        placeholder = tr("Find in {where}", where=where)
        self._field.setPlaceholderText(placeholder)
        self._field.setAccessibleName(placeholder)
        self._field.setClearButtonEnabled(True)
        self._field.installEventFilter(self)
        self._count = label("", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(6)
        row.addWidget(self._field, 1)
        row.addWidget(self._count)
        row.addWidget(IconButton(theme, "chevron-up", tr("Previous place (Shift+Enter)"), self._on_previous))
        row.addWidget(IconButton(theme, "chevron-down", tr("Next place (Enter)"), self._on_next))
        row.addWidget(IconButton(theme, "close", tr("Close the find bar (Esc)"), self.leave))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._search)
        self._field.textChanged.connect(self._pause.start)
        self._query = ""
        self.hide()

    @property
    def needle(self) -> str:
        """Current query."""
        return self._query

    @property
    def count(self) -> str:
        """Text that states the number of matches."""
        return self._count.text()

    def open(self, text: str = "") -> None:
        """Show the bar and focus it; a text that is selected in the pane is searched for at once."""
        self.show()
        if text:
            self._field.setText(text)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search()

    @Slot()
    def leave(self) -> None:
        """Close the bar."""
        self._pause.stop()
        self._query = ""
        self.hide()
        self.looked.emit("")
        self.left.emit()

    def show_place(self, place: int, places: int, *, more: bool = False) -> None:
        """Show the 1-based number of the current match and the total; more is True while the search is not complete."""
        if not self._query:
            text = ""
        elif places:
            values = {"place": place, "places": places}
            text = tr("{place:,} of {places:,}+", **values) if more else tr("{place:,} of {places:,}", **values)
        else:
            text = tr("Looking…") if more else tr("Not found")
        if text != self._count.text():
            self._count.setText(text)
            announce(self._field, text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
            elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
                self._move(-1 if back else 1)
            else:
                return super().eventFilter(watched, event)
            return True
        return super().eventFilter(watched, event)

    def _move(self, step: int) -> None:
        if self._field.text() != self._query:
            self._search()
        else:
            self.moved.emit(step)

    @Slot()
    def _on_next(self) -> None:
        self._move(1)

    @Slot()
    def _on_previous(self) -> None:
        self._move(-1)

    @Slot()
    def _search(self) -> None:
        self._pause.stop()
        if self._field.text() != self._query:
            self._query = self._field.text()
            self.looked.emit(self._query)
