"""Empty states: the base widget of all panes, the welcome of the chat before the first question, and its texts."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.ui.controls import button, label
from workbench.ui.theme import Theme

_WIDEST = 440


class EmptyState(QWidget):
    """An icon, a title and a sentence in the middle, with optional buttons; smaller if quiet.

    Signals:
        chosen: The text of the button that was pressed.
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

    def show_state(self, icon: str, title: str, text: str) -> None:
        """Show an icon, a title and a sentence."""
        self._name = icon
        self._title.setText(title)
        self._text.setText(text)
        self._show_icon()

    def offer(self, words: Sequence[str], variant: str = "secondary") -> None:
        """Show buttons with these texts below the sentence, in place of the current ones."""
        if [one.text() for one in self._offered] == list(words):
            return
        for one in self._offered:
            self._column.removeWidget(one)
            one.hide()
            one.deleteLater()
        self._offered = [button(text, variant, self._on_pressed) for text in words]
        for one in self._offered:
            # Before the stretch at the end.
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


class Welcome(EmptyState):
    """Start page for a new user, and content of every new session.

    Signals:
        samples_asked: The sample documents are to be added.
        question_chosen: The example question that is to be asked.
    """

    samples_asked = Signal()
    question_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.chosen.connect(self._on_chosen)

    def expect_documents(self, any_documents: bool) -> None:
        """Show the invitation to ask if there are documents, the one to add documents otherwise."""
        icon, title, text = READY_TO_ASK if any_documents else NO_DOCUMENTS
        self.show_state(icon, tr(title), tr(text))
        self.offer([] if any_documents else [tr(SAMPLES)], "primary")

    @Slot(bool)
    def show_examples(self, samples_only: bool) -> None:
        """Offer questions about the sample documents while there are no other documents."""
        self.offer(list(EXAMPLES.values()) if samples_only else [])

    @Slot(str)
    def _on_chosen(self, words: str) -> None:
        if words == tr(SAMPLES):
            self.samples_asked.emit()
        else:
            self.question_chosen.emit(words)


# Icon, title and sentence of the empty chat.
READY_TO_ASK = (
    "chat",
    mark("Ask about your documents"),
    mark("Every answer cites its sources. Click a number to see the passage on its page."),
)
# Placeholder of the question field, which has only 200 pixels next to three icons, and its tooltip.
ASK = (
    mark("Ask about your documents"),
    mark("Type @ for a document or # for a tag; Shift+Enter starts a new line."),
)
ADD_FIRST = (mark("Add documents, then ask"), "")
NO_DOCUMENTS = (
    "library",
    mark("Welcome"),
    mark(
        "Add documents and ask about them in your own words. Every answer cites its sources, and each "
        "number opens the cited page. Everything stays on this computer; you need no account."
    ),
)
SAMPLES = mark("Try with sample documents")
EXAMPLES = {
    "harbour-survey.pdf": "What is the limit for tributyltin?",
    "merewake-m4-manual.md": "How long does the battery last?",
    "corran-gate-maintenance.zh.md": "启闭机减速箱的润滑油多久更换一次？",
    "forum-minutes.txt": "Who is the world chess champion?",  # none of them contains the answer, which the reply states
}
"""A question for each of the sample documents, offered when all of them are ready."""
