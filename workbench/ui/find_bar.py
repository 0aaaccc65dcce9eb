"""A small bar in which one looks for words in what a pane shows: how many there are, next, previous, Esc."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from workbench.language import tr
from workbench.ui.controls import IconButton, label
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

# So long after the last letter it is looked for: whoever types a word does not want the places of its first letter.
_PAUSE = 120


class FindBar(QFrame):
    """Hidden until it is opened.

    Signals:
        looked: What is looked for, when it was changed; nothing when the bar was closed.
        moved: 1 for the next place, -1 for the previous one.
        left: The bar was closed by the person.
    """

    looked = Signal(str)
    moved = Signal(int)
    left = Signal()

    def __init__(self, theme: Theme, where: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "find")
        self._field = QLineEdit()
        named = tr("Find in {where}", where=where)
        self._field.setPlaceholderText(named)
        self._field.setAccessibleName(named)
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
        self._pause.timeout.connect(self._look)
        self._field.textChanged.connect(self._pause.start)
        self._sought = ""
        self.hide()

    @property
    def needle(self) -> str:
        """What is looked for."""
        return self._sought

    @property
    def count(self) -> str:
        """What it says of the places found."""
        return self._count.text()

    def open(self, text: str = "") -> None:
        """Show the bar with the keyboard in it; a text that is selected there is looked for at once."""
        self.show()
        if text:
            self._field.setText(text)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._look()

    @Slot()
    def leave(self) -> None:
        """Put the bar away."""
        self._pause.stop()
        self._sought = ""
        self.hide()
        self.looked.emit("")
        self.left.emit()

    def show_place(self, place: int, places: int, *, more: bool = False) -> None:
        """Say which of how many places is shown, the first being 1; more may be found yet."""
        if not self._sought:
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
        if self._field.text() != self._sought:
            self._look()
        else:
            self.moved.emit(step)

    @Slot()
    def _on_next(self) -> None:
        self._move(1)

    @Slot()
    def _on_previous(self) -> None:
        self._move(-1)

    @Slot()
    def _look(self) -> None:
        self._pause.stop()
        if self._field.text() != self._sought:
            self._sought = self._field.text()
            self.looked.emit(self._sought)
