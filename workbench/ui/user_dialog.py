"""Who is asking: another user of the library is chosen or named, and the window shows that one's sessions."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from workbench.errors import SettingError
from workbench.language import mark, said, tr
from workbench.model.memory import NO_PROTECTION, user_name
from workbench.ui.controls import bring_up, button, dialog_foot, label
from workbench.ui.dialog import Dialog

ABOUT = mark(
    "Each name has its own sessions, memories, readings of everything, golden questions and evaluations. Documents,"
    " agents, models and settings are shared. No name is a user, too: the one who had all of these so far."
)


class UserDialog(Dialog):
    """Takes a name.

    Signals:
        chosen: The name; empty for none.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Who is asking"))
        self.setMinimumWidth(480)
        self._name = QComboBox()
        self._name.setEditable(True)
        self._name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._name.setAccessibleName(tr("Name"))
        self._name.setAccessibleDescription(f"{tr(ABOUT)} {said(NO_PROTECTION)}")
        self._field = QLineEdit()
        self._field.setPlaceholderText(tr("No name"))
        self._field.setAccessibleName(tr("Name"))
        self._name.setLineEdit(self._field)
        self._problem = label("", wrap=True, tone="warn")
        self._problem.hide()
        go_on = button(tr("Continue"), "primary", self._on_chosen)
        go_on.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr("Who is asking?"), "heading"))
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addWidget(label(said(NO_PROTECTION), "muted", wrap=True))
        layout.addWidget(self._name)
        layout.addWidget(self._problem)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), go_on))

    def begin(self, user: str) -> None:
        """Show the dialog with who is asking now."""
        self._name.clear()
        self._name.setEditText(user)
        self._problem.hide()
        bring_up(self)
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._field.selectAll()

    def offer(self, users: Sequence[str]) -> None:
        """Offer the names that the library knows; what is typed stays."""
        typed = self._name.currentText()
        self._name.clear()
        self._name.addItems([name for name in users if name])
        self._name.setCurrentIndex(-1)
        self._name.setEditText(typed)

    @Slot()
    def _on_chosen(self) -> None:
        try:
            name = user_name(self._name.currentText())
        except SettingError as error:
            self._problem.setText(f"{said(error.message)} {said(error.hint)}")
            self._problem.show()
            return
        self.accept()
        self.chosen.emit(name)
