"""Beside the question: that it goes on from one of several answers in one another's place, until that is taken back."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.language import tr
from workbench.model.run import Run
from workbench.ui.chat.conversation import Conversation
from workbench.ui.controls import IconButton, label
from workbench.ui.localisation import time_of_day
from workbench.ui.messages import announce
from workbench.ui.theme import Theme


class GoingOn(QWidget):
    """A few words and a button; hidden while questions go on as usual."""

    def __init__(self, theme: Theme, conversation: Conversation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversation = conversation
        self._words = label("", "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._words)
        row.addWidget(IconButton(theme, "close", tr("Go on from all answers as usual"), self._on_closed))
        conversation.goes_on_from.connect(self._on_goes_on_from)
        self.hide()

    @property
    def said(self) -> str:
        """What it says; nothing while it is hidden."""
        return "" if self.isHidden() else self._words.text()

    @Slot(object)
    def _on_goes_on_from(self, run: Run | None) -> None:
        if run is not None:
            self._words.setText(tr("Goes on from the answer of {time}", time=time_of_day(run.started)))
            self._words.setToolTip(run.question)
            announce(self, self._words.text())
        self.setVisible(run is not None)

    @Slot()
    def _on_closed(self) -> None:
        self._conversation.go_on_from(None)
