"""Another question in the place of one that was asked: the same agent, after what was said before it."""

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog

_SAID = mark(
    "The same agent is asked this question, after what was said before the old one and without what came behind it."
    " The new answer stands below; the old one stays."
)


class QuestionDialog(Dialog):
    """Edits a question.

    Signals:
        chosen: What is to be asked.
    """

    chosen = Signal(str)

    def __init__(self, question: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        self.setWindowTitle(tr("Ask another question from here"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 260)
        self._text = QPlainTextEdit(question)
        self._text.setAccessibleName(tr("The other question"))
        self._text.setTabChangesFocus(True)
        self._text.selectAll()
        self._ask = button(tr("Ask"), "primary", self._on_ask)
        self._ask.setEnabled(False)
        self._text.textChanged.connect(self._on_edited)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(tr(_SAID), "muted", wrap=True))
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._ask))

    @Slot()
    def _on_edited(self) -> None:
        text = self._text.toPlainText().strip()
        self._ask.setEnabled(text not in ("", self._question.strip()))

    @Slot()
    def _on_ask(self) -> None:
        self.chosen.emit(self._text.toPlainText().strip())
        self.accept()


class AnotherQuestion(QObject):
    """Offers it for the run of one card.

    Signals:
        asked: The Run in whose place a question is to be asked, and the question.
    """

    asked = Signal(object, str)

    def __init__(self, transcript: Transcript, card: QWidget) -> None:
        super().__init__(card)
        self._transcript = transcript
        self._card = card

    @Slot()
    def open(self) -> None:
        """Ask which question."""
        run = self._transcript.run
        if run is not None:
            dialog = QuestionDialog(run.question, self._card.window())
            dialog.chosen.connect(self._on_chosen)
            dialog.open()

    @Slot(str)
    def _on_chosen(self, question: str) -> None:
        self.asked.emit(self._transcript.run, question)
