"""Another result for a tool of an answer: the answer is made anew from there."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.run import TimedEvent, ToolCompleted, ToolFailed
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog


def result_of(timed: TimedEvent) -> tuple[str, str] | None:
    """Return the tool and what it answered; None for an event that is no result of a tool."""
    match timed.event:
        case ToolCompleted(_, tool, result, _):
            return tool, result
        case ToolFailed(_, tool, message, _):
            return tool, message
    return None


class ResultDialog(Dialog):
    """Edits what a tool answered.

    Signals:
        chosen: The number of the event, and the text that takes its place.
    """

    chosen = Signal(int, str)

    def __init__(self, timed: TimedEvent, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tool, result = result_of(timed) or ("", "")
        self._number = timed.number
        self._result = result
        self.setWindowTitle(tr("Go on with another result"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 480)
        self._text = QPlainTextEdit(result)
        self._text.setAccessibleName(tr("What {tool} answered", tool=tool))
        self._text.setTabChangesFocus(True)
        self._go_on = button(tr("Go on from here"), "primary", self._on_go_on)
        self._go_on.setEnabled(False)
        self._text.textChanged.connect(self._on_edited)
        told = tr(
            "What should “{tool}” have answered? What came before stays as it was, and the model is asked from here"
            " on. The new answer stands below, and says that a result was changed by hand.",
            tool=tool,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(told, "muted", wrap=True))
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._go_on))

    @Slot()
    def _on_edited(self) -> None:
        self._go_on.setEnabled(self._text.toPlainText() != self._result)

    @Slot()
    def _on_go_on(self) -> None:
        self.chosen.emit(self._number, self._text.toPlainText())
        self.accept()
