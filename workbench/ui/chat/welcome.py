"""The chat before the first question: a welcome and the sample documents, or an invitation to ask, with examples."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from workbench.language import tr
from workbench.ui.chat import invitation
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.theme import Theme


class Welcome(EmptyState):
    """What a new user sees, and what stands in every new session.

    Signals:
        samples_asked: The sample documents are to be added.
        question_chosen: An example that is to be asked.
    """

    samples_asked = Signal()
    question_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.chosen.connect(self._on_chosen)

    def expect_documents(self, any_documents: bool) -> None:
        """Invite to ask where there are documents, to add some where there are none."""
        icon, title, text = invitation.READY_TO_ASK if any_documents else invitation.NO_DOCUMENTS
        self.say(icon, tr(title), tr(text))
        self.offer([] if any_documents else [tr(invitation.SAMPLES)], "primary")

    @Slot(bool)
    def show_examples(self, samples_only: bool) -> None:
        """Offer questions about the sample documents while there are no others."""
        self.offer(list(invitation.EXAMPLES.values()) if samples_only else [])

    @Slot(str)
    def _on_chosen(self, words: str) -> None:
        if words == tr(invitation.SAMPLES):
            self.samples_asked.emit()
        else:
            self.question_chosen.emit(words)
