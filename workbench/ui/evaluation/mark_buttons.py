"""A tick and a cross beside a passage: it answers the question, or it does not."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from workbench.language import mark, tr
from workbench.ui.theme import Theme

_SIZE = 20
_ICON = 14
WORDS = {True: mark("Right for this question"), False: mark("Wrong for this question")}
_NAMES = {True: mark("Mark {passage} as right"), False: mark("Mark {passage} as wrong")}
_HELP = {
    True: mark("Mark {passage} as right for {question}; again takes the mark back"),
    False: mark("Mark {passage} as wrong for {question}; again takes the mark back"),
}


class MarkButton(QToolButton):
    """One of the two; pressed for as long as the passage is marked so."""

    def __init__(self, theme: Theme, *, right: bool) -> None:
        super().__init__()
        self._theme = theme
        self._right = right
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setProperty("variant", "mark")
        self.setProperty("tone", "ok" if right else "danger")
        self.setIconSize(QSize(_ICON, _ICON))
        self.setFixedSize(_SIZE, _SIZE)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.changed.connect(self.paint)
        self.toggled.connect(self.paint)
        self.paint()

    @Slot()
    def paint(self) -> None:
        """Draw the icon in the colour of its state."""
        tokens = self._theme.tokens()
        strong = tokens.ok if self._right else tokens.danger
        self.setIcon(self._theme.icon("check" if self._right else "close", strong if self.isChecked() else None, _ICON))


class MarkButtons(QWidget):
    """Both, for one passage.

    Signals:
        marked: True for right, False for wrong, None to take the mark back.
    """

    marked = Signal(object)

    def __init__(self, theme: Theme, passage: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._right = MarkButton(theme, right=True)
        self._wrong = MarkButton(theme, right=False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in (self._right, self._wrong):
            row.addWidget(button)
            # Clicked, never toggled: what is shown from outside asks for nothing.
            button.clicked.connect(self._on_clicked)
        self.name(passage)

    @property
    def mark(self) -> bool | None:
        """How the passage is marked, as it is shown."""
        return True if self._right.isChecked() else False if self._wrong.isChecked() else None

    def name(self, passage: str, question: str = "") -> None:
        """Say which passage they are for, and which question; nothing for the one that is shown beside them."""
        asked = question or tr("this question")
        for button, right in ((self._right, True), (self._wrong, False)):
            button.setAccessibleName(tr(_NAMES[right], passage=passage))
            button.setToolTip(tr(_HELP[right], passage=passage, question=asked))

    def show_mark(self, right: bool | None) -> None:
        """Show how the passage is marked; None for not at all."""
        self._right.setChecked(right is True)
        self._wrong.setChecked(right is False)

    @Slot()
    def _on_clicked(self) -> None:
        pressed = self.sender()
        if isinstance(pressed, MarkButton):
            right = (pressed is self._right) if pressed.isChecked() else None
            self.show_mark(right)
            self.marked.emit(right)
