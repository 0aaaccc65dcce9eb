"""The bubble that holds a question, as wide as its words."""

from PySide6.QtCore import QRect, Qt, Slot
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from workbench.language import tr
from workbench.ui.theme import Theme

BUBBLE = "question"
"""The name of the label that holds the question; the style sheet knows it by that."""
_SHARE = 0.82
_PADDING = 28


class QuestionBubble(QLabel):
    """A question in a tinted box."""

    def __init__(self, theme: Theme, question: str, parent: QWidget | None = None) -> None:
        super().__init__(question, parent)
        self._theme = theme
        self._question = question
        self.setObjectName(BUBBLE)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(tr("Your question: {question}", question=question))
        theme.changed.connect(self._dress)
        self._dress()

    def fit(self, room: int) -> None:
        """Be as wide as the text: left to itself a wrapping label is about as wide as it is high."""
        widest = round(room * _SHARE) - _PADDING
        space = QRect(0, 0, widest, 1_000_000)
        text = self.fontMetrics().boundingRect(space, Qt.TextFlag.TextWordWrap, self._question)
        self.setFixedWidth(min(widest, text.width() + 12) + _PADDING)

    @Slot()
    def _dress(self) -> None:
        self.setFont(self._theme.font(text=self._question))
